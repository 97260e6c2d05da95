// f32 <- qsi8d32p x qsi4c32p, qsi8c32p, qlu4c32p or qlu4c16p with SDOT, blocks of 32: 1 to 4 rows, 16 or 8 columns.
//
//     int4: acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//     int8, indices: acc[m][n] = fma(S * lhs_scale, rhs_scale, acc[m][n])
//
// Tile and registers: blocks_neon_few.inc. After the products of a block
//   v24 - v27   LOW       f32 scales of the columns
//   v28         low       scales of the rows
// C, and how sums start: blocks_neon_dotprod_symmetric_tiles.S.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 136      // 4 x (f16 + 32 bytes)
#define LHS_ELEMENTS 8
#include "kai/engines/blocks/blocks_neon_symmetric.inc"
#include "kai/engines/blocks/blocks_neon_few_sdot.inc"

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

.macro tiles_of rhs
    sdot_few_functions kai_tile_qsi8d32p4x4_\rhs\()4x4
.endm

    each_format tiles_of
