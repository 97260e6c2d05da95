// f32 <- qsi8d32p x qsi2c32p with LUTI2 and SDOT, blocks of any length, groups of 8 k: one row (RowFn), 16 columns at a
// time. Formula and bits: blocks_neon_dotprod_int2_rows.S.
//
// A byte has four k of a column that are 8 apart, and LUTI2 takes 4 bytes of a column, k 0 to 3 or 4 to 7 of them. So
// the 32 k of the row, an array of 4 x 8, are transposed. The table has the weights themselves, -1 to 2: S is one sum,
// where AND leaves fields in place, which need three and the sum of the row.
//
//   Registers, and those of int_neon_row.inc, int_neon_lut.inc: SUMS_F is sums
//   blocks, blocks_left      x5, x15    and to go
//   steps, steps_left        x6, x14    of 32 k of a block (comes as k); to go
//   to_scale, to_scales      x16, x17   from the end of the elements of a block to the scale of the row, of a quad
//   v2 - v5                  SCALE      at the end of a block: scales of the columns
//   v6, v7                              packed: columns 0 1, columns 2 3; at the end v6 row_scale
//   v13                      table
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_row.inc"
#define LUT_TABLE 13
#define LUT_ZERO 0
#include "kai/engines/int_neon/int_neon_lut.inc"

#define LHS_SCALE 2     // f16
#define RHS_SCALES 8    // 4 x f16

blocks      .req x5
steps       .req x6
steps_left  .req x14
blocks_left .req x15
to_scale    .req x16
to_scales   .req x17
regs 2, SCALE_0, SCALE_1, SCALE_2, SCALE_3
reg row_scale, 6
reg table, 13

// The columns of quad \q += 32 k.
.macro add_quad q, rest:vararg
    ldp     q6, q7, [quad_\q], #32
    luti2_bytes 2, LUT_TABLE, 6, 0
    luti2_bytes 3, LUT_TABLE, 6, 2
    luti2_bytes 4, LUT_TABLE, 7, 0
    luti2_bytes 5, LUT_TABLE, 7, 2
    dot_columns \q, row_low
    luti2_bytes 2, LUT_TABLE, 6, 1
    luti2_bytes 3, LUT_TABLE, 6, 3
    luti2_bytes 4, LUT_TABLE, 7, 1
    luti2_bytes 5, LUT_TABLE, 7, 3
    dot_columns \q, row_high
.endm

// COLUMN_0 - COLUMN_3 += 32 k.
.macro add_32k
    ldp     q4, q5, [row], #32
    zip1    v2.16b, v4.16b, v5.16b
    zip2    v3.16b, v4.16b, v5.16b
    zip1    row_low.16b, v2.16b, v3.16b
    zip2    row_high.16b, v2.16b, v3.16b
    each_quad add_quad
.endm

.macro load_scale q, rest:vararg
    ldr     dSCALE_\q, [quad_\q, to_scales]
    add     quad_\q, quad_\q, #RHS_SCALES
    fcvtl   SCALE_\q\().4s, SCALE_\q\().4h
.endm

// SUMS_F += a block.
.macro add_block
    mov     steps_left, steps
    each_quad start_columns
4:
    add_32k
    subs    steps_left, steps_left, #1
    b.ne    4b
    join_columns
    ldr     h6, [row, to_scale]                 // row_scale
    add     row, row, #LHS_SCALE
    each_quad load_scale
    fcvt    s6, h6
    scvtf_quads COLUMN_0
    shared_quads fmul, 4s, SCALE, SCALE, row_scale.s[0]
    op_quads fmla, 4s, SUMS_F, COLUMN_0, SCALE
.endm

// Results of `quads` quads.
.macro int2_quads
    next_quads 4, 0
    mov     blocks_left, blocks
    zero_quads SUMS_F
    add     row, row, #LHS_SCALE
    advance_quads #RHS_SCALES
    cbz     blocks_left, 6f
5:
    add_block
    subs    blocks_left, blocks_left, #1
    b.ne    5b
6:
    clamp_and_store f32, SUMS_F
.endm

func kai_row_qsi8d32p1x8_qsi2c32p4x8_neon_lut, hidden
    frame   d8-d15, space=32
    stp     xzr, xzr, [sp, #LUT_ZERO]
    stp     xzr, xzr, [sp, #LUT_ZERO + 16]
    neg     to_scale, x6                        // of bl
    sub     to_scales, to_scale, #RHS_SCALES
    sub     to_scale, to_scale, #LHS_SCALE
    lsr     steps, x6, #5
    mov     w8, #0x00FF                         // -1, 0, 1, 2
    movk    w8, #0x0201, lsl #16
    fmov    s13, w8                             // table
    each_16_columns 4, int2_quads
    return
endfunc
