// f32 <- qsi8d32p x qsi4c32p with SDOT, blocks of 32: the K loop of the 4-row panels.
//
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// A vector of sums or accumulators holds a row of 4 columns; a panel has four of them.
//
// Sums arrive as 16 * S. They start at the bits of C = 1.5 * 2^19, where floats are 1/16 apart, so that they end as the
// float C + S: a subtraction replaces the conversion. Starts are loaded rather than moved: load pipes have time, SIMD
// pipes have none. Row scales are converted in advance (DotTiles::row_scales). The product of two f16 is exact in f32.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 136      // 4 x (f16 + 32 bytes)
#define LHS_ELEMENTS 8
#define RHS_BLOCK 72       // 4 x (f16 + 16 bytes)
#define RHS_ELEMENTS 8
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_tile.inc"
#include "kai/engines/int_neon/int_neon_few.inc"

// v29, w3 = C, v30 = mask of high nibbles.
.macro tile_constants
    ldp     q29, q30, [args, #TILE_ARGS_start]
    ldr     w3, [args, #TILE_ARGS_start]
.endm

// v28 = scales of the columns.
.macro tile_block_1
    start_sdot 4, 24, 25, 26, 27
    tile_load_f16 28
    rows_23 4, x16, [x1, #8]
    tile_decode_first
    rows    4, 4, 5, x16, [x1]
    tile_decode_second
    fcvtl   v28.4s, v28.4h
    sdot_4k_1 16, 16
    sdot_4k_1 17, 32
    sdot_4k_1 18, 48
    sdot_4k_1 19, 64
    sdot_4k_1 20, 80
    sdot_4k_1 21, 96
    sdot_4k_1 22, 112
    ldr     q20, [scales], #16
    sdot_4k_1 23
    add     x1, x1, #LHS_BLOCK
    scale   4, 24, 25, 26, 27, 16, 17, 18, 19, 20
    accumulate 4, 0, 1, 2, 3, 24, 25, 26, 27, 16, 17, 18, 19
.endm

// Eight sums: fewer wait for themselves on cores that issue in order.
.macro tile_block_2
    start_sdot 4, 24, 25, 26, 27
    tile_load_f16 28
    start_sdot last_rows, 8, 9, 10, 11
    rows_23 4, x16, [x1, #8]
    tile_decode_first
    rows_23 last_rows, x17, [x2, #8]
    rows    4, 12, 13, x16, [x1]
    tile_decode_second
    rows    last_rows, 14, 15, x17, [x2]
    fcvtl   v28.4s, v28.4h
    sdot_4k_2 16, 16
    sdot_4k_2 17, 32
    sdot_4k_2 18, 48
    sdot_4k_2 19, 64
    sdot_4k_2 20, 80
    sdot_4k_2 21, 96
    sdot_4k_2 22, 112
    ldp     q18, q20, [scales], #32
    sdot_4k_2 23
    add     x1, x1, #LHS_BLOCK
    scale   4, 24, 25, 26, 27, 12, 13, 14, 15, 18
    add     x2, x2, #LHS_BLOCK
    scale   last_rows, 8, 9, 10, 11, 16, 17, 18, 19, 20
    accumulate 4, 0, 1, 2, 3, 24, 25, 26, 27, 12, 13, 14, 15
    accumulate last_rows, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19
.endm

    tile_function kai_tile_qsi8d32p4x4_qsi4c32p4x4_4x4_neon_dotprod, 1
    tile_function kai_tile_qsi8d32p4x4_qsi4c32p4x4_5x4_neon_dotprod, 2, 1
    tile_function kai_tile_qsi8d32p4x4_qsi4c32p4x4_6x4_neon_dotprod, 2, 2
    tile_function kai_tile_qsi8d32p4x4_qsi4c32p4x4_7x4_neon_dotprod, 2, 3
    tile_function kai_tile_qsi8d32p4x4_qsi4c32p4x4_8x4_neon_dotprod, 2

    few_with_sdot

// LOW, v28 = scales of the columns, of the rows.
.macro few_fields
    ldur    d16, [x9, #-RHS_ELEMENTS]
    ldur    d17, [x10, #-RHS_ELEMENTS]
    .if quads > 2
    ldur    d18, [x11, #-RHS_ELEMENTS]
    ldur    d19, [x12, #-RHS_ELEMENTS]
    .endif
.endm
.macro few_fields_3
    ldr     q28, [scales], #16
    fcvtl   v24.4s, v16.4h
    fcvtl   v25.4s, v17.4h
    .if quads > 2
    fcvtl   v26.4s, v18.4h
    fcvtl   v27.4s, v19.4h
    .endif
.endm
.macro few_accumulate
    few_sdot_accumulate 28
.endm

    few_function kai_tile_qsi8d32p4x4_qsi4c32p4x4_1x16_neon_dotprod, 1, 4, 1
    few_function kai_tile_qsi8d32p4x4_qsi4c32p4x4_2x16_neon_dotprod, 2, 4, 2
    few_function kai_tile_qsi8d32p4x4_qsi4c32p4x4_3x8_neon_dotprod, 3, 2, 3
    few_function kai_tile_qsi8d32p4x4_qsi4c32p4x4_4x8_neon_dotprod, 4, 2, 4
