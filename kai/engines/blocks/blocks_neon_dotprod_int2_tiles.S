// f32 <- qsi8d32p x qsi2c32p with SDOT, blocks of any length: 16 rows x 4 columns
// (blocks_neon_int2_tile.inc).
//
// A vector of sums, S_r, holds row r x 4 columns: B_0, k 0 - 3 of the columns, times A_0, k 0 - 3 of 4 rows; B_1 and
// A_1 have k 4 - 7.
//
//   Registers: those of blocks_neon_int2_tile.inc; C_0: scales of 4 columns; L_0: of 4 rows
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/blocks/blocks_neon_int2_tile.inc"

// S\s += rows A\a x columns B\set.
.macro multiply s, a, set, meanwhile=nothing, with:vararg
    sdot    S\s\()_0.4s, B\set\()_0.16b, A\a\()_0.4b[0]
    sdot    S\s\()_1.4s, B\set\()_0.16b, A\a\()_0.4b[1]
    \meanwhile 0, \with
    sdot    S\s\()_2.4s, B\set\()_0.16b, A\a\()_0.4b[2]
    sdot    S\s\()_3.4s, B\set\()_0.16b, A\a\()_0.4b[3]
    \meanwhile 1, \with
    sdot    S\s\()_0.4s, B\set\()_1.16b, A\a\()_1.4b[0]
    sdot    S\s\()_1.4s, B\set\()_1.16b, A\a\()_1.4b[1]
    \meanwhile 2, \with
    sdot    S\s\()_2.4s, B\set\()_1.16b, A\a\()_1.4b[2]
    sdot    S\s\()_3.4s, B\set\()_1.16b, A\a\()_1.4b[3]
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
    fmul    T_2.4s, C_0.4s, L_0.s[2]
    fmul    T_3.4s, C_0.4s, L_0.s[3]
.endm

    int2_function kai_tile_qsi8d32p4x4_qsi2c32p4x4_16x4_neon_dotprod
