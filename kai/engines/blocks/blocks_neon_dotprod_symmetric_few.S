// f32 <- qsi8d32p x qsi4c32p, qsi8c32p, qlu4c32p or qlu4c16p with SDOT, blocks of 32: 1 to 4 rows, 16 or 8 columns.
//
//     int4: acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//     int8, indices: acc[m][n] = fma(S * lhs_scale, rhs_scale, acc[m][n])
//
// Part r of a tile is row r. A step has 4 k of low nibbles and 4 of high ones of all rows:
//
//                | LOW_0    LOW_1 ...     4 columns x 4 k, a quad each; then the high nibbles, with `high`
//        --------+--------------------
//        low[0]  | S0_0     S0_1
//        low[1]  | S1_0     S1_1
//
// Frame and registers: blocks_neon_few.inc. After the products of a block
//   v24 - v27   LOW       f32 scales of the columns
//   v28         low       scales of the rows
// C, and how sums start: blocks_neon_dotprod_symmetric_tiles.S.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 136      // 4 x (f16 + 32 bytes)
#define LHS_ELEMENTS 8
#define FEW_PARTS 0, 1, 2, 3
#include "kai/engines/blocks/blocks_neon_few.inc"

// Constants of a format. bits: 4 (qsi4c32p) or 8 (qsi8c32p). table: 4 bits are indices (qlu4c32p, whose scales may be
// bf16). halves: and each half of a block has a scale (qlu4c16p). Scales, f16, are in front of the elements.
.macro format bits, table=0, halves=0
    .set    RHS_BITS, \bits
    .set    RHS_TABLE, \table
    .set    RHS_HALVES, \halves
    .set    RHS_ELEMENTS, 8 + 8 * \halves          // 4 x f16, with halves twice
    .set    RHS_BLOCK, RHS_ELEMENTS + 16 * \bits   // and 4 x 16 or 32 bytes
.endm

#define ROW_SCALE_FIRST (RHS_BITS == 8 || RHS_TABLE)    // sums are S, not 16 * S; the scale of the row multiplies them
#define ROW_SCALES 80  // bytes that ROW_SCALE_FIRST has for a block: scales of 4 rows, -C * scale of each

regs 28, low, high

// Sums start as w3 = C, from a general register: no SIMD pipe on most cores, half the time of a load on others. int8,
// which decodes nothing, loads half of them: the single pipe from general registers would limit wide cores.
.macro few_start
    each_part start_row
.endm
// S of row \r = C.
.macro start_row r
    dup     S\r\()_0.4s, w3
    start_odd S\r\()_1
    if_more quads, 2, dup S\r\()_2.4s, w3
    if_more quads, 2, start_odd S\r\()_3
.endm
// The second and fourth quad.
.macro start_odd s
    .if RHS_BITS == 4
    dup     \s\().4s, w3
    .else
    ldr     q\s, [few_args, #TILE_ARGS_start]
    .endif
.endm

// The rows' 4 k of a step, low and high, a word of each row.
.macro load_low step
    load_words low, (16 * (\step))
.endm
.macro load_high step
    load_words high, (16 * (\step) + 64)
.endm
slow    .req s28
shigh   .req s29
// \r = a word of each row, \at bytes from `row`.
.macro load_words r, at
    .if height == 1
    ldr     s\r, [row, #\at]
    .elseif height == 2
    ldr     d\r, [row, #\at]
    .else
    ldr     q\r, [row, #\at]
    .endif
.endm

// S += rows times LOW.
.macro multiply_low step
    sdot_quads S0, LOW, low.4b[0]
    if_more height, 1, sdot_quads S1, LOW, low.4b[1]
    if_more height, 2, sdot_quads S2, LOW, low.4b[2]
    if_more height, 3, sdot_quads S3, LOW, low.4b[3]
.endm
// S += rows times the high nibbles, in set \b.
.macro multiply_high step, b
    sdot_quads S0, \b, high.4b[0]
    if_more height, 1, sdot_quads S1, \b, high.4b[1]
    if_more height, 2, sdot_quads S2, \b, high.4b[2]
    if_more height, 3, sdot_quads S3, \b, high.4b[3]
.endm

// ---- After the products

// acc += S, with scales of the columns in LOW and those of the rows in the lanes of \l. int4: S loses C and is
// multiplied by P, the product of both scales. int8, indices: P = scale of the row times S, from -C * scale; then times
// LOW.
.macro add_scaled l
    .if ROW_SCALE_FIRST
    each_part load_scaled_start
    each_part scale_sums, \l
    each_part add_by_columns
    .if half == RHS_HALVES
    add     scales, scales, #ROW_SCALES
    .endif
    .else
    each_part multiply_scales, \l
    each_part subtract_start
    each_part add_by_scales
    .endif
.endm
.macro load_scaled_start r
    load_all P\r, [scales, #16 + 16 * \r]
.endm
.macro scale_sums r, l
    shared_quads fmla, 4s, P\r, S\r, \l\().s[\r]
.endm
.macro add_by_columns r
    op_quads fmla, 4s, acc\r, P\r, LOW
.endm
.macro multiply_scales r, l
    shared_quads fmul, 4s, P\r, LOW, \l\().s[\r]
.endm
.macro subtract_start r
    shared_quads fsub, 4s, S\r, S\r, start.4s
.endm
.macro add_by_scales r
    op_quads fmla, 4s, acc\r, S\r, P\r
.endm

// Place 0, 1: as blocks_neon_few.inc says.
.macro fields place
    .if \place == 0
    load_f16_scales
    .else
    .if ROW_SCALE_FIRST
    ldr     qlow, [scales]
    .else
    ldr     qlow, [scales], #16
    .endif
    widen_scales LOW
    .endif
.endm
.macro accumulate
    add_scaled low
.endm

// The functions of a format.
.macro tiles_of rhs, bits, table=0, halves=0
    format  \bits, \table, \halves
    few_function kai_tile_qsi8d32p4x4_\rhs\()4x4_1x16_neon_dotprod, 1, 4, 1
    few_function kai_tile_qsi8d32p4x4_\rhs\()4x4_2x16_neon_dotprod, 2, 4, 2
    few_function kai_tile_qsi8d32p4x4_\rhs\()4x4_3x8_neon_dotprod, 3, 2, 3
    few_function kai_tile_qsi8d32p4x4_\rhs\()4x4_4x8_neon_dotprod, 4, 2, 4
.endm

    tiles_of qsi4c32p, 4
    tiles_of qsi8c32p, 8
    tiles_of qlu4c32p, 4, 1
    tiles_of qlu4c16p, 4, 1, 1
