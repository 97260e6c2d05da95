// f32 <- qsi8d32p x qau5c32p with SDOT, blocks of 32: one row (RowFn), 16 columns at a time.
//
//     sum[n] = fma(rhs_minimum, lhs_sum, sum[n])
//     sum[n] = fma(S, lhs_scale * rhs_scale, sum[n]),     S = sum over the block of lhs * rhs
//
// S starts at the bits of C = 1.5 * 2^23, where floats are 1 apart, so that it ends as the float C + S: a subtraction
// replaces the conversion. Quad after quad is decoded (five_bits.hpp) and multiplied; groups of 8 k: columns 0 0 1 1 in
// S_a, 2 2 3 3 in S_b.
//
//   Registers, and those of int_neon_row.inc: SUMS_F is sum
//   x5, x15     blocks, blocks to go
//   x9 - x12    quad_0 ...    the block, a quad each
//   x13         row           the same of the row
//   v0 - v3     S_a, S_b      S, quads in turn: Se_a, Se_b, So_a, So_b
//   v12         C
//   v13         row_fields    lhs_sum, lhs_scale
//   v16 - v23   B_0 - B_7     columns
//   v24, v25    packed_1, packed_3        packed; then minima, scales of the columns
//   v26         mask
//   v28 - v31   K_0 - K_3     the row: 16 k each; groups of 8 k: 8 k each, twice
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define ROW_FIELDS 32      // 2 x f32
#define RHS_BLOCK 96       // 4 x (20 bytes + 2 x f16)
#define START 0x4b40       // upper half of the bits of C
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_five_bits.inc"
#include "kai/engines/int_neon/int_neon_row.inc"

regs 0, Se_a, Se_b, So_a, So_b
reg C, 12
reg row_fields, 13
regs 16, B_0, B_1, B_2, B_3, B_4, B_5, B_6, B_7
regs 24, packed_1, packed_3, mask
regs 24, minima, columns
regs 28, K_0, K_1, K_2, K_3

// K = 32 k of the row, row_fields; row moves on.
.macro load_row group
    .if \group == 4
    ldp     qK_0, qK_1, [row]
    ldr     drow_fields, [row, #ROW_FIELDS]
    add     row, row, #(ROW_FIELDS + 8)
    .else
    ldr     drow_fields, [row, #ROW_FIELDS]
    ld1r    {K_0.2d}, [row], #8
    ld1r    {K_1.2d}, [row], #8
    ld1r    {K_2.2d}, [row], #8
    ld1r    {K_3.2d}, [row], #8
    add     row, row, #8
    .endif
.endm

// S_a (groups of 8 k: S_a and S_b), in set \s, += the row times B.
.macro multiply group, s
    .if \group == 4
    sdot    \s\()_a.4s, B_0.16b, K_0.4b[0]
    sdot    \s\()_a.4s, B_1.16b, K_0.4b[1]
    sdot    \s\()_a.4s, B_2.16b, K_0.4b[2]
    sdot    \s\()_a.4s, B_3.16b, K_0.4b[3]
    sdot    \s\()_a.4s, B_4.16b, K_1.4b[0]
    sdot    \s\()_a.4s, B_5.16b, K_1.4b[1]
    sdot    \s\()_a.4s, B_6.16b, K_1.4b[2]
    sdot    \s\()_a.4s, B_7.16b, K_1.4b[3]
    .else
    sdot    \s\()_a.4s, B_0.16b, K_0.16b
    sdot    \s\()_b.4s, B_1.16b, K_0.16b
    sdot    \s\()_a.4s, B_2.16b, K_1.16b
    sdot    \s\()_b.4s, B_3.16b, K_1.16b
    sdot    \s\()_a.4s, B_4.16b, K_2.16b
    sdot    \s\()_b.4s, B_5.16b, K_2.16b
    sdot    \s\()_a.4s, B_6.16b, K_3.16b
    sdot    \s\()_b.4s, B_7.16b, K_3.16b
    .endif
.endm

// sum of quad \q += its block; the quad moves on.
.macro add_quad q, group, s
    ldp     qB_5, qpacked_1, [quad_\q]
    ldp     qB_6, qpacked_3, [quad_\q, #32]
    ldr     qB_7, [quad_\q, #64]
    five_bits B_0, B_1, B_5, packed_1, mask
    five_bits B_2, B_3, B_6, packed_3, mask
    five_bits_last B_4, B_7, packed_1, packed_3, mask
    .if \group == 4
    dup     \s\()_a.4s, w8
    .else
    dup     \s\()_a.2d, x8
    dup     \s\()_b.2d, x8
    .endif
    ldr     qminima, [quad_\q, #80]
    add     quad_\q, quad_\q, #RHS_BLOCK
    multiply \group, \s
    fcvtl2  columns.4s, minima.8h
    fcvtl   minima.4s, minima.4h
    fmul    columns.4s, columns.4s, row_fields.s[1]
    fmla    SUMS_F_\q\().4s, minima.4s, row_fields.s[0]
    .if \group == 8
    addp    \s\()_a.4s, \s\()_a.4s, \s\()_b.4s
    .endif
    fsub    \s\()_a.4s, \s\()_a.4s, C.4s
    fmla    SUMS_F_\q\().4s, \s\()_a.4s, columns.4s
.endm

// Results of `quads` quads.
.macro blocks_of_32_quads group
    next_quads 4, 0
    mov     x15, x5
    zero_quads SUMS_F
    cbz     x15, 6f
5:  // a block
    load_row \group
    add_quad 0, \group, Se
    .if quads > 1
    add_quad 1, \group, So
    add_quad 2, \group, Se
    add_quad 3, \group, So
    .endif
    subs    x15, x15, #1
    b.ne    5b
6:
    clamp_and_store f32, SUMS_F
.endm

// A function (RowFn).
.macro row_function name, group
func \name\()_neon_dotprod, hidden
    frame   d8-d15
    mov     w8, #START << 16
    dup     C.4s, w8
    movi    mask.16b, #31
    each_16_columns 4, blocks_of_32_quads \group
    return
endfunc
.endm

    row_function kai_row_qsi8d32p1x4_qau5c32p4x4, 4
    row_function kai_row_qsi8d32p1x8_qau5c32p4x8, 8
