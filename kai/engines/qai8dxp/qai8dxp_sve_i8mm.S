// f32 <- qai8dxp4x8 x qsi8cxp4vsx8 with SMMLA of SVE, vectors of any length.
//
//     S         = sum over k of lhs[m][k] * rhs[n][k]                        int32
//     dst[m][n] = clamp(f32(S + lhs_offset[m] * rhs_sum[n]) * (rhs_scale[n] * lhs_scale[m]) + bias[n])  three roundings
//
// A panel of the RHS has a column for each word of a vector, so that 8 k of it are two vectors: a, the first half of
// the columns, and b. SMMLA multiplies, in each 128 bits, a pair of rows (2 x 8) by a pair of columns (8 x 2). A tile
// is `pairs` pairs of rows of LHS panels (two each) x `count` RHS panels; sum i = panel * pairs + pair:
//
//                            | column<c>_a   column<c>_b
//        --------------------+---------------------------
//        row<p>: rows 2p,    | sum<i>_a      sum<i>_b          every 128 bits: r0c0 r0c1 r1c0 r1c1
//        2p + 1              |
//
// First tiles of 16 rows, each with all columns; then the remaining rows, 12 at most, with several RHS panels at once.
//
//   row0 - row7                 z0 - z7      8 k of a pair of rows, in each 128 bits
//   column0_a, column0_b ... column3_b  z8 - z15   8 k of the columns of RHS panels 0 - 3
//   sum0_a, sum0_b ... sum7_b   z16 - z31    S
//   lhs0 - lhs3  x1 - x4, rhs0 - rhs3  x5 - x8    the panels of the tile
//   p0 all, p1 columns that exist
//   Results: upper, lower  z0, z1  two rows; factor, offset, scale  z2 - z4  of a row;
//   column_sum, column_scale, bias  z8 - z10  of columns; lo, hi  z11, z12
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+sve+i8mm
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_args.h"

args        .req x0
lhs0        .req x1     // cursors in LHS panels; in the end at their offsets and scales
lhs1        .req x2
lhs2        .req x3
lhs3        .req x4
rhs0        .req x5     // cursors in RHS panels; in the end at their fields
rhs1        .req x6
rhs2        .req x7
rhs3        .req x8
left        .req x9     // steps of 32 k
steps       .req x10
out         .req x11    // a row of the tile
rows        .req x12    // from the tile on
cols        .req x13
dst         .req x14    // of the tile
lhs_tile    .req x15    // its first panels
rhs_tile    .req x16
lhs_stride  .req x17
rhs_stride  .req x19
dst_stride  .req x20
nr          .req x21
dst_top     .req x22    // of the first row of these columns
clamps      .req x23    // whether there are bounds
t0          .req x24

    zregs   0, row0, row1, row2, row3, row4, row5, row6, row7
    zregs   8, column0_a, column0_b, column1_a, column1_b, column2_a, column2_b, column3_a, column3_b
    zregs   16, sum0_a, sum0_b, sum1_a, sum1_b, sum2_a, sum2_b, sum3_a, sum3_b
    zregs   24, sum4_a, sum4_b, sum5_a, sum5_b, sum6_a, sum6_b, sum7_a, sum7_b

// Of the results.
    zreg    upper, 0        // rows 2p, 2p + 1
    zreg    lower, 1
    zreg    factor, 2       // products of the scales
    zregs   3, offset, scale
    zregs   8, column_sum, column_scale, bias, lo, hi

// ---- 8 k, number \g of a step

.macro load_columns c, g
    ld1b    {column\c\()_a.b}, p0/z, [rhs\c, #2 * \g, mul vl]
    ld1b    {column\c\()_b.b}, p0/z, [rhs\c, #2 * \g + 1, mul vl]
.endm

// Pair \half of an LHS panel.
.macro load_rows p, lhs, half, g
    ld1rqb  {row\p\().b}, p0/z, [\lhs, #32 * \g + 16 * \half]
.endm

.macro multiply i, p, c
    smmla   sum\i\()_a.s, row\p\().b, column\c\()_a.b
    smmla   sum\i\()_b.s, row\p\().b, column\c\()_b.b
.endm

// One RHS panel: rows are loaded where they are needed.
.macro pair_1 p, lhs, half, g
    load_rows \p, \lhs, \half, \g
    multiply \p, \p, 0
.endm
// 8 k of a tile of one panel and up to 8 pairs.
.macro multiply_1 pairs, g
    load_columns 0, \g
    pair_1  0, lhs0, 0, \g
    if_more \pairs, 1, pair_1 1, lhs0, 1, \g
    if_more \pairs, 2, pair_1 2, lhs1, 0, \g
    if_more \pairs, 2, pair_1 3, lhs1, 1, \g
    if_more \pairs, 4, pair_1 4, lhs2, 0, \g
    if_more \pairs, 4, pair_1 5, lhs2, 1, \g
    if_more \pairs, 6, pair_1 6, lhs3, 0, \g
    if_more \pairs, 6, pair_1 7, lhs3, 1, \g
.endm

// Two RHS panels, 4 pairs.
.macro panel_2 c, i0, i1, i2, i3, g
    load_columns \c, \g
    multiply \i0, 0, \c
    multiply \i1, 1, \c
    multiply \i2, 2, \c
    multiply \i3, 3, \c
.endm
// 8 k of a tile of two panels; `pairs` is 4.
.macro multiply_2 pairs, g
    load_rows 0, lhs0, 0, \g
    load_rows 1, lhs0, 1, \g
    load_rows 2, lhs1, 0, \g
    load_rows 3, lhs1, 1, \g
    panel_2 0, 0, 1, 2, 3, \g
    panel_2 1, 4, 5, 6, 7, \g
.endm

// Four RHS panels, one pair or two.
.macro panel_4 pairs, c, i, i0, i1, g
    load_columns \c, \g
    .if \pairs == 1
    multiply \i, 0, \c
    .else
    multiply \i0, 0, \c
    multiply \i1, 1, \c
    .endif
.endm
// 8 k of a tile of four panels.
.macro multiply_4 pairs, g
    load_rows 0, lhs0, 0, \g
    if_more \pairs, 1, load_rows 1, lhs0, 1, \g
    panel_4 \pairs, 0, 0, 0, 1, \g
    panel_4 \pairs, 1, 1, 2, 3, \g
    panel_4 \pairs, 2, 2, 4, 5, \g
    panel_4 \pairs, 3, 3, 6, 7, \g
.endm

// ---- Results

// A row, number \r of its panel, whose sums are \row. p1: its columns.
.macro finish_row row, lhs, r
    ld1rw   {offset.s}, p0/z, [\lhs, #4 * (\r)]
    ld1rw   {scale.s}, p0/z, [\lhs, #4 * (\r) + 16]
    mla     \row\().s, p0/m, column_sum.s, offset.s
    fmul    factor.s, column_scale.s, scale.s
    scvtf   \row\().s, p0/m, \row\().s
    fmul    \row\().s, \row\().s, factor.s
    fadd    \row\().s, \row\().s, bias.s
    cbz     clamps, 7f
    fmax    \row\().s, p0/m, \row\().s, lo.s
    fmin    \row\().s, p0/m, \row\().s, hi.s
7:  st1w    {\row\().s}, p1, [out]
    add     out, out, dst_stride
.endm

// Pair \p of the tile, \half of its panel. Branches to 6 if there are no more rows.
.macro finish_pair i, p, lhs, half
    .if \p > 0
    cmp     rows, #2 * \p
    b.ls    6f
    .endif
    uzp1    upper.d, sum\i\()_a.d, sum\i\()_b.d
    uzp2    lower.d, sum\i\()_a.d, sum\i\()_b.d
    finish_row upper, \lhs, 2 * \half
    cmp     rows, #2 * \p + 1
    b.ls    6f
    finish_row lower, \lhs, 2 * \half + 1
.endm

// The columns of panel \c.
.macro finish_columns c, rhs
    mov     t0, #0
    .if \c > 0
    incw    t0, all, mul #\c
    .endif
    whilelo p1.s, t0, cols
    add     out, dst, t0, lsl #2
    ld1w    {column_sum.s}, p0/z, [\rhs]
    ld1w    {column_scale.s}, p0/z, [\rhs, #1, mul vl]
    ld1w    {bias.s}, p0/z, [\rhs, #2, mul vl]
.endm

// The results of a tile of one panel, clamped, to dst: rows and columns that exist.
.macro finish_1 pairs
    finish_columns 0, rhs0
    finish_pair 0, 0, lhs0, 0
    if_more \pairs, 1, finish_pair 1, 1, lhs0, 1
    if_more \pairs, 2, finish_pair 2, 2, lhs1, 0
    if_more \pairs, 2, finish_pair 3, 3, lhs1, 1
    if_more \pairs, 4, finish_pair 4, 4, lhs2, 0
    if_more \pairs, 4, finish_pair 5, 5, lhs2, 1
    if_more \pairs, 6, finish_pair 6, 6, lhs3, 0
    if_more \pairs, 6, finish_pair 7, 7, lhs3, 1
6:
.endm

// Panel c, 4 pairs, whose sums are i0 to i3.
.macro finish_panel_2 c, rhs, i0, i1, i2, i3
    finish_columns \c, \rhs
    finish_pair \i0, 0, lhs0, 0
    finish_pair \i1, 1, lhs0, 1
    finish_pair \i2, 2, lhs1, 0
    finish_pair \i3, 3, lhs1, 1
6:
.endm
.macro finish_2 pairs
    finish_panel_2 0, rhs0, 0, 1, 2, 3
    finish_panel_2 1, rhs1, 4, 5, 6, 7
.endm

// Panel c, one pair, whose sums are i, or two, i0 and i1.
.macro finish_panel_4 pairs, c, rhs, i, i0, i1
    finish_columns \c, \rhs
    .if \pairs == 1
    finish_pair \i, 0, lhs0, 0
    .else
    finish_pair \i0, 0, lhs0, 0
    finish_pair \i1, 1, lhs0, 1
    .endif
6:
.endm
// The results of a tile of four panels.
.macro finish_4 pairs
    finish_panel_4 \pairs, 0, rhs0, 0, 0, 1
    finish_panel_4 \pairs, 1, rhs1, 1, 2, 3
    finish_panel_4 \pairs, 2, rhs2, 2, 4, 5
    finish_panel_4 \pairs, 3, rhs3, 3, 6, 7
.endm

// ---- Tiles

// Zeroes sums by way of XZR: no vector pipe.
.macro clear i
    fmov    dsum\i\()_a, xzr
    fmov    dsum\i\()_b, xzr
.endm

// A tile: `pairs` pairs of rows from lhs_tile on x `count` RHS panels from rhs_tile on, stored at dst. Changes
// lhs0 - lhs3, rhs0 - rhs3, left, out, t0, vectors.
.macro tile pairs, count
    mov     lhs0, lhs_tile
    if_more \pairs, 2, add lhs1, lhs0, lhs_stride
    if_more \pairs, 4, add lhs2, lhs1, lhs_stride
    if_more \pairs, 6, add lhs3, lhs2, lhs_stride
    mov     rhs0, rhs_tile
    if_more \count, 1, add rhs1, rhs0, rhs_stride
    if_more \count, 2, add rhs2, rhs1, rhs_stride
    if_more \count, 3, add rhs3, rhs2, rhs_stride
    clear   0
    if_more \pairs * \count, 1, clear 1
    if_more \pairs * \count, 2, clear 2
    if_more \pairs * \count, 2, clear 3
    if_more \pairs * \count, 4, clear 4
    if_more \pairs * \count, 4, clear 5
    if_more \pairs * \count, 6, clear 6
    if_more \pairs * \count, 6, clear 7
    mov     left, steps
    cbz     left, 5f
4:  multiply_\count \pairs, 0
    multiply_\count \pairs, 1
    multiply_\count \pairs, 2
    multiply_\count \pairs, 3
    add     lhs0, lhs0, #128
    if_more \pairs, 2, add lhs1, lhs1, #128
    if_more \pairs, 4, add lhs2, lhs2, #128
    if_more \pairs, 6, add lhs3, lhs3, #128
    addvl   rhs0, rhs0, #8
    if_more \count, 1, addvl rhs1, rhs1, #8
    if_more \count, 2, addvl rhs2, rhs2, #8
    if_more \count, 3, addvl rhs3, rhs3, #8
    subs    left, left, #1
    b.ne    4b
5:  add     t0, args, #PROBLEM_lo
    ld1rw   {lo.s}, p0/z, [t0]
    ld1rw   {hi.s}, p0/z, [t0, #4]
    finish_\count \pairs
.endm

.macro first_columns
    ldr     cols, [args, #PROBLEM_n]
    ldr     rhs_tile, [args, #PROBLEM_rhs]
.endm

// All columns of the rows that are left: `count` panels at a time, then one.
.macro columns pairs, count
    .if \count > 1
1:  mov     t0, #0
    incw    t0, all, mul #\count - 1
    cmp     cols, t0
    b.ls    2f
    tile    \pairs, \count
    add     rhs_tile, rhs_tile, rhs_stride, lsl #\count / 2
    addvl   dst, dst, #\count
    incw    t0, all
    subs    cols, cols, t0
    b.hi    1b
    b       KAI_LOCAL(end_16x4vs)
2:
    .endif
3:  tile    \pairs, 1
    add     rhs_tile, rhs_tile, rhs_stride
    addvl   dst, dst, #1
    subs    cols, cols, nr
    b.hi    3b
    b       KAI_LOCAL(end_16x4vs)
.endm

// void name(const kai::Problem*). m, n >= 1.
func kai_kernel_matmul_clamp_f32_qai8dxp4x8sf32_qsi8cxp4vsx8sf32bf32_16x4vs_sve_i8mm, hidden
    frame   d8-d15, x19-x24
    ptrue   p0.b
    cntw    nr
    ldr     steps, [args, #PROBLEM_k]
    add     steps, steps, #31
    lsr     steps, steps, #5
    ldr     lhs_stride, [args, #PROBLEM_lhs_stride]
    ldr     rhs_stride, [args, #PROBLEM_rhs_stride]
    ldr     dst_stride, [args, #PROBLEM_dst_stride]
    ldr     t0, [args, #PROBLEM_lo]                 // both
    mov     clamps, #0xff800000
    movk    clamps, #0x7f80, lsl #48                // -inf, inf
    eor     clamps, clamps, t0
    ldr     rows, [args, #PROBLEM_m]
    ldr     lhs_tile, [args, #PROBLEM_lhs]
    ldr     dst_top, [args, #PROBLEM_dst]
    mov     dst, dst_top
    first_columns
    cmp     rows, #12
    b.ls    KAI_LOCAL(last_rows)

1:  ldr     rows, [args, #PROBLEM_m]
    ldr     lhs_tile, [args, #PROBLEM_lhs]
    mov     dst, dst_top
2:  tile    8, 1
    add     lhs_tile, lhs_tile, lhs_stride, lsl #2
    add     dst, dst, dst_stride, lsl #4
    sub     rows, rows, #16
    cmp     rows, #12
    b.gt    2b
    add     rhs_tile, rhs_tile, rhs_stride
    addvl   dst_top, dst_top, #1
    subs    cols, cols, nr
    b.hi    1b
    cmp     rows, #0
    b.le    KAI_LOCAL(end_16x4vs)
    ldr     t0, [args, #PROBLEM_m]
    sub     t0, t0, rows
    ldr     dst, [args, #PROBLEM_dst]
    madd    dst, t0, dst_stride, dst
    first_columns

KAI_LOCAL(last_rows):
    cmp     rows, #8
    b.hi    KAI_LOCAL(last_12)
    cmp     rows, #4
    b.hi    KAI_LOCAL(last_8)
    cmp     rows, #2
    b.hi    KAI_LOCAL(last_4)
    columns 1, 4
KAI_LOCAL(last_4):
    columns 2, 4
KAI_LOCAL(last_8):
    columns 4, 2
KAI_LOCAL(last_12):
    columns 6, 1
KAI_LOCAL(end_16x4vs):
    return
endfunc
