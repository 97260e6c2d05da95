// Tiles of the qai8dxp GEMM with SMMLA (qai8dxp_neon.hpp).
//
// A vector of sums holds 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1; a panel has four of them: rows 01 columns 01, rows 01
// columns 23, rows 23 columns 01, rows 23 columns 23. 8 k are two vectors of a panel, rows 01 and 23, and two of the
// RHS, columns 01 and 23. Operands are loaded where their registers become free, a few multiplications ahead of their
// use, for in-order cores.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#define COLUMN_0 v16.4s
#define COLUMN_1 v17.4s
#define COLUMN_2 v16.4s
#define COLUMN_3 v17.4s
#define ROW_0 v18.4s
#define ROW_1 v18.4s
#define ROW_2 v19.4s
#define ROW_3 v19.4s
#define FACTOR_0 v22.4s
#define FACTOR_1 v22.4s
#define FACTOR_2 v23.4s
#define FACTOR_3 v23.4s
#define ORDERED(s, t) t
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon.inc"

.macro load_columns v, w, at:vararg
    ldp     q\v, q\w, \at
.endm
.macro load_rows v, w, at:vararg
    ldp     q\v, q\w, \at
.endm
.macro rows s0, s1, s2, s3, t0, t2
    uzp1    v\t0\().2d, v\s0\().2d, v\s1\().2d
    uzp2    v\s1\().2d, v\s0\().2d, v\s1\().2d
    uzp1    v\t2\().2d, v\s2\().2d, v\s3\().2d
    uzp2    v\s3\().2d, v\s2\().2d, v\s3\().2d
.endm
    narrow_functions neon_i8mm

// ---- Per channel: accumulators are integers
//
// v16 - v23 LHS, rows 01 and 23 of panel 0, of panel 1, ...; v24, v25 RHS of even groups of 8 k, v26, v27 of odd ones.

// 8 k of a panel, then its next operands. `pair`: load them together. That is less to issue in order; cores that split
// pairs are better off with single loads: half of the panels use each.
.macro panel_8k s0, s1, s2, s3, c01, c23, r01, r23, lhs, next, pair
    smmla   v\s0\().4s, v\r01\().16b, v\c01\().16b
    smmla   v\s1\().4s, v\r01\().16b, v\c23\().16b
    when \pair, 0, ldr q\r01, [\lhs, #\next]
    smmla   v\s2\().4s, v\r23\().16b, v\c01\().16b
    smmla   v\s3\().4s, v\r23\().16b, v\c23\().16b
    .if \pair
    ldp     q\r01, q\r23, [\lhs, #\next]
    .else
    ldr     q\r23, [\lhs, #\next + 16]
    .endif
.endm

// v26, v27 column sums
.macro multiply_offsets s0, s1, s2, s3, r01, r23
    mul     v\s0\().4s, v26.4s, v\r01\().4s
    mul     v\s1\().4s, v27.4s, v\r01\().4s
    mul     v\s2\().4s, v26.4s, v\r23\().4s
    mul     v\s3\().4s, v27.4s, v\r23\().4s
.endm
.macro sums_start count
    load_columns 26, 27, [quad, #QUAD_column_sums]
    load_rows 28, 29, [panels, #PANEL_offsets]
    if_more \count, 1, load_rows 30, 31, [panels, #PANEL + PANEL_offsets]
    multiply_offsets 0, 1, 2, 3, 28, 29
    when \count, 4, load_rows 28, 29, [panels, #2 * PANEL + PANEL_offsets]
    if_more \count, 1, multiply_offsets 4, 5, 6, 7, 30, 31
    .if \count == 4
    load_rows 30, 31, [panels, #3 * PANEL + PANEL_offsets]
    multiply_offsets 8, 9, 10, 11, 28, 29
    multiply_offsets 12, 13, 14, 15, 30, 31
    .endif
.endm

.macro sums_first_2
    ldp     q24, q25, [rhs]
    ldp     q16, q17, [x1]
    ldp     q18, q19, [x2]
.endm
.macro sums_first_4
    sums_first_2
    ldp     q20, q21, [x3]
    ldp     q22, q23, [x4]
.endm

.macro sums_8k_2 c01, c23, next01, next23, next
    ldp     q\next01, q\next23, [rhs, #\next]
    panel_8k 0, 1, 2, 3, \c01, \c23, 16, 17, x1, \next, 1
    panel_8k 4, 5, 6, 7, \c01, \c23, 18, 19, x2, \next, 0
.endm
.macro sums_8k_4 c01, c23, next01, next23, next
    sums_8k_2 \c01, \c23, \next01, \next23, \next
    panel_8k 8, 9, 10, 11, \c01, \c23, 20, 21, x3, \next, 0
    panel_8k 12, 13, 14, 15, \c01, \c23, 22, 23, x4, \next, 0
.endm
// One panel: odd groups have accumulators s4 - s7 and operands d01 - q23 of their own, so that no sum waits for its
// previous addition.
.macro panel_16k s0, s1, s2, s3, s4, s5, s6, s7, c01, c23, r01, r23, d01, d23, q01, q23, next
    ldp     q\d01, q\d23, [rhs, #\next - 32]
    ldp     q\q01, q\q23, [x1, #\next - 32]
    panel_8k \s0, \s1, \s2, \s3, \c01, \c23, \r01, \r23, x1, \next, 1
    ldp     q\c01, q\c23, [rhs, #\next]
    smmla   v\s4\().4s, v\q01\().16b, v\d01\().16b
    smmla   v\s5\().4s, v\q01\().16b, v\d23\().16b
    smmla   v\s6\().4s, v\q23\().16b, v\d01\().16b
    smmla   v\s7\().4s, v\q23\().16b, v\d23\().16b
.endm
.macro sums_first_1
    ldp     q24, q25, [rhs]
    ldp     q16, q17, [x1]
    zero 4, 5, 6, 7
.endm
.macro sums_step count
    .if \count == 1
    panel_16k 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 16, 17, 26, 27, 18, 19, 64
    subs    x7, x7, #1
    panel_16k 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 16, 17, 26, 27, 18, 19, 128
    .else
    sums_8k_\count 24, 25, 26, 27, 32
    sums_8k_\count 26, 27, 24, 25, 64
    sums_8k_\count 24, 25, 26, 27, 96
    subs    x7, x7, #1
    sums_8k_\count 26, 27, 24, 25, 128
    .endif
    add     rhs, rhs, #128
    add     x1, x1, #128
    if_more \count, 1, add x2, x2, #128
    if_more \count, 2, add x3, x3, #128
    if_more \count, 2, add x4, x4, #128
.endm
.macro sums_last count
    .if \count == 1
    add     v0.4s, v0.4s, v4.4s
    add     v1.4s, v1.4s, v5.4s
    add     v2.4s, v2.4s, v6.4s
    add     v3.4s, v3.4s, v7.4s
    .endif
.endm

    gemm_function kai_sums_4x4_neon_i8mm, 1, sums
    gemm_function kai_sums_8x4_neon_i8mm, 2, sums
    gemm_function kai_sums_16x4_neon_i8mm, 4, sums

// ---- Blocks: accumulators are floats, integer sums of two panels are v16 - v23
//
// v24, v25 RHS, columns 01, 23 of even groups of 8 k, v26, v27 of odd ones; v28 - v31 LHS, rows 01, 23 of two panels.
// At the end of a block v25 = C, where sums start, v26, v27 = scales.

.macro pair_first a, b
    ldp     q24, q25, [rhs]
    ldp     q28, q29, [\a]
    ldp     q30, q31, [\b]
    pair_start 16, 17, 18, 19, 20, 21, 22, 23
.endm
.macro pair_start s, rest:vararg
    ldr     q\s, [args, #GEMM_ARGS_start]
    .ifnb \rest
    pair_start \rest
    .endif
.endm

// 8 k of two panels; what comes next is at offset `next` of a, b and rhs.
.macro pair_8k c01, c23, next01, next23, a, b, next
    smmla   v16.4s, v28.16b, v\c01\().16b
    smmla   v17.4s, v28.16b, v\c23\().16b
    ldr     q28, [\a, #\next]
    smmla   v18.4s, v29.16b, v\c01\().16b
    smmla   v19.4s, v29.16b, v\c23\().16b
    ldr     q\next01, [rhs, #\next]
    ldr     q29, [\a, #\next + 16]
    smmla   v20.4s, v30.16b, v\c01\().16b
    smmla   v21.4s, v30.16b, v\c23\().16b
    ldr     q\next23, [rhs, #\next + 16]
    ldr     q30, [\b, #\next]
    smmla   v22.4s, v31.16b, v\c01\().16b
    smmla   v23.4s, v31.16b, v\c23\().16b
    ldr     q31, [\b, #\next + 16]
.endm

// Sums that have become floats are added to an accumulator, and start anew.
.macro pair_add acc, s, scale
    fmla    \acc\().4s, v\s\().4s, v\scale\().4s
    ldr     q\s, [args, #GEMM_ARGS_start]
.endm

// A block of panels a, b, whose accumulators are a0 - a7. Then the first operands of panels next_a, next_b, of the same
// block (`again`) or the next one. Both pairs of a tile need the same scales.
.macro pair_block a, b, next_a, next_b, next, again, a0, a1, a2, a3, a4, a5, a6, a7
    mov     x17, x12
8:  // 32 k
    pair_8k 24, 25, 26, 27, \a, \b, 32
    pair_8k 26, 27, 24, 25, \a, \b, 64
    pair_8k 24, 25, 26, 27, \a, \b, 96
    subs    x17, x17, #1
    b.eq    9f
    pair_8k 26, 27, 24, 25, \a, \b, 128
    add     \a, \a, #128
    add     \b, \b, #128
    add     rhs, rhs, #128
    b       8b
9:
    smmla   v16.4s, v28.16b, v26.16b
    smmla   v17.4s, v28.16b, v27.16b
    .if \again
    mov     rhs, x15
    .else
    add     rhs, rhs, #128
    .endif
    smmla   v18.4s, v29.16b, v26.16b
    smmla   v19.4s, v29.16b, v27.16b
    ldr     q25, [args, #GEMM_ARGS_start]
    smmla   v20.4s, v30.16b, v26.16b
    smmla   v21.4s, v30.16b, v27.16b
    ldr     q24, [rhs]
    smmla   v22.4s, v31.16b, v26.16b
    smmla   v23.4s, v31.16b, v27.16b
    ldr     q28, [\next_a, #\next]
    fsub    v16.4s, v16.4s, v25.4s
    fsub    v17.4s, v17.4s, v25.4s
    ldr     q29, [\next_a, #\next + 16]
    fsub    v18.4s, v18.4s, v25.4s
    fsub    v19.4s, v19.4s, v25.4s
    ldr     q26, [scales]
    fsub    v20.4s, v20.4s, v25.4s
    fsub    v21.4s, v21.4s, v25.4s
    ldr     q27, [scales, #16]
    fsub    v22.4s, v22.4s, v25.4s
    fsub    v23.4s, v23.4s, v25.4s
    ldr     q30, [\next_b, #\next]
    pair_add \a0, 16, 26
    pair_add \a1, 17, 27
    ldr     q31, [\next_b, #\next + 16]
    pair_add \a2, 18, 26
    pair_add \a3, 19, 27
    ldr     q25, [rhs, #16]
    pair_add \a4, 20, 26
    pair_add \a5, 21, 27
    add     \a, \a, #128
    pair_add \a6, 22, 26
    pair_add \a7, 23, 27
    add     \b, \b, #128
    when \again, 0, mov x15, rhs
.endm

.macro block_first_2
    pair_first x1, x2
.endm
.macro block_first_4
    mov     x15, rhs
    block_first_2
.endm
.macro block_step_2
    pair_block x1, x2, x1, x2, 128, 0, v0, v1, v2, v3, v4, v5, v6, v7
.endm
.macro block_step_4
    pair_block x1, x2, x3, x4, 0, 1, v0, v1, v2, v3, v4, v5, v6, v7
    pair_block x3, x4, x1, x2, 0, 0, v8, v9, v10, v11, v12, v13, v14, v15
.endm

// One panel: integer sums of even groups in v16 - v19, of odd ones in v20 - v23.
.macro block_first_1
    ldr     q30, [args, #GEMM_ARGS_start]
    ldp     q24, q25, [rhs]
    ldp     q26, q27, [x1]
.endm
.macro block_step_1
    pair_start 16, 17, 18, 19
    zero 20, 21, 22, 23
    mov     x17, x12
8:  // 32 k
    panel_16k 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 4, 5, 28, 29, 64
    subs    x17, x17, #1
    panel_16k 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 4, 5, 28, 29, 128
    add     rhs, rhs, #128
    add     x1, x1, #128
    b.ne    8b
    ldp     q6, q31, [scales], #32
    add     v16.4s, v16.4s, v20.4s
    add     v17.4s, v17.4s, v21.4s
    add     v18.4s, v18.4s, v22.4s
    add     v19.4s, v19.4s, v23.4s
    fsub    v16.4s, v16.4s, v30.4s
    fsub    v17.4s, v17.4s, v30.4s
    fsub    v18.4s, v18.4s, v30.4s
    fsub    v19.4s, v19.4s, v30.4s
    fmla    v0.4s, v16.4s, v6.4s
    fmla    v1.4s, v17.4s, v31.4s
    fmla    v2.4s, v18.4s, v6.4s
    fmla    v3.4s, v19.4s, v31.4s
.endm

.macro block_step count
    block_step_\count
    subs    x7, x7, #1
    if_more \count, 1, add scales, scales, #32
.endm

    gemm_function kai_block_sums_4x4_neon_i8mm, 1, block
    gemm_function kai_block_sums_8x4_neon_i8mm, 2, block
    gemm_function kai_block_sums_16x4_neon_i8mm, 4, block
