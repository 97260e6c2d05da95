// f32 <- qsi8d32p x qsi1c32p with SDOT, blocks of any length: 2, 4, 8 and 16 rows x 4 columns
// (blocks_neon_int1_tile.inc).
//
// A vector of sums, S_r, holds row r x 4 columns: B_0, k 0 - 3 of the columns, times four k of a row; B_1 has k 4 - 7.
// A_0 has k 0 - 3 and 4 - 7 of row 0, then of row 1; A_1 of rows 2 and 3.
//
//   Registers: those of blocks_neon_int1_tile.inc; v29, v30, bits_0, bits_1: 1 2 4 8, 16 32 64 128, four times; v31,
//   copies: four times 0, then 1, 2, 3; C_0: scales of 4 columns; L_0: of 4 rows
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/blocks/blocks_neon_int1_tile.inc"

regs 29, bits_0, bits_1, copies

// What spread and test_bits need. Changes x6.
.macro load_lanes
    mov     w6, #0x0201
    movk    w6, #0x0804, lsl #16
    dup     bits_0.4s, w6
    shl     bits_1.16b, bits_0.16b, #4
    mov     x6, #0x0101010101010101
    lsl     x6, x6, #32
    dup     copies.2d, x6
    movi    S0_0.16b, #2
    mov     S0_0.d[0], xzr
    add     copies.16b, copies.16b, S0_0.16b
.endm
// Bytes to the lanes of their k.
.macro spread i, set
    .if \i == 0
    tbl     B\set\()_0.16b, {B\set\()_0.16b}, copies.16b
    .endif
.endm
// Lanes whose bit is set become -1, others 0.
.macro test_bits i, set
    .if \i == 0
    cmtst   B\set\()_1.16b, B\set\()_0.16b, bits_1.16b
    .elseif \i == 1
    cmtst   B\set\()_0.16b, B\set\()_0.16b, bits_0.16b
    .endif
.endm

// S\s += rows A\a x columns B\set.
.macro multiply s, a, set, meanwhile=nothing, with:vararg
    sdot    S\s\()_0.4s, B\set\()_0.16b, A\a\()_0.4b[0]
    sdot    S\s\()_1.4s, B\set\()_0.16b, A\a\()_0.4b[2]
    \meanwhile 0, \with
    .if rows > 2
    sdot    S\s\()_2.4s, B\set\()_0.16b, A\a\()_1.4b[0]
    sdot    S\s\()_3.4s, B\set\()_0.16b, A\a\()_1.4b[2]
    .endif
    \meanwhile 1, \with
    sdot    S\s\()_0.4s, B\set\()_1.16b, A\a\()_0.4b[1]
    sdot    S\s\()_1.4s, B\set\()_1.16b, A\a\()_0.4b[3]
    \meanwhile 2, \with
    .if rows > 2
    sdot    S\s\()_2.4s, B\set\()_1.16b, A\a\()_1.4b[1]
    sdot    S\s\()_3.4s, B\set\()_1.16b, A\a\()_1.4b[3]
    .endif
    \meanwhile 3, \with
.endm

.macro spread_columns
    fcvtl   C_0.4s, C_0.4h
.endm
// T = scales of the rows, f16 in L_0, times those of the columns.
.macro scales_of_rows
    fcvtl   L_0.4s, L_0.4h
    fmul    T_0.4s, C_0.4s, L_0.s[0]
    fmul    T_1.4s, C_0.4s, L_0.s[1]
    .if rows > 2
    fmul    T_2.4s, C_0.4s, L_0.s[2]
    fmul    T_3.4s, C_0.4s, L_0.s[3]
    .endif
.endm

    int1_function kai_tile_qsi8d32p4x8_qsi1c32p16x8_2x4_neon_dotprod, 1, 2
    int1_function kai_tile_qsi8d32p4x8_qsi1c32p16x8_4x4_neon_dotprod, 1, 4
    int1_function kai_tile_qsi8d32p4x8_qsi1c32p16x8_8x4_neon_dotprod, 2, 4
    int1_function kai_tile_qsi8d32p4x8_qsi1c32p16x8_16x4_neon_dotprod, 4, 4
