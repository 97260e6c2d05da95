// One row times FP8 with FMLAL and FMLAL2: a panel of 12 columns, or 16 columns of a panel of SME (f8_neon_fhm.cpp).
//
//     dst[j] = clamp(start[j] + sum over blocks of scale[j] * (unit * sum over k of row[k] * weight[k][j]))
//
// A weight becomes an f16, exactly: E5M2 is the upper byte of one. E4M3 has one bit less of exponent and one more of
// mantissa: its bits, moved to their places, stand for 2^-8 of it, subnormals too, and `unit` makes up for it. NaN of
// E4M3 would be 480; panels that have one have a NaN among their scales.
//
// A vector of a panel has 4 k of 4 columns. Each column has a vector of sums, of k modulo 4; at the end of a block they
// are added up:
//
//     vector 0                vector 1             vector 2           vector 3: of 16 columns
//     c0 c0 c0 c0 c1 ... c3   c4 ... c7            c8 ... c11         c12 ... c15       4 k of each column, a byte each
//     S_0 S_1 S_2 S_3         S_4 ... S_7          S_8 ... S_11       S_12 ... S_15
//
//   A             v0         4 k of the row, twice
//   B             v1         4 k of 4 columns
//   lo_0, hi_0    v2, v3     of vector 0, as f16: columns 0 and 1, 2 and 3; lo_1 - hi_2: v4-v7. Vector 3: lo_1, hi_1
//   T_0 - T_3     v8-v11     results
//   zeros         v12
//   S_0 - S_15    v16-v31    sums of this block
//   After a block: X_0 - X_3  v1-v4  scales; bounds
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+fp16fml

#include "kai/engines/asm/asm.h"
#include "kai/engines/f8/f8_args.h"

args        .req x0
row         .req x1
panel       .req x2
scales      .req x3
next_scales .req x4
blocks      .req x5
groups      .req x6
count       .req x7                             // groups left in this block
at          .req x8                             // scratch
next_group  .req x9                             // bytes from 4 k of the panel to the next ones

    regs    0, A, B, lo_0, hi_0, lo_1, hi_1, lo_2, hi_2, T_0, T_1, T_2, T_3, zeros
    regs    16, S_0, S_1, S_2, S_3, S_4, S_5, S_6, S_7
    regs    24, S_8, S_9, S_10, S_11, S_12, S_13, S_14, S_15
    regs    1, X_0, X_1, X_2, X_3

// lo_<i>, hi_<i> = f16 of the 16 weights of B, in steps 0 to 3.
.macro decode_e4m3 i, step
    when    \step, 0, sshll lo_\i\().8h, B.8b, #7
    when    \step, 1, sshll2 hi_\i\().8h, B.16b, #7
    when    \step, 2, bic lo_\i\().8h, #0x40, lsl #8          // a second sign
    when    \step, 3, bic hi_\i\().8h, #0x40, lsl #8
.endm
.macro decode_e5m2 i, step
    when    \step, 0, zip1 lo_\i\().16b, zeros.16b, B.16b
    when    \step, 1, zip2 hi_\i\().16b, zeros.16b, B.16b
.endm

// S of 4 columns += products of lo_<i>, hi_<i>. Meanwhile weights of B are decoded to lo_<next>, hi_<next>.
.macro add_products i, next, decode, s_0, s_1, s_2, s_3
    \decode \next, 0
    \decode \next, 1
    fmlal   S_\s_0\().4s, lo_\i\().4h, A.4h
    fmlal2  S_\s_1\().4s, lo_\i\().4h, A.4h
    \decode \next, 2
    \decode \next, 3
    fmlal   S_\s_2\().4s, hi_\i\().4h, A.4h
    fmlal2  S_\s_3\().4s, hi_\i\().4h, A.4h
.endm

// S of 4 columns = 0.
.macro clear s_0, s_1, s_2, s_3
    movi    S_\s_0\().2d, #0
    movi    S_\s_1\().2d, #0
    movi    S_\s_2\().2d, #0
    movi    S_\s_3\().2d, #0
.endm
// T = op(T, bound).
.macro limit op, bound
    \op    T_0.4s, T_0.4s, \bound\().4s
    \op    T_1.4s, T_1.4s, \bound\().4s
    \op    T_2.4s, T_2.4s, \bound\().4s
    \op    T_3.4s, T_3.4s, \bound\().4s
.endm

// T_<i> += scale * unit * sums of 4 columns, which become 0.
.macro add_block i, s_0, s_1, s_2, s_3
    faddp   S_\s_0\().4s, S_\s_0\().4s, S_\s_1\().4s
    faddp   S_\s_2\().4s, S_\s_2\().4s, S_\s_3\().4s
    faddp   S_\s_0\().4s, S_\s_0\().4s, S_\s_2\().4s
    fmul    S_\s_0\().4s, S_\s_0\().4s, A.s[0]
    fmla    T_\i\().4s, S_\s_0\().4s, X_\i\().4s
    clear   \s_0, \s_1, \s_2, \s_3
.endm

// Loads or stores 3 or 4 vectors, X_0 ... or T_0 ..., at `base`: by `pair` two of them, by `one` the third.
.macro transfer vectors, pair, one, names, base
    \pair   q\names\()_0, q\names\()_1, [\base]
    .if \vectors == 3
    \one    q\names\()_2, [\base, #32]
    .else
    \pair   q\names\()_2, q\names\()_3, [\base, #32]
    .endif
.endm

// void name(const F8RowArgs*)
.macro row_times_panel name, decode, vectors
func \name, hidden
    frame   d8-d12
    ldp     row, panel, [args, #F8_ROW_ARGS_row]
    ldp     scales, next_scales, [args, #F8_ROW_ARGS_scales]
    ldp     blocks, groups, [args, #F8_ROW_ARGS_blocks]
    ldp     at, next_group, [args, #F8_ROW_ARGS_start]
    transfer \vectors, ldp, ldr, T, at
    movi    zeros.2d, #0
    clear   0, 1, 2, 3
    clear   4, 5, 6, 7
    clear   8, 9, 10, 11
    .if \vectors == 4
    clear   12, 13, 14, 15
    .endif
0:  mov     count, groups
    ldr     qB, [panel]
    \decode 0, 0
    \decode 0, 1
    \decode 0, 2
    \decode 0, 3
1:  // 4 k, and the first columns of the next 4: at the end they are scales
    ldr     qA, [row], #16
    ldr     qB, [panel, #16]
    add_products 0, 1, \decode, 0, 1, 2, 3
    ldr     qB, [panel, #32]
    add_products 1, 2, \decode, 4, 5, 6, 7
    .if \vectors == 4
    ldr     qB, [panel, #48]
    add_products 2, 1, \decode, 8, 9, 10, 11
    .endif
    add     panel, panel, next_group
    ldr     qB, [panel]
    subs    count, count, #1
    .if \vectors == 3
    add_products 2, 0, \decode, 8, 9, 10, 11
    .else
    add_products 1, 0, \decode, 12, 13, 14, 15
    .endif
    b.ne    1b
    ldr     s0, [args, #F8_ROW_ARGS_unit]      // A
    transfer \vectors, ldp, ldr, X, scales
    add     scales, scales, next_scales
    add     panel, panel, next_group            // scales between blocks
    add_block 0, 0, 1, 2, 3
    add_block 1, 4, 5, 6, 7
    add_block 2, 8, 9, 10, 11
    .if \vectors == 4
    add_block 3, 12, 13, 14, 15
    .endif
    subs    blocks, blocks, #1
    b.ne    0b
    ldp     qX_0, qX_1, [args, #F8_ROW_ARGS_bounds]
    ldr     at, [args, #F8_ROW_ARGS_dst]
    limit   fmax, X_0
    limit   fmin, X_1
    transfer \vectors, stp, str, T, at
    return
endfunc
.endm

row_times_panel kai_row_f8e4m3_1x12_neon_fhm, decode_e4m3, 3
row_times_panel kai_row_f8e5m2_1x12_neon_fhm, decode_e5m2, 3
row_times_panel kai_row_f8e4m3_1x16_neon_fhm, decode_e4m3, 4
row_times_panel kai_row_f8e5m2_1x16_neon_fhm, decode_e5m2, 4
