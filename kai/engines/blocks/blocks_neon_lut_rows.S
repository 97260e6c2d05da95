// f32 <- qsi8d32p x qlu4c32p with LUTI4 and SDOT, blocks of 32, groups of 8 k: one row (RowFn), 16 columns at a time.
// Formula and bits: blocks_neon_dotprod_symmetric_rows.S, whose C + S - C is exact, too.
//
// LUTI4 takes the 8 bytes of a column as they are, 16 nibbles: the low and the high one of a byte in turn, which are
// 16 k apart. So the row is interleaved alike, and a column has a sum of its own in four lanes:
//
//     bytes of a column    k 0 | 16    1 | 17   ...   7 | 23
//     LUTI4                k 0, 16, 1, 17, ..., 7, 23
//     ZIP1 of the row      k 0, 16, 1, 17, ..., 7, 23          ZIP2: 8, 24, ..., 15, 31
//
// For 32 k of 4 columns that is 8 LUTI4 and 8 SDOT, and 3 ADDP join the lanes. (TBL needs an AND or a USHR before each
// of 8, and 1 ADDP.)
//
//   Registers, and those of int_neon_row.inc: SUMS_F is sum
//   x5, x15     blocks, blocks to go
//   v0, v1      row_low, row_high    the row, k 0-7 and 8-15 with those 16 further on
//   v2, v3      two pairs of columns; after the products scales of the columns
//   v4 - v7     what they select
//   v13         the table, which is before the first panel's blocks
//   v16 - v31   COLUMN_0 - COLUMN_3: sums of a column of each quad
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/lut.inc"
#include "kai/engines/int_neon/int_neon_row.inc"

#define LHS_BLOCK 34    // f16 + 32 bytes
#define LHS_ELEMENTS 2
#define RHS_BLOCK 72    // 4 x 16 bits + 64 bytes
#define RHS_ELEMENTS 8

reg row_low, 0
reg row_high, 1
regs 4, SCALE_0, SCALE_1, SCALE_2, SCALE_3
regs 16, COLUMN_0_0, COLUMN_0_1, COLUMN_0_2, COLUMN_0_3
regs 20, COLUMN_1_0, COLUMN_1_1, COLUMN_1_2, COLUMN_1_3
regs 24, COLUMN_2_0, COLUMN_2_1, COLUMN_2_2, COLUMN_2_3
regs 28, COLUMN_3_0, COLUMN_3_1, COLUMN_3_2, COLUMN_3_3

// \do quad: for each.
.macro each_quad do, rest:vararg
    \do     0, \rest
    if_more quads, 1, \do 1, \rest
    if_more quads, 2, \do 2, \rest
    if_more quads, 2, \do 3, \rest
.endm

// The columns of quad \q = 0.
.macro start_columns q, rest:vararg
    movi    COLUMN_0_\q\().2d, #0
    movi    COLUMN_1_\q\().2d, #0
    movi    COLUMN_2_\q\().2d, #0
    movi    COLUMN_3_\q\().2d, #0
.endm

// The columns of a quad += the products of 16 bytes of the row, \k, and what is \at bytes from here.
.macro add_products q, at, k
    ldp     q2, q3, [quad_\q, #\at]
    luti4_bytes 4, 13, 2, 0
    luti4_bytes 5, 13, 2, 1
    luti4_bytes 6, 13, 3, 0
    luti4_bytes 7, 13, 3, 1
    sdot    COLUMN_0_\q\().4s, v4.16b, \k\().16b
    sdot    COLUMN_1_\q\().4s, v5.16b, \k\().16b
    sdot    COLUMN_2_\q\().4s, v6.16b, \k\().16b
    sdot    COLUMN_3_\q\().4s, v7.16b, \k\().16b
.endm

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
    ldp     q2, q3, [row]
    zip1    row_low.16b, v2.16b, v3.16b
    zip2    row_high.16b, v2.16b, v3.16b
    each_quad start_columns
    each_quad add_products, 0, row_low
    each_quad add_products, 32, row_high
    op_quads addp, 4s, COLUMN_0, COLUMN_0, COLUMN_1
    op_quads addp, 4s, COLUMN_2, COLUMN_2, COLUMN_3
    op_quads addp, 4s, COLUMN_0, COLUMN_0, COLUMN_2

    ldr     h2, [row, #-LHS_ELEMENTS]
    add     row, row, #LHS_BLOCK
    each_quad load_scale
    advance_quads #RHS_BLOCK
    fcvt    s2, h2
    cbnz    x7, 8f
    each_quad widen_f16
    b       9f
8:
    each_quad widen_bf16
9:
    scvtf_quads COLUMN_0
    shared_quads fmul, 4s, COLUMN_0, COLUMN_0, v2.s[0]
    op_quads fmla, 4s, SUMS_F, COLUMN_0, SCALE
.endm

// Results of `quads` quads.
.macro blocks_of_32_quads
    next_quads 4, 0
    mov     x15, x5
    zero_quads SUMS_F
    add     row, row, #LHS_ELEMENTS
    advance_quads #RHS_ELEMENTS
    cbz     x15, 6f
5:
    add_block
    subs    x15, x15, #1
    b.ne    5b
6:
    clamp_and_store f32, SUMS_F
.endm

// A RowFn. Scales of the columns: f16, bf16 if x7 is not 0.
func kai_row_qsi8d32p1x8_qlu4c32p4x8_neon_lut, hidden
    frame   d8-d15
    ldur    q13, [x1, #-16]
    each_16_columns 4, blocks_of_32_quads
    return
endfunc
