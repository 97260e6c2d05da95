// f32 <- qsi8d256p1vlx4 x qau4c32x256p4vlx4, many rows: superblocks_sme2_mopa.inc.
//
// Bytes of two sub-blocks: the even one, multiplied into za0, has their low nibbles; the odd one, za2, the high ones.
//
// z2, z3  bytes of four weights of either sub-block, then weights      z4-z7  4 vectors of the LHS: 1 VL rows x 4 k
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define KAI_MOPA_PART 8
#define MINIMA 8
#define COLUMN_SHIFT 2
#define TIMES 1
#include "kai/engines/asm/asm.h"
#include "kai/engines/superblocks/superblocks_sme2_mopa.inc"

.macro start_values
.endm

.macro take_args
    take_block_args
.endm

// z\w = bytes of part \k. rhs is at part 0 or, from part 4 on, at part 4.
.macro load_part w, k
    ld1b    {z\w\().b}, p0/z, [rhs, #4 * ((\k) % 4) - 8, mul vl]
.endm

.macro load_parts
    load_part 2, 0
    ld1b    {z4.b-z7.b}, pn8/z, [lhs]
    load_part 3, 1
.endm

// z\w, bytes, = weights of the sub-block of tile \s.
.macro decode s, w
    .if \s == 0
    and     z\w\().b, z\w\().b, #15
    .else
    lsr     z\w\().b, z\w\().b, #4
    .endif
.endm

// See blocks_sme_mopa.inc. Loads the part after the next one to z\w. rhs: after an even sub-block, back to its start.
.macro part s, k, a, w, h
    decode  \s, \w
    smopa   za\s\().s, p0/m, p0/m, z\a\().b, z\w\().b
    .if \k == 3
    ld1b    {z4.b-z7.b}, pn8/z, [lhs, #4, mul vl]
    .endif
    .if \k == 2
    addvl   rhs, rhs, #16
    .endif
    .if \k < 6
    load_part \w, \k + 2
    .endif
    .if \k == 7
    addvl   rhs, rhs, #16 * (\s - 1)
    .endif
.endm

.macro next_chunk
    addvl   lhs, lhs, #8
.endm

    mopa_blocks kai_kernel_blocks_many_qau4c32x256p4vlx4_sme2, f32, kept
