// f32 <- qsi8d32p x qsi2c32p with SMMLA, blocks of any length: 2, 4 and 8 rows x 4 columns (blocks_neon_int2_few.inc).
//
// A vector of sums holds 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1.
//
//               | B_0      B_1      8 k of columns 0 1; 2 3
//        -------+------------------
//        A_0    | S_0      S_1      rows 0 1 of a panel
//        A_1    | S_2      S_3      rows 2 3
//
//   Registers: those of blocks_neon_int2_few.inc; C_0, C_1: c0 c1 c0 c1, c2 c3 c2 c3; L_0, L_1: r0 r0 r1 r1, r2 r2
//   r3 r3
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#define ROW_FIELDS 64  // -sums of rows 0 1 and of rows 2 3, each twice; their scales
#include "kai/engines/blocks/blocks_neon_int2_few.inc"

// A\a = the 8 k of field \f of the rows of panel \p.
.macro load_rows a, p, f
    .if rows > 2
    ldp     qA\a\()_0, qA\a\()_1, [lhs_\p, #(32 * \f)]
    .else
    ldr     qA\a\()_0, [lhs_\p, #(32 * \f)]
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

// S\s = -sums of the rows of panel \p.
.macro start s, p
    ldr     qS\s\()_0, [fields, #(ROW_FIELDS * \p)]
    ldr     qS\s\()_1, [fields, #(ROW_FIELDS * \p)]
    .if rows > 2
    ldr     qS\s\()_2, [fields, #(ROW_FIELDS * \p + 16)]
    ldr     qS\s\()_3, [fields, #(ROW_FIELDS * \p + 16)]
    .endif
.endm
.macro spread_columns
    fcvtl   C_1.4s, C_0.4h
    dup     C_0.2d, C_1.d[0]
    dup     C_1.2d, C_1.d[1]
.endm
// T = scales of the rows of panel \p times those of the columns.
.macro scales_of_rows p
    ldp     qL_0, qL_1, [fields, #(ROW_FIELDS * \p + 32)]
    fmul    T_0.4s, C_0.4s, L_0.4s
    fmul    T_1.4s, C_1.4s, L_0.4s
    .if rows > 2
    fmul    T_2.4s, C_0.4s, L_1.4s
    fmul    T_3.4s, C_1.4s, L_1.4s
    .endif
.endm

    int2_few kai_tile_qsi8d32p4x8_qsi2c32p4x8_2x4_neon_i8mm, 1, 2
    int2_few kai_tile_qsi8d32p4x8_qsi2c32p4x8_4x4_neon_i8mm, 1, 4
    int2_few kai_tile_qsi8d32p4x8_qsi2c32p4x8_8x4_neon_i8mm, 2, 4
