// f32 <- qsi8d256p x qlu4c32x256p with LUTI4 and SDOT, groups of 8 k: one row (SuperRowFn), 16 columns at a time.
// Formula and bits: superblocks_neon_dotprod_rows.S.
//
// Operations for 32 k of 4 columns: 8 LUTI4, 8 SDOT, 3 ADDP, 2 SXTL, MLA. (TBL needs an AND or a USHR before each of 8,
// and 1 ADDP.)
//
//   Registers, and those of superblocks_neon_row.inc, int_neon_lut.inc. Sets have a register for each of the four quads
//   v2 - v5     SCALE          after the products of a sub-block: its scales; at the end of a super-block d
//   v6 - v9     SUMS_I         integer sums of the super-block: I
//   v10 - v13   SUMS_F         f32 sums: acc
//   v14         table
//   v15         lhs_scale
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod

// On the stack.
#define LO 0
#define HI 16
#define ZERO 32        // twice
#define OF_BITS 64

#include "kai/engines/superblocks/superblocks_neon_row.inc"
#define LUT_TABLE 14
#define LUT_ZERO ZERO
#include "kai/engines/int_neon/int_neon_lut.inc"

regs 0, lowest, highest
regs 2, SCALE_0, SCALE_1, SCALE_2, SCALE_3
regs 6, SUMS_I_0, SUMS_I_1, SUMS_I_2, SUMS_I_3
regs 10, SUMS_F_0, SUMS_F_1, SUMS_F_2, SUMS_F_3
regs 14, table, lhs_scale
sSCALE_0 .req s2
sSCALE_1 .req s3
sSCALE_2 .req s4
sSCALE_3 .req s5

.macro clear_super q, rest:vararg
    ldr     qSUMS_I_\q, [sp, #ZERO]
.endm

// The scales of a sub-block, int8, as words. The quad moves on.
.macro load_4_scales q, rest:vararg
    ldr     sSCALE_\q, [quad_\q, x13]
    add     quad_\q, quad_\q, #RHS_BITS * SUB / 2
.endm
.macro widen_4_scales q, rest:vararg
    sxtl    SCALE_\q\().8h, SCALE_\q\().8b
    sxtl    SCALE_\q\().4s, SCALE_\q\().4h
.endm

// SUMS_I += scaled sums of the next sub-block. Flags: subs x14.
.macro add_sub_blocks
    luti4_32k x15
    add     x15, x15, #ROW_K
    each_quad load_4_scales
    add     x13, x13, #(4 * ROW_K / SUB) - RHS_BITS * ROW_K / 2
    each_quad widen_4_scales
    subs    x14, x14, #1
    op_quads mla, 4s, SUMS_I, COLUMN_0, SCALE
.endm

// I as a float, and d of the quad, which moves on to the next super-block. Changes x16.
.macro float_sums q, rest:vararg
    sub     x16, quad_\q, #RHS_BLOCK
    ldr     dSCALE_\q, [x16, #RHS_D]
    add     quad_\q, quad_\q, #RHS_QUANTS
    to_float SUMS_I_\q
    fcvtl   SCALE_\q\().4s, SCALE_\q\().4h
.endm

// SUMS_F += the super-block.
.macro add_super_block
    sub     x16, x15, #LHS_BLOCK(1)
    ldr     s15, [x16]                          // lhs_scale
    each_quad float_sums
    op_quads fmul, 4s, SUMS_I, SUMS_I, SCALE
    shared_quads fmla, 4s, SUMS_F, SUMS_I, lhs_scale.s[0]
.endm

.macro constants
.endm

    row_function kai_row_qsi8d256p1x8_qlu4c32x256p4x8_neon_lut, 4, 1
