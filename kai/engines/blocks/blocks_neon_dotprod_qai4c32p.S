// f32 <- qsi8d32p x qai4c32p with SDOT, blocks of 32: the K loop of the 4-row panels.
//
//     acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// A vector of sums or accumulators holds a row of 4 columns; a panel has four of them. Fields of rows are elements of a
// vector after the block.
//
// The sums are 16 * S, which the packed rhs_scale / 16 expects. They start at the bits of C = 1.5 * 2^23, where
// floats are 1 apart, so that they end as the float C + 16 * S: a subtraction replaces the conversion.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/blocks/blocks_neon_qai4c32p.inc"

    with_sdot

// v28, v31 = scales and zeros of the columns.
.macro add_zeros count, a0, a1, a2, a3, rows
    fmla    v\a0\().4s, v31.4s, v\rows\().s[0]
    if_more \count, 1, fmla v\a1\().4s, v31.4s, v\rows\().s[1]
    if_more \count, 2, fmla v\a2\().4s, v31.4s, v\rows\().s[2]
    if_more \count, 3, fmla v\a3\().4s, v31.4s, v\rows\().s[3]
.endm

.macro tile_block_1
    start_sdot 4, 24, 25, 26, 27
    tile_load_f32 31, 28
    rows_23 4, x16, [x1, #8]
    ldr     q6, [x1, #LHS_SUMS]
    tile_decode_2 16, 17, 20, 21
    rows    4, 4, 5, x16, [x1]
    tile_decode_2 18, 19, 22, 23
    add_zeros 4, 0, 1, 2, 3, 6
    sdot_28k 1
    ldr     q20, [x1, #LHS_SCALES]
    sdot_end_1
.endm

// Eight sums: with fewer, in-order cores wait for the previous addition.
.macro tile_block_2
    start_sdot 4, 24, 25, 26, 27
    tile_load_f32 31, 28
    start_sdot last_rows, 8, 9, 10, 11
    ldr     q12, [x1, #LHS_SUMS]
    tile_decode_2 16, 17, 20, 21
    ldr     q14, [x2, #LHS_SUMS]
    tile_decode_2 18, 19, 22, 23
    rows_23 4, x16, [x1, #8]
    add_zeros 4, 0, 1, 2, 3, 12
    rows_23 last_rows, x17, [x2, #8]
    add_zeros last_rows, 4, 5, 6, 7, 14
    rows    4, 12, 13, x16, [x1]
    rows    last_rows, 14, 15, x17, [x2]
    sdot_28k 2
    ldr     q18, [x1, #LHS_SCALES]
    ldr     q20, [x2, #LHS_SCALES]
    sdot_end_2
.endm

    sdot_tile_functions kai_tile_qsi8d32p4x4_qai4c32p4x4

// RHS_A = zeros of the columns, LOW = their scales; v28, v29 = sums and scales of the rows.
.macro few_fields
    load_quads RHS_A, 64
.endm
.macro few_fields_3
    ldr     q28, [x13, #LHS_SUMS]
    load_quads LOW, 80
.endm
.macro few_zeros row, a0, a1, a2, a3, rest:vararg
    shared_quads fmla, 4s, \a0, \a1, \a2, \a3, RHS_A, v28.s[\row]
.endm
.macro few_accumulate
    ldr     q29, [x13, #LHS_SCALES]
    each_part parts, few_zeros
    few_sdot_accumulate 29
.endm

    sdot_few_functions kai_tile_qsi8d32p4x4_qai4c32p4x4
