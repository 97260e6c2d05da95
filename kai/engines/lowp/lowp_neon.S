// Tiles of the low-precision kernels: sums of products of signed bytes, 16 k at a time.
//
//     sums[row][column] = sum over k of a * b  +  sum over k % 16 >= 8 of a
//
//     SMULL   t.8h, a.8b, b.8b          t = a * b,                    k % 16 < 8
//     SMLSL2  t.8h, a.16b, ~b.16b       t -= a * (-b - 1)             k % 16 >= 8
//     SADALP  sum.4s, t.8h
//
// Two products of -128 * -128 do not fit 16 bits, but a * b - c * ~d = a * b + c * d + c is between -32640 and 32640.
// The caller takes the sum of c away, which is the same for all columns. The last 8 of 16 weights are inverted when
// they are packed, or by the EOR that makes unsigned weights signed.
//
// A step is 16 k of all rows and columns, in batches of up to 8 products. The next batch begins by adding t to the sums
// while operands are loaded, so that in-order cores need not wait.
//
//   x0      struct LowpTile                    v0 - v3    16 k of the rows
//   x1      steps to go                        v1 - v5    16 k of the columns: those that are not rows
//   x2, x3  tails of rows and columns          v6, v7     lhs_flip, rhs_flip
//   x4 - x7 rows                               v8 - v15   t
//   x8 - x15 columns, or x8 - x11 panels       v16 - v31  sums; of columns, 16 bits: v12 - v15, or the last 4 or 8
//   x16, x17 where sums go, tiles to go
//
// Columns that are not packed: `raw` is plain, or what adds their bytes: sadalp, uadalp. These sums are of 127 steps
// at most.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/lowp/lowp_args.h"

args     .req x0
steps    .req x1
lhs_tail .req x2
rhs_tail .req x3
out      .req x16
tiles    .req x17

// t of a batch, and of its halves.
#define T03 8, 9, 10, 11
#define T47 12, 13, 14, 15
#define T01 8, 9, ,
#define T23 10, 11, ,

// Four products, or three.
.macro products op, half, t0, t1, t2, t3, a0, a1, a2, a3, b0, b1, b2, b3
    \op v\t0\().8h, v\a0\().\half, v\b0\().\half
    \op v\t1\().8h, v\a1\().\half, v\b1\().\half
    \op v\t2\().8h, v\a2\().\half, v\b2\().\half
    .ifnb \t3
    \op v\t3\().8h, v\a3\().\half, v\b3\().\half
    .endif
.endm
#define FIRST  products smull, 8b,
#define SECOND products smlsl2, 16b,
.macro add_up t0, t1, t2, t3, s0, s1, s2, s3
    sadalp  v\s0\().4s, v\t0\().8h
    sadalp  v\s1\().4s, v\t1\().8h
    .ifnb \t2
    sadalp  v\s2\().4s, v\t2\().8h
    .endif
    .ifnb \t3
    sadalp  v\s3\().4s, v\t3\().8h
    .endif
.endm

.macro load_rows rows
    .irp a, 0, 1, 2, 3
        .if \a < \rows
    with_number load_row, (4 + \a), \a
        .endif
    .endr
.endm
.macro load_row x, a
    ldr     q\a, [x\x], #16
.endm
.macro ready_rows rows
    .irp a, 0, 1, 2, 3
        .if \a < \rows
    flip    \a, 6
        .endif
    .endr
.endm
.macro flip v, by
    eor     v\v\().16b, v\v\().16b, v\by\().16b
.endm

// 16 k of columns \index, \index + 1, ... to v\b, ...: of the panels at x8, x9 ..., or of the column at x8 + \index.
// Pointers move on beside the loads: a load that adds is two micro-operations.
.macro columns raw, index, b, rest:vararg
    .ifnc \raw, packed
    with_number column, (8 + \index), \b
    .else
    with_number panel_column, (8 + \index / 4), \b, (\index % 4)
    .endif
    .ifnb \rest
    columns \raw, (\index + 1), \rest
    .endif
.endm
.macro column x, b
    ldr     q\b, [x\x]
    add     x\x, x\x, #16
.endm
.macro panel_column x, b, index
    ldr     q\b, [x\x, #16 * \index]
    .if \index == 3
    add     x\x, x\x, #64
    .endif
.endm
// They are loaded: sums of bytes, and weights become signed.
.macro ready raw, index, b, rest:vararg
    .ifnc \raw, packed
        .ifnc \raw, plain
    with_number add_bytes, (column_sum + \index), \raw, \b
        .endif
    flip    \b, 7
    .endif
    .ifnb \rest
    ready   \raw, (\index + 1), \rest
    .endif
.endm
.macro add_bytes s, op, b
    \op     v\s\().8h, v\b\().16b
.endm

// The rows and the first columns.
.macro rows_and_columns raw, rows, b:vararg
    load_rows \rows
    columns \raw, 0, \b
    ready_rows \rows
    ready   \raw, 0, \b
.endm

// A step begins by adding what the step before has multiplied: one row the last half of that.

.macro step_1x4 raw
    rows_and_columns \raw, 1, 1, 2, 3, 4
    last_1x4
    FIRST   T03, 0, 0, 0, 0, 1, 2, 3, 4
    SECOND  T03, 0, 0, 0, 0, 1, 2, 3, 4
.endm
.macro last_1x4
    add_up  T03, 16, 17, 18, 19
.endm

.macro step_1x8 raw
    load_rows 1
    one_by_eight \raw, 0, 20, 21, 22, 23, 16, 17, 18, 19
.endm
// Eight columns, the first ones of a step or those from \index on. Before, the last products are added to the sums l0 -
// l3; after, t of v12 - v15 is left to add.
.macro one_by_eight raw, index, l0, l1, l2, l3, s0, s1, s2, s3
    columns \raw, \index, 1, 2, 3, 4
    .if \index == 0
    ready_rows 1
    .endif
    ready   \raw, \index, 1, 2, 3, 4
    add_up  T47, \l0, \l1, \l2, \l3
    FIRST   T03, 0, 0, 0, 0, 1, 2, 3, 4
    columns \raw, (\index + 4), 5
    SECOND  T03, 0, 0, 0, 0, 1, 2, 3, 4
    columns \raw, (\index + 5), 1, 2, 3
    ready   \raw, (\index + 4), 5, 1, 2, 3
    add_up  T01, \s0, \s1
    FIRST   T47, 0, 0, 0, 0, 5, 1, 2, 3
    add_up  T23, \s2, \s3
    SECOND  T47, 0, 0, 0, 0, 5, 1, 2, 3
.endm
.macro last_1x8
    add_up  T47, 20, 21, 22, 23
.endm

.macro step_1x16 raw
    load_rows 1
    one_by_eight \raw, 0, 28, 29, 30, 31, 16, 17, 18, 19
    one_by_eight \raw, 8, 20, 21, 22, 23, 24, 25, 26, 27
.endm
.macro last_1x16
    add_up  T47, 28, 29, 30, 31
.endm

.macro step_2x4 raw
    rows_and_columns \raw, 2, 2, 3, 4, 5
    last_2x4
    two_by_four
.endm
.macro two_by_four
    FIRST   T03, 0, 1, 0, 1, 2, 2, 3, 3
    FIRST   T47, 0, 1, 0, 1, 4, 4, 5, 5
    SECOND  T03, 0, 1, 0, 1, 2, 2, 3, 3
    SECOND  T47, 0, 1, 0, 1, 4, 4, 5, 5
.endm
.macro last_2x4
    add_up  T03, 16, 17, 18, 19
    add_up  T47, 20, 21, 22, 23
.endm

.macro step_2x8 raw
    rows_and_columns \raw, 2, 2, 3, 4, 5
    last_2x8
    two_by_four
    columns \raw, 4, 2, 3, 4, 5
    ready   \raw, 4, 2, 3, 4, 5
    last_2x4
    two_by_four
.endm
.macro last_2x8
    add_up  T03, 24, 25, 26, 27
    add_up  T47, 28, 29, 30, 31
.endm

#define T02 8, 9, 10,
#define T35 12, 13, 14,
#define ROWS3 0, 1, 2,
.macro step_3x4 raw
    rows_and_columns \raw, 3, 4, 5
    last_3x4
    three_by_two
    columns \raw, 2, 4, 5
    ready   \raw, 2, 4, 5
    add_up  T02, 16, 17, 18
    add_up  T35, 19, 20, 21
    three_by_two
.endm
.macro three_by_two
    FIRST   T02, ROWS3, 4, 4, 4
    FIRST   T35, ROWS3, 5, 5, 5
    SECOND  T02, ROWS3, 4, 4, 4
    SECOND  T35, ROWS3, 5, 5, 5
.endm
.macro last_3x4
    add_up  T02, 22, 23, 24
    add_up  T35, 25, 26, 27
.endm

#define ROWS4 0, 1, 2, 3
.macro step_4x4 raw
    rows_and_columns \raw, 4, 4, 5
    last_4x4
    four_by_two
    columns \raw, 2, 4, 5
    ready   \raw, 2, 4, 5
    last_2x4
    four_by_two
.endm
.macro four_by_two
    FIRST   T03, ROWS4, 4, 4, 4, 4
    FIRST   T47, ROWS4, 5, 5, 5, 5
    SECOND  T03, ROWS4, 4, 4, 4, 4
    SECOND  T47, ROWS4, 5, 5, 5, 5
.endm
.macro last_4x4
    last_2x8
.endm

// With sums of columns there are registers for four products at once: other work comes between those that depend on
// each other.
.macro step_4x4_sums raw
    columns \raw, 0, 4
    load_rows 4
    ready   \raw, 0, 4
    ready_rows 4
    last_4x4_sums
    column_of_4x4 \raw, 4, 16, 17, 18, 19, 5, 1
    column_of_4x4 \raw, 5, 20, 21, 22, 23, 4, 2
    column_of_4x4 \raw, 4, 24, 25, 26, 27, 5, 3
    FIRST   T03, ROWS4, 5, 5, 5, 5
    SECOND  T03, ROWS4, 5, 5, 5, 5
.endm
.macro column_of_4x4 raw, b, s0, s1, s2, s3, next, index
    FIRST   T03, ROWS4, \b, \b, \b, \b
    columns \raw, \index, \next
    SECOND  T03, ROWS4, \b, \b, \b, \b
    ready   \raw, \index, \next
    add_up  T03, \s0, \s1, \s2, \s3
.endm
.macro last_4x4_sums
    add_up  T03, 28, 29, 30, 31
.endm

.macro store_row from, row
    str     q\from, [out, #64 * \row]
.endm

// Each result is the sum of a vector: pairs of columns, then pairs of these pairs. Sums of a column are side by side.
.macro pairs to, a, b
    addp    v\to\().4s, v\a\().4s, v\b\().4s
.endm
.macro pairs_of_columns rows, columns, apart
    .irp a, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
        .if \a - 16 < \rows * \columns && (\a - 16) / \rows % (2 * \apart) == 0
    with_number pair_with, (\a + \rows * \apart), \a
        .endif
    .endr
.endm
.macro pair_with b, a
    pairs   \a, \a, \b
.endm
.macro sums rows, columns
    pairs_of_columns \rows, \columns, 1
    pairs_of_columns \rows, \columns, 2
    .irp r, 0, 1, 2, 3
        .if \r < \rows
    store_results \r, \rows, \columns
        .endif
    .endr
.endm
// Those of a row: v(16 + r), and for each 4 columns more 4 * rows after it.
.macro store_results r, rows, columns
    .if \columns == 4
    with_number store_row, (16 + \r), \r
    .else
    with_number store_8, (16 + \r), (16 + \r + 4 * \rows), (64 * \r)
    .endif
    .if \columns == 16
    with_number store_8, (16 + \r + 8 * \rows), (16 + \r + 12 * \rows), (64 * \r + 32)
    .endif
.endm
.macro store_8 a, b, at
    with_number store_pair, \b, \a, \at
.endm
.macro store_pair b, a, at
    stp     q\a, q\b, [out, #\at]
.endm

// Sums of columns.
.macro column_sums columns, widen
    .irp s, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
        .if \s >= column_sum && \s < column_sum + \columns
    widened \widen, \s
        .endif
    .endr
    .if column_sum == 12
    sums_of_four 12, 13, 14, 15
    store_row 12, 4
    .else
    sums_of_four 28, 29, 30, 31
    .if \columns > 4
    sums_of_four 24, 25, 26, 27
    stp     q24, q28, [out, #256]
    .else
    store_row 28, 4
    .endif
    .endif
.endm
.macro sums_of_four a, b, c, d
    pairs   \a, \a, \b
    pairs   \c, \c, \d
    pairs   \a, \a, \c
.endm
.macro widened widen, s
    \widen    v\s\().4s, v\s\().8h
.endm

.macro zero s
    movi    v\s\().4s, #0
.endm
.macro zero_t t
    .if \t < t_end
    zero    \t
    .endif
.endm

// Pointers of the next tile, steps, t = 0.
.macro set_up columns, raw
    ldp     x4, x1, [args, #LOWP_TILE_lhs]
    zero_t  8
    ldp     x8, x3, [args, #LOWP_TILE_rhs]
    zero_t  9
    zero_t  10
    add     x5, x4, x1
    zero_t  11
    add     x6, x4, x1, lsl #1
    zero_t  12
    add     x7, x5, x1, lsl #1
    zero_t  13
    add     x9, x8, x3
    zero_t  14
    .ifnc \raw, packed
    add     x10, x8, x3, lsl #1
    zero_t  15
    add     x11, x9, x3, lsl #1
    add     x12, x8, x3, lsl #2
        .if \columns > 4
    add     x13, x9, x3, lsl #2
    add     x14, x10, x3, lsl #2
    add     x15, x11, x3, lsl #2
    add     x1, x8, x3, lsl #3
    str     x1, [args, #LOWP_TILE_rhs]
        .else
    str     x12, [args, #LOWP_TILE_rhs]
        .endif
    ldp     lhs_tail, rhs_tail, [args, #LOWP_TILE_lhs_tail]
    ldr     steps, [args, #LOWP_TILE_groups]
    .else
    zero_t  15
        .if \columns > 4
    add     x10, x8, x3, lsl #1
        .endif
        .if \columns > 8
    add     x11, x9, x3, lsl #1
    add     x1, x8, x3, lsl #2
    str     x1, [args, #LOWP_TILE_rhs]
        .elseif \columns > 4
    str     x10, [args, #LOWP_TILE_rhs]
        .else
    str     x9, [args, #LOWP_TILE_rhs]
        .endif
    ldr     lhs_tail, [args, #LOWP_TILE_lhs_tail]
    ldr     steps, [args, #LOWP_TILE_groups]
    .endif
.endm

// extern "C" void name(LowpTile*)
.macro tile name, rows, columns, raw=packed, sums
func \name, hidden
    .set    t_end, 16
    .ifc \rows\()x\columns\sums, 1x4
    .set    t_end, 12
    .endif
    .set    column_sum, 32
    .ifc \raw, sadalp
    .set    column_sum, 32 - \columns
    .endif
    .ifc \raw, uadalp
    .set    column_sum, 32 - \columns
    .endif
    .ifnb \sums
    .set    column_sum, 12
    .set    t_end, 12
    .endif
    frame   d8-d15
    ldp     tiles, out, [args, #LOWP_TILE_tiles]
    ldr     q6, [args, #LOWP_TILE_lhs_flip]
    .ifnc \raw, packed
    ldr     q7, [args, #LOWP_TILE_rhs_flip]
    .endif
    set_up  \columns, \raw
0:
    .irp s, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        .if (\s >= 16 && \s < 16 + \rows * \columns) || \s >= column_sum
    zero    \s
        .endif
    .endr
    cbz     steps, 2f
1:
    subs    steps, steps, #1
    step_\rows\()x\columns\sums \raw
    b.ne    1b
2:
    cbz     lhs_tail, 3f
    mov     steps, #1
    go_to   lhs_tail, 4, 5, 6, 7
    .ifnc \raw, packed
    go_to   rhs_tail, 8, 9, 10, 11, 12, 13, 14, 15
    add     rhs_tail, rhs_tail, #16 * \columns
    str     rhs_tail, [args, #LOWP_TILE_rhs_tail]
    .endif
    mov     lhs_tail, #0
    b       1b
3:
    last_\rows\()x\columns\sums
    set_up  \columns, \raw
    sums    \rows, \columns
    .ifc \raw, sadalp
    column_sums \columns, saddlp
    .endif
    .ifc \raw, uadalp
    column_sums \columns, uaddlp
    .endif
    add     out, out, #4 * \columns
    subs    tiles, tiles, #1
    b.ne    0b
    return
endfunc
.endm
.macro go_to from, pointers:vararg
    .set    offset, 0
    .irp x, \pointers
    add     x\x, \from, #offset
    .set    offset, offset + 16
    .endr
.endm

tile kai_lowp_p4x16_1x16, 1, 16
tile kai_lowp_p4x16_1x4, 1, 4
tile kai_lowp_p4x16_2x8, 2, 8
tile kai_lowp_p4x16_2x4, 2, 4
tile kai_lowp_p4x16_3x4, 3, 4
tile kai_lowp_p4x16_4x4, 4, 4
tile kai_lowp_nxk_1x8, 1, 8, plain
tile kai_lowp_nxk_1x4, 1, 4, plain
tile kai_lowp_nxk_2x8, 2, 8, plain
tile kai_lowp_nxk_2x4, 2, 4, plain
tile kai_lowp_nxk_3x4, 3, 4, plain
tile kai_lowp_nxk_4x4, 4, 4, plain
tile kai_lowp_nxk_s8_1x8, 1, 8, sadalp
tile kai_lowp_nxk_s8_1x4, 1, 4, sadalp
tile kai_lowp_nxk_s8_2x4, 2, 4, sadalp
tile kai_lowp_nxk_s8_3x4, 3, 4, sadalp
tile kai_lowp_nxk_s8_4x4, 4, 4, sadalp, _sums
tile kai_lowp_nxk_u8_1x8, 1, 8, uadalp
tile kai_lowp_nxk_u8_1x4, 1, 4, uadalp
tile kai_lowp_nxk_u8_2x4, 2, 4, uadalp
tile kai_lowp_nxk_u8_3x4, 3, 4, uadalp
tile kai_lowp_nxk_u8_4x4, 4, 4, uadalp, _sums
