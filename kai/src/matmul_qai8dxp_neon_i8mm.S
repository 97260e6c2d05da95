// Tiles of the qai8dxp GEMM with SMMLA (matmul_qai8dxp_neon.hpp).
//
// A vector of sums holds 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1; a panel has four of them: rows 01 columns 01, rows 01
// columns 23, rows 23 columns 01, rows 23 columns 23. 8 k are two vectors of a panel, rows 01 and 23, and two of the
// RHS, columns 01 and 23. Operands are loaded where their registers become free, a few multiplications ahead of their
// use, for cores that issue in order.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/asm/asm.h"
#include "kai/asm/matmul_qai8dxp_neon.inc"


// Per channel they start as offset * column sum: column sums are in v16 and v17.
.macro panel_offsets index, s0, s1, s2, s3, r01, r23
    ldp     q\r01, q\r23, [panels, #\index * PANEL + PANEL_OFFSETS]
    mul     v\s0\().4s, v16.4s, v\r01\().4s
    mul     v\s1\().4s, v17.4s, v\r01\().4s
    mul     v\s2\().4s, v16.4s, v\r23\().4s
    mul     v\s3\().4s, v17.4s, v\r23\().4s
.endm
.macro sums_start_1
    ldp     q16, q17, [quad, #QUAD_COLUMN_SUMS]
    panel_offsets 0, 0, 1, 2, 3, 18, 19
.endm
.macro sums_start_2
    sums_start_1
    panel_offsets 1, 4, 5, 6, 7, 20, 21
.endm
.macro sums_start_4
    sums_start_2
    panel_offsets 2, 8, 9, 10, 11, 22, 23
    panel_offsets 3, 12, 13, 14, 15, 24, 25
.endm
.macro rows s0, s1, s2, s3
    uzp1    v26.2d, v\s0\().2d, v\s1\().2d
    uzp2    v27.2d, v\s0\().2d, v\s1\().2d
    uzp1    v28.2d, v\s2\().2d, v\s3\().2d
    uzp2    v29.2d, v\s2\().2d, v\s3\().2d
.endm

.macro add_bias s0, s1, s2, s3
    fadd    v26.4s, v26.4s, v30.4s
    fadd    v27.4s, v27.4s, v30.4s
    fadd    v28.4s, v28.4s, v30.4s
    fadd    v29.4s, v29.4s, v30.4s
.endm

// ---- Per channel: accumulators are integers
//
// v16 - v23 LHS, rows 01 and 23 of panel 0, of panel 1, ...; v24, v25 RHS of even groups of 8 k, v26, v27 of odd ones.

// 8 k of a panel, then its next operands. `pair`: load them together. That is less to issue in order; cores that split
// pairs are better off with single loads: half of the panels do either.
.macro panel_8k s0, s1, s2, s3, c01, c23, r01, r23, lhs, next, pair
    smmla   v\s0\().4s, v\r01\().16b, v\c01\().16b
    smmla   v\s1\().4s, v\r01\().16b, v\c23\().16b
    .if \pair == 0
    ldr     q\r01, [\lhs, #\next]
    .endif
    smmla   v\s2\().4s, v\r23\().16b, v\c01\().16b
    smmla   v\s3\().4s, v\r23\().16b, v\c23\().16b
    .if \pair
    ldp     q\r01, q\r23, [\lhs, #\next]
    .else
    ldr     q\r23, [\lhs, #\next + 16]
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
.macro sums_step count
    sums_8k_\count 24, 25, 26, 27, 32
    sums_8k_\count 26, 27, 24, 25, 64
    sums_8k_\count 24, 25, 26, 27, 96
    subs    x7, x7, #1
    sums_8k_\count 26, 27, 24, 25, 128
    add     rhs, rhs, #128
    add     x1, x1, #128
    add     x2, x2, #128
    .if \count > 2
    add     x3, x3, #128
    add     x4, x4, #128
    .endif
.endm
.macro sums_step_2
    sums_step 2
.endm
.macro sums_step_4
    sums_step 4
.endm
.macro sums_last_2
.endm
.macro sums_last_4
.endm

// One panel: odd groups have accumulators s4 - s7 and operands d01 - q23 of their own, so that no sum waits for itself.
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
.macro sums_step_1
    panel_16k 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 16, 17, 26, 27, 18, 19, 64
    subs    x7, x7, #1
    panel_16k 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 16, 17, 26, 27, 18, 19, 128
    add     rhs, rhs, #128
    add     x1, x1, #128
.endm
.macro sums_last_1
    add     v0.4s, v0.4s, v4.4s
    add     v1.4s, v1.4s, v5.4s
    add     v2.4s, v2.4s, v6.4s
    add     v3.4s, v3.4s, v7.4s
.endm

// f32(sum) * (scale * column scale)
.macro sums_columns
    ldp     q16, q17, [quad, #QUAD_COLUMN_SCALES]
.endm
.macro sums_a index, s0, s1, s2, s3
    ldp     q18, q19, [panels, #\index * PANEL + PANEL_SCALES]
    scvtf   v\s0\().4s, v\s0\().4s
    scvtf   v\s1\().4s, v\s1\().4s
    scvtf   v\s2\().4s, v\s2\().4s
    scvtf   v\s3\().4s, v\s3\().4s
.endm
.macro sums_b index
    fmul    v22.4s, v16.4s, v18.4s
    fmul    v23.4s, v17.4s, v18.4s
    fmul    v24.4s, v16.4s, v19.4s
    fmul    v25.4s, v17.4s, v19.4s
.endm
.macro sums_scale s0, s1, s2, s3
    multiply \s0, \s1, \s2, \s3, 22, 23, 24, 25
.endm

    gemm_function kai_sums_4x4_neon_i8mm, 1, sums
    gemm_function kai_sums_8x4_neon_i8mm, 2, sums
    gemm_function kai_sums_16x4_neon_i8mm, 4, sums

// ---- Blocks: accumulators are floats, integer sums of two panels are v16 - v23
//
// v24, v25 RHS: columns 01, 23; v26 - v29 LHS: rows 01, 23 of two panels; v30 = C, where sums start; v31 scales.

.macro start s0, s1, s2, s3
    ldr     q\s0, [args, #GEMM_START]
    ldr     q\s1, [args, #GEMM_START]
    ldr     q\s2, [args, #GEMM_START]
    ldr     q\s3, [args, #GEMM_START]
.endm

// The first operands of panels a, b, and their sums.
.macro pair_first a, b
    ldr     q30, [args, #GEMM_START]
    ldr     q24, [rhs]
    ldr     q26, [\a]
    ldr     q27, [\a, #16]
    ldr     q28, [\b]
    ldr     q29, [\b, #16]
    ldr     q25, [rhs, #16]
    start 16, 18, 20, 22
    start 17, 19, 21, 23
.endm

// 8 k of two panels; what comes next stands at offset `next` of a, b and rhs.
.macro pair_8k a, b, next
    smmla   v16.4s, v26.16b, v24.16b
    smmla   v18.4s, v27.16b, v24.16b
    smmla   v20.4s, v28.16b, v24.16b
    smmla   v22.4s, v29.16b, v24.16b
    ldr     q24, [rhs, #\next]
    smmla   v17.4s, v26.16b, v25.16b
    ldr     q26, [\a, #\next]
    smmla   v19.4s, v27.16b, v25.16b
    ldr     q27, [\a, #\next + 16]
    smmla   v21.4s, v28.16b, v25.16b
    ldr     q28, [\b, #\next]
    smmla   v23.4s, v29.16b, v25.16b
    ldr     q29, [\b, #\next + 16]
    ldr     q25, [rhs, #\next + 16]
.endm

// A block of panels a, b, whose accumulators are a0 - a7, then the first operands of panels next_a, next_b: of the same
// block if `again` (it starts at x15), else of the next one. Both pairs need the same scales.
.macro pair_block a, b, next_a, next_b, again, a0, a1, a2, a3, a4, a5, a6, a7
    mov     x17, x12
8:  // 32 k
    pair_8k \a, \b, 32
    pair_8k \a, \b, 64
    pair_8k \a, \b, 96
    subs    x17, x17, #1
    add     \a, \a, #128
    add     \b, \b, #128
    add     rhs, rhs, #128
    .ifnc \a, \next_a
    b.eq    9f
    .endif
    pair_8k \a, \b, 0
    .ifnc \a, \next_a
    b       8b
9:  // the last ones of a block go on with other panels
    .if \again
    mov     rhs, x15
    .else
    mov     x15, rhs
    .endif
    pair_8k \next_a, \next_b, 0
    .else
    b.ne    8b
    .endif

    ldr     q31, [scales]
    fsub    v16.4s, v16.4s, v30.4s
    fsub    v18.4s, v18.4s, v30.4s
    fsub    v20.4s, v20.4s, v30.4s
    fsub    v22.4s, v22.4s, v30.4s
    fsub    v17.4s, v17.4s, v30.4s
    fsub    v19.4s, v19.4s, v30.4s
    fsub    v21.4s, v21.4s, v30.4s
    fsub    v23.4s, v23.4s, v30.4s
    fmla    \a6\().4s, v22.4s, v31.4s
    ldr     q22, [scales, #16]
    fmla    \a0\().4s, v16.4s, v31.4s
    ldr     q16, [args, #GEMM_START]
    fmla    \a2\().4s, v18.4s, v31.4s
    ldr     q18, [args, #GEMM_START]
    fmla    \a4\().4s, v20.4s, v31.4s
    ldr     q20, [args, #GEMM_START]
    fmla    \a1\().4s, v17.4s, v22.4s
    ldr     q17, [args, #GEMM_START]
    fmla    \a3\().4s, v19.4s, v22.4s
    ldr     q19, [args, #GEMM_START]
    fmla    \a5\().4s, v21.4s, v22.4s
    ldr     q21, [args, #GEMM_START]
    fmla    \a7\().4s, v23.4s, v22.4s
    ldr     q23, [args, #GEMM_START]
    ldr     q22, [args, #GEMM_START]
.endm

.macro block_first_2
    pair_first x1, x2
.endm
.macro block_first_4
    mov     x15, rhs
    block_first_2
.endm
.macro block_step_2
    pair_block x1, x2, x1, x2, 0, v0, v1, v2, v3, v4, v5, v6, v7
    add     scales, scales, #32
    subs    x7, x7, #1
.endm
.macro block_step_4
    pair_block x1, x2, x3, x4, 1, v0, v1, v2, v3, v4, v5, v6, v7
    pair_block x3, x4, x1, x2, 0, v8, v9, v10, v11, v12, v13, v14, v15
    add     scales, scales, #32
    subs    x7, x7, #1
.endm

// One panel: integer sums of even groups in v16 - v19, of odd ones in v20 - v23.
.macro block_first_1
    ldr     q30, [args, #GEMM_START]
    ldp     q24, q25, [rhs]
    ldp     q26, q27, [x1]
.endm
.macro block_step_1
    start 16, 17, 18, 19
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
    subs    x7, x7, #1
.endm
.macro block_last_1
.endm
.macro block_last_2
.endm
.macro block_last_4
.endm

// fma(column sum, offset, sum) * scale
.macro block_columns
    ldp     q16, q17, [quad, #QUAD_COLUMN_SUMS]
.endm
.macro block_a index, s0, s1, s2, s3
    ldp     q18, q19, [panels, #\index * PANEL + PANEL_OFFSETS]
    fmla    v\s0\().4s, v16.4s, v18.4s
    fmla    v\s1\().4s, v17.4s, v18.4s
    fmla    v\s2\().4s, v16.4s, v19.4s
    fmla    v\s3\().4s, v17.4s, v19.4s
.endm
.macro block_b index
    ldp     q22, q23, [panels, #\index * PANEL + PANEL_SCALES]
.endm
.macro block_scale s0, s1, s2, s3
    multiply \s0, \s1, \s2, \s3, 22, 22, 23, 23
.endm

    gemm_function kai_block_sums_4x4_neon_i8mm, 1, block
    gemm_function kai_block_sums_8x4_neon_i8mm, 2, block
    gemm_function kai_block_sums_16x4_neon_i8mm, 4, block
