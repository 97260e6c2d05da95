// f32 <- qsi8d32p x qai4c32p with SMMLA, blocks of 32: the K loop.
//
//     acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// A vector of sums or accumulators holds 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1; a panel has four of them: rows 01
// columns 01, rows 01 columns 23, rows 23 columns 01, rows 23 columns 23. Fields of columns and rows come in the same
// order; those of rows are made in advance (MmlaTiles::row_scales): sums of rows 01, 23, scales of rows 01, 23.
//
// Sums arrive as 16 * S, which the packed rhs_scale / 16 expects. They start at the bits of C = 1.5 * 2^23, where floats
// are 1 apart, so that they end as the float C + 16 * S: a subtraction replaces the conversion.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#define LHS_BLOCK 160      // 4 x (32 bytes + 2 x f32)
#define LHS_ELEMENTS 0
#define RHS_BLOCK 96       // 4 x (16 bytes + 2 x f32)
#define RHS_ELEMENTS 0
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_tile.inc"
#include "kai/engines/int_neon/int_neon_few.inc"

.macro tile_constants
.endm

// v16 - v23, v26, v27 = zeros of columns 01, 23, twice; v28, v29 = scales.
.macro tile_rhs
    ldr     q30, [args, #TILE_ARGS_mask]
    tile_load_f32 27, 29
    tile_decode
    dup     v26.2d, v27.d[0]
    dup     v27.2d, v27.d[1]
    dup     v28.2d, v29.d[0]
    dup     v29.2d, v29.d[1]
.endm

.macro tile_block_1
    tile_rhs
    ldr     q24, [scales]
    ldr     q25, [scales, #16]
    ldr     q30, [x1]
    ldr     q31, [x1, #16]
    fmla    v0.4s, v26.4s, v24.4s
    fmla    v1.4s, v27.4s, v24.4s
    fmla    v2.4s, v26.4s, v25.4s
    fmla    v3.4s, v27.4s, v25.4s
    start   24, 25, 26, 27
    smmla_8k 24, 25, 26, 27, 16, 17, 30, 31, [x1, #32]
    ldr     q31, [x1, #48]
    smmla_8k 24, 25, 26, 27, 18, 19, 30, 31, [x1, #64]
    ldr     q31, [x1, #80]
    smmla_8k 24, 25, 26, 27, 20, 21, 30, 31, [x1, #96]
    ldr     q31, [x1, #112]
    smmla_8k 24, 25, 26, 27, 22, 23, 30, 31, [scales, #32]
    ldr     q31, [scales, #48]
    ldr     q4, [args, #TILE_ARGS_start]
    add     x1, x1, #LHS_BLOCK
    add     scales, scales, #64
    // v16 - v19 = products of scales; the sums lose C
    fmul    v16.4s, v30.4s, v28.4s
    fmul    v17.4s, v30.4s, v29.4s
    fmul    v18.4s, v31.4s, v28.4s
    fmul    v19.4s, v31.4s, v29.4s
    fsub    v24.4s, v24.4s, v4.4s
    fsub    v25.4s, v25.4s, v4.4s
    fsub    v26.4s, v26.4s, v4.4s
    fsub    v27.4s, v27.4s, v4.4s
    accumulate 4, 0, 1, 2, 3, 24, 25, 26, 27, 16, 17, 18, 19
.endm

// Two panels at once, for cores that issue in order: eight sums, so that none waits for itself.
.macro tile_block_2
    ldr     q12, [x1]
    ldr     q13, [x1, #16]
    tile_rhs
    ldr     q14, [x2]
    ldr     q15, [x2, #16]
    ldr     q30, [scales]
    ldr     q31, [scales, #16]
    ldr     q24, [scales, #64]
    ldr     q25, [scales, #80]
    fmla    v0.4s, v26.4s, v30.4s
    fmla    v1.4s, v27.4s, v30.4s
    fmla    v2.4s, v26.4s, v31.4s
    fmla    v3.4s, v27.4s, v31.4s
    fmla    v4.4s, v26.4s, v24.4s
    fmla    v5.4s, v27.4s, v24.4s
    .if last_rows > 2
    fmla    v6.4s, v26.4s, v25.4s
    fmla    v7.4s, v27.4s, v25.4s
    .endif
    start   24, 25, 26, 27
    start   8, 9
    .if last_rows > 2
    start   10, 11
    .endif
    smmla_8k 24, 25, 26, 27, 16, 17, 12, 13, [x1, #32]
    ldr     q13, [x1, #48]
    smmla_8k_last 8, 9, 10, 11, 16, 17, 14, 15, [x2, #32]
    ldr     q15, [x2, #48]
    smmla_8k 24, 25, 26, 27, 18, 19, 12, 13, [x1, #64]
    ldr     q13, [x1, #80]
    smmla_8k_last 8, 9, 10, 11, 18, 19, 14, 15, [x2, #64]
    ldr     q15, [x2, #80]
    smmla_8k 24, 25, 26, 27, 20, 21, 12, 13, [x1, #96]
    ldr     q13, [x1, #112]
    smmla_8k_last 8, 9, 10, 11, 20, 21, 14, 15, [x2, #96]
    ldr     q15, [x2, #112]
    smmla_8k 24, 25, 26, 27, 22, 23, 12, 13, [scales, #32]
    ldr     q13, [scales, #48]
    smmla_8k_last 8, 9, 10, 11, 22, 23, 14, 15, [scales, #96]
    ldr     q15, [scales, #112]
    ldr     q30, [args, #TILE_ARGS_start]
    // v16 - v19, v20 - v23 = products of scales; the sums lose C
    fmul    v16.4s, v12.4s, v28.4s
    fmul    v17.4s, v12.4s, v29.4s
    fmul    v18.4s, v13.4s, v28.4s
    fmul    v19.4s, v13.4s, v29.4s
    fsub    v24.4s, v24.4s, v30.4s
    fsub    v25.4s, v25.4s, v30.4s
    fsub    v26.4s, v26.4s, v30.4s
    fsub    v27.4s, v27.4s, v30.4s
    add     x1, x1, #LHS_BLOCK
    fmul    v20.4s, v14.4s, v28.4s
    fmul    v21.4s, v14.4s, v29.4s
    .if last_rows > 2
    fmul    v22.4s, v15.4s, v28.4s
    fmul    v23.4s, v15.4s, v29.4s
    .endif
    add     x2, x2, #LHS_BLOCK
    fsub    v8.4s, v8.4s, v30.4s
    fsub    v9.4s, v9.4s, v30.4s
    .if last_rows > 2
    fsub    v10.4s, v10.4s, v30.4s
    fsub    v11.4s, v11.4s, v30.4s
    .endif
    add     scales, scales, #2 * 64
    accumulate 4, 0, 1, 2, 3, 24, 25, 26, 27, 16, 17, 18, 19
    accumulate last_rows, 4, 5, 6, 7, 8, 9, 10, 11, 20, 21, 22, 23
.endm

    tile_function kai_tile_qsi8d32p4x8_qai4c32p4x8_4x4_neon_i8mm, 1
    tile_function kai_tile_qsi8d32p4x8_qai4c32p4x8_6x4_neon_i8mm, 2, 2
    tile_function kai_tile_qsi8d32p4x8_qai4c32p4x8_8x4_neon_i8mm, 2

    few_with_smmla

// Fields of two columns of each quad, and then twice. By way of general registers: no SIMD slot on most cores.
.macro few_columns offset
    ldr     x3, [x9, #\offset]
    ldr     x5, [x10, #\offset]
    .if quads > 2
    ldr     x16, [x11, #\offset]
    ldr     x17, [x12, #\offset]
    .endif
.endm
.macro few_twice f0, f1, f2, f3
    dup     v\f0\().2d, x3
    dup     v\f1\().2d, x5
    .if quads > 2
    dup     v\f2\().2d, x16
    dup     v\f3\().2d, x17
    .endif
.endm
// RHS_A, LOW = zeros of columns 01, 23; v28, v26 = sums of rows 01, 23.
.macro few_fields
    few_columns 64
.endm
.macro few_fields_3
    few_load_pairs 28, 26, scales, 0
    few_twice RHS_A
    few_columns 72
.endm
.macro few_zeros r, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3, u0, u1, u2, u3, t0, t1, t2, t3
    shared_quads fmla, 4s, \a0, \a1, \a2, \a3, RHS_A, v\r\().4s
    shared_quads fmla, 4s, \b0, \b1, \b2, \b3, LOW, v\r\().4s
.endm
.macro few_scale r, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3, u0, u1, u2, u3, t0, t1, t2, t3
    shared_quads fmul, 4s, \t0, \t1, \t2, \t3, RHS_A, v\r\().4s
.endm
.macro few_scale_23 r, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3, u0, u1, u2, u3, t0, t1, t2, t3
    shared_quads fmul, 4s, \s0, \s1, \s2, \s3, LOW, v\r\().4s
.endm
.macro few_sub r, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3, u0, u1, u2, u3, t0, t1, t2, t3
    shared_quads fsub, 4s, \s0, \s1, \s2, \s3, \s0, \s1, \s2, \s3, v31.4s
.endm
.macro few_sub_23 r, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3, u0, u1, u2, u3, t0, t1, t2, t3
    shared_quads fsub, 4s, \u0, \u1, \u2, \u3, \u0, \u1, \u2, \u3, v31.4s
.endm
.macro few_add r, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3, u0, u1, u2, u3, t0, t1, t2, t3
    op_quads fmla, 4s, \a0, \a1, \a2, \a3, \s0, \s1, \s2, \s3, \t0, \t1, \t2, \t3
.endm
.macro few_add_23 r, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3, u0, u1, u2, u3, t0, t1, t2, t3
    op_quads fmla, 4s, \b0, \b1, \b2, \b3, \u0, \u1, \u2, \u3, \s0, \s1, \s2, \s3
.endm
.macro few_accumulate
    few_twice LOW
    few_columns 80
    each_pair few_zeros, 28, 26
    few_twice RHS_A
    few_load_pairs 28, 26, scales, 32
    few_columns 88
    each_pair few_sub
    each_pair few_scale, 28, 26
    few_twice LOW
    each_pair few_add
    each_pair few_scale_23, 28, 26
    each_pair few_sub_23
    each_pair few_add_23
    add     scales, scales, #64
.endm

    few_function kai_tile_qsi8d32p4x8_qai4c32p4x8_2x16_neon_i8mm, 2, 4, 2
    few_function kai_tile_qsi8d32p4x8_qai4c32p4x8_4x8_neon_i8mm, 4, 2, 4
