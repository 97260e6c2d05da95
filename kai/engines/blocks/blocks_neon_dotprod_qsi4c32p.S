// f32 <- qsi8d32p x qsi4c32p with SDOT, blocks of 32: the K loop of the 4-row panels.
//
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// A vector of sums or accumulators holds a row of 4 columns; a panel has four of them.
//
// The sums are 16 * S. They start at the bits of C = 1.5 * 2^19, where floats are 1/16 apart, so that they end as the
// float C + S: a subtraction replaces the conversion. Starts are loaded rather than moved: load pipes have time, SIMD
// pipes have none. Row scales are converted in advance (DotTiles::row_scales). The product of two f16 is exact in f32.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/blocks/blocks_neon_qsi4c32p.inc"

    with_sdot

// v28 = scales of the columns.
.macro tile_block_1
    start_sdot 4, 24, 25, 26, 27
    tile_load_f16 28
    rows_23 4, x16, [x1, #8]
    tile_decode_2 16, 17, 20, 21
    rows    4, 4, 5, x16, [x1]
    tile_decode_2 18, 19, 22, 23
    fcvtl   v28.4s, v28.4h
    sdot_28k 1
    ldr     q20, [scales], #16
    sdot_end_1
.endm

// Eight sums: with fewer, in-order cores wait for the previous addition.
.macro tile_block_2
    start_sdot 4, 24, 25, 26, 27
    tile_load_f16 28
    start_sdot last_rows, 8, 9, 10, 11
    rows_23 4, x16, [x1, #8]
    tile_decode_2 16, 17, 20, 21
    rows_23 last_rows, x17, [x2, #8]
    rows    4, 12, 13, x16, [x1]
    tile_decode_2 18, 19, 22, 23
    rows    last_rows, 14, 15, x17, [x2]
    fcvtl   v28.4s, v28.4h
    sdot_28k 2
    ldp     q18, q20, [scales], #32
    sdot_end_2
.endm

    sdot_tile_functions kai_tile_qsi8d32p4x4_qsi4c32p4x4

// LOW, v28 = scales of the columns, of the rows.
.macro few_fields
    few_load_f16
.endm
.macro few_fields_3
    ldr     q28, [scales], #16
    few_widen_f16 LOW
.endm
.macro few_accumulate
    few_sdot_accumulate 28
.endm

    sdot_few_functions kai_tile_qsi8d32p4x4_qsi4c32p4x4
