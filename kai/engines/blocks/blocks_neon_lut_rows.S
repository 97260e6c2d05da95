// f32 <- qsi8d32p x qlu4c32p with LUTI4 and SDOT, blocks of 32, groups of 8 k: one row (RowFn), 16 columns at a time.
// Formula and bits: blocks_neon_dotprod_symmetric_rows.S, whose C + S - C is exact, too.
//
// For 32 k of 4 columns that is 8 LUTI4 and 8 SDOT, and 3 ADDP join the lanes. (TBL needs an AND or a USHR before each
// of 8, and 1 ADDP.)
//
//   Registers, and those of int_neon_row.inc, int_neon_lut.inc: SUMS_F is sum
//   blocks, blocks_left      x5, x15    and to go
//   is_bf16                  x7         what the scales are
//   v2          row_scale    after the products
//   v4 - v7     SCALE        after the products: scales of the columns
//   v13         the table, which is before the first panel's blocks
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_row.inc"
#define LUT_TABLE 13
#define LUT_ZERO 0
#include "kai/engines/int_neon/int_neon_lut.inc"

#define LHS_BLOCK 34    // f16 + 32 bytes
#define LHS_ELEMENTS 2
#define RHS_BLOCK 72    // 4 x 16 bits + 64 bytes
#define RHS_ELEMENTS 8

blocks      .req x5
is_bf16     .req x7
blocks_left .req x15
reg row_scale, 2
regs 4, SCALE_0, SCALE_1, SCALE_2, SCALE_3

.macro load_scale q, rest:vararg
    ldr     dSCALE_\q, [quad_\q, #-RHS_ELEMENTS]
.endm
.macro widen_f16 q, rest:vararg
    fcvtl   SCALE_\q\().4s, SCALE_\q\().4h
.endm
.macro widen_bf16 q, rest:vararg
    shll    SCALE_\q\().4s, SCALE_\q\().4h, #16
.endm

// SUMS_F += a block.
.macro add_block
    luti4_32k row
    ldr     h2, [row, #-LHS_ELEMENTS]           // row_scale
    add     row, row, #LHS_BLOCK
    each_quad load_scale
    advance_quads #RHS_BLOCK
    fcvt    s2, h2
    cbnz    is_bf16, 8f
    each_quad widen_f16
    b       9f
8:
    each_quad widen_bf16
9:
    scvtf_quads COLUMN_0
    shared_quads fmul, 4s, COLUMN_0, COLUMN_0, row_scale.s[0]
    op_quads fmla, 4s, SUMS_F, COLUMN_0, SCALE
.endm

// Results of `quads` quads.
.macro blocks_of_32_quads
    next_quads 4, 0
    mov     blocks_left, blocks
    zero_quads SUMS_F
    add     row, row, #LHS_ELEMENTS
    advance_quads #RHS_ELEMENTS
    cbz     blocks_left, 6f
5:
    add_block
    subs    blocks_left, blocks_left, #1
    b.ne    5b
6:
    clamp_and_store f32, SUMS_F
.endm

// A RowFn. Scales of the columns: f16, bf16 if x7 is not 0.
func kai_row_qsi8d32p1x8_qlu4c32p4x8_neon_lut, hidden
    frame   d8-d15, space=32
    stp     xzr, xzr, [sp, #LUT_ZERO]
    stp     xzr, xzr, [sp, #LUT_ZERO + 16]
    ldur    q13, [x1, #-16]
    each_16_columns 4, blocks_of_32_quads
    return
endfunc
