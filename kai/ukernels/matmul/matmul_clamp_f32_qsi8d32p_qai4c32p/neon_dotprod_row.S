// f32 <- qsi8d32p x qai4c32p with SDOT, blocks of 32: one row, 16 columns at a time.
//
//     acc[n] = fma(rhs_zero, lhs_sum, acc[n])
//     acc[n] = fma(S, lhs_scale * rhs_scale, acc[n]),     S = sum over the block of lhs * rhs
//
// Sums arrive as 16 * S, which the packed rhs_scale / 16 expects. They start at the bits of C = 1.5 * 2^23, where floats
// are 1 apart, so that they end as the float C + 16 * S: a subtraction replaces the conversion. Registers:
// matmul_int_neon_row.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 40    // 32 bytes + 2 x f32
#define LHS_ELEMENTS 0
#define LHS_FIELDS 32
#define RHS_BLOCK 96    // 4 x (16 bytes + 2 x f32)
#define RHS_ELEMENTS 0
#define RHS_ZEROS 64
#define RHS_SCALES 80
#include "kai/asm/asm.h"
#include "kai/asm/matmul_int_neon_row.inc"

// acc += rhs zeros * lhs sum. v23 = lhs sum, lhs scale.
.macro row_head
    ldr     d23, [lhs, #LHS_FIELDS]
    ldr     q8, [x1, #RHS_ZEROS]
    ldr     q9, [x2, #RHS_ZEROS]
    ldr     q10, [x3, #RHS_ZEROS]
    ldr     q11, [x4, #RHS_ZEROS]
    fmla    v0.4s, v8.4s, v23.s[0]
    fmla    v1.4s, v9.4s, v23.s[0]
    fmla    v2.4s, v10.4s, v23.s[0]
    fmla    v3.4s, v11.4s, v23.s[0]
.endm

.macro load_row_scale
    add     lhs, lhs, #LHS_BLOCK
.endm

.macro load_scales
    ldr     q24, [x1, #RHS_SCALES]
    ldr     q25, [x2, #RHS_SCALES]
    ldr     q26, [x3, #RHS_SCALES]
    ldr     q27, [x4, #RHS_SCALES]
    add     x1, x1, #RHS_BLOCK
    add     x2, x2, #RHS_BLOCK
    add     x3, x3, #RHS_BLOCK
    add     x4, x4, #RHS_BLOCK
.endm

.macro multiply_scales
    fmul    v24.4s, v24.4s, v23.s[1]
    fmul    v25.4s, v25.4s, v23.s[1]
    fmul    v26.4s, v26.4s, v23.s[1]
    fmul    v27.4s, v27.4s, v23.s[1]
.endm

// The bias stands behind the last block.
.macro row_bias
    ldr     q8, [x1]
    ldr     q9, [x2]
    ldr     q10, [x3]
    ldr     q11, [x4]
    fadd    v0.4s, v0.4s, v8.4s
    fadd    v1.4s, v1.4s, v9.4s
    fadd    v2.4s, v2.4s, v10.4s
    fadd    v3.4s, v3.4s, v11.4s
.endm

    row_function kai_row_qsi8d32p1x4_qai4c32p4x4_1x16_neon_dotprod, block_x4
    row_function kai_row_qsi8d32p1x8_qai4c32p4x8_1x16_neon_dotprod, block_x8
