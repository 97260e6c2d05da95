// f32 and f16 <- qsi8d32p x qai4c32p with SDOT, blocks of 32: one row (RowFn), 16 columns at a time.
//
//     sum[n] = fma(rhs_zero, lhs_sum, sum[n])
//     sum[n] = fma(S, lhs_scale * rhs_scale, sum[n]),     S = sum over the block of lhs * rhs
//
// S comes as 16 * S, which the packed rhs_scale / 16 expects. It starts at the bits of C = 1.5 * 2^23, so that it ends
// as the float C + 16 * S: a subtraction replaces the conversion.
//
//   Registers, and those of int_neon_row.inc: SUMS_A (groups of 8 k: and SUMS_B) is S, SUMS_F is sum
//   x5, x15     blocks, blocks to go
//   x9 - x12    quad_0 ...   elements, then fields of the block, a quad each
//   x13         row          the same of the row
//   v12         C
//   v13         row_fields   after the products: lhs_sum, lhs_scale
//   v16 - v19   RHS_A        zeros of the columns; at the end the bias
//   v24 - v27   RHS_C        their scales
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_FIELDS 8    // after 32 bytes: 2 x f32
#define RHS_FIELDS 32   // after 4 x 16 bytes: 4 x 2 x f32
#define START 0x4b40    // upper half of the bits of C
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_row.inc"

reg C, 12
reg row_fields, 13
    .set    RHS_TABLE, 0

// Results of `quads` quads. \fold: addp or none, \group: x4 or x8.
.macro blocks_of_32_quads fold, group
    next_quads 4, 0
    mov     x15, x5
    zero_quads SUMS_F
    cbz     x15, 6f
5:  // a block
    mov     w8, #START << 16
    load_quads_01 RHS_A, 0
    start_quads \fold, SUMS_A
    load_quads_23 RHS_A, 0
    start_second_quads \fold
    load_quads RHS_B, 16
    int4_low RHS_A
    int4_\group\()_step 0, 0, 16, 32, 48, 64
    subs    x15, x15, #1
    ldr     drow_fields, [row], #LHS_FIELDS
    load_quads RHS_A, 0
    load_quads RHS_C, 16
    shared_quads fmla, 4s, SUMS_F, RHS_A, row_fields.s[0]
    shared_quads fmul, 4s, RHS_C, RHS_C, row_fields.s[1]
    advance_quads RHS_FIELDS
    fold_quads \fold
    shared_quads fsub, 4s, SUMS_A, SUMS_A, C.4s
    op_quads fmla, 4s, SUMS_F, SUMS_A, RHS_C
    b.ne    5b
6:
    load_quads RHS_A, 0             // the bias follows the last block
    op_quads fadd, 4s, SUMS_F, SUMS_F, RHS_A
    clamp_and_store f32_or_f16, SUMS_F
.endm

// A function (RowFn). \fold: addp or none, \group: x4 or x8.
.macro row_function name, fold, group
func \name\()_neon_dotprod, hidden
    frame   d8-d15
    mov     w8, #START << 16
    dup     C.4s, w8
    int4_constants
    each_16_columns 4, blocks_of_32_quads \fold, \group
    return
endfunc
.endm

    row_function kai_row_qsi8d32p1x4_qai4c32p4x4, none, x4
    row_function kai_row_qsi8d32p1x8_qai4c32p4x8, addp, x8
