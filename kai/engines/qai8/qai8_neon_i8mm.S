// Tiles of static int8 with SMMLA (qai8_neon.hpp): the rows of A as they lie, or packed; B in panels of 16 columns.
//
//     S = start + A x B               int8 or uint8 -> int32, A: 4 or 2 rows, B: 16 columns, in groups of 8 k
//     result                          qai8_neon_results.inc; or S as it is
//
// Rows are taken in pairs, and so are columns. 8 k of them:
//
//               | B_0    B_1    B_2    B_3    B_0    B_1    B_2    B_3     each is loaded again after its use
//        -------+--------------------------------------------------------
//        Ae_0   | S0_0   S0_1   S0_2   S0_3   S0_4   S0_5   S0_6   S0_7    a sum: row 0 column 0, 0 1, 1 0, 1 1
//        Ae_1   | S1_0   S1_1   S1_2   S1_3   S1_4   S1_5   S1_6   S1_7
//
//   Ae_0, Ae_1, Ao_0, Ao_1   v0 - v3      A: 8 k of pairs of rows, of even and odd groups
//   B_0 - B_3                v4 - v7      B: 8 k of pairs of columns; 64 bytes ahead of their use: what follows the
//                                         elements of a panel are 64 bytes of scales
//   R0 - R3                  v8 - v11     16 k of a row as it lies
//   S0_0 ... S1_7            v16 - v31    sums
//   args  x0, row0 - row3  x1 - x4        rows as they lie
//   next_row  x5, lhs_stride  x6          the first row of the next tile
//   packed  x7, next_packed  x8           the other k of a tile, of the next one
//   left  x9, tiles  x10                  steps or groups, tiles to go
//   starts  x11, dst  x12, dst_stride  x13
//   panel  x14, rhs  x15                  elements of the panel; moves on
//   panels  x17, next_dst  x19            panels to go, the first row of dst of the next panel
//   steps  x20, groups  x21, packed_stride  x22, last_dst_stride  x23
//   tile_scales  x24, in_pairs  x25       scales of the panel; whether they and starts are in pairs
//   x16                                   scratch, scales
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8/qai8_args.h"
#include "kai/engines/qai8/qai8_neon_results.inc"

row0        .req x1
row1        .req x2
row2        .req x3
row3        .req x4
next_row    .req x5
lhs_stride  .req x6
packed      .req x7
next_packed .req x8
left        .req x9
tiles       .req x10
panel       .req x14
rhs         .req x15
panels      .req x17
next_dst    .req x19
steps       .req x20
groups      .req x21
packed_stride   .req x22
last_dst_stride .req x23
tile_scales     .req x24
in_pairs        .req x25

    regs    0, Ae_0, Ae_1, Ao_0, Ao_1, B_0, B_1, B_2, B_3, R0, R1, R2, R3
    regs    16, S0_0, S0_1, S0_2, S0_3, S0_4, S0_5, S0_6, S0_7
    regs    24, S1_0, S1_1, S1_2, S1_3, S1_4, S1_5, S1_6, S1_7

// The symbol `unsigned` is 1 where both operands are uint8.
.macro multiply sum, a, b
    .if unsigned
    ummla   \sum\().4s, \a\().16b, \b\().16b
    .else
    smmla   \sum\().4s, \a\().16b, \b\().16b
    .endif
.endm

// 8 k of the pair of columns j, which is in B_<b>; then loads B_<b> from byte `next`.
.macro column_8k j, b, set, next
    multiply S0_\j, A\set\()_0, B_\b
    if_more pairs, 1, multiply S1_\j, A\set\()_1, B_\b
    ldr     qB_\b, [rhs, #\next]
.endm
// 8 k of all pairs with set `set` (e, o) of A; B is at byte `at`.
.macro group_8k set, at
    column_8k 0, 0, \set, (\at + 64)
    column_8k 1, 1, \set, (\at + 80)
    column_8k 2, 2, \set, (\at + 96)
    column_8k 3, 3, \set, (\at + 112)
    column_8k 4, 0, \set, (\at + 128)
    column_8k 5, 1, \set, (\at + 144)
    column_8k 6, 2, \set, (\at + 160)
    column_8k 7, 3, \set, (\at + 176)
.endm

// A of pairs of rows from packed + \at.
.macro load_packed set, at
    .if pairs == 2
    ldp     qA\set\()_0, qA\set\()_1, [packed, #\at]
    .else
    ldr     qA\set\()_0, [packed, #\at]
    .endif
.endm
// A = 16 k of rows as they lie, which move on. Changes R.
.macro load_rows
    ldr     qR0, [row0], #16
    ldr     qR1, [row1], #16
    if_more pairs, 1, ldr qR2, [row2], #16
    if_more pairs, 1, ldr qR3, [row3], #16
    zip1    Ae_0.2d, R0.2d, R1.2d
    zip2    Ao_0.2d, R0.2d, R1.2d
    if_more pairs, 1, zip1 Ae_1.2d, R2.2d, R3.2d
    if_more pairs, 1, zip2 Ao_1.2d, R2.2d, R3.2d
.endm

// S of pair p = the starts of columns, which are in pairs.
.macro load_starts p
    ldp     qS\p\()_0, qS\p\()_1, [starts]
    ldp     qS\p\()_2, qS\p\()_3, [starts, #32]
    ldp     qS\p\()_4, qS\p\()_5, [starts, #64]
    ldp     qS\p\()_6, qS\p\()_7, [starts, #96]
.endm
// The same from v0 - v3, four columns each.
.macro spread_starts p
    spread  S\p\()_0, S\p\()_1, v0
    spread  S\p\()_2, S\p\()_3, v1
    spread  S\p\()_4, S\p\()_5, v2
    spread  S\p\()_6, S\p\()_7, v3
.endm
// a, b = two columns of four, each twice.
.macro spread a, b, from
    zip1    \a\().2d, \from\().2d, \from\().2d
    zip2    \b\().2d, \from\().2d, \from\().2d
.endm

// ---- Results of pairs of rows: two columns of both rows in a vector

    regs    4, zero, rounds, lo, hi
// \op for the sums of pair p.
.macro each_sum op, p
    each    \op, S\p\()_0, S\p\()_1, S\p\()_2, S\p\()_3, S\p\()_4, S\p\()_5, S\p\()_6, S\p\()_7
.endm
// Pair p: S = f32(S) * scale in v0 - v3, v8 - v11.
.macro scale_pair p
    each_sum to_float, \p
    fmul    S\p\()_0.4s, S\p\()_0.4s, v0.4s
    fmul    S\p\()_1.4s, S\p\()_1.4s, v1.4s
    fmul    S\p\()_2.4s, S\p\()_2.4s, v2.4s
    fmul    S\p\()_3.4s, S\p\()_3.4s, v3.4s
    fmul    S\p\()_4.4s, S\p\()_4.4s, v8.4s
    fmul    S\p\()_5.4s, S\p\()_5.4s, v9.4s
    fmul    S\p\()_6.4s, S\p\()_6.4s, v10.4s
    fmul    S\p\()_7.4s, S\p\()_7.4s, v11.4s
.endm
.macro round_pair p
    each_sum round, \p
    each_sum add_zero, \p
.endm
.macro round_pair_exactly p
    each_sum round_exactly, \p
    each_sum add_zero_exactly, \p
.endm
// Pair p: results of the first row to S<p>_1, of the second one to S<p>_3.
.macro narrow_pair p
    narrow_32 S\p\()_0, S\p\()_1
    narrow_32 S\p\()_2, S\p\()_3
    narrow_32 S\p\()_4, S\p\()_5
    narrow_32 S\p\()_6, S\p\()_7
    narrow_16 S\p\()_0, S\p\()_2                            // two columns of row 0, of row 1, and so on
    narrow_16 S\p\()_4, S\p\()_6
    uzp1    S\p\()_1.8h, S\p\()_0.8h, S\p\()_4.8h
    uzp2    S\p\()_3.8h, S\p\()_0.8h, S\p\()_4.8h
.endm
.macro clamp_pair p
    each    clamp, S\p\()_1, S\p\()_3
.endm
// Results of all pairs. Changes S, v0 - v11, x16.
.macro pairs_results pair_numbers:vararg
    cbz     in_pairs, 6f
    ldp     q0, q1, [scales]
    ldp     q2, q3, [scales, #32]
    ldp     q8, q9, [scales, #64]
    ldp     q10, q11, [scales, #96]
    b       7f
6:
    ldp     q4, q5, [scales]
    ldp     q6, q7, [scales, #32]
    spread  v0, v1, v4
    spread  v2, v3, v5
    spread  v8, v9, v6
    spread  v10, v11, v7
7:
    ldr     x16, [args, #QAI8_ARGS_exact]
    load_results
    each    scale_pair, \pair_numbers
    cbnz    x16, 8f
    each    round_pair, \pair_numbers
    b       9f
8:
    each    round_pair_exactly, \pair_numbers
9:
    ldr     x16, [args, #QAI8_ARGS_clamps]
    each    narrow_pair, \pair_numbers
    cbz     x16, 6f
    each    clamp_pair, \pair_numbers
6:
.endm

// The sums of pair p to two rows, the second one first. Changes S, v0 - v3.
.macro store_sums p, first, second
    split_columns \p, v0, 0, 1
    split_columns \p, v1, 2, 3
    split_columns \p, v2, 4, 5
    split_columns \p, v3, 6, 7
    stp     qS\p\()_0, qS\p\()_2, [\second]
    stp     qS\p\()_4, qS\p\()_6, [\second, #32]
    stp     q0, q1, [\first]
    stp     q2, q3, [\first, #32]
.endm
// even = four columns of the first row, S<p>_<a> = of the second one.
.macro split_columns p, even, a, b
    zip1    \even\().2d, S\p\()_\a\().2d, S\p\()_\b\().2d
    zip2    S\p\()_\a\().2d, S\p\()_\a\().2d, S\p\()_\b\().2d
.endm

// ---- Tiles of 4 and 2 rows

// A function for tiles of these pairs of rows, whose number is `pairs`.
.macro pairs_tile name, pair_numbers:vararg
func \name, hidden
    frame   d8-d11, x19-x25
    ldr     lhs_stride, [args, #QAI8_ARGS_lhs_stride]
    ldr     steps, [args, #QAI8_ARGS_steps]
    ldp     packed_stride, groups, [args, #QAI8_ARGS_packed_stride]
    ldp     panels, starts, [args, #QAI8_ARGS_panels]
    ldr     tile_scales, [args, #QAI8_ARGS_scales]
    ldr     in_pairs, [args, #QAI8_ARGS_in_pairs]
    ldp     next_dst, dst_stride, [args, #QAI8_ARGS_dst]
    ldr     panel, [args, #QAI8_ARGS_rhs]

0:  // a panel of columns
    ldr     next_row, [args, #QAI8_ARGS_lhs]
    ldr     next_packed, [args, #QAI8_ARGS_packed]
    ldr     tiles, [args, #QAI8_ARGS_tiles]
    mov     dst, next_dst

1:  // a tile
    .if pairs == 2
    cmp     tiles, #1
    ldr     x16, [args, #QAI8_ARGS_last_lhs_stride]
    csel    x16, x16, lhs_stride, eq
    ldr     last_dst_stride, [args, #QAI8_ARGS_last_dst_stride]
    csel    last_dst_stride, last_dst_stride, dst_stride, eq
    .endif
    mov     rhs, panel
    ldp     qB_0, qB_1, [rhs]
    ldp     qB_2, qB_3, [rhs, #32]
    cbz     in_pairs, 2f
    each    load_starts, \pair_numbers
    b       3f
2:
    ldp     q0, q1, [starts]
    ldp     q2, q3, [starts, #32]
    each    spread_starts, \pair_numbers
3:
    cbz     steps, 3f
    mov     row0, next_row
    mov     left, steps
    add     row1, row0, lhs_stride
    add     row2, row1, lhs_stride
    if_more pairs, 1, add row3, row2, x16
2:  // 16 k of rows as they lie
    load_rows
    group_8k e, 0
    subs    left, left, #1
    group_8k o, 128
    add     rhs, rhs, #256
    b.ne    2b
3:
    cbz     groups, 6f
    mov     packed, next_packed
    subs    left, groups, #2
    load_packed e, 0
    b.lo    5f
4:  // 16 k of packed rows
    load_packed o, 32
    group_8k e, 0
    subs    left, left, #2
    load_packed e, 64
    group_8k o, 128
    add     packed, packed, #64
    add     rhs, rhs, #256
    b.hs    4b
5:  // the last 8 k if their number is odd
    tbz     left, #0, 6f
    group_8k e, 0
6:
    .if pairs == 2
    add     next_row, next_row, lhs_stride, lsl #2
    add     row0, dst, dst_stride, lsl #1
    add     row1, row0, last_dst_stride         // of a row that does not exist: that of row 2, which is stored later
    .endif
    add     row2, dst, dst_stride
    ldr     x16, [args, #QAI8_ARGS_sums]
    cbnz    x16, 10f
    .if !unsigned
    mov     scales, tile_scales
    pairs_results \pair_numbers
    str     qS0_1, [dst]
    str     qS0_3, [row2]
    .if pairs == 2
    str     qS1_3, [row1]
    str     qS1_1, [row0]
    .endif
    b       11f
    .endif
10:
    store_sums 0, dst, row2
    .if pairs == 2
    store_sums 1, row0, row1
    .endif
11:
    if_more pairs, 1, add dst, dst, dst_stride, lsl #2
    add     next_packed, next_packed, packed_stride
    subs    tiles, tiles, #1
    b.ne    1b
    ldr     x16, [args, #QAI8_ARGS_fields_stride]
    ldr     row0, [args, #QAI8_ARGS_rhs_stride]
    add     starts, starts, x16
    add     tile_scales, tile_scales, x16
    add     next_dst, next_dst, #16
    subs    panels, panels, #1
    add     panel, panel, row0
    b.ne    0b
    return
endfunc
.endm
    .set    unsigned, 0
    .set    pairs, 2
    pairs_tile kai_qai8_4x16_neon_i8mm, 0, 1
    .set    pairs, 1
    pairs_tile kai_qai8_2x16_neon_i8mm, 0
    .set    unsigned, 1
    pairs_tile kai_qau8_2x16_neon_i8mm, 0
    .set    pairs, 2
    pairs_tile kai_qau8_4x16_neon_i8mm, 0, 1

// ---- One row
//
// SMMLA multiplies 8 k of two rows: here a row's 16 k as they lie. So the first 8 k of B are multiplied into the upper
// half of a sum, X, in vain, and the other 8 k into the lower half of Y:
//
//        X += A * B of k 0 - 7:  k 0 - 7 column 0, 1   (k 8 - 15)          row = lower halves of X + upper halves of Y
//        Y += A * B of k 8 - 15:  (k 0 - 7)   k 8 - 15 column 0, 1
//
//   A  v0, X_0 - X_7  v16 - v23, Y_0 - Y_7  v24 - v31, S0_0 - S0_3  v16 - v19: the sums of the row
//   row0  x1, panel_stride  x2, row_steps  x3, tail_groups  x4, tail  x7: the last k % 16, padded
//   row_scales  x5, fields_stride  x6

    unreg   S0_0, S0_1, S0_2, S0_3, S0_4, S0_5, S0_6, S0_7
    unreg   S1_0, S1_1, S1_2, S1_3, S1_4, S1_5, S1_6, S1_7
    regs    16, X_0, X_1, X_2, X_3, X_4, X_5, X_6, X_7
    regs    24, Y_0, Y_1, Y_2, Y_3, Y_4, Y_5, Y_6, Y_7
    regs    16, S0_0, S0_1, S0_2, S0_3
    reg     A, 0
    regs    0, scale_0, scale_1, scale_2, scale_3
tail        .req x7
tail_groups .req x4
row_steps   .req x3
panel_stride .req x2
row_scales  .req x5
fields_stride .req x6

// sum += A * B_<b>; loads B_<b> from byte `next`.
.macro row_8k sum, b, next
    multiply \sum, A, B_\b
    ldr     qB_\b, [rhs, #\next]
.endm
// 8 k of all columns into X or Y; B is at byte `at`.
.macro row_group sum, at
    row_8k  \sum\()_0, 0, (\at + 64)
    row_8k  \sum\()_1, 1, (\at + 80)
    row_8k  \sum\()_2, 2, (\at + 96)
    row_8k  \sum\()_3, 3, (\at + 112)
    row_8k  \sum\()_4, 0, (\at + 128)
    row_8k  \sum\()_5, 1, (\at + 144)
    row_8k  \sum\()_6, 2, (\at + 160)
    row_8k  \sum\()_7, 3, (\at + 176)
.endm
.macro clear v
    movi    \v\().2d, #0
.endm
// S0_<i> = the sums of four columns plus their starts. Changes Y.
.macro join_row i, x, y
    zip1    S0_\i\().2d, X_\x\().2d, X_\y\().2d
    zip2    Y_\x\().2d, Y_\x\().2d, Y_\y\().2d
    ldr     q4, [starts, #16 * \i]
    add     S0_\i\().4s, S0_\i\().4s, Y_\x\().4s
    add     S0_\i\().4s, S0_\i\().4s, v4.4s
.endm

// The function `name` for one row.
.macro row_tile name
func \name, hidden
    ldr     row_steps, [args, #QAI8_ARGS_steps]
    ldr     tail_groups, [args, #QAI8_ARGS_groups]
    ldr     tail, [args, #QAI8_ARGS_packed]
    ldp     panels, starts, [args, #QAI8_ARGS_panels]
    ldp     row_scales, fields_stride, [args, #QAI8_ARGS_scales]
    ldr     dst, [args, #QAI8_ARGS_dst]
    mov     dst_stride, #16                     // from panel to panel
    ldp     panel, panel_stride, [args, #QAI8_ARGS_rhs]
0:  // a panel of columns
    mov     rhs, panel
    add     panel, panel, panel_stride
    ldp     qB_0, qB_1, [rhs]
    ldp     qB_2, qB_3, [rhs, #32]
    each    clear, X_0, X_1, X_2, X_3, X_4, X_5, X_6, X_7
    each    clear, Y_0, Y_1, Y_2, Y_3, Y_4, Y_5, Y_6, Y_7
    mov     left, row_steps
    ldr     row0, [args, #QAI8_ARGS_lhs]
    cbz     left, 3f
2:  // 16 k
    ldr     qA, [row0], #16
    row_group X, 0
    subs    left, left, #1
    row_group Y, 128
    add     rhs, rhs, #256
    b.ne    2b
3:  // up to 15 k
    cbz     tail_groups, 6f
    ldr     qA, [tail]
    row_group X, 0
    tbz     tail_groups, #1, 6f
    row_group Y, 128
6:
    join_row 0, 0, 1
    join_row 1, 2, 3
    join_row 2, 4, 5
    join_row 3, 6, 7
    ldr     x16, [args, #QAI8_ARGS_sums]
    cbnz    x16, 10f
    .if !unsigned
    mov     scales, row_scales
    .set    rows, 1
    rows_results
    b       11f
    .endif
10:
    stp     qS0_0, qS0_1, [dst]
    stp     qS0_2, qS0_3, [dst, #32]
11:
    add     starts, starts, fields_stride
    add     row_scales, row_scales, fields_stride
    subs    panels, panels, #1
    b.ne    0b
    ret
endfunc
.endm
    .set    unsigned, 0
    row_tile kai_qai8_1x16_neon_i8mm
    .set    unsigned, 1
    row_tile kai_qau8_1x16_neon_i8mm
