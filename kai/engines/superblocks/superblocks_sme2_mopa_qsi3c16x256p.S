// f32 <- qsi8d256p1vlx4 x qsi3c16x256p4vlx4, many rows: superblocks_sme2_mopa.inc.
//
// Two sub-blocks are one of six bits, stored as those of qsi6c16x256p: the even one, multiplied into za0 and za2, has
// the upper three, the odd one, za1 and za3, the lower three. What is multiplied is 32 times the weights, the top of a
// byte.
//
// z0-z2   three bytes of four weights; the first three of these      z3      the fourth
// z4-z7   4 vectors of the LHS: 1 VL rows x 4 k each
//
// A sub-block has four parts, multiplied at the odd ones of eight.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define KAI_MOPA_PART 16
#define MINIMA 0
#define COLUMN_SHIFT 2
#define TIMES 32
#include "kai/engines/asm/asm.h"
#include "kai/engines/superblocks/superblocks_sme2_mopa.inc"

.macro start_values
.endm

.macro take_args
    take_block_args
.endm

// All of the sub-block: z0-z3 = the three bytes (z3: the last one again), z4-z7 = the LHS.
.macro load_parts
    ld1b    {z3.b}, p0/z, [rhs]
    ld1b    {z1.b}, p0/z, [rhs, #-4, mul vl]
    ld1b    {z0.b}, p0/z, [rhs, #-8, mul vl]
    ld1b    {z2.b}, p0/z, [rhs]
    ld1b    {z4.b-z7.b}, pn8/z, [lhs]
.endm

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

.macro multiply s, a, w
    smopa   za\s\().s, p0/m, p0/m, z\a\().b, z\w\().b
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
