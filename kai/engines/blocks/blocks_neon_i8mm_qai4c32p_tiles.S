// f32 <- qsi8d32p x qai4c32p with SMMLA, blocks of 32: the K loop.
//
//     acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// Tile and registers: blocks_neon_tile_smmla_zeros.inc. The sums are 16 * S, which the packed rhs_scale / 16 expects.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#define LHS_BLOCK 160      // 4 x (32 bytes + 2 x f32)
#define LHS_ELEMENTS 0
#define RHS_BLOCK 96       // 4 x (16 bytes + 2 x f32)
#define RHS_ELEMENTS 0
#define RHS_BITS 4
#define RHS_TABLE 0
#define RHS_HALVES 0
#include "kai/engines/blocks/blocks_neon_tile_smmla_zeros.inc"

// B0 - B3 = the columns of a block, Z, C = their zeros and scales. Changes v30.
.macro load_columns
    ldr     qmask, [args, #TILE_ARGS_mask]
    load_rhs_f32 Z_b, C_b
    decode  B0_a, B0_b, B2_a, B2_b
    decode  B1_a, B1_b, B3_a, B3_b
    dup     Z_a.2d, Z_b.d[0]
    dup     Z_b.2d, Z_b.d[1]
    dup     C_a.2d, C_b.d[0]
    dup     C_b.2d, C_b.d[1]
.endm

    smmla_tile_functions kai_tile_qsi8d32p4x8_qai4c32p4x8
