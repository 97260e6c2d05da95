// f32 <- qsi8d32p x qai4c32p with SMMLA, blocks of 32: the K loop.
//
//     acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// A vector of sums or accumulators holds 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1; a panel has four of them: rows 01
// columns 01, rows 01 columns 23, rows 23 columns 01, rows 23 columns 23. Fields of columns and rows come in the same
// order; those of rows are made in advance (row_fields): sums of rows 01, 23, scales of rows 01, 23.
//
// The sums are 16 * S, which the packed rhs_scale / 16 expects. They start at the bits of C = 1.5 * 2^23, where
// floats are 1 apart, so that they end as the float C + 16 * S: a subtraction replaces the conversion.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/blocks/blocks_neon_qai4c32p.inc"

    with_smmla

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
    outer   fmla, 4, 0, 1, 2, 3, 26, 27, 24, 25
    start   24, 25, 26, 27
    smmla_24k 30, 31, x1
    smmla_8k_next 22, 23, 30, 31, scales, 32
    ldr     q4, [args, #TILE_ARGS_start]
    add     x1, x1, #LHS_BLOCK
    add     scales, scales, #64
    // v16 - v19 = products of scales; the sums lose C
    outer   fmul, 4, 16, 17, 18, 19, 28, 29, 30, 31
    lose_c  4, 24, 25, 26, 27, 4
    accumulate 4, 0, 1, 2, 3, 24, 25, 26, 27, 16, 17, 18, 19
.endm

.macro lose_c count, s0, s1, s2, s3, c
    fsub    v\s0\().4s, v\s0\().4s, v\c\().4s
    fsub    v\s1\().4s, v\s1\().4s, v\c\().4s
    .if \count > 2
    fsub    v\s2\().4s, v\s2\().4s, v\c\().4s
    fsub    v\s3\().4s, v\s3\().4s, v\c\().4s
    .endif
.endm

.macro tile_block_2
    smmla_load_2
    ldr     q30, [scales]
    ldr     q31, [scales, #16]
    ldr     q24, [scales, #64]
    ldr     q25, [scales, #80]
    outer   fmla, 4, 0, 1, 2, 3, 26, 27, 30, 31
    outer   fmla, last_rows, 4, 5, 6, 7, 26, 27, 24, 25
    smmla_24k_2
    smmla_8k_next 22, 23, 12, 13, scales, 32
    smmla_8k_last 8, 9, 10, 11, 22, 23, 14, 15, [scales, #96]
    ldr     q15, [scales, #112]
    ldr     q30, [args, #TILE_ARGS_start]
    // v16 - v19, v20 - v23 = products of scales; the sums lose C
    outer   fmul, 4, 16, 17, 18, 19, 28, 29, 12, 13
    lose_c  4, 24, 25, 26, 27, 30
    add     x1, x1, #LHS_BLOCK
    outer   fmul, last_rows, 20, 21, 22, 23, 28, 29, 14, 15
    add     x2, x2, #LHS_BLOCK
    lose_c  last_rows, 8, 9, 10, 11, 30
    add     scales, scales, #2 * 64
    accumulate 4, 0, 1, 2, 3, 24, 25, 26, 27, 16, 17, 18, 19
    accumulate last_rows, 4, 5, 6, 7, 8, 9, 10, 11, 20, 21, 22, 23
.endm

    smmla_tile_functions kai_tile_qsi8d32p4x8_qai4c32p4x8

// Fields of two columns of each quad, and then twice. Through general registers: no SIMD slot on most cores.
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

    smmla_few_functions kai_tile_qsi8d32p4x8_qai4c32p4x8
