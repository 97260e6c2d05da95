// f32 <- qsi8d32p x qsi2c32p with SMMLA, blocks of any length: 16 rows x 4 columns
// (blocks_neon_int2_tile.inc).
//
// A vector of sums holds 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1.
//
//               | B_0      B_1      8 k of columns 0 1; 2 3
//        -------+------------------
//        A_0    | S_0      S_1      rows 0 1 of a panel
//        A_1    | S_2      S_3      rows 2 3
//
//   Registers: those of blocks_neon_int2_tile.inc; C_0, C_1: c0 c1 c0 c1, c2 c3 c2 c3; L_0, L_1: r0 r0 r1 r1, r2 r2
//   r3 r3
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/blocks/blocks_neon_int2_tile.inc"

// S\s += rows A\a x columns B\set.
.macro multiply s, a, set, meanwhile=nothing, with:vararg
    smmla   S\s\()_0.4s, A\a\()_0.16b, B\set\()_0.16b
    \meanwhile 0, \with
    smmla   S\s\()_1.4s, A\a\()_0.16b, B\set\()_1.16b
    \meanwhile 1, \with
    smmla   S\s\()_2.4s, A\a\()_1.16b, B\set\()_0.16b
    \meanwhile 2, \with
    smmla   S\s\()_3.4s, A\a\()_1.16b, B\set\()_1.16b
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
    fmul    T_2.4s, C_0.4s, L_1.4s
    fmul    T_3.4s, C_1.4s, L_1.4s
.endm

    int2_function kai_tile_qsi8d32p4x8_qsi2c32p4x8_16x4_neon_i8mm
