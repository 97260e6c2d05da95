// Tiles of 12 rows x 8 columns, 3 panels x 2 quads, of the qai8dxp GEMM with SDOT (qai8dxp_neon.hpp), a scale per
// channel: more products per operand than tiles of qai8dxp_neon_dotprod.S, for cores on which loads use SIMD pipes.
// quad_count is even; sums are neither resumed nor written back.
//
//     S = row offset * column sum + A x B        int8 x int8 -> int32
//     result = clamp(f32(S) * (row scale * column scale) + bias)
//
//             | B0e or B0o             | B1e or B1o
//         ----+------------------------+-----------------------
//         A0  | S0_0 S0_1 S0_2 S0_3    | S3_0 S3_1 S3_2 S3_3
//         A1  | S1_0 ...               | S4_0 ...
//         A2  | S2_0 ...               | S5_0 ...
//
//   S0_0 ... S5_3            v0 - v23     sums
//   B0e, B1e, B0o, B1o       v24 - v27    B of the quads
//   A0, A1, A2               v28 - v30    A
//   lhs0 - lhs2  x1 - x3, rhs  x5, second_rhs  x4
//   tile_dst  x12, next_dst  x7           results: dst of this tile, of the next one
//   and those of qai8dxp_neon.inc
//
// A register is reloaded for the next 4 k as soon as it has been used. Unscheduled, a step of 32 k is, for each of its
// eight groups of 4 k: load B of both quads; for each panel: load A, then the four SDOT of its rows with each B.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon.inc"
#include "kai/engines/qai8dxp/qai8dxp_neon_dotprod_results.inc"

    regs    16, S4_0, S4_1, S4_2, S4_3, S5_0, S5_1, S5_2, S5_3
    regs    24, B0e, B1e, B0o, B1o, A0, A1, A2
    regs    24, first_sums, second_sums
    regs    28, offsets_0, offsets_1, offsets_2
second_rhs .req x4
tile_dst   .req x12
next_dst   .req x7

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

// S<s> = column sums * offsets of rows.
.macro multiply_offsets s, columns, offsets
    mul     S\s\()_0.4s, \columns\().4s, \offsets\().s[0]
    mul     S\s\()_1.4s, \columns\().4s, \offsets\().s[1]
    mul     S\s\()_2.4s, \columns\().4s, \offsets\().s[2]
    mul     S\s\()_3.4s, \columns\().4s, \offsets\().s[3]
.endm
// S = row offset * column sum. Changes v24, v25, v28 - v30.
.macro wide_start
    ldr     qfirst_sums, [quad, #QUAD_column_sums]
    ldr     qsecond_sums, [quad, #QUAD + QUAD_column_sums]
    ldr     qoffsets_0, [panels, #PANEL_offsets]
    ldr     qoffsets_1, [panels, #PANEL + PANEL_offsets]
    ldr     qoffsets_2, [panels, #2 * PANEL + PANEL_offsets]
    multiply_offsets 0, first_sums, offsets_0
    multiply_offsets 1, first_sums, offsets_1
    multiply_offsets 2, first_sums, offsets_2
    multiply_offsets 3, second_sums, offsets_0
    multiply_offsets 4, second_sums, offsets_1
    multiply_offsets 5, second_sums, offsets_2
.endm

// 4 k of the tile with B0<set>, B1<set>. Loads B<other> and A of the next 4 k from byte `next`, to which the pointers
// move if `update` is !.
.macro wide_4k set, other, next, update
    sdot_01 S0, B0\set, A0
    ldr     qB0\other, [rhs, #\next]\update
    sdot_23 S0, B0\set, A0
    ldr     qB1\other, [second_rhs, #\next]\update
    sdot_01 S1, B0\set, A1
    sdot_23 S1, B0\set, A1
    sdot_01 S2, B0\set, A2
    sdot_23 S2, B0\set, A2
    sdot_01 S3, B1\set, A0
    sdot_23 S3, B1\set, A0
    ldr     qA0, [lhs0, #\next]\update
    sdot_01 S4, B1\set, A1
    sdot_23 S4, B1\set, A1
    ldr     qA1, [lhs1, #\next]\update
    sdot_01 S5, B1\set, A2
    sdot_23 S5, B1\set, A2
    ldr     qA2, [lhs2, #\next]\update
.endm

// Results of the first quad, then of the other, whose sums wait in the panels. In: S. Out: dst of the next tile.
.macro wide_results
    mov     tile_dst, dst
    store_sums_at 3, 0
    store_sums_at 4, 1
    store_sums_at 5, 2
    results 3, channel
    ldr     x5, [quad, #QUAD_dst]
    mov     next_dst, dst
    add     quad, quad, #QUAD
    ldr     x16, [quad, #QUAD_dst]
    sub     dst, tile_dst, x5
    add     dst, dst, x16
    each_panel 3, load_sums
    results 3, channel
    sub     quad, quad, #QUAD
    mov     dst, next_dst
.endm

func kai_sums_12x8_neon_dotprod, hidden
    gemm_enter

0:  // two quads
    quad_begin
1:  // a tile
    mov     lhs0, next_lhs
    add     lhs1, next_lhs, stride
    add     lhs2, lhs1, stride
    add     next_lhs, lhs2, stride
    mov     rhs, first_rhs
    ldr     second_rhs, [quad, #QUAD + QUAD_rhs]
    ldr     left, [args, #GEMM_ARGS_steps]
    wide_start
    ldr     qB0e, [rhs]
    ldr     qB1e, [second_rhs]
    ldr     qA0, [lhs0]
    ldr     qA1, [lhs1]
    ldr     qA2, [lhs2]
    cbz     left, 4f
3:  // 32 k
    wide_4k e, o, 16
    wide_4k o, e, 32
    wide_4k e, o, 48
    wide_4k o, e, 64
    wide_4k e, o, 80
    wide_4k o, e, 96
    wide_4k e, o, 112
    subs    left, left, #1
    wide_4k o, e, 128, !
    b.ne    3b
4:
    wide_results
    add     panels, panels, #3 * PANEL
    subs    tiles, tiles, #1
    b.ne    1b
    add     quad, quad, #2 * QUAD
    subs    quads, quads, #2
    b.ne    0b

    return
endfunc
