// f32 <- qsi8d32p x qai4c32p with SDOT, blocks of 32: the K loop of the 4-row panels.
//
//     acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// A vector of sums or accumulators holds a row of 4 columns; a panel has four of them. Fields of rows are elements of a
// vector behind the block.
//
// Sums arrive as 16 * S, which the packed rhs_scale / 16 expects. They start at the bits of C = 1.5 * 2^23, where floats
// are 1 apart, so that they end as the float C + 16 * S: a subtraction replaces the conversion.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 160      // 4 x (32 bytes + 2 x f32)
#define LHS_ELEMENTS 0
#define RHS_BLOCK 96       // 4 x (16 bytes + 2 x f32)
#define RHS_ELEMENTS 0
#include "kai/asm/asm.h"
#include "kai/asm/matmul_int_neon_tile.inc"

// v29 = C, v30 = mask of high nibbles.
.macro tile_constants
    ldp     q29, q30, [args, #ARG_START]
.endm

#define LHS_FIELDS 128     // f32 sums, f32 scales

// v16 - v23, v31 = zeros of the columns, v28 = their scales.
.macro tile_rhs
    tile_decode_f32 31, 28
.endm

// Sums of a panel: moved, not loaded, since cores that issue in order take two cycles for a load.
.macro start_moved s0, s1, s2, s3
    mov     v\s0\().16b, v29.16b
    mov     v\s1\().16b, v29.16b
    mov     v\s2\().16b, v29.16b
    mov     v\s3\().16b, v29.16b
.endm

.macro add_zeros a0, a1, a2, a3, rows
    fmla    v\a0\().4s, v31.4s, v\rows\().s[0]
    fmla    v\a1\().4s, v31.4s, v\rows\().s[1]
    fmla    v\a2\().4s, v31.4s, v\rows\().s[2]
    fmla    v\a3\().4s, v31.4s, v\rows\().s[3]
.endm

.macro tile_block_1
    tile_rhs
    ldp     q7, q6, [x1, #LHS_FIELDS]
    ldp     q4, q5, [x1]
    add_zeros 0, 1, 2, 3, 7
    start_moved 24, 25, 26, 27
    sdot_4k_a 16, 4
    sdot_4k_a 17, 5
    ldp     q4, q5, [x1, #32]
    sdot_4k_a 18, 4
    sdot_4k_a 19, 5
    ldp     q4, q5, [x1, #64]
    sdot_4k_a 20, 4
    sdot_4k_a 21, 5
    ldp     q4, q5, [x1, #96]
    add     x1, x1, #LHS_BLOCK
    sdot_4k_a 22, 4
    sdot_4k_a 23, 5
    scale   24, 25, 26, 27, 16, 17, 18, 19, 6
    accumulate 0, 1, 2, 3, 24, 25, 26, 27, 16, 17, 18, 19
.endm

// Eight sums: fewer wait for themselves on cores that issue in order.
.macro tile_block_2
    tile_rhs
    ldr     q12, [x1, #LHS_FIELDS]
    ldr     q14, [x2, #LHS_FIELDS]
    add_zeros 0, 1, 2, 3, 12
    ldp     q12, q13, [x1]
    add_zeros 4, 5, 6, 7, 14
    ldp     q14, q15, [x2]
    start_moved 24, 25, 26, 27
    start_moved 8, 9, 10, 11
    sdot_4k_a 16, 12
    sdot_4k_b 16, 14
    sdot_4k_a 17, 13
    ldp     q12, q13, [x1, #32]
    sdot_4k_b 17, 15
    ldp     q14, q15, [x2, #32]
    sdot_4k_a 18, 12
    sdot_4k_b 18, 14
    sdot_4k_a 19, 13
    ldp     q12, q13, [x1, #64]
    sdot_4k_b 19, 15
    ldp     q14, q15, [x2, #64]
    sdot_4k_a 20, 12
    sdot_4k_b 20, 14
    sdot_4k_a 21, 13
    ldp     q12, q13, [x1, #96]
    sdot_4k_b 21, 15
    ldp     q14, q15, [x2, #96]
    sdot_4k_a 22, 12
    ldr     q12, [x1, #LHS_FIELDS + 16]
    sdot_4k_b 22, 14
    ldr     q14, [x2, #LHS_FIELDS + 16]
    sdot_4k_a 23, 13
    add     x1, x1, #LHS_BLOCK
    sdot_4k_b 23, 15
    add     x2, x2, #LHS_BLOCK
    scale   24, 25, 26, 27, 16, 17, 18, 19, 12
    scale   8, 9, 10, 11, 20, 21, 22, 23, 14
    accumulate 0, 1, 2, 3, 24, 25, 26, 27, 16, 17, 18, 19
    accumulate 4, 5, 6, 7, 8, 9, 10, 11, 20, 21, 22, 23
.endm

    tile_function kai_tile_qsi8d32p4x4_qai4c32p4x4_4x4_neon_dotprod, 1
    tile_function kai_tile_qsi8d32p4x4_qai4c32p4x4_8x4_neon_dotprod, 2
