// f32 <- qsi8d32p x qsi4c32p, qsi8c32p, qlu4c32p or qlu4c16p with SDOT, blocks of 32: one row (RowFn), 16 columns at a
// time.
//
//     int4: sum[n] = fma(S, lhs_scale * rhs_scale, sum[n]),     S = sum over the block of lhs * rhs
//     int8, indices: sum[n] = fma(S * lhs_scale, rhs_scale, sum[n])
//
// S starts at the bits of C, so that it ends as the float C + S: a subtraction replaces the conversion. int4: S comes
// as 16 * S, and C is 1.5 * 2^19; else it is 1.5 * 2^23.
//
//   Registers, and those of int_neon_row.inc: SUMS_A (groups of 8 k: and SUMS_B) is S, SUMS_F is sum
//   x5, x15     blocks, blocks to go
//   x9 - x12    quad_0 ...   elements of the block, a quad each; after them scales of the next one
//   x13         row          the same of the row
//   v12         C
//   v13                      table of the indices, which is before the first panel's blocks
//   v24 - v27   RHS_C        after the products: scales of the columns
//   v28                      lane 0: that of the row
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 34    // f16 + 32 bytes
#define LHS_ELEMENTS 2
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_row.inc"

reg C, 12

// Constants of a format. bits: 4 (qsi4c32p) or 8 (qsi8c32p). table: 4 bits are indices (qlu4c32p, whose scales may be
// bf16). halves: and each half of a block has a scale (qlu4c16p). Scales, f16, are in front of the elements. START:
// upper half of the bits of C. BACK: from the elements to the scales; int8 is at the next elements already.
.macro format bits, table=0, halves=0
    .set    RHS_BITS, \bits
    .set    RHS_TABLE, \table
    .set    RHS_HALVES, \halves
    .set    RHS_ELEMENTS, 8 + 8 * \halves          // 4 x f16, with halves twice
    .set    RHS_BLOCK, RHS_ELEMENTS + 16 * \bits   // and 4 x 16 or 32 bytes
    .set    BACK, RHS_BLOCK + (\bits / 8) * RHS_ELEMENTS
    .set    START, 0x4b40
    .if \bits == 4 && !\table
    .set    START, 0x4940
    .endif
.endm

// Results of `quads` quads. \fold: addp or none, \group: x4 or x8.
.macro blocks_of_32_quads fold, group
    next_quads 4, 0
    mov     x15, x5
    zero_quads SUMS_F
    add     row, row, #LHS_ELEMENTS
    advance_quads RHS_ELEMENTS
    cbz     x15, 6f
5:
    .if RHS_HALVES
    half_of_block 0, \fold, \group
    subs    x15, x15, #1
    half_of_block 1, \fold, \group
    .else
    whole_block \fold, \group
    .endif
    b.ne    5b
6:
    .if RHS_TABLE
    clamp_and_store f32, SUMS_F
    .else
    clamp_and_store f32_or_f16, SUMS_F
    .endif
.endm

// Half \half_ of a block of indices: SUMS_F += the sums, scaled; `half` tells macros. Keeps the flags.
.macro half_of_block half_, fold, group
    .set    half, \half_
    mov     w8, #START << 16
    start_quads \fold, SUMS_A
    start_second_quads \fold
    half_\group\()_step \half_
    load_half_scales
    add_scaled \fold
.endm

// Indices: 16 k of half a block of 32, which have the low or the high nibbles of four vectors of a quad.
.macro half_of_quads half, offset, r
    load_quads \r, \offset
    decode_quads \half, \r
.endm
// SUMS_A += half a block of indices, groups of 4 k. Changes RHS_A - RHS_C, v28.
.macro half_x4_step half
    ldr     q28, [row, #16 * \half]
    half_of_quads \half, 0, RHS_A
    half_of_quads \half, 16, RHS_B
    sdot_quads SUMS_A, RHS_A, v28.4b[0]
    half_of_quads \half, 32, RHS_C
    sdot_quads SUMS_A, RHS_B, v28.4b[1]
    half_of_quads \half, 48, RHS_A
    sdot_quads SUMS_A, RHS_C, v28.4b[2]
    sdot_quads SUMS_A, RHS_A, v28.4b[3]
.endm
// As half_x4_step, groups of 8 k: SUMS_A, SUMS_B. Changes RHS_A - RHS_C, v28, v30, x8, x17.
.macro half_x8_step half
    ldp     x8, x17, [row, #16 * \half]
    half_of_quads \half, 0, RHS_A
    dup     v28.2d, x8
    dup     v30.2d, x17
    half_of_quads \half, 16, RHS_B
    sdot_quads SUMS_A, RHS_A, v28.16b
    half_of_quads \half, 32, RHS_C
    sdot_quads SUMS_B, RHS_B, v28.16b
    half_of_quads \half, 48, RHS_A
    sdot_quads SUMS_A, RHS_C, v30.16b
    sdot_quads SUMS_B, RHS_A, v30.16b
.endm

// SUMS_F += the sums of a block, scaled. Sets the flags: subs x15. Changes SUMS_A, SUMS_B, RHS_A - RHS_C, x8, x17.
.macro whole_block fold, group
    mov     w8, #START << 16
    .if RHS_BITS == 4
    load_quads_01 RHS_A, 0
    start_quads \fold, SUMS_A
    load_quads_23 RHS_A, 0
    start_second_quads \fold
    load_quads RHS_B, 16
    int4_low RHS_A
    int4_\group\()_step 0, 0, 16, 32, 48, 64
    .else
    start_quads \fold, SUMS_A
    start_second_quads \fold
    .ifc \fold, none
    int8_x4_steps RHS_BLOCK, SUMS_A
    .else
    int8_x8_step 0, RHS_BLOCK
    .endif
    .endif
    subs    x15, x15, #1
    load_scales
    add_scaled \fold
.endm

// ---- After the products

// RHS_C = scales of the columns; v28 = that of the row, int4: times which they are. Of indices, bf16 if x7 is not 0.
// row and quads move on to the next elements.
.macro load_scales
    ldur    h28, [row, #-LHS_BLOCK]
    add     row, row, #LHS_ELEMENTS
    each_scale load_scale, -BACK
    .if RHS_BITS == 4
    advance_quads RHS_ELEMENTS
    .endif
    fcvt    s28, h28
    .if RHS_TABLE
    cbnz    x7, 8f
    .endif
    each_scale widen_f16
    .if RHS_TABLE
    b       9f
8:
    each_scale widen_bf16
9:
    .elseif RHS_BITS == 4
    shared_quads fmul, 4s, RHS_C, RHS_C, v28.s[0]
    .endif
.endm
// The same for half a block: its own scales. The second half moves row and quads on.
.macro load_half_scales
    ldur    h28, [row, #-LHS_ELEMENTS]
    each_scale load_scale, (-RHS_ELEMENTS + 8 * half)
    .if half == 1
    add     row, row, #LHS_BLOCK
    advance_quads RHS_BLOCK
    .endif
    fcvt    s28, h28
    each_scale widen_f16
.endm

// \do the scales of each quad: its number.
.macro each_scale do, at
    \do     0, \at
    .if quads == 4
    \do     1, \at
    \do     2, \at
    \do     3, \at
    .endif
.endm
.macro load_scale q, at
    ldur    dRHS_C_\q, [quad_\q, #\at]
.endm
.macro widen_f16 q, at
    fcvtl   RHS_C_\q\().4s, RHS_C_\q\().4h
.endm
.macro widen_bf16 q, at
    shll    RHS_C_\q\().4s, RHS_C_\q\().4h, #16
.endm

// SUMS_F += the sums of a block times RHS_C, int8 and indices after the scale of the row. Keeps the flags.
.macro add_scaled fold
    fold_quads \fold
    shared_quads fsub, 4s, SUMS_A, SUMS_A, C.4s
    .if RHS_BITS == 8 || RHS_TABLE
    shared_quads fmul, 4s, SUMS_A, SUMS_A, v28.s[0]
    .endif
    op_quads fmla, 4s, SUMS_F, SUMS_A, RHS_C
.endm

// ---- Functions

// A function (RowFn). \fold: addp or none, \group: x4 or x8.
.macro row_function name, fold, group
func \name\()_neon_dotprod, hidden
    frame   d8-d15
    .if RHS_TABLE
    ldur    q13, [x1, #-16]
    .endif
    mov     w8, #START << 16
    dup     C.4s, w8
    int4_constants
    each_16_columns 4, blocks_of_32_quads \fold, \group
    return
endfunc
.endm

// The functions of a format.
.macro rows_of rhs, bits, table=0, halves=0
    format  \bits, \table, \halves
    row_function kai_row_qsi8d32p1x4_\rhs\()4x4, none, x4
    row_function kai_row_qsi8d32p1x8_\rhs\()4x8, addp, x8
.endm

    rows_of qsi4c32p, 4
    rows_of qsi8c32p, 8
    rows_of qlu4c32p, 4, 1
    rows_of qlu4c16p, 4, 1, 1
