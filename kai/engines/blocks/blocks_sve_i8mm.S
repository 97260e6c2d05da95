// f32 <- qsi8d32p x qsi4c32p with SVE SMMLA, blocks of 32: the K loop.
//
//     sums[m][n] = fma(S, lhs_scale * rhs_scale, sums[m][n]),     S = sum over the block of lhs * rhs
//
// Every 128 bits of a sum hold 2 rows x 2 columns. Integer sums are 16 * S; they start at the bits of
// C = 1.5 * 2^19, where floats are 1/16 apart, and end as the float C + S. Starts are loaded rather than moved: the
// load pipes have slack, the SIMD pipes have none.
//
//     x0         SveTileArgs, which starts with start
//     x1 - x4    elements of the LHS panels
//     x5, x6     column scales, elements of the RHS
//     x7         row scales: of a block, of a panel, rows 01 and rows 23
//     x8         blocks left
//     x9         sums
//     x10        64
//     p0 - p3    bytes of a vector, its words, its columns; all
//     z0 - z7    sums of panels: rows 01, rows 23
//     z8 - z11   RHS: 8 k each, 0 to 3
//     z12, z13   column scales c0 c1 c0 c1, ...; C
//     z16 - z23  integer sums
//     z24 - z31  LHS, then row scales
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+sve+i8mm
#define LHS_BLOCK 136      // 4 x (f16 + 32 bytes)
#define LHS_ELEMENTS 8
#define RHS_BLOCK 144      // 8 x (f16 + 16 bytes)
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sve_args.h"

// z8 - z12 = RHS and column scales of a block. Changes z14.
.macro block_rhs
    ld1b    {z8.b}, p0/z, [x6]
    ld1b    {z10.b}, p0/z, [x6, x10]
    ld1h    {z12.s}, p2/z, [x5]
    add     x6, x6, #RHS_BLOCK
    add     x5, x5, #RHS_BLOCK
    fcvt    z14.s, p3/m, z12.h
    movprfx z11, z10
    and     z11.b, z11.b, #0xf0
    lsl     z9.b, z10.b, #4
    movprfx z10, z8
    and     z10.b, z10.b, #0xf0
    lsl     z8.b, z8.b, #4
    zip1    z12.d, z14.d, z14.d
.endm

// One panel's block: z\a01, z\a23 += ...; s01, s23 = integer sums. Of two rows, \rows, there is no a23.
.macro block_panel lhs, index, rows, a01, a23, s01, s23
    ld1rqw  {z\s01\().s}, p3/z, [x0]
    if_rows_23 \rows, ld1rqw, {z\s23\().s}, p3/z, [x0]
    ld1rqb  {z24.b}, p3/z, [\lhs]
    if_rows_23 \rows, ld1rqb, {z25.b}, p3/z, [\lhs, #16]
    ld1rqb  {z26.b}, p3/z, [\lhs, #32]
    if_rows_23 \rows, ld1rqb, {z27.b}, p3/z, [\lhs, #48]
    ld1rqb  {z28.b}, p3/z, [\lhs, #64]
    if_rows_23 \rows, ld1rqb, {z29.b}, p3/z, [\lhs, #80]
    ld1rqb  {z30.b}, p3/z, [\lhs, #96]
    if_rows_23 \rows, ld1rqb, {z31.b}, p3/z, [\lhs, #112]
    add     \lhs, \lhs, #LHS_BLOCK
    smmla   z\s01\().s, z24.b, z8.b
    if_rows_23 \rows, smmla, z\s23\().s, z25.b, z8.b
    ld1rqw  {z24.s}, p3/z, [x7, #\index * 32]
    if_rows_23 \rows, ld1rqw, {z25.s}, p3/z, [x7, #\index * 32 + 16]
    smmla   z\s01\().s, z26.b, z9.b
    if_rows_23 \rows, smmla, z\s23\().s, z27.b, z9.b
    smmla   z\s01\().s, z28.b, z10.b
    if_rows_23 \rows, smmla, z\s23\().s, z29.b, z10.b
    smmla   z\s01\().s, z30.b, z11.b
    if_rows_23 \rows, smmla, z\s23\().s, z31.b, z11.b
    fmul    z24.s, z24.s, z12.s
    if_rows_23 \rows, fmul, z25.s, z25.s, z12.s
    fsub    z\s01\().s, z\s01\().s, z13.s
    if_rows_23 \rows, fsub, z\s23\().s, z\s23\().s, z13.s
    fmla    z\a01\().s, p3/m, z\s01\().s, z24.s
    if_rows_23 \rows, fmla, z\a23\().s, p3/m, z\s23\().s, z25.s
.endm
.macro if_rows_23 rows, insn, operands:vararg
    .if \rows > 2
    \insn   \operands
    .endif
.endm

// The sums of `panels` panels: what = ld1w or st1w.
.macro tile_vector what, slash, vector
    \what    {z\vector\().s}, p1\slash, [x11]
    add     x11, x11, #32
.endm
// \what, a load or a store, all sums of the tile from x9 on. \slash: /z of a load. Changes x11.
.macro tile_sums what, slash, panels
    mov     x11, x9
    .irp vector, 0, 1, 2, 3, 4, 5, 6, 7
    .if \vector < 2 * \panels
    tile_vector \what, \slash, \vector
    .endif
    .endr
.endm

// void name(const SveTileArgs*). \rows: of the last panel.
.macro tile_function name, panels, rows=4
func \name, hidden
    frame   d8-d14
    ldp     x1, x11, [x0, #SVE_TILE_ARGS_lhs]
    ldp     x5, x6, [x0, #SVE_TILE_ARGS_scales]
    ldp     x7, x9, [x0, #SVE_TILE_ARGS_row_scales]
    ldp     x8, x12, [x0, #SVE_TILE_ARGS_blocks]
    add     x1, x1, #LHS_ELEMENTS
    add     x2, x1, x11
    add     x3, x2, x11
    add     x4, x3, x11
    whilelo p0.b, xzr, x12
    lsr     x12, x12, #2
    whilelo p1.s, xzr, x12
    lsr     x12, x12, #1
    whilelo p2.s, xzr, x12
    ptrue   p3.b
    mov     x10, #64
    ld1rqw  {z13.s}, p3/z, [x0]
    tile_sums ld1w, /z, \panels
1:
    block_rhs
    .if \panels == 1
    block_panel x1, 0, \rows, 0, 1, 16, 17
    .else
    block_panel x1, 0, 4, 0, 1, 16, 17
    block_panel x2, 1, \rows, 2, 3, 18, 19
    .endif
    .if \panels > 2
    block_panel x3, 2, 4, 4, 5, 20, 21
    block_panel x4, 3, 4, 6, 7, 22, 23
    .endif
    add     x7, x7, #\panels * 32
    subs    x8, x8, #1
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
