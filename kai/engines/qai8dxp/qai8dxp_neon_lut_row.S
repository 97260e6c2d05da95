// f32 <- qai8dxp x qsu2cxp with LUTI2 and SDOT, groups of 4 k: one row, 16 columns at a time, then panel by panel
// (qai8dxp_neon_lut_row.cpp). Formula and bits: kai_row_int2_4x4_neon_dotprod in qai8dxp_neon_dotprod_row.S.
//
// A byte has four k of a column that are 4 apart, and LUTI2 takes 4 bytes of a column: 16 k, an array of 4 x 4 that is
// transposed. So is the row, by one TBL for all columns. For 16 k of 4 columns: 4 LUTI2, 4 SDOT. (TBL by nibbles: 6
// operations instead of 4.)
//
//   Registers, and those of int_neon_row.inc, int_neon_lut.inc
//   steps, steps_left   x5, x14    of 32 k; to go
//                       x6         the four weights, int32
//   v6                  transpose  indices
//   v7                  off_ls     offset and scale of the row, which follow it
//   v13                 table      the four weights, bytes
// After the last step, in the place of COLUMN_1 - COLUMN_3, fields of the quads:
//   v20 - v31           RSUM, RSCALE, BIAS
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_row.inc"
#define LUT_TABLE 13
#define LUT_ZERO 0
#include "kai/engines/int_neon/int_neon_lut.inc"

steps        .req x5
steps_left   .req x14
reg transpose, 6
reg off_ls, 7
reg table, 13
regs 20, RSUM_0, RSUM_1, RSUM_2, RSUM_3
regs 24, RSCALE_0, RSCALE_1, RSCALE_2, RSCALE_3
regs 28, BIAS_0, BIAS_1, BIAS_2, BIAS_3

// Changes x16, x17.
.macro constants
    stp     xzr, xzr, [sp, #LUT_ZERO]
    stp     xzr, xzr, [sp, #LUT_ZERO + 16]
    ldr     qtable, [x6]
    uzp1    table.8h, table.8h, table.8h
    uzp1    table.16b, table.16b, table.16b
    mov     x16, #0x0400                        // 0 4 8 12, 1 5 9 13
    movk    x16, #0x0C08, lsl #16
    movk    x16, #0x0501, lsl #32
    movk    x16, #0x0D09, lsl #48
    fmov    dtranspose, x16
    mov     x17, #0x0202020202020202            // 2 6 10 14, 3 7 11 15
    add     x16, x16, x17
    ins     transpose.d[1], x16
.endm

// COLUMN_0 - COLUMN_3 += 32 k. Quads and row move on.
.macro add_32k
    ldp     q2, q3, [row], #32
    tbl     row_low.16b, {v2.16b}, transpose.16b
    tbl     row_high.16b, {v3.16b}, transpose.16b
    each_quad luti2_columns, 0, row_low
    each_quad luti2_columns, 16, row_high
    advance_quads #32
.endm

// Results of `quads` quads.
.macro channel_quads
    next_quads 4, 0
    mov     steps_left, steps
    each_quad start_columns
    cbz     steps_left, 6f
5:
    add_32k
    subs    steps_left, steps_left, #1
    b.ne    5b
6:
    join_columns
    ldr     doff_ls, [row]
    load_quads RSUM, 0
    load_quads RSCALE, 16
    load_quads BIAS, 32
    shared_quads mla, 4s, COLUMN_0, RSUM, off_ls.s[0]
    shared_quads fmul, 4s, RSCALE, RSCALE, off_ls.s[1]
    scvtf_quads COLUMN_0
    op_quads fmul, 4s, COLUMN_0, COLUMN_0, RSCALE
    op_quads fadd, 4s, COLUMN_0, COLUMN_0, BIAS
    clamp_and_store f32, COLUMN_0
.endm

// Arguments: Int2RowFn.
func kai_row_int2_4x4_neon_lut, hidden
    frame   d12-d15, space=32
    constants
    each_16_columns 4, channel_quads
    return
endfunc
