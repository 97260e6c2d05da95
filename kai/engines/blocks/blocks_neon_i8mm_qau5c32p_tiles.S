// f32 <- qsi8d32p x qau5c32p with SMMLA, blocks of 32: the K loop.
//
//     acc[m][n] = fma(rhs_minimum, lhs_sum, acc[m][n])
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// Tile and registers: blocks_neon_tile_smmla_zeros.inc, Z are the minima. Elements: five_bits.hpp.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#define LHS_BLOCK 160      // 4 x (32 bytes + 2 x f32)
#define LHS_ELEMENTS 0
#define RHS_BLOCK 96       // 4 x (20 bytes + 2 x f16)
#define RHS_ELEMENTS 0
#define RHS_BITS 5
#define RHS_TABLE 0
#define RHS_HALVES 0
#include "kai/engines/blocks/blocks_neon_tile_smmla_zeros.inc"
#include "kai/engines/int_neon/int_neon_five_bits.inc"

regs 24, packed_1, packed_3

// B0 - B3 = the columns of a block, Z, C = their minima and scales; rhs moves on. Changes v24, v25, v30.
.macro load_columns
    ldp     qB2_b, qpacked_1, [rhs]
    ldp     qB3_a, qpacked_3, [rhs, #32]
    ldp     qB3_b, qZ_b, [rhs, #64]
    movi    mask.16b, #31
    add     rhs, rhs, #RHS_BLOCK
    five_bits B0_a, B0_b, B2_b, packed_1, mask
    five_bits B1_a, B1_b, B3_a, packed_3, mask
    five_bits_last B2_a, B3_b, packed_1, packed_3, mask
    fcvtl2  C_b.4s, Z_b.8h
    fcvtl   Z_b.4s, Z_b.4h
    dup     C_a.2d, C_b.d[0]
    dup     C_b.2d, C_b.d[1]
    dup     Z_a.2d, Z_b.d[0]
    dup     Z_b.2d, Z_b.d[1]
.endm

    tile_function kai_tile_qsi8d32p4x8_qau5c32p4x8_2x4_neon_i8mm, 1, 2
    smmla_tile_functions kai_tile_qsi8d32p4x8_qau5c32p4x8
