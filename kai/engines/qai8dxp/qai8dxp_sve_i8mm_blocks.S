// f32 <- qai8dxp4x8 x qsi4c32p8x8 with SMMLA of SVE, int4 in blocks.
//
//     S         = sum over a block of lhs[m][k] * 16 rhs[n][k]               int32
//     f         = fma(f32(S), rhs_scale[n][b] / 16, f)                       blocks b ascending
//     f         = fma(rhs_sum[n], f32(lhs_offset[m]), f)
//     dst[m][n] = clamp(f * lhs_scale[m] + bias[n])                          two roundings
//
// A byte of the RHS holds k (low nibble) and k + 16: 64 bytes of a panel are k = 0 ... 7 and 16 ... 23 of its 8
// columns, the next 64 the other half of 32 k. Shifts and masks make 16 times the weights of them. SMMLA multiplies, in
// each 128 bits, a pair of rows (2 x 8) by a pair of columns (8 x 2). A tile is 1, 2 or 4 pairs x the columns of two
// vectors:
//
//                            | low_a, high_a   low_b, high_b
//        --------------------+-------------------------------
//        row<p>: rows 2p,    | sum<p>_a        sum<p>_b            S: every 128 bits r0c0 r0c1 r1c0 r1c1
//        2p + 1              | f<p>_a          f<p>_b
//
// Vectors of 256 bits ("wide"): a is columns 0 - 3 of the panel, b 4 - 7. With all others ("quads") a tile is half of
// the panel, and 128 bits of each vector are used: a is columns 0 1 (half 1: 4 5), b is 2 3 (6 7). The rest is zero.
//
//   row0 - row3                  z0 - z3     8 k of a pair of rows, in each 128 bits
//   start, sixteenth             z6, z7      what S starts from; 1 / 16
//   high_a high_b, low_a low_b   z8 - z11    the packed RHS, then 16 times its weights
//   scale, scale_a, scale_b      z12 - z14   of the columns; in the order of S
//   sum0_a, sum0_b ... sum3_b    z16 - z23   S
//   f0_a, f0_b ... f3_b          z24 - z31   f
//   lhs0, lhs1  x1, x2, rhs  x3              the panels of the tile
//   Results: upper, lower  z0, z1  two rows; offsets, scales  z4, z5  of rows;
//   column_sum, bias  z8, z9  of columns; lo, hi  z10, z11
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+sve+i8mm
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_args.h"

args        .req x0
lhs0        .req x1     // cursors in LHS panels; in the end at their offsets and scales
lhs1        .req x2
rhs         .req x3     // cursor in the RHS panel: half 1 is 32 bytes further
left        .req x4     // blocks
more        .req x5     // steps of 32 k of the block
blocks      .req x6
steps       .req x7     // of a block
out         .req x8     // a row of the tile
rows        .req x9     // from the tile on
cols        .req x10
dst         .req x11    // of the tile
lhs_tile    .req x12
rhs_tile    .req x13
lhs_stride  .req x14
rhs_stride  .req x15
dst_stride  .req x16
long        .req x17    // whether S may be out of +-2^22
dst_top     .req x19    // of the first row of these columns
t0          .req x20

// `zreg scale, 12`: scale is z12; vscale, qscale, dscale its first 128 and 64 bits.
    zregs   0, row0, row1, row2, row3
    zreg    start, 6        // what S starts from: 0 or the bits of 1.5 * 2^23
    zregs   7, sixteenth, high_a, high_b, low_a, low_b, scale, scale_a, scale_b
    zregs   16, sum0_a, sum0_b, sum1_a, sum1_b, sum2_a, sum2_b, sum3_a, sum3_b
    zregs   24, f0_a, f0_b, f1_a, f1_b, f2_a, f2_b, f3_a, f3_b

// Of the results.
    zreg    upper, 0        // rows 2p, 2p + 1
    zreg    lower, 1
    zreg    offsets, 4      // of the 4 rows of an LHS panel, f32, in each 128 bits
    zreg    scales, 5
    zregs   8, column_sum, bias, lo, hi

// ---- A block. width: wide, quads.

// high = 64 bytes of the panel, or half of them.
.macro load_wide at
    ld1b    {high_a.b}, p0/z, [rhs, #(\at) / 32, mul vl]
    ld1b    {high_b.b}, p0/z, [rhs, #(\at) / 32 + 1, mul vl]
.endm
.macro load_quads at
    ldp     qhigh_a, qhigh_b, [rhs, #\at]
.endm

// high = 16 times the weights of its high nibbles, low = of its low ones.
.macro nibbles
    lsl     low_a.b, high_a.b, #4
    lsl     low_b.b, high_b.b, #4
    and     high_a.b, high_a.b, #0xf0
    and     high_b.b, high_b.b, #0xf0
.endm

// Pair \p, number \half of its LHS panel, times the nibbles \which: 8 k, number \g of the step.
.macro pair p, lhs, half, which, g
    ld1rqb  {row\p\().b}, p0/z, [\lhs, #32 * \g + 16 * \half]
    smmla   sum\p\()_a.s, row\p\().b, \which\()_a.b
    smmla   sum\p\()_b.s, row\p\().b, \which\()_b.b
.endm

// S += 8 k, number g of the step, of all pairs, with the nibbles `which`: low or high.
.macro multiply pairs, which, g
    pair    0, lhs0, 0, \which, \g
    if_more \pairs, 1, pair 1, lhs0, 1, \which, \g
    if_more \pairs, 2, pair 2, lhs1, 0, \which, \g
    if_more \pairs, 2, pair 3, lhs1, 1, \which, \g
.endm

// 32 k.
.macro step pairs, width
    load_\width 0
    nibbles
    multiply \pairs, low, 0
    multiply \pairs, high, 2
    load_\width 64
    nibbles
    multiply \pairs, low, 1
    multiply \pairs, high, 3
    add     lhs0, lhs0, #128
    if_more \pairs, 2, add lhs1, lhs1, #128
    add     rhs, rhs, #128
.endm

// `do p` for all pairs.
.macro each_pair pairs, do
    \do     0
    if_more \pairs, 1, \do 1
    if_more \pairs, 2, \do 2
    if_more \pairs, 2, \do 3
.endm

.macro start_sums p
    mov     sum\p\()_a.d, start.d
    mov     sum\p\()_b.d, start.d
.endm

.macro clear_f p
    fmov    df\p\()_a, xzr
    fmov    df\p\()_b, xzr
.endm

// f32(S), where S began with the bits of 1.5 * 2^23.
.macro convert_short p
    fsub    sum\p\()_a.s, sum\p\()_a.s, start.s
    fsub    sum\p\()_b.s, sum\p\()_b.s, start.s
.endm

.macro convert_long p
    scvtf   sum\p\()_a.s, p0/m, sum\p\()_a.s
    scvtf   sum\p\()_b.s, p0/m, sum\p\()_b.s
.endm

.macro add_sums p
    fmla    f\p\()_a.s, p0/m, sum\p\()_a.s, scale_a.s
    fmla    f\p\()_b.s, p0/m, sum\p\()_b.s, scale_b.s
.endm

// The scales of the columns at rhs, bf16, in the order of S.
.macro load_scales_wide half
    ld1h    {scale.s}, p0/z, [rhs]
    lsl     scale.s, scale.s, #16
    fmul    scale.s, scale.s, sixteenth.s
    zip1    scale_a.d, scale.d, scale.d
    zip2    scale_b.d, scale.d, scale.d
.endm
// The same for quads.
.macro load_scales_quads half
    ldur    dscale, [rhs, #-24 * \half]
    shll    vscale.4s, vscale.4h, #16
    fmul    vscale.4s, vscale.4s, vsixteenth.4s
    zip1    vscale_a.2d, vscale.2d, vscale.2d
    zip2    vscale_b.2d, vscale.2d, vscale.2d
.endm

// ---- Results

.macro load_columns_wide half
    ld1w    {column_sum.s}, p0/z, [rhs]
    ld1w    {bias.s}, p0/z, [rhs, #1, mul vl]
.endm
.macro load_columns_quads half
    ldur    qcolumn_sum, [rhs, #-16 * \half]
    ldur    qbias, [rhs, #32 - 16 * \half]
.endm

// Two rows of a pair.
.macro rows_wide p
    uzp1    upper.d, f\p\()_a.d, f\p\()_b.d
    uzp2    lower.d, f\p\()_a.d, f\p\()_b.d
.endm
.macro rows_quads p
    zip1    vupper.2d, vf\p\()_a.2d, vf\p\()_b.2d
    zip2    vlower.2d, vf\p\()_a.2d, vf\p\()_b.2d
.endm

// Row \r of its LHS panel, from f. p1: the columns.
.macro finish_row row, r
    fmla    \row\().s, column_sum.s, offsets.s[\r]
    fmul    \row\().s, \row\().s, scales.s[\r]
    fadd    \row\().s, \row\().s, bias.s
    fmax    \row\().s, p0/m, \row\().s, lo.s
    fmin    \row\().s, p0/m, \row\().s, hi.s
    st1w    {\row\().s}, p1, [out]
    add     out, out, dst_stride
.endm

// Pair \p of the tile, \half of its panel. Branches to 6 if there are no more rows.
.macro finish_pair width, p, lhs, half
    .if \p > 0
    cmp     rows, #2 * \p
    b.ls    6f
    .endif
    .if \half == 0
    ld1rqw  {offsets.s}, p0/z, [\lhs]
    ld1rqw  {scales.s}, p0/z, [\lhs, #16]
    scvtf   offsets.s, p0/m, offsets.s
    .endif
    rows_\width \p
    finish_row upper, 2 * \half
    cmp     rows, #2 * \p + 1
    b.ls    6f
    finish_row lower, 2 * \half + 1
.endm

// A tile. Branches to 7 at once if half 1 has no columns.
.macro tile pairs, width, half
    .if \half
    cmp     cols, #4
    b.ls    7f
    .endif
    mov     lhs0, lhs_tile
    if_more \pairs, 2, add lhs1, lhs0, lhs_stride
    add     rhs, rhs_tile, #32 * \half
    each_pair \pairs, clear_f
    mov     left, blocks
    cbz     left, 5f
1:  mov     more, steps
    each_pair \pairs, start_sums
2:  step    \pairs, \width
    subs    more, more, #1
    b.ne    2b
    load_scales_\width \half
    add     rhs, rhs, #16
    cbnz    long, 3f
    each_pair \pairs, convert_short
    b       4f
3:  each_pair \pairs, convert_long
4:  each_pair \pairs, add_sums
    subs    left, left, #1
    b.ne    1b
5:  load_columns_\width \half
    add     t0, args, #PROBLEM_lo
    ld1rw   {lo.s}, p0/z, [t0]
    ld1rw   {hi.s}, p0/z, [t0, #4]
    mov     t0, #4 * \half
    whilelo p1.s, t0, cols
    and     p1.b, p2/z, p1.b, p1.b
    add     out, dst, #16 * \half
    finish_pair \width, 0, lhs0, 0
    if_more \pairs, 1, finish_pair \width, 1, lhs0, 1
    if_more \pairs, 2, finish_pair \width, 2, lhs1, 0
    if_more \pairs, 2, finish_pair \width, 3, lhs1, 1
6:
7:
.endm

// The columns of a panel.
.macro panel pairs, width
    tile    \pairs, \width, 0
    .ifc \width, quads
    tile    \pairs, \width, 1
    .endif
.endm

.macro first_columns
    ldr     cols, [args, #PROBLEM_n]
    ldr     rhs_tile, [args, #PROBLEM_rhs]
.endm

// All columns of the rows that are left.
.macro columns pairs, width
8:  panel   \pairs, \width
    add     rhs_tile, rhs_tile, rhs_stride
    add     dst, dst, #32
    subs    cols, cols, #8
    b.hi    8b
    return
.endm

// First tiles of 8 rows, each with all columns; then the remaining rows, 4 at most.
.macro all_rows width
    cmp     rows, #4
    b.ls    KAI_LOCAL(last_\width)
10: ldr     rows, [args, #PROBLEM_m]
    ldr     lhs_tile, [args, #PROBLEM_lhs]
    mov     dst, dst_top
11: panel   4, \width
    add     lhs_tile, lhs_tile, lhs_stride, lsl #1
    add     dst, dst, dst_stride, lsl #3
    sub     rows, rows, #8
    cmp     rows, #4
    b.gt    11b
    add     rhs_tile, rhs_tile, rhs_stride
    add     dst_top, dst_top, #32
    subs    cols, cols, #8
    b.hi    10b
    cmp     rows, #0
    b.gt    12f
    return
12: ldr     t0, [args, #PROBLEM_m]
    sub     t0, t0, rows
    ldr     dst, [args, #PROBLEM_dst]
    madd    dst, t0, dst_stride, dst
    first_columns
KAI_LOCAL(last_\width):
    cmp     rows, #2
    b.hi    13f
    columns 1, \width
13: columns 2, \width
.endm

// void name(const kai::Problem*). m, n >= 1.
func kai_kernel_matmul_clamp_f32_qai8dxp2vsx8sf32_qsi4c32p8x8s16s0sbf16bf32_8vsx8_sve_i8mm, hidden
    frame   d8-d15, x19-x20
    ptrue   p0.b
    ldr     t0, [args, #PROBLEM_k]
    ldr     steps, [args, #PROBLEM_bl]
    udiv    blocks, t0, steps
    lsr     steps, steps, #5
    mov     w20, #0x3d800000                        // 1/16
    mov     sixteenth.s, w20
    mov     w20, #0x4b400000                        // 1.5 * 2^23
    mov     start.s, w20
    mov     long, #0
    cmp     steps, #8
    b.ls    9f
    mov     start.d, #0
    mov     long, #1
9:  ldr     lhs_stride, [args, #PROBLEM_lhs_stride]
    ldr     rhs_stride, [args, #PROBLEM_rhs_stride]
    ldr     dst_stride, [args, #PROBLEM_dst_stride]
    ldr     rows, [args, #PROBLEM_m]
    ldr     lhs_tile, [args, #PROBLEM_lhs]
    ldr     dst_top, [args, #PROBLEM_dst]
    mov     dst, dst_top
    first_columns
    rdvl    t0, #1
    cmp     t0, #32
    b.ne    14f
    ptrue   p2.s, vl8
    all_rows wide
14: ptrue   p2.s, vl4
    all_rows quads
endfunc
