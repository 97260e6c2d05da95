// f32 <- qsi8d32p x qai4c32p with SDOT, blocks of 32: 1 to 4 rows, 16 or 8 columns.
//
//     acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// Part r of a tile is row r. A step has 4 k of low nibbles and 4 of high ones of all rows:
//
//                | LOW_0    LOW_1 ...     4 columns x 4 k, a quad each; then the high nibbles, with `high`
//        --------+--------------------
//        low[0]  | S0_0     S0_1
//        low[1]  | S1_0     S1_1
//
// Frame and registers: blocks_neon_few.inc. After the products of a block
//   v16 - v19   RHS_A       zeros of the columns
//   v24 - v27   LOW         their scales
//   v28, v29    low, high   sums, scales of the rows
// C, and how sums start: blocks_neon_dotprod_qai4c32p_tiles.S.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 160      // 4 x (32 bytes + 2 x f32)
#define LHS_ELEMENTS 0
#define RHS_BLOCK 96       // 4 x (16 bytes + 2 x f32)
#define RHS_ELEMENTS 0
#define LHS_SUMS 128       // f32
#define LHS_SCALES 144     // f32
#define RHS_BITS 4
#define RHS_TABLE 0
#define RHS_HALVES 0
#define FEW_PARTS 0, 1, 2, 3
#include "kai/engines/blocks/blocks_neon_few.inc"

regs 28, low, high

// Sums start as w3 = C, from a general register: no SIMD pipe on most cores, half the time of a load on others.
.macro few_start
    each_part start_row
.endm
// S of row \r = C.
.macro start_row r
    dup     S\r\()_0.4s, w3
    dup     S\r\()_1.4s, w3
    if_more quads, 2, dup S\r\()_2.4s, w3
    if_more quads, 2, dup S\r\()_3.4s, w3
.endm

// The rows' 4 k of a step, low and high, a word of each row.
.macro load_low step
    load_words low, (16 * (\step))
.endm
.macro load_high step
    load_words high, (16 * (\step) + 64)
.endm
slow    .req s28
shigh   .req s29
// \r = a word of each row, \at bytes from `row`.
.macro load_words r, at
    .if height == 1
    ldr     s\r, [row, #\at]
    .elseif height == 2
    ldr     d\r, [row, #\at]
    .else
    ldr     q\r, [row, #\at]
    .endif
.endm

// S += rows times LOW.
.macro multiply_low step
    sdot_quads S0, LOW, low.4b[0]
    if_more height, 1, sdot_quads S1, LOW, low.4b[1]
    if_more height, 2, sdot_quads S2, LOW, low.4b[2]
    if_more height, 3, sdot_quads S3, LOW, low.4b[3]
.endm
// S += rows times the high nibbles, in set \b.
.macro multiply_high step, b
    sdot_quads S0, \b, high.4b[0]
    if_more height, 1, sdot_quads S1, \b, high.4b[1]
    if_more height, 2, sdot_quads S2, \b, high.4b[2]
    if_more height, 3, sdot_quads S3, \b, high.4b[3]
.endm

// ---- After the products

// P of row \r = scales of the columns times that of the row.
.macro multiply_scales r
    shared_quads fmul, 4s, P\r, LOW, high.s[\r]
.endm
.macro subtract_start r
    shared_quads fsub, 4s, S\r, S\r, start.4s
.endm
.macro add_by_scales r
    op_quads fmla, 4s, acc\r, S\r, P\r
.endm

// Place 0, 1: as blocks_neon_few.inc says.
.macro fields place
    .if \place == 0
    load_quads RHS_A, 64
    .else
    ldr     qlow, [row, #LHS_SUMS]
    load_quads LOW, 80
    .endif
.endm
.macro add_zeros r
    shared_quads fmla, 4s, acc\r, RHS_A, low.s[\r]
.endm
// acc += zeros of the columns * sums of the rows, then (S - C) * P.
.macro accumulate
    ldr     qhigh, [row, #LHS_SCALES]
    each_part add_zeros
    each_part multiply_scales
    each_part subtract_start
    each_part add_by_scales
.endm

    few_function kai_tile_qsi8d32p4x4_qai4c32p4x4_1x16_neon_dotprod, 1, 4, 1
    few_function kai_tile_qsi8d32p4x4_qai4c32p4x4_2x16_neon_dotprod, 2, 4, 2
    few_function kai_tile_qsi8d32p4x4_qai4c32p4x4_3x8_neon_dotprod, 3, 2, 3
    few_function kai_tile_qsi8d32p4x4_qai4c32p4x4_4x8_neon_dotprod, 4, 2, 4
