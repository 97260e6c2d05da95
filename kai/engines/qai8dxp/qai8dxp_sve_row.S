// f32 <- qai8dxp x qsi8cxp, row by row, with SDOT of SVE. All three layouts of the RHS compute
//
//     S      = sum over k of lhs[k] * rhs[n][k]                              int32
//     dst[n] = clamp(f32(S + lhs_offset * rhs_sum[n]) * (rhs_scale[n] * lhs_scale) + bias[n])      three roundings
//
// A tile is up to 8 times 8 columns, an "eight" each; p0 is true, sums are z16 - z31.
//
//     layout  a word of a sum is          a group of the row         where eight e is
//     8x4     a column                    4 k: a word of k0, k1      panel rhs<e>
//     32x4    a column                    the same                   panel rhs0 (0 - 3), rhs1 (4 - 7)
//     8x8     half a column, the next     8 k: k0, the same in       panel rhs<e>
//             word is the other half      each 64 bits
//
// Vectors of 256 bits ("wide") have 8 columns of 4 k, or 4 of 8 k:
//
//     8x4, 32x4   sum<e>_a  columns 0 - 7 of eight e
//     8x8         sum<e>_a  columns 0 - 3      sum<e>_b  columns 4 - 7
//
// With all other vectors ("quads") a tile has 4 eights, and 128 bits of each vector are used; the rest of it is zero:
//
//     8x4, 32x4   sum<e>_a  columns 0 - 3      sum<e>_b  columns 4 - 7
//     8x8         sum<2e>_a, sum<2e>_b, sum<2e + 1>_a, sum<2e + 1>_b     columns 0 1, 2 3, 4 5, 6 7
//
//   value0 - value3                  z0 - z3      of the RHS
//   k0, k1                           z4, z5       of the row, the same in each 128 bits (8x8: 64 bits)
//   sum0_a, sum0_b ... sum7_b        z16 - z31    S
//   rhs0 - rhs7  x3 - x10, lhs  x1                panels of the tile, the row
//   p0 all, p1 the columns of a vector, p2 those that exist
//   Results: column_sum, column_scale, bias  z0 - z2  of columns; offset, scale  z3, z4  of the row; lo, hi  z5, z6
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+sve
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_args.h"

args        .req x0
lhs         .req x1     // cursor in the row; in the end at its offset and scale
left        .req x2     // steps of 32 k
rhs0        .req x3     // cursors in the panels; in the end at their fields (32x4, wide: 8 vectors further)
rhs1        .req x4
rhs2        .req x5
rhs3        .req x6
rhs4        .req x7
rhs5        .req x8
rhs6        .req x9
rhs7        .req x10
lhs_row     .req x11
steps       .req x12
cols        .req x13    // from the tile on
dst         .req x14    // of the tile
panel       .req x15    // the tile's first
rhs_stride  .req x16
column      .req x17    // of the tile
dst_row     .req x19
rows        .req x20    // from this one on

    zregs   0, value0, value1, value2, value3, k0, k1
    zregs   0, column_sum, column_scale, bias, offset, scale, lo, hi
    zregs   16, sum0_a, sum0_b, sum1_a, sum1_b, sum2_a, sum2_b, sum3_a, sum3_b
    zregs   24, sum4_a, sum4_b, sum5_a, sum5_b, sum6_a, sum6_b, sum7_a, sum7_b

// ---- Multiplication: dots_<layout>_<width> count: 32 k of `count` eights. The cursors move on.

// 4 k of 8 columns: the vector \at of \rhs.
.macro dot_wide e, value, rhs, at, k, word
    ld1b    {\value\().b}, p0/z, [\rhs, #(\at), mul vl]
    sdot    sum\e\()_a.s, \value\().b, \k\().b[\word]
.endm

// The same as two quads, at byte \at.
.macro dot_quads e, value, next, rhs, at, k, word
    ldp     q\value, q\next, [\rhs, #(\at)]
    sdot    sum\e\()_a.s, \value\().b, \k\().b[\word]
    sdot    sum\e\()_b.s, \next\().b, \k\().b[\word]
.endm

// 8 k of 4 (2) columns: the vector \at of \rhs.
.macro dot_8_wide e, ab, value, rhs, at
    ld1b    {\value\().b}, p0/z, [\rhs, #(\at), mul vl]
    sdot    sum\e\()_\ab\().s, \value\().b, k0.b
.endm

.macro dot_8_quads e, value, next, rhs, at
    ldp     q\value, q\next, [\rhs, #(\at)]
    sdot    sum\e\()_a.s, \value\().b, k0.b
    sdot    sum\e\()_b.s, \next\().b, k0.b
.endm

.macro load_row
    ld1rqb  {k0.b}, p0/z, [lhs]
    ld1rqb  {k1.b}, p0/z, [lhs, #16]
    add     lhs, lhs, #32
.endm

// `group count, g, k, word` for the 8 groups of 4 k.
.macro each_4_k group, count
    load_row
    \group  \count, 0, k0, 0
    \group  \count, 1, k0, 1
    \group  \count, 2, k0, 2
    \group  \count, 3, k0, 3
    \group  \count, 4, k1, 0
    \group  \count, 5, k1, 1
    \group  \count, 6, k1, 2
    \group  \count, 7, k1, 3
.endm

// group_<layout>_<width>: S of `count` eights += 4 k, group g of the step, which is word `word` of k; 8x8: 8 k, which
// it loads.
.macro group_8x4_wide count, g, k, word
    dot_wide 0, value0, rhs0, \g, \k, \word
    if_more \count, 1, dot_wide 1, value1, rhs1, \g, \k, \word
    if_more \count, 2, dot_wide 2, value2, rhs2, \g, \k, \word
    if_more \count, 3, dot_wide 3, value3, rhs3, \g, \k, \word
    if_more \count, 4, dot_wide 4, value0, rhs4, \g, \k, \word
    if_more \count, 5, dot_wide 5, value1, rhs5, \g, \k, \word
    if_more \count, 6, dot_wide 6, value2, rhs6, \g, \k, \word
    if_more \count, 7, dot_wide 7, value3, rhs7, \g, \k, \word
.endm

// As above, 8x4 in quads.
.macro group_8x4_quads count, g, k, word
    dot_quads 0, value0, value1, rhs0, (32 * \g), \k, \word
    if_more \count, 1, dot_quads 1, value2, value3, rhs1, (32 * \g), \k, \word
    if_more \count, 2, dot_quads 2, value0, value1, rhs2, (32 * \g), \k, \word
    if_more \count, 3, dot_quads 3, value2, value3, rhs3, (32 * \g), \k, \word
.endm

// 32x4: offsets of vectors reach half a step; the cursors, 8 vectors further, move on after it.
.macro group_32x4_wide count, g, k, word
    .if \g == 4
    next_bytes (\count / 4), 512
    .endif
    dot_wide 0, value0, rhs0, (\g % 4 * 4 - 8), \k, \word
    dot_wide 1, value1, rhs0, (\g % 4 * 4 - 7), \k, \word
    dot_wide 2, value2, rhs0, (\g % 4 * 4 - 6), \k, \word
    dot_wide 3, value3, rhs0, (\g % 4 * 4 - 5), \k, \word
    if_more \count, 4, dot_wide 4, value0, rhs1, (\g % 4 * 4 - 8), \k, \word
    if_more \count, 4, dot_wide 5, value1, rhs1, (\g % 4 * 4 - 7), \k, \word
    if_more \count, 4, dot_wide 6, value2, rhs1, (\g % 4 * 4 - 6), \k, \word
    if_more \count, 4, dot_wide 7, value3, rhs1, (\g % 4 * 4 - 5), \k, \word
.endm

// 32x4 in quads: one panel.
.macro group_32x4_quads count, g, k, word
    dot_quads 0, value0, value1, rhs0, (128 * \g), \k, \word
    dot_quads 1, value2, value3, rhs0, (128 * \g + 32), \k, \word
    dot_quads 2, value0, value1, rhs0, (128 * \g + 64), \k, \word
    dot_quads 3, value2, value3, rhs0, (128 * \g + 96), \k, \word
.endm

// 8 k of eight \e: two vectors; or, in quads, the four of eights \e and \next.
.macro eight_8x8_wide e, rhs, g
    dot_8_wide \e, a, value0, \rhs, (2 * \g)
    dot_8_wide \e, b, value1, \rhs, (2 * \g + 1)
.endm
.macro eight_8x8_quads e, next, rhs, g
    dot_8_quads \e, value0, value1, \rhs, (64 * \g)
    dot_8_quads \next, value2, value3, \rhs, (64 * \g + 32)
.endm

// 8x8: sums a and b of each eight.
.macro group_8x8_wide count, g
    ld1rd   {k0.d}, p0/z, [lhs, #8 * \g]
    eight_8x8_wide 0, rhs0, \g
    if_more \count, 1, eight_8x8_wide 1, rhs1, \g
    if_more \count, 2, eight_8x8_wide 2, rhs2, \g
    if_more \count, 3, eight_8x8_wide 3, rhs3, \g
    if_more \count, 4, eight_8x8_wide 4, rhs4, \g
    if_more \count, 5, eight_8x8_wide 5, rhs5, \g
    if_more \count, 6, eight_8x8_wide 6, rhs6, \g
    if_more \count, 7, eight_8x8_wide 7, rhs7, \g
.endm

// 8x8 in quads: four sums of each eight.
.macro group_8x8_quads count, g
    ld1rd   {k0.d}, p0/z, [lhs, #8 * \g]
    eight_8x8_quads 0, 1, rhs0, \g
    if_more \count, 1, eight_8x8_quads 2, 3, rhs1, \g
    if_more \count, 2, eight_8x8_quads 4, 5, rhs2, \g
    if_more \count, 3, eight_8x8_quads 6, 7, rhs3, \g
.endm

// `group count, g` for the 4 groups of 8 k.
.macro each_8_k group, count
    \group  \count, 0
    \group  \count, 1
    \group  \count, 2
    \group  \count, 3
    add     lhs, lhs, #32
.endm

// The first \count cursors += \bytes.
.macro next_bytes count, bytes
    add     rhs0, rhs0, #\bytes
    if_more \count, 1, add rhs1, rhs1, #\bytes
    if_more \count, 2, add rhs2, rhs2, #\bytes
    if_more \count, 3, add rhs3, rhs3, #\bytes
    if_more \count, 4, add rhs4, rhs4, #\bytes
    if_more \count, 5, add rhs5, rhs5, #\bytes
    if_more \count, 6, add rhs6, rhs6, #\bytes
    if_more \count, 7, add rhs7, rhs7, #\bytes
.endm

.macro dots_8x4_wide count
    each_4_k group_8x4_wide, \count
    next_bytes \count, 256
.endm
.macro dots_8x4_quads count
    each_4_k group_8x4_quads, \count
    next_bytes \count, 256
.endm
.macro dots_32x4_wide count
    each_4_k group_32x4_wide, \count
    next_bytes (\count / 4), 512
.endm
.macro dots_32x4_quads count
    each_4_k group_32x4_quads, \count
    next_bytes 1, 1024
.endm
.macro dots_8x8_wide count
    each_8_k group_8x8_wide, \count
    next_bytes \count, 256
.endm
.macro dots_8x8_quads count
    each_8_k group_8x8_quads, \count
    next_bytes \count, 256
.endm

// ---- Results: finish_<layout>_<width> count: from the sums of `count` eights to dst.

// Sums -> results, which are stored from `column` on; p1: the columns of a vector. `column` moves on.
.macro finish_sum sum
    mla     \sum\().s, p0/m, column_sum.s, offset.s
    fmul    column_scale.s, column_scale.s, scale.s
    scvtf   \sum\().s, p0/m, \sum\().s
    fmul    \sum\().s, \sum\().s, column_scale.s
    fadd    \sum\().s, \sum\().s, bias.s
    fmax    \sum\().s, p0/m, \sum\().s, lo.s
    fmin    \sum\().s, p0/m, \sum\().s, hi.s
    whilelo p2.s, column, cols
    and     p2.b, p1/z, p2.b, p2.b
    st1w    {\sum\().s}, p2, [dst, column, lsl #2]
.endm

// Fields are `apart` vectors or quads from each other.
.macro finish_wide sum, rhs, at, apart
    ld1w    {column_sum.s}, p0/z, [\rhs, #(\at), mul vl]
    ld1w    {column_scale.s}, p0/z, [\rhs, #(\at + \apart), mul vl]
    ld1w    {bias.s}, p0/z, [\rhs, #(\at + 2 * \apart), mul vl]
    finish_sum \sum
    add     column, column, #8
.endm
// The same for a quad of columns.
.macro finish_quad sum, rhs, at, apart
    ldr     qcolumn_sum, [\rhs, #16 * (\at)]
    ldr     qcolumn_scale, [\rhs, #16 * (\at + \apart)]
    ldr     qbias, [\rhs, #16 * (\at + 2 * \apart)]
    finish_sum \sum
    add     column, column, #4
.endm

// Fields follow the bytes of a panel, each of its columns: sums, scales, bias.
.macro finish_8x4_wide count
    finish_wide sum0_a, rhs0, 0, 1
    if_more \count, 1, finish_wide sum1_a, rhs1, 0, 1
    if_more \count, 2, finish_wide sum2_a, rhs2, 0, 1
    if_more \count, 3, finish_wide sum3_a, rhs3, 0, 1
    if_more \count, 4, finish_wide sum4_a, rhs4, 0, 1
    if_more \count, 5, finish_wide sum5_a, rhs5, 0, 1
    if_more \count, 6, finish_wide sum6_a, rhs6, 0, 1
    if_more \count, 7, finish_wide sum7_a, rhs7, 0, 1
.endm

// A field has 4 vectors.
.macro finish_32x4_wide count
    finish_wide sum0_a, rhs0, -8, 4
    finish_wide sum1_a, rhs0, -7, 4
    finish_wide sum2_a, rhs0, -6, 4
    finish_wide sum3_a, rhs0, -5, 4
    if_more \count, 4, finish_wide sum4_a, rhs1, -8, 4
    if_more \count, 4, finish_wide sum5_a, rhs1, -7, 4
    if_more \count, 4, finish_wide sum6_a, rhs1, -6, 4
    if_more \count, 4, finish_wide sum7_a, rhs1, -5, 4
.endm

.macro eight_of_quads e, rhs, at, apart
    finish_quad sum\e\()_a, \rhs, \at, \apart
    finish_quad sum\e\()_b, \rhs, \at + 1, \apart
.endm

// A field has 2 quads.
.macro finish_8x4_quads count
    eight_of_quads 0, rhs0, 0, 2
    if_more \count, 1, eight_of_quads 1, rhs1, 0, 2
    if_more \count, 2, eight_of_quads 2, rhs2, 0, 2
    if_more \count, 3, eight_of_quads 3, rhs3, 0, 2
.endm

// A field has 8 quads.
.macro finish_32x4_quads count
    eight_of_quads 0, rhs0, 0, 8
    eight_of_quads 1, rhs0, 2, 8
    eight_of_quads 2, rhs0, 4, 8
    eight_of_quads 3, rhs0, 6, 8
.endm

// The two words of a column are added.
.macro join_wide e, rhs
    uzp1    value0.s, sum\e\()_a.s, sum\e\()_b.s
    uzp2    value1.s, sum\e\()_a.s, sum\e\()_b.s
    add     sum\e\()_a.s, value0.s, value1.s
    finish_wide sum\e\()_a, \rhs, 0, 1
.endm
// The same for quads: 4 columns of sums e, 4 of sums `next`.
.macro join_quads e, next, rhs
    addp    vsum\e\()_a.4s, vsum\e\()_a.4s, vsum\e\()_b.4s
    addp    vsum\next\()_a.4s, vsum\next\()_a.4s, vsum\next\()_b.4s
    finish_quad sum\e\()_a, \rhs, 0, 2
    finish_quad sum\next\()_a, \rhs, 1, 2
.endm

// As finish_8x4_wide, of joined words.
.macro finish_8x8_wide count
    join_wide 0, rhs0
    if_more \count, 1, join_wide 1, rhs1
    if_more \count, 2, join_wide 2, rhs2
    if_more \count, 3, join_wide 3, rhs3
    if_more \count, 4, join_wide 4, rhs4
    if_more \count, 5, join_wide 5, rhs5
    if_more \count, 6, join_wide 6, rhs6
    if_more \count, 7, join_wide 7, rhs7
.endm

// As finish_8x4_quads, of joined words.
.macro finish_8x8_quads count
    join_quads 0, 1, rhs0
    if_more \count, 1, join_quads 2, 3, rhs1
    if_more \count, 2, join_quads 4, 5, rhs2
    if_more \count, 3, join_quads 6, 7, rhs3
.endm

// ---- Tiles

.macro clear e
    fmov    dsum\e\()_a, xzr                      // no vector unit is needed
    fmov    dsum\e\()_b, xzr
.endm

// S = 0, of `count` eights.
.macro clear_all count
    clear   0
    if_more \count, 1, clear 1
    if_more \count, 2, clear 2
    if_more \count, 2, clear 3
    if_more \count, 4, clear 4
    if_more \count, 4, clear 5
    if_more \count, 4, clear 6
    if_more \count, 4, clear 7
.endm

// The first \count of rhs0 - rhs7: panels one after the other, from `panel` on.
.macro start_panels count
    mov     rhs0, panel
    if_more \count, 1, add rhs1, rhs0, rhs_stride
    if_more \count, 2, add rhs2, rhs1, rhs_stride
    if_more \count, 3, add rhs3, rhs2, rhs_stride
    if_more \count, 4, add rhs4, rhs3, rhs_stride
    if_more \count, 5, add rhs5, rhs4, rhs_stride
    if_more \count, 6, add rhs6, rhs5, rhs_stride
    if_more \count, 7, add rhs7, rhs6, rhs_stride
.endm

// panel += \count panels.
.macro next_panels count
    add     panel, panel, rhs_stride, lsl #((\count) / 2 - (\count) / 8)
.endm

// Tiles of \count eights, as long as there are columns in the last of them (of the last panel of them). \panels: their
// panels, \first: the first column that may be missing.
.macro tiles layout, width, count, panels, first
1:  cmp     cols, #\first
    b.ls    4f
    start_panels \panels
    .ifc \layout\()_\width, 32x4_wide
    next_bytes \panels, 256                         // 8 vectors
    .endif
    mov     lhs, lhs_row
    .ifc \layout\()_\width, 8x8_quads
    clear_all 2 * \count
    .else
    clear_all \count
    .endif
    mov     left, steps
    cbz     left, 3f
2:  dots_\layout\()_\width \count
    subs    left, left, #1
    b.ne    2b
3:  ld1rw   {offset.s}, p0/z, [lhs]
    ld1rw   {scale.s}, p0/z, [lhs, #4]
    add     lhs, args, #PROBLEM_lo
    ld1rw   {lo.s}, p0/z, [lhs]
    ld1rw   {hi.s}, p0/z, [lhs, #4]
    mov     column, #0
    finish_\layout\()_\width \count
    next_panels \panels
    add     dst, dst, #\count * 32
    subs    cols, cols, #\count * 8
    b.hi    1b
    b       KAI_LOCAL(next_row_\layout\()_\width)
4:
.endm

// All columns of a row: tiles as large as what is left fills, 8x4.
.macro tiles_8x4 width
    .ifc \width, wide
    tiles   8x4, wide, 8, 8, 56
    .endif
    tiles   8x4, \width, 4, 4, 24
    tiles   8x4, \width, 2, 2, 8
    tiles   8x4, \width, 1, 1, 0
.endm
// The same, 8x8.
.macro tiles_8x8 width
    .ifc \width, wide
    tiles   8x8, wide, 8, 8, 56
    .endif
    tiles   8x8, \width, 4, 4, 24
    tiles   8x8, \width, 2, 2, 8
    tiles   8x8, \width, 1, 1, 0
.endm
// The same, 32x4: a panel has 4 eights.
.macro tiles_32x4 width
    .ifc \width, wide
    tiles   32x4, wide, 8, 2, 32
    .endif
    tiles   32x4, \width, 4, 1, 0
.endm

// All rows, then returns.
.macro all_rows layout, width
KAI_LOCAL(row_\layout\()_\width):
    ldr     cols, [args, #PROBLEM_n]
    ldr     panel, [args, #PROBLEM_rhs]
    mov     dst, dst_row
    tiles_\layout \width
KAI_LOCAL(next_row_\layout\()_\width):
    ldr     left, [args, #PROBLEM_lhs_stride]
    add     lhs_row, lhs_row, left
    ldr     left, [args, #PROBLEM_dst_stride]
    add     dst_row, dst_row, left
    subs    rows, rows, #1
    b.ne    KAI_LOCAL(row_\layout\()_\width)
    return
.endm

// void name(const kai::Problem*). m, n >= 1; the number of rows is that of panels.
.macro row_kernel name, layout
func kai_kernel_\name, hidden
    frame   x19-x20
    ptrue   p0.b
    ldr     steps, [args, #PROBLEM_k]
    add     steps, steps, #31
    lsr     steps, steps, #5
    ldr     rows, [args, #PROBLEM_m]
    ldr     lhs_row, [args, #PROBLEM_lhs]
    ldr     dst_row, [args, #PROBLEM_dst]
    ldr     rhs_stride, [args, #PROBLEM_rhs_stride]
    rdvl    left, #1
    cmp     left, #32
    b.ne    9f
    ptrue   p1.s, vl8
    all_rows \layout, wide
9:  ptrue   p1.s, vl4
    all_rows \layout, quads
endfunc
.endm

row_kernel matmul_clamp_f32_qai8dxp1x4_qsi8cxp32x4_1x32_sve_dot, 32x4
row_kernel matmul_clamp_f32_qai8dxp1x4_qsi8cxp8x4_1x8_sve_dot, 8x4
row_kernel matmul_clamp_f32_qai8dxp1x8_qsi8cxp8x8_1x8_sve_dot, 8x8
