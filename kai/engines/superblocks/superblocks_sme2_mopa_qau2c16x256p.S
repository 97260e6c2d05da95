// f32 <- qsi8d16x256p1vlx4 x qau2c16x256p4vlx4, many rows: superblocks_sme2_mopa.inc.
//
// Sub-blocks 8 h + 2 s + p of a super-block have bits 2 s and 2 s + 1 of the bytes 32 h + 16 p ... of a column. p: even
// ones, multiplied into za0, odd ones, za2. A sub-block has four parts, multiplied at the odd ones of eight.
//
// z0-z3  bytes of 4 k, then weights      z4-z7  4 vectors of the LHS: 1 VL rows x 4 k each      z14  2 s
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define KAI_MOPA_PART 16
#define MINIMA 16
#define COLUMN_SHIFT 2
#define TIMES 1
#include "kai/engines/asm/asm.h"
#include "kai/engines/superblocks/superblocks_sme2_mopa.inc"

    alias   shift, w27          // t0

.macro start_values
.endm

.macro take_args
    take_block_args
.endm

// All of the sub-block, and z14. t0 = 2 s until its last part.
.macro load_parts
    neg     t0, left
    and     t0, t0, #6
    dup     z14.b, shift
    ld1b    {z0.b}, p0/z, [rhs, #-8, mul vl]
    ld1b    {z1.b}, p0/z, [rhs, #-4, mul vl]
    ld1b    {z2.b}, p0/z, [rhs]
    ld1b    {z3.b}, p0/z, [rhs, #4, mul vl]
    ld1b    {z4.b-z7.b}, pn8/z, [lhs]
.endm

// z\w = weights of the bytes z\w.
.macro decode w
    lsr     z\w\().b, p0/m, z\w\().b, z14.b
    and     z\w\().b, z\w\().b, #3
.endm

.macro multiply s, a, w
    smopa   za\s\().s, p0/m, p0/m, z\a\().b, z\w\().b
.endm

// See blocks_sme_mopa.inc. rhs: from an even sub-block to the odd one; from that back, or, if it is the last one of its
// bytes, on. Changes t1.
.macro part s, k, a, w, h
    when    \k, 0, decode 0
    when    \k, 1, multiply \s, 4, 0
    when    \k, 2, decode 1
    when    \k, 3, multiply \s, 5, 1
    when    \k, 4, decode 2
    when    \k, 5, multiply \s, 6, 2
    when    \k, 6, decode 3
    when    \k, 7, multiply \s, 7, 3
    .if \k == 7 && \s == 0
    addvl   rhs, rhs, #16
    .elseif \k == 7
    addvl   t1, rhs, #16
    addvl   rhs, rhs, #-16
    cmp     t0, #6
    csel    rhs, t1, rhs, eq
    .endif
.endm

.macro next_chunk
    addvl   lhs, lhs, #4
.endm

    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d16x256p1vlx4_qau2c16x256p4vlx4_1vlx4vl_sme2_mopa, f32, kept
