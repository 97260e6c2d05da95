// f32 <- qsi8d32p1vlx4 x qsi8c32p4vlx4, many rows: SME without SME2, blocks_sme_mopa_symmetric.inc.
//
// z2, z3  RHS values, 1 VL columns x 4 k each      z4, z5  2 vectors of the LHS: 1 VL rows x 4 k each
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#include "kai/engines/blocks/blocks_sme_mopa_symmetric.inc"

// 8 VL further: immediates reach from -8 to 7, 4 parts.
.macro start_pass
    addvl   rhs, rhs_panel, #8
    add     rhs, rhs, col, lsl #2
    start_scales 8
.endm

// z\w = values of part \k. rhs is at part 0 or, from part 4 on, at part 4.
.macro values w, k
    ld1b    {z\w\().b}, p0/z, [rhs, #4 * ((\k) % 4) - 8, mul vl]
.endm

.macro load_parts
    values  2, 0
    values  3, 1
.endm

// Two parts at the second of them.
.macro part s, k, a, w, h
    .if \k % 2 == 1
    ld1b    {z4.b}, p0/z, [lhs, #\k - 1, mul vl]
    ld1b    {z5.b}, p0/z, [lhs, #\k, mul vl]
    smopa   za\s\().s, p0/m, p0/m, z4.b, z2.b
    smopa   za\s\().s, p0/m, p0/m, z5.b, z3.b
    .if \k == 3
    addvl   rhs, rhs, #16
    .endif
    .if \k < 7
    values  2, \k + 1
    values  3, \k + 2
    .endif
    .endif
.endm

.macro next_chunk
    addvl   rhs, rhs, #16
.endm

    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qsi8c32p4vlx4_1vlx4vl_sme_mopa, f32, 4, pairs
