// f32 <- qsi8d32p x qsi2c32p with SDOT, blocks of any length: 2, 4 and 8 rows x 4 columns (blocks_neon_int2_few.inc).
//
// A vector of sums, S_r, holds row r x 4 columns: B_0, k 0 - 3 of the columns, times A_0, k 0 - 3 of 4 rows; B_1 and
// A_1 have k 4 - 7.
//
//   Registers: those of blocks_neon_int2_few.inc; C_0: scales of 4 columns; L_0: of 4 rows
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define ROW_FIELDS 80  // scales of 4 rows; -sum of each, four times
#include "kai/engines/blocks/blocks_neon_int2_few.inc"

// A\a = the 8 k of field \f of the rows of panel \p.
.macro load_rows a, p, f
    ldp     qA\a\()_0, qA\a\()_1, [lhs_\p, #(32 * \f)]
.endm
// S\s += rows A\a x columns B\set.
.macro multiply s, a, set, meanwhile=nothing, with:vararg
    sdot    S\s\()_0.4s, B\set\()_0.16b, A\a\()_0.4b[0]
    sdot    S\s\()_1.4s, B\set\()_0.16b, A\a\()_0.4b[1]
    \meanwhile 0, \with
    .if rows > 2
    sdot    S\s\()_2.4s, B\set\()_0.16b, A\a\()_0.4b[2]
    sdot    S\s\()_3.4s, B\set\()_0.16b, A\a\()_0.4b[3]
    .endif
    \meanwhile 1, \with
    sdot    S\s\()_0.4s, B\set\()_1.16b, A\a\()_1.4b[0]
    sdot    S\s\()_1.4s, B\set\()_1.16b, A\a\()_1.4b[1]
    \meanwhile 2, \with
    .if rows > 2
    sdot    S\s\()_2.4s, B\set\()_1.16b, A\a\()_1.4b[2]
    sdot    S\s\()_3.4s, B\set\()_1.16b, A\a\()_1.4b[3]
    .endif
    \meanwhile 3, \with
.endm

// S\s = -sums of the rows of panel \p.
.macro start s, p
    ldr     qS\s\()_0, [fields, #(ROW_FIELDS * \p + 16)]
    ldr     qS\s\()_1, [fields, #(ROW_FIELDS * \p + 32)]
    .if rows > 2
    ldr     qS\s\()_2, [fields, #(ROW_FIELDS * \p + 48)]
    ldr     qS\s\()_3, [fields, #(ROW_FIELDS * \p + 64)]
    .endif
.endm
.macro spread_columns
    fcvtl   C_0.4s, C_0.4h
.endm
// T = scales of the rows of panel \p times those of the columns.
.macro scales_of_rows p
    ldr     qL_0, [fields, #(ROW_FIELDS * \p)]
    fmul    T_0.4s, C_0.4s, L_0.s[0]
    fmul    T_1.4s, C_0.4s, L_0.s[1]
    .if rows > 2
    fmul    T_2.4s, C_0.4s, L_0.s[2]
    fmul    T_3.4s, C_0.4s, L_0.s[3]
    .endif
.endm

    int2_few kai_tile_qsi8d32p4x4_qsi2c32p4x4_2x4_neon_dotprod, 1, 2
    int2_few kai_tile_qsi8d32p4x4_qsi2c32p4x4_4x4_neon_dotprod, 1, 4
    int2_few kai_tile_qsi8d32p4x4_qsi2c32p4x4_8x4_neon_dotprod, 2, 4
