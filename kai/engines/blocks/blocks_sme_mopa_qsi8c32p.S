// f32 <- qsi8d32p1vlx4 x qsi8c32p4vlx4, many rows: SME without SME2, blocks_sme_mopa_symmetric.inc.
//
// z2, z3  RHS values, 1 VL columns x 4 k each
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#define RHS_BITS 8
#include "kai/engines/blocks/blocks_sme_mopa_symmetric.inc"

// z\w = values of part \k. rhs is at part 0 or, from part 4 on, at part 4.
.macro values w, k
    ld1b    {z\w\().b}, p0/z, [rhs, #4 * ((\k) % 4) - 8, mul vl]
.endm

.macro load_parts
    values  2, 0
    values  3, 1
.endm

.macro multiply_2 s, k, h
    smopa   za\s\().s, p0/m, p0/m, z4.b, z2.b
    smopa   za\s\().s, p0/m, p0/m, z5.b, z3.b
    .if \k == 2
    addvl   rhs, rhs, #16
    .endif
    .if \k < 6
    values  2, \k + 2
    values  3, \k + 3
    .endif
.endm

    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qsi8c32p4vlx4_1vlx4vl_sme_mopa, f32, 4, pairs
