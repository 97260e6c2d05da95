// f32 <- qsi8d32p x qsi4c32p, qsi8c32p, qlu4c32p or qlu4c16p with SMMLA, blocks of 32: the K loop.
//
//     acc[m][n] += rhs_scale * (lhs_scale * S),     S = sum over the block of lhs * rhs
//
// A vector of sums or accumulators holds 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1; a panel has four of them: rows 01
// columns 01, rows 01 columns 23, rows 23 columns 01, rows 23 columns 23. Scales come in the same order.
//
// int4: the sums are 16 * S. They start at the bits of C = 1.5 * 2^19, where floats are 1/16 apart, so that they end as
// the float C + S without a conversion; int8, indices: S, and C = 1.5 * 2^23. fma(C + S, lhs_scale, -C * lhs_scale) is
// lhs_scale * S, rounded once. Row scales and -C times them are made in advance (pairs_of_scales). Starts and
// -C * lhs_scale are loaded rather than moved: the load pipes have slack, the SIMD pipes have none.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#define LHS_BLOCK 136      // 4 x (f16 + 32 bytes)
#define LHS_ELEMENTS 8
#include "kai/engines/blocks/blocks_neon_symmetric.inc"
#include "kai/engines/int_neon/int_neon_tile.inc"
#include "kai/engines/int_neon/int_neon_few.inc"

    with_smmla

// v16 - v23, v28, v29 = scales of columns 01, 23, twice.
.macro tile_rhs
    .if RHS_TABLE
    ldp     q30, q29, [args, #TILE_ARGS_mask]
    .elseif RHS_BITS == 4
    ldr     q30, [args, #TILE_ARGS_mask]
    .endif
    tile_load_f16 31
    widen_scales args, 31
    tile_decode
    dup     v28.2d, v31.d[0]
    dup     v29.2d, v31.d[1]
.endm

// One panel after another: all accumulators of 16 rows fit next to one panel's sums.
.macro tile_panel lhs, index, a0, a1, a2, a3
    ldr     q30, [\lhs]
    start   24, 25, 26, 27
    ldr     q31, [\lhs, #16]
    smmla_24k 30, 31, \lhs
    smmla_8k 24, 25, 26, 27, 22, 23, 30, 31, [scales, #\index * 64]
    add     \lhs, \lhs, #LHS_BLOCK
    tile_panel_add \index, \a0, \a1, \a2, \a3
.endm
.macro tile_panel_add index, a0, a1, a2, a3
    ldr     q31, [scales, #\index * 64 + 32]
    // v30 = scales of rows 01, then 23; v31, v24, v25, v26 = -C * scales, then scales * S
    fmla    v31.4s, v24.4s, v30.4s
    ldr     q24, [scales, #\index * 64 + 32]
    fmla    v24.4s, v25.4s, v30.4s
    ldr     q30, [scales, #\index * 64 + 16]
    ldr     q25, [scales, #\index * 64 + 48]
    fmla    v25.4s, v26.4s, v30.4s
    ldr     q26, [scales, #\index * 64 + 48]
    fmla    v26.4s, v27.4s, v30.4s
    accumulate 4, \a0, \a1, \a2, \a3, 31, 24, 25, 26, 28, 29, 28, 29
.endm

// Halves: v16 - v19, v28, v29 = scales of columns 01, 23, twice; then one panel after another.
.macro half_panels half, panels
    ldp     q30, q29, [args, #TILE_ARGS_mask]
    tile_half \half, 31
    dup     v28.2d, v31.d[0]
    dup     v29.2d, v31.d[1]
    half_panel \half, x1, 0, 0, 1, 2, 3
    .if \panels == 2 && last_rows == 2
    half_pair \half, x2, 1, 4, 5
    .elseif \panels > 1
    half_panel \half, x2, 1, 4, 5, 6, 7
    .endif
    .if \panels > 2
    half_panel \half, x3, 2, 8, 9, 10, 11
    half_panel \half, x4, 3, 12, 13, 14, 15
    .endif
.endm
.macro half_panel half, lhs, index, a0, a1, a2, a3
    ldr     q30, [\lhs, #64 * \half]
    start   24, 25, 26, 27
    ldr     q31, [\lhs, #64 * \half + 16]
    smmla_8k_next 16, 17, 30, 31, \lhs, 64 * \half + 32
    smmla_8k 24, 25, 26, 27, 18, 19, 30, 31, [scales, #\index * 64]
    .if \half == 1
    add     \lhs, \lhs, #LHS_BLOCK
    .endif
    tile_panel_add \index, \a0, \a1, \a2, \a3
.endm
.macro half_pair half, lhs, index, a0, a1
    ldr     q30, [\lhs, #64 * \half]
    start   24, 25
    smmla_8k_last 24, 25, 0, 0, 16, 17, 30, 31, [\lhs, #64 * \half + 32]
    ldr     q31, [scales, #\index * 64 + 32]
    smmla_8k_last 24, 25, 0, 0, 18, 19, 30, 31, [scales, #\index * 64]
    ldr     q26, [scales, #\index * 64 + 32]
    .if \half == 1
    add     \lhs, \lhs, #LHS_BLOCK
    .endif
    fmla    v31.4s, v24.4s, v30.4s
    fmla    v26.4s, v25.4s, v30.4s
    accumulate 2, \a0, \a1, 0, 0, 31, 26, 0, 0, 28, 29, 0, 0
.endm
.macro halves panels
    half_panels 0, \panels
    half_panels 1, \panels
    add     scales, scales, #\panels * 64
.endm

.macro tile_block_1
    .if RHS_HALVES
    halves  1
    .else
    tile_rhs
    tile_panel x1, 0, 0, 1, 2, 3
    add     scales, scales, #64
    .endif
.endm

.macro tile_block_4
    .if RHS_HALVES
    halves  4
    .else
    tile_rhs
    tile_panel x1, 0, 0, 1, 2, 3
    tile_panel x2, 1, 4, 5, 6, 7
    tile_panel x3, 2, 8, 9, 10, 11
    tile_panel x4, 3, 12, 13, 14, 15
    add     scales, scales, #4 * 64
    .endif
.endm

.macro tile_block_2
    .if RHS_HALVES
    halves  2
    .else
    smmla_load_2
    smmla_24k_2
    smmla_8k_next 22, 23, 12, 13, scales, 0
    smmla_8k_last 8, 9, 10, 11, 22, 23, 14, 15, [scales, #32]
    ldr     q15, [scales, #32]
    ldr     q16, [scales, #48]
    ldr     q17, [scales, #48]
    // v12, v13 = scales of rows 01, 23; v14 - v17 = -C * scales, then scales * S
    fmla    v14.4s, v24.4s, v12.4s
    ldr     q18, [scales, #64]
    ldr     q20, [scales, #96]
    fmla    v15.4s, v25.4s, v12.4s
    ldr     q21, [scales, #96]
    fmla    v16.4s, v26.4s, v13.4s
    fmla    v17.4s, v27.4s, v13.4s
    // the same for the second panel: v18, v19; v20 - v23
    .if last_rows > 2
    ldr     q19, [scales, #80]
    ldr     q22, [scales, #112]
    .endif
    fmla    v20.4s, v8.4s, v18.4s
    if_more last_rows, 2, ldr q23, [scales, #112]
    fmla    v21.4s, v9.4s, v18.4s
    add     x1, x1, #LHS_BLOCK
    add     x2, x2, #LHS_BLOCK
    .if last_rows > 2
    fmla    v22.4s, v10.4s, v19.4s
    fmla    v23.4s, v11.4s, v19.4s
    .endif
    add     scales, scales, #2 * 64
    accumulate 4, 0, 1, 2, 3, 14, 15, 16, 17, 28, 29, 28, 29
    accumulate last_rows, 4, 5, 6, 7, 20, 21, 22, 23, 28, 29, 28, 29
    .endif
.endm

// RHS_A = scales of the columns; v28, v26 = scales of rows 01, 23.
.macro few_fields
    few_load_f16
.endm
.macro few_fields_3
    few_load_pairs 28, 26, scales, 0
    few_widen_f16 RHS_A
.endm
.macro few_spread_half half, d0, d1, d2, d3
    dup     v\d0\().2d, v16.d[\half]
    dup     v\d1\().2d, v17.d[\half]
    .if quads > 2
    dup     v\d2\().2d, v18.d[\half]
    dup     v\d3\().2d, v19.d[\half]
    .endif
.endm
// -C * scales of the rows: \r is where in `scales`.
.macro few_scratch r, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3, u0, u1, u2, u3, t0, t1, t2, t3
    load_all \t0, \t1, \t2, \t3, [scales, #\r]
.endm
.macro few_scratch_23 r, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3, u0, u1, u2, u3, t0, t1, t2, t3
    load_all \s0, \s1, \s2, \s3, [scales, #\r]
.endm
.macro few_scale r, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3, u0, u1, u2, u3, t0, t1, t2, t3
    shared_quads fmla, 4s, \t0, \t1, \t2, \t3, \s0, \s1, \s2, \s3, v\r\().4s
.endm
.macro few_scale_23 r, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3, u0, u1, u2, u3, t0, t1, t2, t3
    shared_quads fmla, 4s, \s0, \s1, \s2, \s3, \u0, \u1, \u2, \u3, v\r\().4s
.endm
.macro few_add r, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3, u0, u1, u2, u3, t0, t1, t2, t3
    op_quads fmla, 4s, \a0, \a1, \a2, \a3, \t0, \t1, \t2, \t3, LOW
.endm
.macro few_add_23 r, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3, u0, u1, u2, u3, t0, t1, t2, t3
    op_quads fmla, 4s, \b0, \b1, \b2, \b3, \s0, \s1, \s2, \s3, RHS_A
.endm
.macro few_accumulate
    each_pair few_scratch, 32, 48
    // LOW, RHS_A = scales of columns 01, 23
    few_spread_half 0, LOW
    few_spread_half 1, RHS_A
    each_pair few_scale, 28, 26
    each_pair few_scratch_23, 32, 48
    each_pair few_scale_23, 28, 26
    each_pair few_add
    each_pair few_add_23
    .if half == RHS_HALVES
    add     scales, scales, #64
    .endif
.endm

.macro tiles rhs
    smmla_tile_functions kai_tile_qsi8d32p4x8_\rhs\()4x8
    tile_function kai_tile_qsi8d32p4x8_\rhs\()4x8_16x4_neon_i8mm, 4
    smmla_few_functions kai_tile_qsi8d32p4x8_\rhs\()4x8
.endm

    each_format tiles
