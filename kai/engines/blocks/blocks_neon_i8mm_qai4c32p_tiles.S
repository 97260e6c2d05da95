// f32 <- qsi8d32p x qai4c32p with SMMLA, blocks of 32: the K loop.
//
//     acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// Tile and registers: blocks_neon_tile_smmla.inc, and
//   v26, v27                Z        zeros of columns a, twice each: c0 c1 c0 c1; b: c2 c3 c2 c3
//   v28, v29                C        scales of the columns, likewise
//   v24, v25                F        sums of rows a, b, twice each: r0 r0 r1 r1: tile of one panel
//   v30, v31; v24, v25      F0; F1   tile of two panels
// After the products of a block:
//   v30, v31                A        scales of the rows: tile of one panel
//   v12, v13; v14, v15      A0; A1   tile of two panels
//   v16 - v19; v20 - v23    P0; P1   scales of rows * scales of columns
//   v4; v30                 start_1; start_2     C: tile of one panel, of two panels
// `scales`: fields of the rows, made in advance (row_fields), 64 bytes a panel: sums a, b; scales a, b.
//
// The sums are 16 * S, which the packed rhs_scale / 16 expects. They start at the bits of C = 1.5 * 2^23, where
// floats are 1 apart, so that they end as the float C + 16 * S: a subtraction replaces the conversion.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#define LHS_BLOCK 160      // 4 x (32 bytes + 2 x f32)
#define LHS_ELEMENTS 0
#define RHS_BLOCK 96       // 4 x (16 bytes + 2 x f32)
#define RHS_ELEMENTS 0
#define RHS_BITS 4
#define RHS_TABLE 0
#define RHS_HALVES 0
#include "kai/engines/blocks/blocks_neon_tile_smmla.inc"

regs 26, Z_a, Z_b, C_a, C_b
regs 24, F_a, F_b
regs 30, F0_a, F0_b
regs 24, F1_a, F1_b
regs 16, P0_aa, P0_ab, P0_ba, P0_bb, P1_aa, P1_ab, P1_ba, P1_bb
reg start_1, 4
reg start_2, 30

// B0 - B3 = the columns of a block, Z, C = their zeros and scales. Changes v30.
.macro load_columns
    ldr     qmask, [args, #TILE_ARGS_mask]
    load_rhs_f32 Z_b, C_b
    decode  B0_a, B0_b, B2_a, B2_b
    decode  B1_a, B1_b, B3_a, B3_b
    dup     Z_a.2d, Z_b.d[0]
    dup     Z_b.2d, Z_b.d[1]
    dup     C_a.2d, C_b.d[0]
    dup     C_b.2d, C_b.d[1]
.endm

// Sums \s of \rows rows -= \c.
.macro subtract s, c, rows=4
    fsub    \s\()_aa.4s, \s\()_aa.4s, \c\().4s
    fsub    \s\()_ab.4s, \s\()_ab.4s, \c\().4s
    .if \rows > 2
    fsub    \s\()_ba.4s, \s\()_ba.4s, \c\().4s
    fsub    \s\()_bb.4s, \s\()_bb.4s, \c\().4s
    .endif
.endm

// \acc, of \rows rows, += \s * \p.
.macro add_products acc, s, p, rows=4
    fmla    \acc\()_aa.4s, \s\()_aa.4s, \p\()_aa.4s
    fmla    \acc\()_ab.4s, \s\()_ab.4s, \p\()_ab.4s
    .if \rows > 2
    fmla    \acc\()_ba.4s, \s\()_ba.4s, \p\()_ba.4s
    fmla    \acc\()_bb.4s, \s\()_bb.4s, \p\()_bb.4s
    .endif
.endm

// acc0 += a block. Changes S0, A, B, F, Z, C, P0, v4, v30.
.macro tile_block_1
    load_columns
    ldr     qF_a, [scales]
    ldr     qF_b, [scales, #16]
    ldr     qA_a, [lhs_0]
    ldr     qA_b, [lhs_0, #16]
    outer   fmla, acc0, Z, F
    start   S0
    panel_8k S0, A, B0, lhs_0, 32
    panel_8k S0, A, B1, lhs_0, 64
    panel_8k S0, A, B2, lhs_0, 96
    panel_8k S0, A, B3, scales, 32
    ldr     qstart_1, [args, #TILE_ARGS_start]
    add     lhs_0, lhs_0, #LHS_BLOCK
    add     scales, scales, #64
    outer   fmul, P0, C, A
    subtract S0, start_1
    add_products acc0, S0, P0
.endm

// acc0, acc1 += a block. Changes S0, S1, A0, A1, B, F0, F1, Z, C, P0, P1, v30.
.macro tile_block_2
    ldr     qA0_a, [lhs_0]
    ldr     qA0_b, [lhs_0, #16]
    load_columns
    ldr     qA1_a, [lhs_1]
    ldr     qA1_b, [lhs_1, #16]
    ldr     qF0_a, [scales]
    ldr     qF0_b, [scales, #16]
    ldr     qF1_a, [scales, #64]
    ldr     qF1_b, [scales, #80]
    outer   fmla, acc0, Z, F0
    outer   fmla, acc1, Z, F1, last_rows
    start   S0
    start   S1, last_rows
    two_panels_8k B0, 32
    two_panels_8k B1, 64
    two_panels_8k B2, 96
    panel_8k S0, A0, B3, scales, 32
    panel_8k S1, A1, B3, scales, 96, a, last_rows
    ldr     qA1_b, [scales, #112]
    ldr     qstart_2, [args, #TILE_ARGS_start]
    outer   fmul, P0, C, A0
    subtract S0, start_2
    add     lhs_0, lhs_0, #LHS_BLOCK
    outer   fmul, P1, C, A1, last_rows
    add     lhs_1, lhs_1, #LHS_BLOCK
    subtract S1, start_2, last_rows
    add     scales, scales, #2 * 64
    add_products acc0, S0, P0
    add_products acc1, S1, P1, last_rows
.endm

    smmla_tile_functions kai_tile_qsi8d32p4x8_qai4c32p4x8
