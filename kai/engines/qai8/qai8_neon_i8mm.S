// Tiles of static int8 with SMMLA (qai8_neon.hpp): the rows of A as they lie, or packed; B in panels of 16 columns.
//
//     S = start + A x B               int8 or uint8 -> int32, A: 6, 4 or 2 rows, B: 16 columns, in groups of 8 k
//                                     each by SMMLA or UMMLA; one of each: USMMLA
//     result                          qai8_neon_results.inc; or S as it is
//
// Rows are taken in pairs, and so are columns. 8 k of them:
//
//               | B_0    B_1    B_2    B_3    B_0    B_1    B_2    B_3     each is loaded again after its use
//        -------+--------------------------------------------------------
//        Ae_0   | S0_0   S0_1   S0_2   S0_3   S0_4   S0_5   S0_6   S0_7    a sum: row 0 column 0, 0 1, 1 0, 1 1
//        Ae_1   | S1_0   S1_1   S1_2   S1_3   S1_4   S1_5   S1_6   S1_7
//        Ae_2   | S2_0   S2_1   S2_2   S2_3   S2_4   S2_5   S2_6   S2_7
//
// The unsigned operand of USMMLA is the first one. If that is B, a sum is row 0 column 0, 1 0, 0 1, 1 1.
//
//   Ae_0, Ae_1, Ao_0, Ao_1   v0 - v3      A: 8 k of pairs of rows, of even and odd groups
//   Ae_0, A?_1, A?_2, Ao_0   v0 - v3      the same of three pairs, two of which have one register for both
//   B_0 - B_3                v4 - v7      B: 8 k of pairs of columns; 64 bytes ahead of their use: what follows the
//                                         elements of a panel are 64 bytes of scales
//   R0 - R3                  v8 - v11     16 k of a row as it lies (not of 6 rows, which are packed)
//   S0_0 ... S1_7            v16 - v31    sums
//   S2_0 - S2_7              v8 - v15
//   args  x0, row0 - row3  x1 - x4        rows as they lie
//   next_row  x5, lhs_stride  x6          the first row of the next tile
//   packed  x7, next_packed  x8           the other k of a tile, of the next one
//   left  x9, tiles  x10                  steps or groups, tiles to go
//   starts  x11, dst  x12, dst_stride  x13
//   panel  x14, rhs  x15                  elements of the panel; moves on
//   panels  x17, next_dst  x19            panels to go, the first row of dst of the next panel
//   steps  x20, groups  x21, packed_stride  x22, last_dst_stride  x23
//   panel_scales  x24, sums  x25          scales of the panel; whether dst gets sums
//   carry  x26                            bytes of sums of earlier k, or for later ones, up to this tile
//   second0, first1, second1, first2, second2  x1 - x4, x9   at the end of a tile: rows of dst
//   x16                                   scratch
//   stack: START_PAIRS, SCALE_PAIRS       starts and scales of the panel, each pair of columns twice
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8/qai8_args.h"
#include "kai/engines/qai8/qai8_neon_results.inc"

#define START_PAIRS 0
#define SCALE_PAIRS 128
#include "kai/engines/qai8/qai8_neon_i8mm_results.inc"

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
panel_scales    .req x24
sums            .req x25
carry           .req x26
first0      .req x12
second0     .req x1
first1      .req x2
second1     .req x3
first2      .req x4
second2     .req x9

    regs    0, Ae_0, Ae_1, Ao_0, Ao_1, B_0, B_1, B_2, B_3, R0, R1, R2, R3
    regs    16, S0_0, S0_1, S0_2, S0_3, S0_4, S0_5, S0_6, S0_7
    regs    24, S1_0, S1_1, S1_2, S1_3, S1_4, S1_5, S1_6, S1_7
    regs    8, S2_0, S2_1, S2_2, S2_3, S2_4, S2_5, S2_6, S2_7

// \do for each pair of types: name, whether A is unsigned, and B.
.macro each_types do
    \do     qai8, 0, 0
    \do     qau8, 1, 1
    \do     qau8_qsi8, 1, 0
    \do     qai8_qau8, 0, 1
.endm
// Symbols; `columns_first`: in a vector of sums. Only int8 has results.
.macro types a_unsigned_, b_unsigned_
    .set    a_unsigned, \a_unsigned_
    .set    b_unsigned, \b_unsigned_
    .set    columns_first, b_unsigned && !a_unsigned
    .set    has_results, !a_unsigned && !b_unsigned
.endm
// \sum += two rows \a x two columns \b, as their types want it.
.macro multiply sum, a, b
    .if columns_first
    usmmla  \sum\().4s, \b\().16b, \a\().16b
    .elseif a_unsigned && b_unsigned
    ummla   \sum\().4s, \a\().16b, \b\().16b
    .elseif a_unsigned
    usmmla  \sum\().4s, \a\().16b, \b\().16b
    .else
    smmla   \sum\().4s, \a\().16b, \b\().16b
    .endif
.endm
// \d = what \a and \b have of row \n of a pair, 1 or 2.
.macro row_of_pair n, d, a, b
    .if columns_first
    uzp\n    \d\().4s, \a\().4s, \b\().4s
    .else
    zip\n    \d\().2d, \a\().2d, \b\().2d
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

// 16 values of the columns, each pair twice, to the stack; columns first: each value twice. Changes row0 - row3, or
// v0 - v3.
.macro take_pairs from, at
    .irp    i, 0, 1
    .if columns_first
    ldp     q0, q1, [\from, #32 * \i]
    zip1    v2.4s, v0.4s, v0.4s
    zip2    v3.4s, v0.4s, v0.4s
    stp     q2, q3, [sp, #\at + 64 * \i]
    zip1    v2.4s, v1.4s, v1.4s
    zip2    v3.4s, v1.4s, v1.4s
    stp     q2, q3, [sp, #\at + 64 * \i + 32]
    .else
    ldp     row0, row1, [\from, #32 * \i]
    ldp     row2, row3, [\from, #32 * \i + 16]
    stp     row0, row0, [sp, #\at + 64 * \i]
    stp     row1, row1, [sp, #\at + 64 * \i + 16]
    stp     row2, row2, [sp, #\at + 64 * \i + 32]
    stp     row3, row3, [sp, #\at + 64 * \i + 48]
    .endif
    .endr
.endm
// S of pair p = the starts of columns.
.macro load_starts p
    ldp     qS\p\()_0, qS\p\()_1, [sp, #START_PAIRS]
    ldp     qS\p\()_2, qS\p\()_3, [sp, #START_PAIRS + 32]
    ldp     qS\p\()_4, qS\p\()_5, [sp, #START_PAIRS + 64]
    ldp     qS\p\()_6, qS\p\()_7, [sp, #START_PAIRS + 96]
.endm

// \op = ldp: S of pair p = the sums of earlier k, at \at; stp: those for later ones.
.macro carry_pair op, at, p
    \op     qS\p\()_0, qS\p\()_1, [\at, #128 * \p]
    \op     qS\p\()_2, qS\p\()_3, [\at, #128 * \p + 32]
    \op     qS\p\()_4, qS\p\()_5, [\at, #128 * \p + 64]
    \op     qS\p\()_6, qS\p\()_7, [\at, #128 * \p + 96]
.endm
.macro load_carried p
    carry_pair ldp, left, \p
.endm
.macro store_carried p
    carry_pair stp, x16, \p
.endm

// Where the rows of a tile are stored: first0 (dst), second0, first1 and so on. Of a row that does not exist, the last
// one, that is the row before, which is stored later.
.macro row_addresses
    .if pairs == 1
    add     second0, dst, last_dst_stride
    .else
    add     second0, dst, dst_stride
    add     first1, second0, dst_stride
    .if pairs > 2
    add     second1, first1, dst_stride
    add     first2, second1, dst_stride
    add     second2, first2, last_dst_stride
    .else
    add     second1, first1, last_dst_stride
    .endif
    .endif
.endm
// The sums of pair p. Changes S, v0 - v3.
.macro store_sums p
    split_columns \p, v0, 0, 1
    split_columns \p, v1, 2, 3
    split_columns \p, v2, 4, 5
    split_columns \p, v3, 6, 7
    stp     qS\p\()_0, qS\p\()_2, [second\p]
    stp     qS\p\()_4, qS\p\()_6, [second\p, #32]
    stp     q0, q1, [first\p]
    stp     q2, q3, [first\p, #32]
.endm
// even = four columns of the first row, S<p>_<a> = of the second one.
.macro split_columns p, even, a, b
    row_of_pair 1, \even, S\p\()_\a, S\p\()_\b
    row_of_pair 2, S\p\()_\a, S\p\()_\a, S\p\()_\b
.endm

// ---- Tiles of 6, 4 and 2 rows

// S += rows as they lie, then packed ones, of one or two pairs.
.macro multiply_pairs
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
.endm

// Pairs of columns j0 and j1, which are in B_<b0> and B_<b1>, with pair p of rows.
.macro six_product set, p, j0, j1, b0, b1
    multiply S\p\()_\j0, A\set\()_\p, B_\b0
    multiply S\p\()_\j1, A\set\()_\p, B_\b1
.endm
// 8 k of three pairs with set `set` of A; B is at byte `at`. Loads set `other` from byte `next` of the packed rows; in
// the last columns, pair 0 comes after the others, whose registers are loaded for the next 8 k.
.macro six_8k set, at, other, next
    six_product \set, 0, 0, 1, 0, 1
    six_product \set, 1, 0, 1, 0, 1
    six_product \set, 2, 0, 1, 0, 1
    ldr     qB_0, [rhs, #\at + 64]
    ldr     qB_1, [rhs, #\at + 80]
    six_product \set, 0, 2, 3, 2, 3
    six_product \set, 1, 2, 3, 2, 3
    ldr     qA\other\()_0, [packed, #\next]
    six_product \set, 2, 2, 3, 2, 3
    ldr     qB_2, [rhs, #\at + 96]
    ldr     qB_3, [rhs, #\at + 112]
    six_product \set, 0, 4, 5, 0, 1
    six_product \set, 1, 4, 5, 0, 1
    six_product \set, 2, 4, 5, 0, 1
    ldr     qB_0, [rhs, #\at + 128]
    ldr     qB_1, [rhs, #\at + 144]
    six_product \set, 1, 6, 7, 2, 3
    ldr     qA\other\()_1, [packed, #\next + 16]
    six_product \set, 2, 6, 7, 2, 3
    ldr     qA\other\()_2, [packed, #\next + 32]
    six_product \set, 0, 6, 7, 2, 3
    ldr     qB_2, [rhs, #\at + 160]
    ldr     qB_3, [rhs, #\at + 176]
.endm
// S += packed rows, three pairs.
.macro multiply_six
    cbz     groups, 6f
    mov     packed, next_packed
    subs    left, groups, #2
    ldr     qAe_0, [packed]
    ldp     qAe_1, qAe_2, [packed, #16]
    b.lo    5f
4:  // 16 k
    six_8k  e, 0, o, 48
    subs    left, left, #2
    six_8k  o, 128, e, 96
    add     packed, packed, #96
    add     rhs, rhs, #256
    b.hs    4b
5:  // the last 8 k if their number is odd
    tbz     left, #0, 6f
    six_8k  e, 0, o, 48
6:
.endm

// A function for tiles of these pairs of rows, whose number is `pairs`.
.macro pairs_tile name, pair_numbers:vararg
func \name, hidden
    .if pairs == 3
    frame   d8-d15, x19-x26, space=256
    .else
    frame   d8-d11, x19-x26, space=256
    .endif
    ldr     lhs_stride, [args, #QAI8_ARGS_lhs_stride]
    ldr     steps, [args, #QAI8_ARGS_steps]
    ldp     packed_stride, groups, [args, #QAI8_ARGS_packed_stride]
    ldp     panels, starts, [args, #QAI8_ARGS_panels]
    ldr     panel_scales, [args, #QAI8_ARGS_scales]
    ldp     next_dst, dst_stride, [args, #QAI8_ARGS_dst]
    ldr     sums, [args, #QAI8_ARGS_sums]
    ldr     panel, [args, #QAI8_ARGS_rhs]
    mov     carry, #0

0:  // a panel of columns
    take_pairs starts, START_PAIRS
    cbnz    sums, 2f
    take_pairs panel_scales, SCALE_PAIRS
2:
    ldr     next_row, [args, #QAI8_ARGS_lhs]
    ldr     next_packed, [args, #QAI8_ARGS_packed]
    ldr     tiles, [args, #QAI8_ARGS_tiles]
    mov     dst, next_dst

1:  // a tile
    ldr     last_dst_stride, [args, #QAI8_ARGS_last_dst_stride]
    .if pairs > 1
    cmp     tiles, #1
    ldr     x16, [args, #QAI8_ARGS_last_lhs_stride]
    csel    x16, x16, lhs_stride, eq
    csel    last_dst_stride, last_dst_stride, dst_stride, eq
    .endif
    mov     rhs, panel
    ldp     qB_0, qB_1, [rhs]
    ldp     qB_2, qB_3, [rhs, #32]
    each    load_starts, \pair_numbers
    ldr     left, [args, #QAI8_ARGS_carry_in]
    cbz     left, 2f
    add     left, left, carry
    each    load_carried, \pair_numbers
2:
    .if pairs == 3
    multiply_six
    .else
    multiply_pairs
    .endif
    if_more pairs, 1, add next_row, next_row, lhs_stride, lsl #2
    row_addresses
    ldr     x16, [args, #QAI8_ARGS_carry_out]
    cbz     x16, 9f
    add     x16, x16, carry
    each    store_carried, \pair_numbers
    b       11f
9:
    cbnz    sums, 10f
    .if has_results
    pairs_results \pair_numbers
    each    store_results, \pair_numbers
    b       11f
    .endif
10:
    each    store_sums, \pair_numbers
11:
    add     carry, carry, #128 * pairs
    if_more pairs, 1, add dst, dst, dst_stride, lsl #2
    if_more pairs, 2, add dst, dst, dst_stride, lsl #1
    add     next_packed, next_packed, packed_stride
    subs    tiles, tiles, #1
    b.ne    1b
    ldr     x16, [args, #QAI8_ARGS_starts_stride]
    add     starts, starts, x16
    ldr     x16, [args, #QAI8_ARGS_dst_width]
    add     next_dst, next_dst, x16
    ldr     x16, [args, #QAI8_ARGS_rhs_stride]
    add     panel_scales, panel_scales, x16
    subs    panels, panels, #1
    add     panel, panel, x16
    b.ne    0b
    return
endfunc
.endm
// Tiles of 4 and 2 rows; of 6.
.macro small_tiles name, a_unsigned_, b_unsigned_
    types   \a_unsigned_, \b_unsigned_
    .set    pairs, 2
    pairs_tile kai_\name\()_4x16_neon_i8mm, 0, 1
    .set    pairs, 1
    pairs_tile kai_\name\()_2x16_neon_i8mm, 0
.endm
.macro six_tile name, a_unsigned_, b_unsigned_
    types   \a_unsigned_, \b_unsigned_
    .set    pairs, 3
    pairs_tile kai_\name\()_6x16_neon_i8mm, 0, 1, 2
.endm
    each_types small_tiles
    unreg   Ao_0, Ao_1
    reg     Ae_2, 2
    regs    1, Ao_1, Ao_2, Ao_0
    each_types six_tile

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
//   scales  x5, starts_stride  x6, row_carry  x10

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
scales      .req x5
starts_stride .req x6
row_carry   .req x10

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
// As carry_pair: X and Y.
.macro carry_row op
    \op     qX_0, qX_1, [x16]
    \op     qX_2, qX_3, [x16, #32]
    \op     qX_4, qX_5, [x16, #64]
    \op     qX_6, qX_7, [x16, #96]
    \op     qY_0, qY_1, [x16, #128]
    \op     qY_2, qY_3, [x16, #160]
    \op     qY_4, qY_5, [x16, #192]
    \op     qY_6, qY_7, [x16, #224]
.endm
// S0_<i> = the sums of four columns plus their starts. Changes Y.
.macro join_row i, x, y
    row_of_pair 1, S0_\i, X_\x, X_\y
    row_of_pair 2, Y_\x, Y_\x, Y_\y
    ldr     q4, [starts, #16 * \i]
    add     S0_\i\().4s, S0_\i\().4s, Y_\x\().4s
    add     S0_\i\().4s, S0_\i\().4s, v4.4s
.endm

// The function for one row.
.macro row_tile name, a_unsigned_, b_unsigned_
    types   \a_unsigned_, \b_unsigned_
func kai_\name\()_1x16_neon_i8mm, hidden
    ldr     row_steps, [args, #QAI8_ARGS_steps]
    ldr     tail_groups, [args, #QAI8_ARGS_groups]
    ldr     tail, [args, #QAI8_ARGS_packed]
    ldp     panels, starts, [args, #QAI8_ARGS_panels]
    ldr     scales, [args, #QAI8_ARGS_scales]
    ldr     dst, [args, #QAI8_ARGS_dst]
    ldr     dst_stride, [args, #QAI8_ARGS_dst_width]    // from panel to panel
    ldr     starts_stride, [args, #QAI8_ARGS_starts_stride]
    ldp     panel, panel_stride, [args, #QAI8_ARGS_rhs]
    mov     row_carry, #0
0:  // a panel of columns
    mov     rhs, panel
    add     panel, panel, panel_stride
    ldp     qB_0, qB_1, [rhs]
    ldp     qB_2, qB_3, [rhs, #32]
    each    clear, X_0, X_1, X_2, X_3, X_4, X_5, X_6, X_7
    each    clear, Y_0, Y_1, Y_2, Y_3, Y_4, Y_5, Y_6, Y_7
    ldr     x16, [args, #QAI8_ARGS_carry_in]
    cbz     x16, 1f
    add     x16, x16, row_carry
    carry_row ldp
1:
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
    ldr     x16, [args, #QAI8_ARGS_carry_out]
    cbz     x16, 9f
    add     x16, x16, row_carry
    carry_row stp
    b       11f
9:
    join_row 0, 0, 1
    join_row 1, 2, 3
    join_row 2, 4, 5
    join_row 3, 6, 7
    ldr     x16, [args, #QAI8_ARGS_sums]
    cbnz    x16, 10f
    .if has_results
    .set    rows, 1
    rows_results
    b       11f
    .endif
10:
    stp     qS0_0, qS0_1, [dst]
    stp     qS0_2, qS0_3, [dst, #32]
    add     dst, dst, dst_stride
11:
    add     row_carry, row_carry, #256
    add     starts, starts, starts_stride
    add     scales, scales, panel_stride
    subs    panels, panels, #1
    b.ne    0b
    ret
endfunc
.endm
    each_types row_tile
