// Tiles of the qai8dxp GEMM with SDOT (qai8dxp_neon.hpp), a scale per channel. 12 x 8: qai8dxp_neon_dotprod_wide.S;
// blocks: qai8dxp_neon_dotprod_blocks.S.
//
//     S = row offset * column sum + A x B        int8 x int8 -> int32, A: 1, 2 or 4 panels of 4 rows, B: 4 columns
//     result = clamp(f32(S) * (row scale * column scale) + bias)
//
//             | Be                       even groups of 4 k; odd ones: Bo
//         ----+----------------------
//         A0  | S0_0 S0_1 S0_2 S0_3      a row of the panel each
//         A1  | S1_0 ...
//
//   S0_0 S0_1 S0_2 S0_3, S1_0 ... S3_3     v0 - v15     sums
//   A0 - A3                                v16 - v19    A, 4 rows x 4 k of a panel each
//   Be, Bo                                 v20, v21     B, 4 columns x 4 k
//   lhs0 - lhs3  x1 - x4, rhs  x5          cursors: 16 bytes for 4 k
//   left  x7                               steps of 32 k to go
//
// A register is reloaded for the next 4 k as soon as it has been used. Unscheduled, a step of 32 k is, for each of its
// eight groups of 4 k: load B; for each panel: load A, then the four SDOT of its rows.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon.inc"
#include "kai/engines/qai8dxp/qai8dxp_neon_dotprod_results.inc"

    regs    16, A0, A1, A2, A3, Be, Bo

// 4 k of rows 0 and 1, of rows 2 and 3: sums += B * A, names without their row; `a` has all four rows. Cores that issue
// three instructions in order need one other instruction between two of these macros.
.macro sdot_01 sums, b, a
    sdot    \sums\()_0.4s, \b\().16b, \a\().4b[0]
    sdot    \sums\()_1.4s, \b\().16b, \a\().4b[1]
.endm
.macro sdot_23 sums, b, a
    sdot    \sums\()_2.4s, \b\().16b, \a\().4b[2]
    sdot    \sums\()_3.4s, \b\().16b, \a\().4b[3]
.endm

// 4 k of panel p; then loads its A from byte `next`, to which the pointer moves if `update` is !.
.macro panel_4k p, set, next, update
    sdot_01 S\p, B\set, A\p
    sdot_23 S\p, B\set, A\p
    ldr     qA\p, [lhs\p, #\next]\update
.endm
// 4 k of the tile with B<set>. Loads B<other> and A of the next 4 k from byte `next`, to which the pointers move if
// `update` is !.
.macro tile_4k panel_count, set, other, next, update
    sdot_01 S0, B\set, A0
    ldr     qB\other, [rhs, #\next]\update
    sdot_23 S0, B\set, A0
    ldr     qA0, [lhs0, #\next]\update
    if_more \panel_count, 1, panel_4k 1, \set, \next, \update
    if_more \panel_count, 2, panel_4k 2, \set, \next, \update
    if_more \panel_count, 2, panel_4k 3, \set, \next, \update
.endm
// 32 k of a tile: S += A * B; loads the next A and B.
.macro channel_step panel_count
    tile_4k \panel_count, e, o, 16
    tile_4k \panel_count, o, e, 32
    tile_4k \panel_count, e, o, 48
    tile_4k \panel_count, o, e, 64
    tile_4k \panel_count, e, o, 80
    tile_4k \panel_count, o, e, 96
    tile_4k \panel_count, e, o, 112
    subs    left, left, #1
    tile_4k \panel_count, o, e, 128, !
.endm

// Loads A and Be of the first 4 k.
.macro channel_load panel_count
    ldr     qA0, [lhs0]
    ldr     qBe, [rhs]
    if_more \panel_count, 1, ldr qA1, [lhs1]
    if_more \panel_count, 2, ldr qA2, [lhs2]
    if_more \panel_count, 2, ldr qA3, [lhs3]
.endm

// What sums start from: column sums of the quad; offsets of the rows of panels 0 - 3.
    regs    22, column_sums
    regs    24, offsets_0, offsets_1, offsets_2, offsets_3
// S<s> = column sums * offsets of rows.
.macro multiply_offsets s, columns, offsets
    mul     S\s\()_0.4s, \columns\().4s, \offsets\().s[0]
    mul     S\s\()_1.4s, \columns\().4s, \offsets\().s[1]
    mul     S\s\()_2.4s, \columns\().4s, \offsets\().s[2]
    mul     S\s\()_3.4s, \columns\().4s, \offsets\().s[3]
.endm
// S = row offset * column sum. Changes v22, v24 - v27.
.macro channel_start panel_count
    when \panel_count, 4, ldr qoffsets_2, [panels, #2 * PANEL + PANEL_offsets]
    when \panel_count, 4, ldr qoffsets_3, [panels, #3 * PANEL + PANEL_offsets]
    if_more \panel_count, 1, ldr qoffsets_1, [panels, #PANEL + PANEL_offsets]
    ldr     qcolumn_sums, [quad, #QUAD_column_sums]
    ldr     qoffsets_0, [panels, #PANEL_offsets]
    multiply_offsets 0, column_sums, offsets_0
    if_more \panel_count, 1, multiply_offsets 1, column_sums, offsets_1
    when \panel_count, 4, multiply_offsets 2, column_sums, offsets_2
    when \panel_count, 4, multiply_offsets 3, column_sums, offsets_3
.endm
.macro channel_end panel_count
.endm

    gemm_function kai_sums_4x4_neon_dotprod, 1, channel
    gemm_function kai_sums_8x4_neon_dotprod, 2, channel
    gemm_function kai_sums_16x4_neon_dotprod, 4, channel
    narrow_functions
