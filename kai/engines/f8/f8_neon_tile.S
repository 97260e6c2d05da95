// The tile of f8_neon.cpp: 4 rows x 12 columns, some blocks of k, with FMLA. Columns are f32 already.
//
//     R = start + sum over blocks of scale * S;   S = sum over k of lhs * rhs;   dst = clamp(R)
//
// One k; A_r are 4 k of a row, so that a lane of it counts:
//
//            | W_a    W_b    W_c          columns 0-3, 4-7, 8-11; W_d is loaded meanwhile
//     -------+---------------------
//     A_0[j] | S0_a   S0_b   S0_c         row 0
//     A_1[j] | S1_a   S1_b   S1_c         row 1
//     A_2[j] | S2_a   S2_b   S2_c         row 2
//     A_3[j] | S3_a   S3_b   S3_c         row 3
//
//   A_0 - A_3       v0 - v3    4 k of a row; at the end: low, high  v0, v1  bounds
//   W_0 - W_3       v4 - v7    columns of a k, in turn; after a block: scales
//   R0_a ... R3_c   v8 - v19   results so far
//   S0_a ... S3_c   v20 - v31  sums of a block
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/f8/f8_args.h"

args        .req x0
lhs         .req x1
rhs         .req x2
blocks      .req x3
groups      .req x4
scales      .req x5
next_scales .req x6
at          .req x7                             // a row of start, of dst
step        .req x8
count       .req x9                             // groups left

    regs    0, A_0, A_1, A_2, A_3, W_0, W_1, W_2, W_3
    regs    8, R0_a, R0_b, R0_c, R1_a, R1_b, R1_c, R2_a, R2_b, R2_c, R3_a, R3_b, R3_c
    regs    20, S0_a, S0_b, S0_c, S1_a, S1_b, S1_c, S2_a, S2_b, S2_c, S3_a, S3_b, S3_c
    regs    0, low, high

// `what r` for all rows.
.macro all_rows what
    \what   0
    \what   1
    \what   2
    \what   3
.endm

.macro clear r
    movi    S\r\()_a.2d, #0
    movi    S\r\()_b.2d, #0
    movi    S\r\()_c.2d, #0
.endm

// S_<v> of all rows += W_<w> * lane j of A. Then W_<w> is loaded from byte next of rhs.
.macro add_column v, w, j, next
    fmla    S0_\v\().4s, W_\w\().4s, A_0.s[\j]
    fmla    S1_\v\().4s, W_\w\().4s, A_1.s[\j]
    fmla    S2_\v\().4s, W_\w\().4s, A_2.s[\j]
    fmla    S3_\v\().4s, W_\w\().4s, A_3.s[\j]
    ldr     qW_\w, [rhs, #\next]
.endm

// R += scales * S.
.macro scale_row r
    fmla    R\r\()_a.4s, S\r\()_a.4s, W_0.4s
    fmla    R\r\()_b.4s, S\r\()_b.4s, W_1.4s
    fmla    R\r\()_c.4s, S\r\()_c.4s, W_2.4s
.endm

// R of row r from `at`, which moves on to the next row.
.macro load_row r
    ldp     qR\r\()_a, qR\r\()_b, [at]
    ldr     qR\r\()_c, [at, #32]
    add     at, at, step
.endm
// R of row r, clamped (NaN stays NaN), to `at`, which moves on to the next row.
.macro store_row r
    limit   fmax, \r, low
    limit   fmin, \r, high
    stp     qR\r\()_a, qR\r\()_b, [at]
    str     qR\r\()_c, [at, #32]
    add     at, at, step
.endm
.macro limit op, r, bound
    \op     R\r\()_a.4s, R\r\()_a.4s, \bound\().4s
    \op     R\r\()_b.4s, R\r\()_b.4s, \bound\().4s
    \op     R\r\()_c.4s, R\r\()_c.4s, \bound\().4s
.endm

// void kai_tile_f8_4x12_neon(const F8FloatArgs*)
func kai_tile_f8_4x12_neon, hidden
    frame   d8-d15
    ldp     lhs, rhs, [args, #F8_FLOAT_ARGS_lhs]
    ldp     blocks, groups, [args, #F8_FLOAT_ARGS_blocks]
    ldp     scales, next_scales, [args, #F8_FLOAT_ARGS_scales]
    ldp     at, step, [args, #F8_FLOAT_ARGS_start]
    all_rows load_row
0:  ldr     qW_0, [rhs]
    ldr     qW_1, [rhs, #64]
    ldr     qW_2, [rhs, #128]
    ldr     qW_3, [rhs, #16]
    all_rows clear
    mov     count, groups
1:  // 4 k. Columns 0-3, 4-7, 8-11 of k j are at bytes 16 j, 64 + 16 j, 128 + 16 j; the next 4 k at 192
    ldp     qA_0, qA_2, [lhs]
    add     lhs, lhs, #64
    subs    count, count, #1
    shll2   A_1.4s, A_0.8h, #16
    shll    A_0.4s, A_0.4h, #16
    shll2   A_3.4s, A_2.8h, #16
    shll    A_2.4s, A_2.4h, #16
    add_column a, 0, 0, 80
    add_column b, 1, 0, 144
    add_column c, 2, 0, 32
    add_column a, 3, 1, 96
    add_column b, 0, 1, 160
    add_column c, 1, 1, 48
    add_column a, 2, 2, 112
    add_column b, 3, 2, 176
    add_column c, 0, 2, 192
    add_column a, 1, 3, 256
    add_column b, 2, 3, 320
    add_column c, 3, 3, 208
    add     rhs, rhs, #192
    b.ne    1b
    ldp     qW_0, qW_1, [scales]
    ldr     qW_2, [scales, #32]
    add     scales, scales, next_scales
    all_rows scale_row
    subs    blocks, blocks, #1
    b.ne    0b
    ldp     at, step, [args, #F8_FLOAT_ARGS_dst]
    ldp     qlow, qhigh, [args, #F8_FLOAT_ARGS_bounds]
    all_rows store_row
    return
endfunc
