// f32 <- qsi8d32p x qai4c32p with SDOT, blocks of 32: the K loop of the 4-row panels.
//
//     acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// Tile and registers: blocks_neon_tile_sdot.inc, and
//   v31            Z         zeros of the columns
//   v6; v12, v14   F; F0, F1 sums of the rows (LHS_SUMS), tile of one panel; of two panels
//
// The sums are 16 * S, which the packed rhs_scale / 16 expects. They start at the bits of C = 1.5 * 2^23, where
// floats are 1 apart, so that they end as the float C + 16 * S: a subtraction replaces the conversion.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 160      // 4 x (32 bytes + 2 x f32)
#define LHS_ELEMENTS 0
#define RHS_BLOCK 96       // 4 x (16 bytes + 2 x f32)
#define RHS_ELEMENTS 0
#define LHS_SUMS 128       // f32
#define LHS_SCALES 144     // f32
#define RHS_BITS 4
#define RHS_TABLE 0
#define RHS_HALVES 0
#include "kai/engines/blocks/blocks_neon_tile_sdot.inc"

reg Z, 31
reg F, 6
reg F0, 12
reg F1, 14

// \acc, of \rows rows, += zeros of the columns times the sums of the rows, in the lanes of \f.
.macro add_zeros acc, f, rows=4
    fmla    \acc\()_0.4s, Z.4s, \f\().s[0]
    if_more \rows, 1, fmla \acc\()_1.4s, Z.4s, \f\().s[1]
    if_more \rows, 2, fmla \acc\()_2.4s, Z.4s, \f\().s[2]
    if_more \rows, 3, fmla \acc\()_3.4s, Z.4s, \f\().s[3]
.endm

// acc0 += a block. Changes S0, A, B, F, L, P, Z, C_scales, x16.
.macro tile_block_1
    start   S0
    load_rhs_f32 Z, C_scales
    load_rows_b x16, lhs_0, 0
    ldr     qF, [lhs_0, #LHS_SUMS]
    decode  B_0, B_1, B_4, B_5
    load_rows A, x16, lhs_0, 0
    decode  B_2, B_3, B_6, B_7
    add_zeros acc0, F
    panel_28k
    ldr     qL, [lhs_0, #LHS_SCALES]
    panel_4k S0, A, 7, lhs_0, none
    add     lhs_0, lhs_0, #LHS_BLOCK
    add_block
.endm

// acc0, acc1 += a block. Changes S0, S1, A0, A1, B, F0, F1, L0, L1, P0, P1, Z, C_scales, x16, x17.
.macro tile_block_2
    start   S0
    load_rhs_f32 Z, C_scales
    start   S1, last_rows
    ldr     qF0, [lhs_0, #LHS_SUMS]
    decode  B_0, B_1, B_4, B_5
    ldr     qF1, [lhs_1, #LHS_SUMS]
    decode  B_2, B_3, B_6, B_7
    load_rows_b x16, lhs_0, 0
    add_zeros acc0, F0
    load_rows_b x17, lhs_1, 0, last_rows
    add_zeros acc1, F1, last_rows
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

    sdot_tile_functions_of_both kai_tile_qsi8d32p4x4_qai4c32p4x4
