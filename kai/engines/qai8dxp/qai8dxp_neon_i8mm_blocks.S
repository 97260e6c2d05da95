// Tiles of the qai8dxp GEMM with SMMLA (qai8dxp_neon.hpp) for columns in blocks, which have a scale each.
//
//     S += f32(T / 16) * block scale for each block, T = A x B: int8 x int8 -> int32
//     result = clamp(fma(column sum, row offset, S) * row scale + bias)
//
// T starts at the bits of C, GemmArgs::start, and is then the float C + T / 16 (ShortSum): C is subtracted.
//
// Two panels at a time, t = 0 and 1: those of a pair have rows a = 0 1 and b = 2 3, a quad columns a = 0 1 and b = 2 3.
//
//                 | Be_a      Be_b        even groups of 8 k; odd ones: Bo_a, Bo_b
//         --------+--------------------
//         A<t>_a  | T<t>_aa   T<t>_ab     a vector: 2 rows x 2 columns
//         A<t>_b  | T<t>_ba   T<t>_bb
//
//   S0_aa S0_ab S0_ba S0_bb, S1_aa ... S3_bb    v0 - v15     f32 sums, up to 4 panels
//   T0_aa T0_ab T0_ba T0_bb, T1_aa ... T1_bb    v16 - v23    int32 sums of a block, 2 panels
//   Be_a Be_b, Bo_a Bo_b                        v24 - v27    B
//   A0_a A0_b, A1_a A1_b                        v28 - v31    A, a panel each
//   At the end of a block: C v25, scales_a scales_b v26, v27, which were B
//   lhs0 - lhs3  x1 - x4, rhs  x5               cursors: 32 bytes for 8 k; others: qai8dxp_neon.inc
//   steps  x12, more_steps  x16                 of 32 k of a block: all; those after the first
//   steps_left  x17, block_rhs  x15             more steps to go; RHS of a block that has some
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon.inc"
#include "kai/engines/qai8dxp/qai8dxp_neon_i8mm_results.inc"

    regs    0, S0_aa, S0_ab, S0_ba, S0_bb, S1_aa, S1_ab, S1_ba, S1_bb
    regs    8, S2_aa, S2_ab, S2_ba, S2_bb, S3_aa, S3_ab, S3_ba, S3_bb
    regs    16, T0_aa, T0_ab, T0_ba, T0_bb, T1_aa, T1_ab, T1_ba, T1_bb
    regs    24, Be_a, Be_b, Bo_a, Bo_b, A0_a, A0_b, A1_a, A1_b
    regs    25, C, scales_a, scales_b
block_rhs  .req x15
more_steps .req x16
steps_left .req x17
    .set    same, 0
    .set    next, 1

// T<..> = C, for each of the names.
.macro start t, rest:vararg
    ldr     q\t, [args, #GEMM_ARGS_start]
    .ifnb \rest
    start   \rest
    .endif
.endm

// 8 k of panels p and q of the tile: T += A * B<set>; then loads A and B<other> from byte `next`.
.macro pair_8k p, q, set, other, next
    smmla   T0_aa.4s, A0_a.16b, B\set\()_a.16b
    smmla   T0_ab.4s, A0_a.16b, B\set\()_b.16b
    ldr     qA0_a, [lhs\p, #\next]
    smmla   T0_ba.4s, A0_b.16b, B\set\()_a.16b
    smmla   T0_bb.4s, A0_b.16b, B\set\()_b.16b
    ldr     qB\other\()_a, [rhs, #\next]
    ldr     qA0_b, [lhs\p, #\next + 16]
    smmla   T1_aa.4s, A1_a.16b, B\set\()_a.16b
    smmla   T1_ab.4s, A1_a.16b, B\set\()_b.16b
    ldr     qB\other\()_b, [rhs, #\next + 16]
    ldr     qA1_a, [lhs\q, #\next]
    smmla   T1_ba.4s, A1_b.16b, B\set\()_a.16b
    smmla   T1_bb.4s, A1_b.16b, B\set\()_b.16b
    ldr     qA1_b, [lhs\q, #\next + 16]
.endm

// S<p> += T<t> * scales in vector v, aa to bb, whose columns are c, a or b. T starts anew.
.macro add_scaled p, t, v, c
    fmla    S\p\()_\v\().4s, T\t\()_\v\().4s, scales_\c\().4s
    start   T\t\()_\v
.endm
.macro less_c t
    fsub    \t\().4s, \t\().4s, C.4s
.endm

// The first 24 of 32 k: what is left are operands of the last 8 k, which have been loaded.
.macro pair_24k p, q
    pair_8k \p, \q, e, o, 32
    pair_8k \p, \q, o, e, 64
    pair_8k \p, \q, e, o, 96
.endm

// A block of panels p and q. Then loads the first operands of the next pair, next_p and next_q, from their byte `next`:
// of this block (whose=same) or the next one (whose=next). Both pairs of a tile need the same scales.
//     T += A * B, 8 k at a time, while A and B of the next 8 k are loaded (not in the last 8 k)
//     S += (T - C) * scales; T = C         beside the last 8 k, while B and A of the next pair are loaded
// Instructions limit cores with six SIMD pipes: blocks of 32 k, the usual ones, count no steps and leave rhs alone.
.macro pair_block p, q, next_p, next_q, next, whose
    pair_24k \p, \q
    cbz     more_steps, 9f
    mov     steps_left, more_steps
    mov     block_rhs, rhs
8:  // 32 k more
    pair_8k \p, \q, o, e, 128
    add     lhs\p, lhs\p, #128
    add     lhs\q, lhs\q, #128
    add     rhs, rhs, #128
    pair_24k \p, \q
    subs    steps_left, steps_left, #1
    b.ne    8b
    when \whose, same, mov rhs, block_rhs
9:
    smmla   T0_aa.4s, A0_a.16b, Bo_a.16b
    smmla   T0_ab.4s, A0_a.16b, Bo_b.16b
    when \whose, next, add rhs, rhs, #128
    smmla   T0_ba.4s, A0_b.16b, Bo_a.16b
    smmla   T0_bb.4s, A0_b.16b, Bo_b.16b
    ldr     qC, [args, #GEMM_ARGS_start]
    smmla   T1_aa.4s, A1_a.16b, Bo_a.16b
    smmla   T1_ab.4s, A1_a.16b, Bo_b.16b
    ldr     qBe_a, [rhs]
    smmla   T1_ba.4s, A1_b.16b, Bo_a.16b
    smmla   T1_bb.4s, A1_b.16b, Bo_b.16b
    ldr     qA0_a, [lhs\next_p, #\next]
    less_c  T0_aa
    less_c  T0_ab
    ldr     qA0_b, [lhs\next_p, #\next + 16]
    less_c  T0_ba
    less_c  T0_bb
    ldr     qscales_a, [scales]
    less_c  T1_aa
    less_c  T1_ab
    ldr     qscales_b, [scales, #16]
    less_c  T1_ba
    less_c  T1_bb
    ldr     qA1_a, [lhs\next_q, #\next]
    add_scaled \p, 0, aa, a
    add_scaled \p, 0, ab, b
    ldr     qA1_b, [lhs\next_q, #\next + 16]
    add_scaled \p, 0, ba, a
    add_scaled \p, 0, bb, b
    ldr     qBe_b, [rhs, #16]                   // was C
    add_scaled \q, 1, aa, a
    add_scaled \q, 1, ab, b
    add     lhs\p, lhs\p, #128
    add_scaled \q, 1, ba, a
    add_scaled \q, 1, bb, b
    add     lhs\q, lhs\q, #128
.endm

// ---- A single panel: even and odd groups of 8 k have sums T0 and T1 and operands of their own

    regs    26, one_Ae_a, one_Ae_b, one_Ao_a, one_Ao_b, one_C, one_scales_b
    regs    4, one_Bo_a, one_Bo_b, one_scales_a

// 16 k; loads A and B of the next even group from byte `next`.
.macro single_16k next
    ldp     qone_Bo_a, qone_Bo_b, [rhs, #\next - 32]
    ldp     qone_Ao_a, qone_Ao_b, [lhs0, #\next - 32]
    smmla   T0_aa.4s, one_Ae_a.16b, Be_a.16b
    smmla   T0_ab.4s, one_Ae_a.16b, Be_b.16b
    smmla   T0_ba.4s, one_Ae_b.16b, Be_a.16b
    smmla   T0_bb.4s, one_Ae_b.16b, Be_b.16b
    ldp     qone_Ae_a, qone_Ae_b, [lhs0, #\next]
    ldp     qBe_a, qBe_b, [rhs, #\next]
    smmla   T1_aa.4s, one_Ao_a.16b, one_Bo_a.16b
    smmla   T1_ab.4s, one_Ao_a.16b, one_Bo_b.16b
    smmla   T1_ba.4s, one_Ao_b.16b, one_Bo_a.16b
    smmla   T1_bb.4s, one_Ao_b.16b, one_Bo_b.16b
.endm
// A block: S0 += (T - C) * scales, T = A * B. Moves rhs, lhs0, scales.
.macro single_block
    start   T0_aa, T0_ab, T0_ba, T0_bb
    zero    T1_aa, T1_ab, T1_ba, T1_bb
    mov     steps_left, steps
8:  // 32 k
    single_16k 64
    subs    steps_left, steps_left, #1
    single_16k 128
    add     rhs, rhs, #128
    add     lhs0, lhs0, #128
    b.ne    8b
    ldp     qone_scales_a, qone_scales_b, [scales], #32
    add     T0_aa.4s, T0_aa.4s, T1_aa.4s
    add     T0_ab.4s, T0_ab.4s, T1_ab.4s
    add     T0_ba.4s, T0_ba.4s, T1_ba.4s
    add     T0_bb.4s, T0_bb.4s, T1_bb.4s
    fsub    T0_aa.4s, T0_aa.4s, one_C.4s
    fsub    T0_ab.4s, T0_ab.4s, one_C.4s
    fsub    T0_ba.4s, T0_ba.4s, one_C.4s
    fsub    T0_bb.4s, T0_bb.4s, one_C.4s
    fmla    S0_aa.4s, T0_aa.4s, one_scales_a.4s
    fmla    S0_ab.4s, T0_ab.4s, one_scales_b.4s
    fmla    S0_ba.4s, T0_ba.4s, one_scales_a.4s
    fmla    S0_bb.4s, T0_bb.4s, one_scales_b.4s
.endm

// ---- Any number of panels

// A block.
.macro block_step panel_count
    when \panel_count, 1, single_block
    when \panel_count, 2, pair_block 0, 1, 0, 1, 128, next
    when \panel_count, 4, pair_block 0, 1, 2, 3, 0, same
    when \panel_count, 4, pair_block 2, 3, 0, 1, 0, next
    subs    left, left, #1
    if_more \panel_count, 1, add scales, scales, #32
.endm

// A and Be of the first 8 k; T = C, or C of a single panel.
.macro block_load panel_count
    ldp     qBe_a, qBe_b, [rhs]
    .if \panel_count == 1
    start   one_C
    ldp     qone_Ae_a, qone_Ae_b, [lhs0]
    .else
    sub     more_steps, steps, #1
    ldp     qA0_a, qA0_b, [lhs0]
    ldp     qA1_a, qA1_b, [lhs1]
    start   T0_aa, T0_ab, T0_ba, T0_bb, T1_aa, T1_ab, T1_ba, T1_bb
    .endif
.endm

.macro block_start panel_count
    each_panel \panel_count, zero_sums
.endm
.macro block_end panel_count
.endm

    gemm_function kai_block_sums_4x4_neon_i8mm, 1, block
    gemm_function kai_block_sums_8x4_neon_i8mm, 2, block
    gemm_function kai_block_sums_16x4_neon_i8mm, 4, block
