// f32 <- qsi8d32p x qsi4c32p with SVE SMMLA, blocks of 32: the K loop.
//
//     sums[m][n] = fma(S, lhs_scale * rhs_scale, sums[m][n]),     S = sum over the block of lhs * rhs
//
// Every 128 bits of a sum hold 2 rows x 2 columns. Integer sums are 16 * S; they start at the bits of
// C = 1.5 * 2^19, where floats are 1/16 apart, and end as the float C + S. Starts are loaded rather than moved: the
// load pipes have slack, the SIMD pipes have none.
//
// A panel has 4 rows: 0 1 and 2 3. In a panel p
//
//                     | B_<g>        group g of 8 k, 0 to 3: low nibbles of both halves of the bytes, then high ones
//        -------------+--------
//        L01_<g>      | S<p>_01
//        L23_<g>      | S<p>_23
//
//   Registers    name             holds
//   x0           args             struct SveTileArgs, which starts with start
//   x1 - x4      lhs_0 - lhs_3    elements of the LHS panels
//   x5, x6       rhs_scales, rhs  column scales, elements of the RHS
//   x7           row_scales       of a block, of a panel, rows 0 1 and rows 2 3
//   x8           blocks           to go
//   x9, x11      sums, at         of the tile; scratch
//   x10                           64
//   p0 - p3                       bytes of a vector, its words, its columns; all
//   z0 - z7      A0_01, A0_23, A1_01 ... A3_23    f32 sums of the panels
//   z8 - z11     B_0 - B_3        8 k of the columns each
//   z12          columns          their scales: c0 c1 c0 c1, ...
//   z13          C
//   z14          scratch
//   z16 - z23    S0_01, S0_23, S1_01 ... S3_23    integer sums
//   z24 - z31    L01_0, L23_0, L01_1 ... L23_3    8 k of the rows each
//   z24, z25     rows_01, rows_23                 after their products: scales of the rows, then times `columns`
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+sve+i8mm
#define LHS_BLOCK 136      // 4 x (f16 + 32 bytes)
#define LHS_ELEMENTS 8
#define RHS_BLOCK 144      // 8 x (f16 + 16 bytes)
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sve_args.h"

args    .req x0
lhs_0   .req x1
lhs_1   .req x2
lhs_2   .req x3
lhs_3   .req x4
rhs_scales .req x5
rhs     .req x6
row_scales .req x7
blocks  .req x8
sums    .req x9
at      .req x11

    zregs   0, A0_01, A0_23, A1_01, A1_23, A2_01, A2_23, A3_01, A3_23
    zregs   8, B_0, B_1, B_2, B_3, columns, C, scratch
    zregs   16, S0_01, S0_23, S1_01, S1_23, S2_01, S2_23, S3_01, S3_23
    zregs   24, L01_0, L23_0, L01_1, L23_1, L01_2, L23_2, L01_3, L23_3
    zregs   24, rows_01, rows_23

// B, columns = elements and scales of a block. Changes scratch.
.macro block_rhs
    ld1b    {B_0.b}, p0/z, [rhs]
    ld1b    {B_2.b}, p0/z, [rhs, x10]
    ld1h    {columns.s}, p2/z, [rhs_scales]
    add     rhs, rhs, #RHS_BLOCK
    add     rhs_scales, rhs_scales, #RHS_BLOCK
    fcvt    scratch.s, p3/m, columns.h
    movprfx B_3, B_2
    and     B_3.b, B_3.b, #0xf0
    lsl     B_1.b, B_2.b, #4
    movprfx B_2, B_0
    and     B_2.b, B_2.b, #0xf0
    lsl     B_0.b, B_0.b, #4
    zip1    columns.d, scratch.d, scratch.d
.endm

// A<p> += a block of panel \p. \rows: 4, or 2: then there are no rows 2 3. Changes S<p>, z24 - z31.
.macro block_panel p, rows=4
    ld1rqw  {S\p\()_01.s}, p3/z, [args]
    if_rows_23 \rows, ld1rqw, {S\p\()_23.s}, p3/z, [args]
    ld1rqb  {L01_0.b}, p3/z, [lhs_\p]
    if_rows_23 \rows, ld1rqb, {L23_0.b}, p3/z, [lhs_\p, #16]
    ld1rqb  {L01_1.b}, p3/z, [lhs_\p, #32]
    if_rows_23 \rows, ld1rqb, {L23_1.b}, p3/z, [lhs_\p, #48]
    ld1rqb  {L01_2.b}, p3/z, [lhs_\p, #64]
    if_rows_23 \rows, ld1rqb, {L23_2.b}, p3/z, [lhs_\p, #80]
    ld1rqb  {L01_3.b}, p3/z, [lhs_\p, #96]
    if_rows_23 \rows, ld1rqb, {L23_3.b}, p3/z, [lhs_\p, #112]
    add     lhs_\p, lhs_\p, #LHS_BLOCK
    smmla   S\p\()_01.s, L01_0.b, B_0.b
    if_rows_23 \rows, smmla, S\p\()_23.s, L23_0.b, B_0.b
    ld1rqw  {rows_01.s}, p3/z, [row_scales, #\p * 32]
    if_rows_23 \rows, ld1rqw, {rows_23.s}, p3/z, [row_scales, #\p * 32 + 16]
    smmla   S\p\()_01.s, L01_1.b, B_1.b
    if_rows_23 \rows, smmla, S\p\()_23.s, L23_1.b, B_1.b
    smmla   S\p\()_01.s, L01_2.b, B_2.b
    if_rows_23 \rows, smmla, S\p\()_23.s, L23_2.b, B_2.b
    smmla   S\p\()_01.s, L01_3.b, B_3.b
    if_rows_23 \rows, smmla, S\p\()_23.s, L23_3.b, B_3.b
    fmul    rows_01.s, rows_01.s, columns.s
    if_rows_23 \rows, fmul, rows_23.s, rows_23.s, columns.s
    fsub    S\p\()_01.s, S\p\()_01.s, C.s
    if_rows_23 \rows, fsub, S\p\()_23.s, S\p\()_23.s, C.s
    fmla    A\p\()_01.s, p3/m, S\p\()_01.s, rows_01.s
    if_rows_23 \rows, fmla, A\p\()_23.s, p3/m, S\p\()_23.s, rows_23.s
.endm
.macro if_rows_23 rows, insn, operands:vararg
    .if \rows > 2
    \insn   \operands
    .endif
.endm

// \what, a load or a store, all sums of the tile. \slash: /z of a load. Changes at.
.macro tile_sums what, slash, panels
    mov     at, sums
    panel_sums \what, \slash, 0
    if_more \panels, 1, panel_sums \what, \slash, 1
    if_more \panels, 2, panel_sums \what, \slash, 2
    if_more \panels, 2, panel_sums \what, \slash, 3
.endm
// The same for a panel; at moves on.
.macro panel_sums what, slash, p
    \what    {A\p\()_01.s}, p1\slash, [at]
    add     at, at, #32
    \what    {A\p\()_23.s}, p1\slash, [at]
    add     at, at, #32
.endm

// void name(const SveTileArgs*). \rows: of the last panel.
.macro tile_function name, panels, rows=4
func \name, hidden
    frame   d8-d14
    ldp     lhs_0, x11, [args, #SVE_TILE_ARGS_lhs]
    ldp     rhs_scales, rhs, [args, #SVE_TILE_ARGS_scales]
    ldp     row_scales, sums, [args, #SVE_TILE_ARGS_row_scales]
    ldp     blocks, x12, [args, #SVE_TILE_ARGS_blocks]
    add     lhs_0, lhs_0, #LHS_ELEMENTS
    add     lhs_1, lhs_0, x11
    add     lhs_2, lhs_1, x11
    add     lhs_3, lhs_2, x11
    whilelo p0.b, xzr, x12
    lsr     x12, x12, #2
    whilelo p1.s, xzr, x12
    lsr     x12, x12, #1
    whilelo p2.s, xzr, x12
    ptrue   p3.b
    mov     x10, #64
    ld1rqw  {C.s}, p3/z, [args]
    tile_sums ld1w, /z, \panels
1:
    block_rhs
    .if \panels == 1
    block_panel 0, \rows
    .else
    block_panel 0
    block_panel 1, \rows
    .endif
    .if \panels > 2
    block_panel 2
    block_panel 3
    .endif
    add     row_scales, row_scales, #\panels * 32
    subs    blocks, blocks, #1
    b.ne    1b
    tile_sums st1w, , \panels
    return
endfunc
.endm

    tile_function kai_tile_qsi8d32p4x8_qsi4c32p8x8_2_sve_i8mm, 1, 2
    tile_function kai_tile_qsi8d32p4x8_qsi4c32p8x8_4_sve_i8mm, 1
    tile_function kai_tile_qsi8d32p4x8_qsi4c32p8x8_6_sve_i8mm, 2, 2
    tile_function kai_tile_qsi8d32p4x8_qsi4c32p8x8_8_sve_i8mm, 2
    tile_function kai_tile_qsi8d32p4x8_qsi4c32p8x8_16_sve_i8mm, 4
