// f32 <- qsi8d32p x qai4c32p with SDOT, blocks of 32: 1 to 4 rows, 16 or 8 columns.
//
//     acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// Tile and registers: blocks_neon_few.inc. After the products of a block
//   v16 - v19   RHS_A       zeros of the columns
//   v24 - v27   LOW         their scales
//   v28, v29    low, high   sums, scales of the rows
// C, and how sums start: blocks_neon_dotprod_qai4c32p_tiles.S.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/blocks/blocks_neon_qai4c32p.inc"
#include "kai/engines/blocks/blocks_neon_few_sdot.inc"

// Place 0, 1: as blocks_neon_few.inc says.
.macro fields place
    .if \place == 0
    load_quads RHS_A, 64
    .else
    ldr     qlow, [row, #LHS_SUMS]
    load_quads LOW, 80
    .endif
.endm
.macro add_zeros r
    shared_quads fmla, 4s, acc\r, RHS_A, low.s[\r]
.endm
.macro accumulate
    ldr     qhigh, [row, #LHS_SCALES]
    each_part add_zeros
    add_scaled high
.endm

    sdot_few_functions kai_tile_qsi8d32p4x4_qai4c32p4x4
