// f32 <- qsi8d32p x qsi4c32p, qsi8c32p, qlu4c32p or qlu4c16p with SDOT, blocks of 32: the K loop of the 4-row panels.
//
//     int4: acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//     int8, indices: acc[m][n] = fma(S * lhs_scale, rhs_scale, acc[m][n])
//
// A vector of sums or accumulators holds a row of 4 columns; a panel has four of them.
//
// int4: the sums are 16 * S. They start at the bits of C = 1.5 * 2^19, where floats are 1/16 apart, so that they end as
// the float C + S: a subtraction replaces the conversion. int8, indices: S, and C = 1.5 * 2^23; fma(C + S, lhs_scale,
// -C * lhs_scale) is lhs_scale * S, rounded once. Starts are loaded rather than moved: load pipes have time, SIMD pipes
// have none. Row scales are made in advance (row_scales). The product of two f16 is exact in f32.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 136      // 4 x (f16 + 32 bytes)
#define LHS_ELEMENTS 8
#include "kai/engines/blocks/blocks_neon_symmetric.inc"
#include "kai/engines/int_neon/int_neon_tile.inc"
#include "kai/engines/int_neon/int_neon_few.inc"

    with_sdot

// Halves: 16 k of one panel, or of two.
.macro half_block_1 half
    start_sdot 4, 24, 25, 26, 27
    rows_23 4, x16, [x1, #64 * \half + 8]
    tile_half \half, 28
    rows    4, 4, 5, x16, [x1, #64 * \half]
    sdot_4k_1 16, 64 * \half + 16
    sdot_4k_1 17, 64 * \half + 32
    sdot_4k_1 18, 64 * \half + 48
    sdot_4k_1 19
    ldr     q20, [scales]
    sdot_add_1
.endm
.macro half_block_2 half
    start_sdot 4, 24, 25, 26, 27
    start_sdot last_rows, 8, 9, 10, 11
    rows_23 4, x16, [x1, #64 * \half + 8]
    rows_23 last_rows, x17, [x2, #64 * \half + 8]
    tile_half \half, 28
    rows    4, 12, 13, x16, [x1, #64 * \half]
    rows    last_rows, 14, 15, x17, [x2, #64 * \half]
    sdot_4k_2 16, 64 * \half + 16
    sdot_4k_2 17, 64 * \half + 32
    sdot_4k_2 18, 64 * \half + 48
    sdot_4k_2 19
    ldr     q18, [scales]
    ldr     q20, [scales, #ROW_SCALES]
    sdot_add_2
.endm
.macro halves panels
    half_block_\panels 0
    half_block_\panels 1
    add     x1, x1, #LHS_BLOCK
    .if \panels > 1
    add     x2, x2, #LHS_BLOCK
    .endif
    add     scales, scales, #\panels * ROW_SCALES
.endm

// v28 = scales of the columns.
.macro tile_block_1
    .if RHS_HALVES
    halves  1
    .else
    start_sdot 4, 24, 25, 26, 27
    tile_load_f16 28
    rows_23 4, x16, [x1, #8]
    tile_decode_2 16, 17, 20, 21
    rows    4, 4, 5, x16, [x1]
    tile_decode_2 18, 19, 22, 23
    widen_scales args, 28
    sdot_28k 1
    .if !ROW_SCALE_FIRST
    ldr     q20, [scales], #16
    sdot_end_1
    .else
    ldr     q20, [scales]
    sdot_end_1
    add     scales, scales, #ROW_SCALES
    .endif
    .endif
.endm
// Eight sums: with fewer, in-order cores wait for the previous addition.
.macro tile_block_2
    .if RHS_HALVES
    halves  2
    .else
    start_sdot 4, 24, 25, 26, 27
    tile_load_f16 28
    start_sdot last_rows, 8, 9, 10, 11
    rows_23 4, x16, [x1, #8]
    tile_decode_2 16, 17, 20, 21
    rows_23 last_rows, x17, [x2, #8]
    rows    4, 12, 13, x16, [x1]
    tile_decode_2 18, 19, 22, 23
    rows    last_rows, 14, 15, x17, [x2]
    widen_scales args, 28
    sdot_28k 2
    .if !ROW_SCALE_FIRST
    ldp     q18, q20, [scales], #32
    sdot_end_2
    .else
    ldr     q18, [scales]
    ldr     q20, [scales, #ROW_SCALES]
    sdot_end_2
    add     scales, scales, #2 * ROW_SCALES
    .endif
    .endif
.endm

// LOW, v28 = scales of the columns, of the rows.
.macro few_fields
    few_load_f16
.endm
.macro few_fields_3
    .if !ROW_SCALE_FIRST
    ldr     q28, [scales], #16
    .else
    ldr     q28, [scales]
    .endif
    few_widen_f16 LOW
.endm
.macro few_accumulate
    few_sdot_accumulate 28
.endm

.macro tiles rhs
    sdot_tile_functions kai_tile_qsi8d32p4x4_\rhs\()4x4
    sdot_few_functions kai_tile_qsi8d32p4x4_\rhs\()4x4
.endm

    each_format tiles
