// f32 <- qsi8d256p1vlx4 x qsi3c16x256p4vlx4, many rows: superblocks_sme2_mopa_six_bits.inc.
//
// Two sub-blocks are one of six bits, stored as those of qsi6c16x256p: the even one, multiplied into za0 and za2, has
// the upper three, the odd one, za1 and za3, the lower three. What is multiplied is 32 times the weights, the top of a
// byte.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define TIMES 32
#include "kai/engines/superblocks/superblocks_sme2_mopa_six_bits.inc"

// z\w = the weights of the sub-block of tile \s, from their bytes; \left: how far those of an odd one are from the top.
.macro decode s, w, left
    .if \s % 2 == 1
    lsl     z\w\().b, z\w\().b, #\left
    .elseif \left == 5
    lsl     z\w\().b, z\w\().b, #2
    .endif
    .if \left < 5 || \s % 2 == 0
    and     z\w\().b, z\w\().b, #0xe0
    .endif
.endm

// See blocks_sme_mopa.inc. Weights are made at the even parts, multiplied at the odd ones. Changes z0-z3. rhs: from an
// odd sub-block on.
.macro part s, k, a, w, h
    .if \k == 0
    sli     z3.b, z1.b, #2
    decode  \s, 1, 3
    .elseif \k == 1
    multiply \s, 5, 1
    .elseif \k == 2
    sli     z3.b, z0.b, #4
    decode  \s, 0, 3
    .elseif \k == 3
    multiply \s, 4, 0
    .elseif \k == 4
    decode  \s, 2, 3
    decode  \s, 3, 5
    .elseif \k == 5
    multiply \s, 6, 2
    .elseif \k == 7
    multiply \s, 7, 3
    .if \s % 2 == 1
    addvl   rhs, rhs, #12
    .endif
    .endif
.endm

.macro next_chunk
    addvl   lhs, lhs, #4
.endm

    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d256p1vlx4_qsi3c16x256p4vlx4_1vlx4vl_sme2_mopa, f32, all
