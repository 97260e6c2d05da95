// qsi8d32p x qau5c32p on Armv8.0: tiles of 1 to 4 rows x 4 columns (int_neon_mlal.inc), blocks of 32.
//
//     sum[m][n] = fma(rhs_minimum, lhs_sum, sum[m][n])
//     sum[m][n] = fma(f32(S), lhs_scale * rhs_scale, sum[m][n]),     S = sum over the block of lhs * rhs
//
// v0 - v7 of a block (five_bits.hpp) are 8 k after 8 k of columns 0 1, then 2 3: B2, B3, B0, B1. A product is at most
// 31 * 128 in size, so that 8 of them fit in an int16: sums of 4 are added in pairs, then as int32.
//
//   Registers, and those of int_neon_mlal.inc
//   x12                       blocks to go
//   x16                       blocks
//   v16, v17, v18  packed_1, packed_3, mask          packed columns, before the products
//   v24, v25; v26, v27        minima, scales of the columns; of the second quad
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#define RHS_BLOCK 96       // 4 x (20 bytes + 2 x f16)
#define RHS_FIELDS 80
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_five_bits.inc"
#include "kai/engines/int_neon/int_neon_mlal.inc"

regs 16, packed_1, packed_3, mask
regs 24, minima, scales, minima1, scales1

// \set\()2, 3, 0, 1 = the block at \from: \set is B, or C of the second quad. Changes v16 - v18.
.macro int5_columns set, from
    ldp     q\set\()0_b, qpacked_1, [\from]
    ldp     q\set\()1_a, qpacked_3, [\from, #32]
    ldr     q\set\()1_b, [\from, #64]
    movi    mask.16b, #31
    five_bits \set\()2_a, \set\()2_b, \set\()0_b, packed_1, mask
    five_bits \set\()3_a, \set\()3_b, \set\()1_a, packed_3, mask
    five_bits_last \set\()0_a, \set\()1_b, packed_1, packed_3, mask
.endm

// R_\row = sums of the products \t (ROW_A, ROW_B) of four columns.
.macro add_wide row, t
    addp    \t\()_0.8h, \t\()_0.8h, \t\()_1.8h
    addp    \t\()_2.8h, \t\()_2.8h, \t\()_3.8h
    saddlp  \t\()_0.4s, \t\()_0.8h
    saddlp  \t\()_2.4s, \t\()_2.8h
    addp    R_\row\().4s, \t\()_0.4s, \t\()_2.4s
.endm

// R_0 (R_1) = 32 k of one row.
.macro int5_one_row
    load_one_row 0
    int5_columns B, rhs
    .if quads > 1
    add     x11, rhs, x5
    int5_columns C, x11
    .endif
    multiply_one_row 0
    add_wide 0, ROW_A
    second_quad add_wide 1, ROW_B
.endm
// R = the block: 32 k of all rows; lhs moves on to its fields.
.macro int5_block
    .if rows == 1
    int5_one_row
    .else
    int4_load_rows 0, lhs, (16 * height)
    int5_columns B, rhs
    int4_order_rows
    int4_products 1
    .if rows > 2
    int4_load_rows 16, lhs, (16 * height)
    add_wide 0, ROW_A
    add_wide 1, ROW_B
    int4_order_rows
    int4_products 3
    add_wide 2, ROW_A
    if_more rows, 3, add_wide 3, ROW_B
    .else
    add_wide 0, ROW_A
    add_wide 1, ROW_B
    .endif
    .endif
    add     lhs, lhs, #32 * height
.endm

// \m, \s = minima and scales of the columns, whose block is at \from.
.macro load_fields m, s, from
    ldr     q\m, [\from, #RHS_FIELDS]
    fcvtl2  \s\().4s, \m\().8h
    fcvtl   \m\().4s, \m\().4h
.endm
.macro add_minima row, from, of
    fmla    sums_\row\().4s, \from\().4s, first_fields.s[\of]
.endm
.macro add_minima_of_row row
    add_minima \row, minima, \row
.endm
.macro scales_of_row row
    by_scale fmul, F_\row, scales, \row
.endm
.macro add_block row
    scvtf   R_\row\().4s, R_\row\().4s
    fmla    sums_\row\().4s, R_\row\().4s, F_\row\().4s
.endm
.macro result_row row
    mov     R_\row\().16b, sums_\row\().16b
.endm

.macro bits_prepare
    ldr     x16, [args, #MLAL_ARGS_blocks]
.endm
// A tile: rows, blocks; the results are clamped and stored.
.macro bits_tile
    each_row zero_sums
    mov     x12, x16
    cbz     x12, 6f
3:  // a block
    int5_block
    row_fields
    load_fields minima, scales, rhs
    .if quads > 1
    add     x11, rhs, x5
    load_fields minima1, scales1, x11
    add_minima 0, minima, 0
    add_minima 1, minima1, 0
    by_scale fmul, F_0, scales, 0
    by_scale fmul, F_1, scales1, 0
    .else
    each_row add_minima_of_row
    each_row scales_of_row
    .endif
    add     lhs, lhs, #8 * height
    add     rhs, rhs, #RHS_BLOCK
    each_row add_block
    subs    x12, x12, #1
    b.ne    3b
6:
    each_row result_row
    clamp_and_store
.endm

    mlal_functions kai_mlal_qsi8d32p_qau5c32p, 2, bits_prepare, bits_tile
