// f32 <- qsi8d32p x qsi4c32p with SDOT, blocks of 32: one row, 16 columns at a time.
//
//     sum[n] = fma(S, lhs_scale * rhs_scale, sum[n]),     S = sum over the block of lhs * rhs
//
// The sums are 16 * S; they start at the bits of C = 1.5 * 2^19. Registers: int_neon_row.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 34    // f16 + 32 bytes
#define LHS_ELEMENTS 2
#define RHS_BLOCK 72    // 4 x (f16 + 16 bytes)
#define RHS_ELEMENTS 8
#define START 0x4940
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_row.inc"

.macro first_elements
    add     x13, x13, #LHS_ELEMENTS
    advance_quads RHS_ELEMENTS
.endm

// f16 scales of the columns, v13 = that of the row.
.macro block_scales
    ldur    h13, [x13, #-LHS_BLOCK]
    add     x13, x13, #LHS_ELEMENTS
    ldur    d24, [x9, #-RHS_BLOCK]
    .if quads == 4
    ldur    d25, [x10, #-RHS_BLOCK]
    ldur    d26, [x11, #-RHS_BLOCK]
    ldur    d27, [x12, #-RHS_BLOCK]
    .endif
    advance_quads RHS_ELEMENTS
    fcvt    s13, h13
    fcvtl   v24.4s, v24.4h
    .if quads == 4
    fcvtl   v25.4s, v25.4h
    fcvtl   v26.4s, v26.4h
    fcvtl   v27.4s, v27.4h
    .endif
    shared_quads fmul, 4s, RHS_C, RHS_C, v13.s[0]
.endm

.macro finish_row
.endm

    blocks_of_32_function kai_row_qsi8d32p1x4_qsi4c32p4x4, none, x4
    blocks_of_32_function kai_row_qsi8d32p1x8_qsi4c32p4x8, addp, x8
