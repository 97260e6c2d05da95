// f32 <- qsi8d32p x qsi4c32p with SDOT, blocks of 32: one row, 16 columns at a time.
//
//     acc[n] = fma(S, lhs_scale * rhs_scale, acc[n]),     S = sum over the block of lhs * rhs
//
// Sums arrive as 16 * S. They start at the bits of C = 1.5 * 2^19, where floats are 1/16 apart, so that they end as the
// float C + S: a subtraction replaces the conversion. Registers: matmul_int_neon_row.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 34    // f16 + 32 bytes
#define LHS_ELEMENTS 2
#define RHS_BLOCK 72    // 4 x (f16 + 16 bytes)
#define RHS_ELEMENTS 8
#include "kai/asm/asm.h"
#include "kai/asm/matmul_int_neon_row.inc"

.macro row_head
.endm

.macro load_row_scale
    ldr     h23, [lhs], #LHS_BLOCK
.endm

// v24 - v27 = rhs scales
.macro load_scales
    ldr     d24, [x1], #RHS_BLOCK
    ldr     d25, [x2], #RHS_BLOCK
    ldr     d26, [x3], #RHS_BLOCK
    ldr     d27, [x4], #RHS_BLOCK
    fcvtl   v24.4s, v24.4h
    fcvtl   v25.4s, v25.4h
    fcvtl   v26.4s, v26.4h
    fcvtl   v27.4s, v27.4h
    fcvt    s23, h23
.endm

// v24 - v27 = rhs scales * lhs scale
.macro multiply_scales
    fmul    v24.4s, v24.4s, v23.s[0]
    fmul    v25.4s, v25.4s, v23.s[0]
    fmul    v26.4s, v26.4s, v23.s[0]
    fmul    v27.4s, v27.4s, v23.s[0]
.endm

.macro row_bias
.endm

    row_function kai_row_qsi8d32p1x4_qsi4c32p4x4_1x16_neon_dotprod, block_x4
    row_function kai_row_qsi8d32p1x8_qsi4c32p4x8_1x16_neon_dotprod, block_x8
