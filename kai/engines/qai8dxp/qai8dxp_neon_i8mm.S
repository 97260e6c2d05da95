// Tiles of the qai8dxp GEMM with SMMLA (qai8dxp_neon.hpp), a scale per channel; blocks: qai8dxp_neon_i8mm_blocks.S.
//
//     S = row offset * column sum + A x B        int8 x int8 -> int32, A: 1, 2 or 4 panels of 4 rows, B: 4 columns
//     result = clamp(f32(S) * (row scale * column scale) + bias)
//
// A panel p has rows a = 0 1 and b = 2 3, a quad columns a = 0 1 and b = 2 3. 8 k of them:
//
//                 | Be_a      Be_b        even groups of 8 k; odd ones: Bo_a, Bo_b
//         --------+--------------------
//         A<p>_a  | S<p>_aa   S<p>_ab     a vector: 2 rows x 2 columns
//         A<p>_b  | S<p>_ba   S<p>_bb
//
//   S0_aa S0_ab S0_ba S0_bb, S1_aa ... S3_bb    v0 - v15     sums
//   A0_a A0_b ... A3_a A3_b                     v16 - v23    A, a panel each
//   Be_a Be_b, Bo_a Bo_b                        v24 - v27    B
//   lhs0 - lhs3  x1 - x4, rhs  x5               cursors: 32 bytes for 8 k
//   left  x7                                    steps of 32 k to go
//
// A tile of one panel uses the registers of panel 1, sums included, for its odd groups of 8 k, so that no sum waits for
// its previous addition.
//
// Operands are loaded where their registers become free, a few multiplications ahead of their use, for in-order cores.
// Unscheduled, a step of 32 k is, for each of its four groups of 8 k: load B; for each panel: load A, then the four
// SMMLA of the picture.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon.inc"
#include "kai/engines/qai8dxp/qai8dxp_neon_i8mm_results.inc"

    regs    0, S0_aa, S0_ab, S0_ba, S0_bb, S1_aa, S1_ab, S1_ba, S1_bb
    regs    8, S2_aa, S2_ab, S2_ba, S2_bb, S3_aa, S3_ab, S3_ba, S3_bb
    regs    16, A0_a, A0_b, A1_a, A1_b, A2_a, A2_b, A3_a, A3_b
    regs    24, Be_a, Be_b, Bo_a, Bo_b

// 8 k of panel p: S += A * B<set>; then loads its A from byte `next`. Panel 0 uses LDP: one issue slot on in-order
// cores. The others use LDR, for cores that split pairs.
.macro panel_8k p, set, next
    smmla   S\p\()_aa.4s, A\p\()_a.16b, B\set\()_a.16b
    smmla   S\p\()_ab.4s, A\p\()_a.16b, B\set\()_b.16b
    if_more \p, 0, ldr qA\p\()_a, [lhs\p, #\next]
    smmla   S\p\()_ba.4s, A\p\()_b.16b, B\set\()_a.16b
    smmla   S\p\()_bb.4s, A\p\()_b.16b, B\set\()_b.16b
    if_more \p, 0, ldr qA\p\()_b, [lhs\p, #\next + 16]
    when \p, 0, ldp qA0_a, qA0_b, [lhs0, #\next]
.endm

// 8 k of 2 or 4 panels with B<set>; loads B<other> and A of the next 8 k from byte `next`.
.macro tile_8k panel_count, set, other, next
    ldp     qB\other\()_a, qB\other\()_b, [rhs, #\next]
    panel_8k 0, \set, \next
    panel_8k 1, \set, \next
    if_more \panel_count, 2, panel_8k 2, \set, \next
    if_more \panel_count, 2, panel_8k 3, \set, \next
.endm

// 16 k of a single panel; loads A and B of the next even group from byte `next`.
.macro single_16k next
    ldp     qBo_a, qBo_b, [rhs, #\next - 32]
    ldp     qA1_a, qA1_b, [lhs0, #\next - 32]
    panel_8k 0, e, \next
    ldp     qBe_a, qBe_b, [rhs, #\next]
    smmla   S1_aa.4s, A1_a.16b, Bo_a.16b
    smmla   S1_ab.4s, A1_a.16b, Bo_b.16b
    smmla   S1_ba.4s, A1_b.16b, Bo_a.16b
    smmla   S1_bb.4s, A1_b.16b, Bo_b.16b
.endm

// 32 k.
.macro channel_step panel_count
    .if \panel_count == 1
    single_16k 64
    subs    left, left, #1
    single_16k 128
    .else
    tile_8k \panel_count, e, o, 32
    tile_8k \panel_count, o, e, 64
    tile_8k \panel_count, e, o, 96
    subs    left, left, #1
    tile_8k \panel_count, o, e, 128
    .endif
    add     rhs, rhs, #128
    add     lhs0, lhs0, #128
    if_more \panel_count, 1, add lhs1, lhs1, #128
    if_more \panel_count, 2, add lhs2, lhs2, #128
    if_more \panel_count, 2, add lhs3, lhs3, #128
.endm

// Loads A and Be of the first 8 k; a single panel: S1 = 0.
.macro channel_load panel_count
    ldp     qBe_a, qBe_b, [rhs]
    ldp     qA0_a, qA0_b, [lhs0]
    if_more \panel_count, 1, ldp qA1_a, qA1_b, [lhs1]
    if_more \panel_count, 2, ldp qA2_a, qA2_b, [lhs2]
    if_more \panel_count, 2, ldp qA3_a, qA3_b, [lhs3]
    when \panel_count, 1, zero S1_aa, S1_ab, S1_ba, S1_bb
.endm

// What sums start from. column_sums_a, _b: of the quad; offsets_e, offsets_o: of the rows of even and odd panels.
    regs    26, column_sums_a, column_sums_b, offsets_e_a, offsets_e_b, offsets_o_a, offsets_o_b
.macro load_offsets p, set
    ldp     qoffsets_\set\()_a, qoffsets_\set\()_b, [panels, #\p * PANEL + PANEL_offsets]
.endm
// S of panel p = column sums * offsets in set `set`.
.macro multiply_offsets p, set
    mul     S\p\()_aa.4s, column_sums_a.4s, offsets_\set\()_a.4s
    mul     S\p\()_ab.4s, column_sums_b.4s, offsets_\set\()_a.4s
    mul     S\p\()_ba.4s, column_sums_a.4s, offsets_\set\()_b.4s
    mul     S\p\()_bb.4s, column_sums_b.4s, offsets_\set\()_b.4s
.endm
// S = row offset * column sum. Changes v26 - v31.
.macro channel_start panel_count
    ldp     qcolumn_sums_a, qcolumn_sums_b, [quad, #QUAD_column_sums]
    load_offsets 0, e
    if_more \panel_count, 1, load_offsets 1, o
    multiply_offsets 0, e
    when \panel_count, 4, load_offsets 2, e
    if_more \panel_count, 1, multiply_offsets 1, o
    .if \panel_count == 4
    load_offsets 3, o
    multiply_offsets 2, e
    multiply_offsets 3, o
    .endif
.endm

// A single panel: adds the sums of the odd groups to those of the even ones.
.macro channel_end panel_count
    .if \panel_count == 1
    add     S0_aa.4s, S0_aa.4s, S1_aa.4s
    add     S0_ab.4s, S0_ab.4s, S1_ab.4s
    add     S0_ba.4s, S0_ba.4s, S1_ba.4s
    add     S0_bb.4s, S0_bb.4s, S1_bb.4s
    .endif
.endm

    gemm_function kai_sums_4x4_neon_i8mm, 1, channel
    gemm_function kai_sums_8x4_neon_i8mm, 2, channel
    gemm_function kai_sums_16x4_neon_i8mm, 4, channel
    narrow_functions
