// f32 <- qsi8d32p x qsi4c32p, qsi8c32p, qlu4c32p or qlu4c16p with SDOT, blocks of 32: the K loop of the 4-row panels.
//
//     int4: acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//     int8, indices: acc[m][n] = fma(S * lhs_scale, rhs_scale, acc[m][n])
//
// Tile and registers: blocks_neon_tile_sdot.inc: acc v0 - v7, B v16 - v23, S v8 - v11 and v24 - v27. `scales`: row
// scales, made in advance (row_scales); int8, indices: and -C times them. Unscheduled, a block of
// two panels is
//
//     B_0 - B_7 = decoded columns, C_scales; A0, A1 = rows
//     for g in 0 - 7: S0 += A0 * B_<g>, S1 += A1 * B_<g>, next rows
//     acc0 += S0, acc1 += S1, scaled
//
// int4: the sums are 16 * S. They start at the bits of C = 1.5 * 2^19, where floats are 1/16 apart, so that they end as
// the float C + S: a subtraction replaces the conversion. int8, indices: S, and C = 1.5 * 2^23; fma(C + S, lhs_scale,
// -C * lhs_scale) is lhs_scale * S, rounded once. The product of two f16 is exact in f32.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 136      // 4 x (f16 + 32 bytes)
#define LHS_ELEMENTS 8
#include "kai/engines/blocks/blocks_neon_tile_sdot.inc"

// Constants of a format. bits: 4 (qsi4c32p) or 8 (qsi8c32p). table: 4 bits are indices (qlu4c32p, whose scales may be
// bf16). halves: and each half of a block has a scale (qlu4c16p). Scales, f16, are in front of the elements.
.macro format bits, table=0, halves=0
    .set    RHS_BITS, \bits
    .set    RHS_TABLE, \table
    .set    RHS_HALVES, \halves
    .set    RHS_ELEMENTS, 8 + 8 * \halves          // 4 x f16, with halves twice
    .set    RHS_BLOCK, RHS_ELEMENTS + 16 * \bits   // and 4 x 16 or 32 bytes
.endm

// Halves of a block of indices: 16 k of one panel, or of two.
.macro half_block half
    start   S0
    load_rows_b x16, lhs_0, (64 * \half)
    load_half \half, C_scales
    load_rows A, x16, lhs_0, (64 * \half)
    panel_4k S0, A, 0, lhs_0, (64 * \half + 16)
    panel_4k S0, A, 1, lhs_0, (64 * \half + 32)
    panel_4k S0, A, 2, lhs_0, (64 * \half + 48)
    panel_4k S0, A, 3, lhs_0, none
    ldr     qL, [scales]
    add_block
.endm
// Two panels.
.macro half_block_of_two_panels half
    start   S0
    start   S1, last_rows
    load_rows_b x16, lhs_0, (64 * \half)
    load_rows_b x17, lhs_1, (64 * \half), last_rows
    load_half \half, C_scales
    load_rows A0, x16, lhs_0, (64 * \half)
    load_rows A1, x17, lhs_1, (64 * \half), last_rows
    two_panels_4k 0, (64 * \half + 16)
    two_panels_4k 1, (64 * \half + 32)
    two_panels_4k 2, (64 * \half + 48)
    two_panels_4k 3, none
    ldr     qL0, [scales]
    ldr     qL1, [scales, #ROW_SCALES]
    add_block_of_two_panels
.endm

// acc0 += a block. Changes S0, A, B, L, P, C_scales, x16.
.macro tile_block_1
    .if RHS_HALVES
    half_block 0
    half_block 1
    add     lhs_0, lhs_0, #LHS_BLOCK
    add     scales, scales, #ROW_SCALES
    .else
    start   S0
    load_rhs_f16 C_scales
    load_rows_b x16, lhs_0, 0
    decode  B_0, B_1, B_4, B_5
    load_rows A, x16, lhs_0, 0
    decode  B_2, B_3, B_6, B_7
    widen_scales C_scales
    panel_28k
    .if ROW_SCALE_FIRST
    ldr     qL, [scales]
    .else
    ldr     qL, [scales], #16
    .endif
    panel_4k S0, A, 7, lhs_0, none
    add     lhs_0, lhs_0, #LHS_BLOCK
    add_block
    .if ROW_SCALE_FIRST
    add     scales, scales, #ROW_SCALES
    .endif
    .endif
.endm

// acc0, acc1 += a block. Changes S0, S1, A0, A1, B, L0, L1, P0, P1, C_scales, x16, x17.
.macro tile_block_2
    .if RHS_HALVES
    half_block_of_two_panels 0
    half_block_of_two_panels 1
    add     lhs_0, lhs_0, #LHS_BLOCK
    add     lhs_1, lhs_1, #LHS_BLOCK
    add     scales, scales, #2 * ROW_SCALES
    .else
    start   S0
    load_rhs_f16 C_scales
    start   S1, last_rows
    load_rows_b x16, lhs_0, 0
    decode  B_0, B_1, B_4, B_5
    load_rows_b x17, lhs_1, 0, last_rows
    load_rows A0, x16, lhs_0, 0
    decode  B_2, B_3, B_6, B_7
    load_rows A1, x17, lhs_1, 0, last_rows
    widen_scales C_scales
    two_panels_28k
    .if ROW_SCALE_FIRST
    ldr     qL0, [scales]
    ldr     qL1, [scales, #ROW_SCALES]
    .else
    ldp     qL0, qL1, [scales], #32
    .endif
    two_panels_4k 7, none
    add     lhs_0, lhs_0, #LHS_BLOCK
    add     lhs_1, lhs_1, #LHS_BLOCK
    add_block_of_two_panels
    .if ROW_SCALE_FIRST
    add     scales, scales, #2 * ROW_SCALES
    .endif
    .endif
.endm

// The functions of a format.
.macro tiles rhs, bits, table=0, halves=0
    format  \bits, \table, \halves
    sdot_tile_functions_of_both kai_tile_qsi8d32p4x4_\rhs\()4x4
.endm

    tiles qsi4c32p, 4
    tiles qsi8c32p, 8
    tiles qlu4c32p, 4, 1
    tiles qlu4c16p, 4, 1, 1
