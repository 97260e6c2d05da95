// Tiles of the low-precision kernels: sums of products of signed bytes, 16 k at a time.
//
//     sums[row][column] = sum over k of a * b  +  sum over k % 16 >= 8 of a
//
//     SMULL   t.8h, a.8b, b.8b          t = a * b,                    k % 16 < 8
//     SMLSL2  t.8h, a.16b, ~b.16b       t -= a * (-b - 1)             k % 16 >= 8
//     SADALP  sum.4s, t.8h
//
// The sum of two -128 * -128 does not fit 16 bits, but a * b - c * ~d = a * b + c * d + c is in -32640 ... 32640.
// The caller subtracts the sum of c, which is the same for all columns. The last 8 of 16 weights are inverted when
// they are packed, or by the EOR that makes unsigned weights signed.
//
// A step is 16 k of all rows and columns, in batches of up to 8 products. The next batch begins by adding t to the sums
// while operands are loaded, so that in-order cores need not wait. 4 rows x 4 columns, columns 0 and 1, then 2 and 3:
//
//          | B_4           B_5            B_4           B_5           16 k: (lower) 8, (upper) 8
//     -----+-------------------------------------------------------
//     A0   | Ta0 -> S0_0   Tb0 -> S1_0    Ta0 -> S2_0   Tb0 -> S3_0
//     A1   | Ta1 -> S0_1   Tb1 -> S1_1    Ta1 -> S2_1   Tb1 -> S3_1
//     A2   | Ta2 -> S0_2   Tb2 -> S1_2    Ta2 -> S2_2   Tb2 -> S3_2
//     A3   | Ta3 -> S0_3   Tb3 -> S1_3    Ta3 -> S2_3   Tb3 -> S3_3
//
// Sums lie column by column, v(16 + rows * column + row). In groups of 4 they are a column of 4 rows, 2 columns of 2
// rows, 4 columns of 1 row: S<group>_<i>. With three rows they are called C<column>_<row>.
//
//   A0 - A3                 v0 - v3      16 k of the rows
//   B_1 - B_5               v1 - v5      16 k of columns, in registers that are not rows of the tile
//   lhs_flip, rhs_flip      v6, v7       XOR that makes bytes signed; rhs_flip inverts the last 8 of 16, too
//   Ta0 - Ta3, Tb0 - Tb3    v8 - v15     t
//   S0_0, S0_1 ... S3_3     v16 - v31    sums; C0_0, C0_1, C0_2, C1_0 ... C3_2  v16 - v27
//   K0 - K7                              sums of the bytes of a column each, 16 bits: v24 - v31 (8 columns), v28 - v31,
//                                        or v12 - v15 in place of Tb (4 x 4)
//   args  x0                struct LowpTile
//   steps  x1, tiles  x17   to go; out  x16: destination of the sums
//   lhs_tail, rhs_tail      x2, x3       tails of rows and columns
//   row0 - row3             x4 - x7
//   column0 - column7       x8 - x15     or panel0 - panel3, x8 - x11
//
// Columns that are not packed: `raw` is plain, or the instruction that adds their bytes: sadalp, uadalp. These sums
// hold 127 steps at most.
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

    regs    0, A0, A1, A2, A3
    regs    1, B_1, B_2, B_3, B_4, B_5, lhs_flip, rhs_flip
    regs    8, Ta0, Ta1, Ta2, Ta3, Tb0, Tb1, Tb2, Tb3
    regs    16, S0_0, S0_1, S0_2, S0_3, S1_0, S1_1, S1_2, S1_3, S2_0, S2_1, S2_2, S2_3, S3_0, S3_1, S3_2, S3_3
    regs    16, C0_0, C0_1, C0_2, C1_0, C1_1, C1_2, C2_0, C2_1, C2_2, C3_0, C3_1, C3_2

row0    .req x4
row1    .req x5
row2    .req x6
row3    .req x7
column0 .req x8
column1 .req x9
column2 .req x10
column3 .req x11
column4 .req x12
column5 .req x13
column6 .req x14
column7 .req x15
panel0  .req x8
panel1  .req x9
panel2  .req x10
panel3  .req x11
// Before a tile
lhs_stride .req x1
rhs_stride .req x3
next    .req x1                                 // tile

// A product, of the first and then of the last 8 of 16 k.
.macro lower to, a, b
    smull   \to\().8h, \a\().8b, \b\().8b
.endm
.macro upper to, a, b
    smlsl2  \to\().8h, \a\().16b, \b\().16b
.endm

// The products `half`, lower or upper, of a batch of T<t>: rows of the tile times columns B_<b0>, ...
.macro products_1x4 half, t, b0, b1, b2, b3
    \half   T\t\()0, A0, B_\b0
    \half   T\t\()1, A0, B_\b1
    \half   T\t\()2, A0, B_\b2
    \half   T\t\()3, A0, B_\b3
.endm
// The same, 2 rows, 2 columns.
.macro products_2x2 half, t, b0, b1
    \half   T\t\()0, A0, B_\b0
    \half   T\t\()1, A1, B_\b0
    \half   T\t\()2, A0, B_\b1
    \half   T\t\()3, A1, B_\b1
.endm
.macro products_3x1 half, t, b
    \half   T\t\()0, A0, B_\b
    \half   T\t\()1, A1, B_\b
    \half   T\t\()2, A2, B_\b
.endm
// The same, 4 rows, a column.
.macro products_4x1 half, t, b
    \half   T\t\()0, A0, B_\b
    \half   T\t\()1, A1, B_\b
    \half   T\t\()2, A2, B_\b
    \half   T\t\()3, A3, B_\b
.endm

// A group of sums, or 3 rows of a column, += T<t>.
.macro add_up t, group
    add_up_01 \t, \group
    add_up_23 \t, \group
.endm
.macro add_up_01 t, group
    sadalp  S\group\()_0.4s, T\t\()0.8h
    sadalp  S\group\()_1.4s, T\t\()1.8h
.endm
.macro add_up_23 t, group
    sadalp  S\group\()_2.4s, T\t\()2.8h
    sadalp  S\group\()_3.4s, T\t\()3.8h
.endm
.macro add_up_3 t, column
    sadalp  C\column\()_0.4s, T\t\()0.8h
    sadalp  C\column\()_1.4s, T\t\()1.8h
    sadalp  C\column\()_2.4s, T\t\()2.8h
.endm

// A = 16 k of the rows, in two parts: loads, signs.
.macro load_rows rows
    .irp a, 0, 1, 2, 3
        .if \a < \rows
    ldr     qA\a, [row\a], #16
        .endif
    .endr
.endm
// The second part.
.macro ready_rows rows
    .irp a, 0, 1, 2, 3
        .if \a < \rows
    flip    A\a, lhs_flip
        .endif
    .endr
.endm
.macro flip v, by
    eor     \v\().16b, \v\().16b, \by\().16b
.endm

// 16 k of columns \index, \index + 1, ... of the tile to B_<b>, ...: from panels, which have 4 columns each, or from
// columns. Pointers move on beside the loads: a load that adds is two micro-operations.
.macro columns raw, index, b, rest:vararg
    .ifnc \raw, packed
    with_number column, (\index), \b
    .else
    with_number panel_column, (\index / 4), \b, (\index % 4)
    .endif
    .ifnb \rest
    columns \raw, (\index + 1), \rest
    .endif
.endm
.macro column c, b
    ldr     qB_\b, [column\c]
    add     column\c, column\c, #16
.endm
// Column `index` of panel p; the last one moves it on.
.macro panel_column p, b, index
    ldr     qB_\b, [panel\p, #16 * \index]
    .if \index == 3
    add     panel\p, panel\p, #64
    .endif
.endm
// After the loads: adds the bytes to the sums of columns, and makes weights signed.
.macro ready raw, index, b, rest:vararg
    .ifnc \raw, packed
        .ifnc \raw, plain
    with_number add_bytes, (\index), \raw, B_\b
        .endif
    flip    B_\b, rhs_flip
    .endif
    .ifnb \rest
    ready   \raw, (\index + 1), \rest
    .endif
.endm
.macro add_bytes column, op, b
    \op     K\column\().8h, \b\().16b
.endm

// A = 16 k of the rows, B_<b>, ... = of the first columns.
.macro rows_and_columns raw, rows, b:vararg
    load_rows \rows
    columns \raw, 0, \b
    ready_rows \rows
    ready   \raw, 0, \b
.endm

// step_RxC: sums += 16 k of R rows x C columns. It begins by adding the products of the last batch of the step before;
// last_RxC adds those of the last step.

// 1 x 4: a batch, of Ta.
.macro step_1x4 raw
    rows_and_columns \raw, 1, 1, 2, 3, 4
    last_1x4
    products_1x4 lower, a, 1, 2, 3, 4
    products_1x4 upper, a, 1, 2, 3, 4
.endm
.macro last_1x4
    add_up  a, 0
.endm

.macro step_1x8 raw
    load_rows 1
    one_by_eight \raw, 0, 1, 0
.endm
// Eight columns from `index` on (0: the first ones of a step). First adds Tb to group `before`; then adds the first
// four columns to `group`, and leaves Tb to be added.
.macro one_by_eight raw, index, before, group
    columns \raw, \index, 1, 2, 3, 4
    .if \index == 0
    ready_rows 1
    .endif
    ready   \raw, \index, 1, 2, 3, 4
    add_up  b, \before
    products_1x4 lower, a, 1, 2, 3, 4
    columns \raw, (\index + 4), 5
    products_1x4 upper, a, 1, 2, 3, 4
    columns \raw, (\index + 5), 1, 2, 3
    ready   \raw, (\index + 4), 5, 1, 2, 3
    add_up_01 a, \group
    products_1x4 lower, b, 5, 1, 2, 3
    add_up_23 a, \group
    products_1x4 upper, b, 5, 1, 2, 3
.endm
.macro last_1x8
    add_up  b, 1
.endm

.macro step_1x16 raw
    load_rows 1
    one_by_eight \raw, 0, 3, 0
    one_by_eight \raw, 8, 1, 2
.endm
.macro last_1x16
    add_up  b, 3
.endm

.macro step_2x4 raw
    rows_and_columns \raw, 2, 2, 3, 4, 5
    last_2x4
    two_by_four
.endm
// Ta, Tb = columns B_2, B_3, and B_4, B_5.
.macro two_by_four
    products_2x2 lower, a, 2, 3
    products_2x2 lower, b, 4, 5
    products_2x2 upper, a, 2, 3
    products_2x2 upper, b, 4, 5
.endm
.macro last_2x4
    add_up  a, 0
    add_up  b, 1
.endm

// 2 x 8: two batches of 4 columns.
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
    add_up  a, 2
    add_up  b, 3
.endm

// 3 x 4: two batches of 2 columns.
.macro step_3x4 raw
    rows_and_columns \raw, 3, 4, 5
    last_3x4
    three_by_two
    columns \raw, 2, 4, 5
    ready   \raw, 2, 4, 5
    add_up_3 a, 0
    add_up_3 b, 1
    three_by_two
.endm
// Ta, Tb = columns B_4, B_5.
.macro three_by_two
    products_3x1 lower, a, 4
    products_3x1 lower, b, 5
    products_3x1 upper, a, 4
    products_3x1 upper, b, 5
.endm
.macro last_3x4
    add_up_3 a, 2
    add_up_3 b, 3
.endm

// 4 x 4: two batches of 2 columns, the picture above.
.macro step_4x4 raw
    rows_and_columns \raw, 4, 4, 5
    last_4x4
    four_by_two
    columns \raw, 2, 4, 5
    ready   \raw, 2, 4, 5
    last_2x4
    four_by_two
.endm
// Ta, Tb = columns B_4, B_5.
.macro four_by_two
    products_4x1 lower, a, 4
    products_4x1 lower, b, 5
    products_4x1 upper, a, 4
    products_4x1 upper, b, 5
.endm
.macro last_4x4
    last_2x8
.endm

// Sums of columns occupy Tb, so there are registers for only four products at once: other work separates dependent
// instructions.
.macro step_4x4_sums raw
    columns \raw, 0, 4
    load_rows 4
    ready   \raw, 0, 4
    ready_rows 4
    last_4x4_sums
    column_of_4x4 \raw, 0, 4, 5
    column_of_4x4 \raw, 1, 5, 4
    column_of_4x4 \raw, 2, 4, 5
    products_4x1 lower, a, 5
    products_4x1 upper, a, 5
.endm
// Column c, which is in B_<b>; the next one goes to B<other>.
.macro column_of_4x4 raw, c, b, other
    products_4x1 lower, a, \b
    columns \raw, (\c + 1), \other
    products_4x1 upper, a, \b
    ready   \raw, (\c + 1), \other
    add_up  a, \c
.endm
.macro last_4x4_sums
    add_up  a, 3
.endm

// ---- Results
//
// Each is the sum of a vector: pairs of columns are joined, then pairs of these pairs. Then a vector has four columns
// of a row. sums_RxC stores those of a tile, which it changes.

.macro join to, other
    addp    \to\().4s, \to\().4s, \other\().4s
.endm
// Rows of a set of sums, S<group> or C<column>, joined with those of another.
.macro join_rows rows, to, other
    join    \to\()_0, \other\()_0
    if_more \rows, 1, join \to\()_1, \other\()_1
    if_more \rows, 2, join \to\()_2, \other\()_2
    if_more \rows, 3, join \to\()_3, \other\()_3
.endm
// The pairs of columns in a group of one row, or of two rows.
.macro pairs_of_1 group
    join    S\group\()_0, S\group\()_1
    join    S\group\()_2, S\group\()_3
.endm
.macro pairs_of_2 group
    join    S\group\()_0, S\group\()_2
    join    S\group\()_1, S\group\()_3
.endm

// One row, 4 columns.
.macro sums_1x4
    pairs_of_1 0
    join    S0_0, S0_2
    str     qS0_0, [out]
.endm
// The same, 8 columns.
.macro sums_1x8
    pairs_of_1 0
    pairs_of_1 1
    join    S0_0, S0_2
    join    S1_0, S1_2
    stp     qS0_0, qS1_0, [out]
.endm
// The same, 16 columns.
.macro sums_1x16
    pairs_of_1 0
    pairs_of_1 1
    pairs_of_1 2
    pairs_of_1 3
    join    S0_0, S0_2
    join    S1_0, S1_2
    join    S2_0, S2_2
    join    S3_0, S3_2
    stp     qS0_0, qS1_0, [out]
    stp     qS2_0, qS3_0, [out, #32]
.endm
// Two rows, 4 columns.
.macro sums_2x4
    pairs_of_2 0
    pairs_of_2 1
    join_rows 2, S0, S1
    str     qS0_0, [out]
    str     qS0_1, [out, #64]
.endm
// The same, 8 columns.
.macro sums_2x8
    pairs_of_2 0
    pairs_of_2 1
    pairs_of_2 2
    pairs_of_2 3
    join_rows 2, S0, S1
    join_rows 2, S2, S3
    stp     qS0_0, qS2_0, [out]
    stp     qS0_1, qS2_1, [out, #64]
.endm
// Three rows, 4 columns.
.macro sums_3x4
    join_rows 3, C0, C1
    join_rows 3, C2, C3
    join_rows 3, C0, C2
    str     qC0_0, [out]
    str     qC0_1, [out, #64]
    str     qC0_2, [out, #128]
.endm
// Four rows, 4 columns.
.macro sums_4x4
    join_rows 4, S0, S1
    join_rows 4, S2, S3
    join_rows 4, S0, S2
    str     qS0_0, [out]
    str     qS0_1, [out, #64]
    str     qS0_2, [out, #128]
    str     qS0_3, [out, #192]
.endm

// Stores the sums of columns, which it changes. widen: saddlp or uaddlp, to 32 bits.
.macro column_sums columns, widen
    widen_4 \widen, K0, K1, K2, K3
    .if \columns > 4
    widen_4 \widen, K4, K5, K6, K7
    join_4  K4, K5, K6, K7
    join_4  K0, K1, K2, K3
    stp     qK0, qK4, [out, #256]
    .else
    join_4  K0, K1, K2, K3
    str     qK0, [out, #256]
    .endif
.endm
// Four vectors of 8 sums become vectors of 4.
.macro widen_4 widen, a, b, c, d
    \widen    \a\().4s, \a\().8h
    \widen    \b\().4s, \b\().8h
    \widen    \c\().4s, \c\().8h
    \widen    \d\().4s, \d\().8h
.endm
.macro join_4 a, b, c, d
    join    \a, \b
    join    \c, \d
    join    \a, \c
.endm

// ---- Tiles

.macro zero v
    movi    \v\().4s, #0
.endm
// Tb = 0, if the tile has it.
.macro zero_tb t
    .if has_tb
    zero    \t
    .endif
.endm

// Pointers of the next tile, stored to LowpTile, too; steps, tails; t = 0 in between.
.macro set_up columns, raw
    ldp     row0, lhs_stride, [args, #LOWP_TILE_lhs]
    zero    Ta0
    ldp     column0, rhs_stride, [args, #LOWP_TILE_rhs]
    zero    Ta1
    zero    Ta2
    add     row1, row0, lhs_stride
    zero    Ta3
    add     row2, row0, lhs_stride, lsl #1
    zero_tb Tb0
    add     row3, row1, lhs_stride, lsl #1
    zero_tb Tb1
    add     column1, column0, rhs_stride
    zero_tb Tb2
    .ifnc \raw, packed
    add     column2, column0, rhs_stride, lsl #1
    zero_tb Tb3
    add     column3, column1, rhs_stride, lsl #1
    add     column4, column0, rhs_stride, lsl #2
        .if \columns > 4
    add     column5, column1, rhs_stride, lsl #2
    add     column6, column2, rhs_stride, lsl #2
    add     column7, column3, rhs_stride, lsl #2
    add     next, column0, rhs_stride, lsl #3
    str     next, [args, #LOWP_TILE_rhs]
        .else
    str     column4, [args, #LOWP_TILE_rhs]
        .endif
    ldp     lhs_tail, rhs_tail, [args, #LOWP_TILE_lhs_tail]
    ldr     steps, [args, #LOWP_TILE_groups]
    .else
    zero_tb Tb3
        .if \columns > 4
    add     panel2, panel0, rhs_stride, lsl #1
        .endif
        .if \columns > 8
    add     panel3, panel1, rhs_stride, lsl #1
    add     next, panel0, rhs_stride, lsl #2
    str     next, [args, #LOWP_TILE_rhs]
        .elseif \columns > 4
    str     panel2, [args, #LOWP_TILE_rhs]
        .else
    str     panel1, [args, #LOWP_TILE_rhs]
        .endif
    ldr     lhs_tail, [args, #LOWP_TILE_lhs_tail]
    ldr     steps, [args, #LOWP_TILE_groups]
    .endif
.endm

// extern "C" void name(LowpTile*): tiles of `rows` x `columns`, side by side; shape: which step_ they take.
.macro tile name, shape, rows, columns, raw=packed
func \name, hidden
    .set    has_tb, 1
    .ifc \shape, 1x4
    .set    has_tb, 0
    .endif
    .set    first_k, 32                         // number of the register K0; 32: there is none
    .ifc \raw, sadalp
    .set    first_k, 32 - \columns
    .endif
    .ifc \raw, uadalp
    .set    first_k, 32 - \columns
    .endif
    .ifc \shape, 4x4_sums
    .set    first_k, 12
    .set    has_tb, 0
    .endif
    .if first_k < 32
    regs    first_k, K0, K1, K2, K3
        .if \columns > 4
    regs    (first_k + 4), K4, K5, K6, K7
        .endif
    .endif
    frame   d8-d15
    ldp     tiles, out, [args, #LOWP_TILE_tiles]
    ldr     qlhs_flip, [args, #LOWP_TILE_lhs_flip]
    .ifnc \raw, packed
    ldr     qrhs_flip, [args, #LOWP_TILE_rhs_flip]
    .endif
    set_up  \columns, \raw
0:
    .irp s, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        .if (\s >= 16 && \s < 16 + \rows * \columns) || \s >= first_k
    zero    v\s
        .endif
    .endr
    cbz     steps, 2f
1:
    subs    steps, steps, #1
    step_\shape \raw
    b.ne    1b
2:
    cbz     lhs_tail, 3f
    mov     steps, #1
    go_to   lhs_tail, row0, row1, row2, row3
    .ifnc \raw, packed
    go_to   rhs_tail, column0, column1, column2, column3, column4, column5, column6, column7
    add     rhs_tail, rhs_tail, #16 * \columns
    str     rhs_tail, [args, #LOWP_TILE_rhs_tail]
    .endif
    mov     lhs_tail, #0
    b       1b
3:
    last_\shape
    set_up  \columns, \raw
    sums_\rows\()x\columns
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
    .if first_k < 32
    unreg   K0, K1, K2, K3
        .if \columns > 4
    unreg   K4, K5, K6, K7
        .endif
    .endif
.endm
// The pointers = from, from + 16, ...
.macro go_to from, pointers:vararg
    .set    offset, 0
    .irp x, \pointers
    add     \x, \from, #offset
    .set    offset, offset + 16
    .endr
.endm

tile kai_lowp_p4x16_1x16, 1x16, 1, 16
tile kai_lowp_p4x16_1x4, 1x4, 1, 4
tile kai_lowp_p4x16_2x8, 2x8, 2, 8
tile kai_lowp_p4x16_2x4, 2x4, 2, 4
tile kai_lowp_p4x16_3x4, 3x4, 3, 4
tile kai_lowp_p4x16_4x4, 4x4, 4, 4
tile kai_lowp_nxk_1x8, 1x8, 1, 8, plain
tile kai_lowp_nxk_1x4, 1x4, 1, 4, plain
tile kai_lowp_nxk_2x8, 2x8, 2, 8, plain
tile kai_lowp_nxk_2x4, 2x4, 2, 4, plain
tile kai_lowp_nxk_3x4, 3x4, 3, 4, plain
tile kai_lowp_nxk_4x4, 4x4, 4, 4, plain
tile kai_lowp_nxk_s8_1x8, 1x8, 1, 8, sadalp
tile kai_lowp_nxk_s8_1x4, 1x4, 1, 4, sadalp
tile kai_lowp_nxk_s8_2x4, 2x4, 2, 4, sadalp
tile kai_lowp_nxk_s8_3x4, 3x4, 3, 4, sadalp
tile kai_lowp_nxk_s8_4x4, 4x4_sums, 4, 4, sadalp
tile kai_lowp_nxk_u8_1x8, 1x8, 1, 8, uadalp
tile kai_lowp_nxk_u8_1x4, 1x4, 1, 4, uadalp
tile kai_lowp_nxk_u8_2x4, 2x4, 2, 4, uadalp
tile kai_lowp_nxk_u8_3x4, 3x4, 3, 4, uadalp
tile kai_lowp_nxk_u8_4x4, 4x4_sums, 4, 4, uadalp
