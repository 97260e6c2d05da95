// f32 <- qsi8d32p x qsi4c32p with SDOT, blocks of 32: the K loop of the 4-row panels.
//
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// A vector of sums or accumulators holds a row of 4 columns; a panel has four of them.
//
// Sums arrive as 16 * S. They start at the bits of C = 1.5 * 2^19, where floats are 1/16 apart, so that they end as the
// float C + S: a subtraction replaces the conversion. Starts are loaded rather than moved: load pipes have time, SIMD
// pipes have none. Row scales are converted in advance (DotTiles::RowScales). The product of two f16 is exact in f32.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 136      // 4 x (f16 + 32 bytes)
#define LHS_ELEMENTS 8
#define RHS_BLOCK 72       // 4 x (f16 + 16 bytes)
#define RHS_ELEMENTS 8
#include "kai/asm/asm.h"
#include "kai/asm/matmul_int_neon_tile.inc"

.macro tile_constants
.endm

// v16 - v23, v28 = column scales, v29 = C.
.macro tile_rhs
    tile_decode_f16 28
    ldr     q29, [args, #ARG_START]
.endm

.macro tile_block_1
    tile_rhs
    ldr     q4, [x1]
    ldr     q5, [x1, #16]
    start   24, 25, 26, 27
    sdot_4k_a 16, 4
    ldr     q4, [x1, #32]
    sdot_4k_a 17, 5
    ldr     q5, [x1, #48]
    sdot_4k_a 18, 4
    ldr     q4, [x1, #64]
    sdot_4k_a 19, 5
    ldr     q5, [x1, #80]
    sdot_4k_a 20, 4
    ldr     q4, [x1, #96]
    sdot_4k_a 21, 5
    ldr     q5, [x1, #112]
    sdot_4k_a 22, 4
    ldr     q30, [scales], #16
    sdot_4k_a 23, 5
    add     x1, x1, #LHS_BLOCK
    scale   24, 25, 26, 27, 4, 5, 6, 7, 30
    accumulate 0, 1, 2, 3, 24, 25, 26, 27, 4, 5, 6, 7
.endm

// Eight sums: fewer wait for themselves on cores that issue in order.
.macro tile_block_2
    tile_rhs
    ldr     q12, [x1]
    ldr     q14, [x2]
    start   24, 25, 26, 27
    start   8, 9, 10, 11
    sdot_4k_a 16, 12
    ldr     q12, [x1, #16]
    sdot_4k_b 16, 14
    ldr     q14, [x2, #16]
    sdot_4k_a 17, 12
    ldr     q12, [x1, #32]
    sdot_4k_b 17, 14
    ldr     q14, [x2, #32]
    sdot_4k_a 18, 12
    ldr     q12, [x1, #48]
    sdot_4k_b 18, 14
    ldr     q14, [x2, #48]
    sdot_4k_a 19, 12
    ldr     q12, [x1, #64]
    sdot_4k_b 19, 14
    ldr     q14, [x2, #64]
    sdot_4k_a 20, 12
    ldr     q12, [x1, #80]
    sdot_4k_b 20, 14
    ldr     q14, [x2, #80]
    sdot_4k_a 21, 12
    ldr     q12, [x1, #96]
    sdot_4k_b 21, 14
    ldr     q14, [x2, #96]
    sdot_4k_a 22, 12
    ldr     q12, [x1, #112]
    sdot_4k_b 22, 14
    ldr     q14, [x2, #112]
    sdot_4k_a 23, 12
    ldr     q30, [scales]
    sdot_4k_b 23, 14
    ldr     q31, [scales, #16]
    add     x1, x1, #LHS_BLOCK
    add     x2, x2, #LHS_BLOCK
    scale   24, 25, 26, 27, 12, 13, 14, 15, 30
    add     scales, scales, #32
    scale   8, 9, 10, 11, 16, 17, 18, 19, 31
    accumulate 0, 1, 2, 3, 24, 25, 26, 27, 12, 13, 14, 15
    accumulate 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19
.endm

    tile_function kai_tile_qsi8d32p4x4_qsi4c32p4x4_4x4_neon_dotprod, 1
    tile_function kai_tile_qsi8d32p4x4_qsi4c32p4x4_8x4_neon_dotprod, 2
