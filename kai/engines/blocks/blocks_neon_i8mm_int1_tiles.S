// f32 <- qsi8d32p x qsi1c32p with SMMLA, blocks of any length: 2, 4, 8 and 16 rows x 4 columns
// (blocks_neon_int1_tile.inc).
//
// A vector of sums holds 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1.
//
//               | B_0      B_1      8 k of columns 0 1; 2 3
//        -------+------------------
//        A_0    | S_0      S_1      rows 0 1 of a panel
//        A_1    | S_2      S_3      rows 2 3
//
//   Registers: those of blocks_neon_int1_tile.inc; v29, bits: 1 2 4 ... 128, twice; v30, v31, copies_0, copies_1: eight
//   times 0, then 1; 2, then 3; C_0, C_1: c0 c1 c0 c1, c2 c3 c2 c3; L_0, L_1: r0 r0 r1 r1, r2 r2 r3 r3
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/blocks/blocks_neon_int1_tile.inc"

regs 29, bits, copies_0, copies_1

// What spread and test_bits need. Changes x6.
.macro load_lanes
    mov     x6, #0x0201
    movk    x6, #0x0804, lsl #16
    movk    x6, #0x2010, lsl #32
    movk    x6, #0x8040, lsl #48
    dup     bits.2d, x6
    mov     x6, #0x0101010101010101
    movi    copies_0.2d, #0
    mov     copies_0.d[1], x6
    movi    copies_1.16b, #2
    add     copies_1.16b, copies_1.16b, copies_0.16b
.endm
// Bytes to the lanes of their k.
.macro spread i, set
    .if \i == 0
    tbl     B\set\()_1.16b, {B\set\()_0.16b}, copies_1.16b
    .elseif \i == 1
    tbl     B\set\()_0.16b, {B\set\()_0.16b}, copies_0.16b
    .endif
.endm
// Lanes whose bit is set become -1, others 0.
.macro test_bits i, set
    .if \i < 2
    cmtst   B\set\()_\i\().16b, B\set\()_\i\().16b, bits.16b
    .endif
.endm

// S\s += rows A\a x columns B\set.
.macro multiply s, a, set, meanwhile=nothing, with:vararg
    smmla   S\s\()_0.4s, A\a\()_0.16b, B\set\()_0.16b
    \meanwhile 0, \with
    smmla   S\s\()_1.4s, A\a\()_0.16b, B\set\()_1.16b
    \meanwhile 1, \with
    .if rows > 2
    smmla   S\s\()_2.4s, A\a\()_1.16b, B\set\()_0.16b
    .endif
    \meanwhile 2, \with
    .if rows > 2
    smmla   S\s\()_3.4s, A\a\()_1.16b, B\set\()_1.16b
    .endif
    \meanwhile 3, \with
.endm

.macro spread_columns
    fcvtl   C_1.4s, C_0.4h
    dup     C_0.2d, C_1.d[0]
    dup     C_1.2d, C_1.d[1]
.endm
// T = scales of the rows, f16 in L_0, times those of the columns.
.macro scales_of_rows
    fcvtl   L_0.4s, L_0.4h
    zip2    L_1.4s, L_0.4s, L_0.4s
    zip1    L_0.4s, L_0.4s, L_0.4s
    fmul    T_0.4s, C_0.4s, L_0.4s
    fmul    T_1.4s, C_1.4s, L_0.4s
    .if rows > 2
    fmul    T_2.4s, C_0.4s, L_1.4s
    fmul    T_3.4s, C_1.4s, L_1.4s
    .endif
.endm

    int1_function kai_tile_qsi8d32p4x8_qsi1c32p16x8_2x4_neon_i8mm, 1, 2
    int1_function kai_tile_qsi8d32p4x8_qsi1c32p16x8_4x4_neon_i8mm, 1, 4
    int1_function kai_tile_qsi8d32p4x8_qsi1c32p16x8_8x4_neon_i8mm, 2, 4
    int1_function kai_tile_qsi8d32p4x8_qsi1c32p16x8_16x4_neon_i8mm, 4, 4
