// f32 and f16 <- qsi8d32p x qai4c32p with SDOT, blocks of 32: one row, 16 columns at a time.
//
//     sum[n] = fma(rhs_zero, lhs_sum, sum[n])
//     sum[n] = fma(S, lhs_scale * rhs_scale, sum[n]),     S = sum over the block of lhs * rhs
//
// The sums are 16 * S, which the packed rhs_scale / 16 expects; they start at the bits of C = 1.5 * 2^23. Registers:
// blocks_neon_dotprod_row.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_FIELDS 8    // after 32 bytes: 2 x f32
#define RHS_FIELDS 32   // after 4 x 16 bytes: 4 x 2 x f32
#define START 0x4b40
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_neon_dotprod_row.inc"

.macro first_elements
.endm

// RHS_A = zeros of the columns, v13 = sum, scale of the row.
.macro block_scales
    ldr     d13, [x13], #LHS_FIELDS
    load_quads RHS_A, 0
    load_quads RHS_C, 16
    shared_quads fmla, 4s, SUMS_F, RHS_A, v13.s[0]
    shared_quads fmul, 4s, RHS_C, RHS_C, v13.s[1]
    advance_quads RHS_FIELDS
.endm

// The bias follows the last block.
.macro finish_row
    load_quads RHS_A, 0
    op_quads fadd, 4s, SUMS_F, SUMS_F, RHS_A
.endm

    blocks_of_32_function kai_row_qsi8d32p1x4_qai4c32p4x4, none, x4
    blocks_of_32_function kai_row_qsi8d32p1x8_qai4c32p4x8, addp, x8
