// f32 <- qsi8d32p x qau5c32p with SDOT, blocks of 32: the K loop of the 4-row panels.
//
//     acc[m][n] = fma(rhs_minimum, lhs_sum, acc[m][n])
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// Tile and registers: blocks_neon_tile_sdot.inc, and
//   v31                Z             minima of the columns
//   v6; v12, v14       F; F0, F1     sums of the rows (LHS_SUMS), tile of one panel; of two panels
//   v6, v7; v13, v15   packed_1, packed_3; packed1_1, packed1_3   s1, s3 of five_bits.hpp, before F and A: likewise
//
// Sums start at the bits of C = 1.5 * 2^23, where floats are 1 apart, so that they end as the float C + S: a
// subtraction replaces the conversion.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 160      // 4 x (32 bytes + 2 x f32)
#define LHS_ELEMENTS 0
#define RHS_BLOCK 96       // 4 x (20 bytes + 2 x f16)
#define RHS_ELEMENTS 0
#define LHS_SUMS 128       // f32
#define LHS_SCALES 144     // f32
#define RHS_BITS 5
#define RHS_TABLE 0
#define RHS_HALVES 0
#include "kai/engines/blocks/blocks_neon_tile_sdot.inc"
#include "kai/engines/int_neon/int_neon_five_bits.inc"

reg Z, 31
reg F, 6
reg F0, 12
reg F1, 14
regs 6, packed_1, packed_3
reg packed1_1, 13
reg packed1_3, 15

// The columns of a block to B, by way of \x1 and \x3; Z, C_scales = their minima and scales. rhs moves on.
.macro load_columns x1, x3
    ldp     qB_5, q\x1, [rhs]
    ldp     qB_6, q\x3, [rhs, #32]
    ldp     qB_7, qZ, [rhs, #64]
    add     rhs, rhs, #RHS_BLOCK
    five_bits B_0, B_1, B_5, \x1, mask
    five_bits B_2, B_3, B_6, \x3, mask
    five_bits_last B_4, B_7, \x1, \x3, mask
    fcvtl2  C_scales.4s, Z.8h
    fcvtl   Z.4s, Z.4h
.endm

// \acc, of \rows rows, += minima of the columns times the sums of the rows, in the lanes of \f.
.macro add_minima acc, f, rows=4
    fmla    \acc\()_0.4s, Z.4s, \f\().s[0]
    if_more \rows, 1, fmla \acc\()_1.4s, Z.4s, \f\().s[1]
    if_more \rows, 2, fmla \acc\()_2.4s, Z.4s, \f\().s[2]
    if_more \rows, 3, fmla \acc\()_3.4s, Z.4s, \f\().s[3]
.endm

// acc0, of `last_rows` rows, += a block. Changes S0, A, B, F, packed_3, L, P, Z, C_scales, x16.
.macro tile_block_1
    start   S0, last_rows
    load_rows_b x16, lhs_0, 0, last_rows
    load_columns packed_1, packed_3
    ldr     qF, [lhs_0, #LHS_SUMS]
    load_rows A, x16, lhs_0, 0, last_rows
    add_minima acc0, F, last_rows
    panel_28k last_rows
    ldr     qL, [lhs_0, #LHS_SCALES]
    panel_4k S0, A, 7, lhs_0, none, last_rows
    add     lhs_0, lhs_0, #LHS_BLOCK
    scale_panel P, S0, L, 0, last_rows
    add_panel acc0, S0, P, last_rows
.endm

// acc0, acc1 += a block. Changes S0, S1, A0, A1, B, F0, F1, L0, L1, P0, P1, Z, C_scales, x16, x17.
.macro tile_block_2
    start   S0
    ldr     qF0, [lhs_0, #LHS_SUMS]
    start   S1, last_rows
    ldr     qF1, [lhs_1, #LHS_SUMS]
    load_columns packed1_1, packed1_3
    load_rows_b x16, lhs_0, 0
    add_minima acc0, F0
    load_rows_b x17, lhs_1, 0, last_rows
    add_minima acc1, F1, last_rows
    load_rows A0, x16, lhs_0, 0
    load_rows A1, x17, lhs_1, 0, last_rows
    two_panels_28k
    ldr     qL0, [lhs_0, #LHS_SCALES]
    ldr     qL1, [lhs_1, #LHS_SCALES]
    two_panels_4k 7, none
    add     lhs_0, lhs_0, #LHS_BLOCK
    add     lhs_1, lhs_1, #LHS_BLOCK
    add_block_of_two_panels
.endm

    tile_function kai_tile_qsi8d32p4x4_qau5c32p4x4_1x4_neon_dotprod, 1, 1
    tile_function kai_tile_qsi8d32p4x4_qau5c32p4x4_2x4_neon_dotprod, 1, 2
    tile_function kai_tile_qsi8d32p4x4_qau5c32p4x4_3x4_neon_dotprod, 1, 3
    sdot_tile_functions_of_both kai_tile_qsi8d32p4x4_qau5c32p4x4
