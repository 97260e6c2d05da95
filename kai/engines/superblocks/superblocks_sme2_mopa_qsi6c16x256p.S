// f32 <- qsi8d256p1vlx4 x qsi6c16x256p4vlx4, many rows: superblocks_sme2_mopa_six_bits.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define TIMES 4
#include "kai/engines/superblocks/superblocks_sme2_mopa_six_bits.inc"

// See blocks_sme_mopa.inc. Weights are made at the even parts, multiplied at the odd ones. Changes z0-z3.
.macro part s, k, a, w, h
    .if \k == 0
    sli     z3.b, z1.b, #2
    and     z1.b, z1.b, #0xfc
    .elseif \k == 1
    multiply \s, 5, 1
    .elseif \k == 2
    sli     z3.b, z0.b, #4
    and     z0.b, z0.b, #0xfc
    .elseif \k == 3
    multiply \s, 4, 0
    .elseif \k == 4
    and     z2.b, z2.b, #0xfc
    lsl     z3.b, z3.b, #2
    .elseif \k == 5
    multiply \s, 6, 2
    .elseif \k == 7
    multiply \s, 7, 3
    .endif
.endm

.macro next_chunk
    addvl   lhs, lhs, #4
    addvl   rhs, rhs, #12
.endm

    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d256p1vlx4_qsi6c16x256p4vlx4_1vlx4vl_sme2_mopa, f32, all
