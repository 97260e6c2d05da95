// f32 <- qsi8d256p1vlx4 x qau4c32x256p4vlx4, few rows: superblocks_sme_mop4.inc.
//
// Bytes of two sub-blocks: the even one, multiplied into za0, has their low nibbles; the odd one, za2, the high ones.
// They are loaded twice, so the LHS comes in pairs of parts, all rows of the panel, z16 and z17.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define KAI_MOPA_PART 8
#define MINIMA 8
#define COLUMN_SHIFT 2
#define TIMES 1
#define RHS_BITS 8
#include "kai/engines/asm/asm.h"
#include "kai/engines/superblocks/superblocks_sme_mop4.inc"

    .purgem load_part
    .purgem part
    .purgem next_chunk

.macro start_values
.endm

.macro take_args
    take_block_args
.endm

// Part \k: z\l = rows twice, z\r0, z\r1 = bytes. rhs is at part 0 or, from part 4 on, at part 4. An even part loads the
// LHS of the next one, too, to z17.
.macro load_part l, r0, r1, k
    .if (\k) % 2 == 0
    ld1b    {z16.b-z17.b}, pn8/z, [lhs, \k, mul vl]
    zip1    z16.s, z16.s, z16.s
    .else
    zip1    z18.s, z17.s, z17.s
    .endif
    uzp1    z\l\().s, z\l\().s, z\l\().s
    ld1b    {z\r0\().b-z\r1\().b}, pn8/z, [rhs, 4 * ((\k) % 4) - 8, mul vl]
.endm

// Tile \s += z\l x the weights of its sub-block in the bytes z\r0, z\r1.
.macro multiply s, l, r0, r1
    .if \s == 0
    and     z\r0\().b, z\r0\().b, #15
    and     z\r1\().b, z\r1\().b, #15
    .else
    lsr     z\r0\().b, z\r0\().b, #4
    lsr     z\r1\().b, z\r1\().b, #4
    .endif
    smop4a_first_pair \s, \r0, \l
.endm

// See blocks_sme_mop4.inc. rhs: after an even sub-block, back to its start.
.macro part s, k, a, w, h
    .if \k % 2 == 0
    load_part 18, 2, 3, \k + 1
    multiply \s, 16, 0, 1
    .else
    multiply \s, 18, 2, 3
    .if \k == 3
    addvl   rhs, rhs, #16
    .endif
    .if \k < 7
    load_part 16, 0, 1, \k + 1
    .else
    addvl   rhs, rhs, #16 * (\s - 1)
    .endif
    .endif
.endm

.macro next_chunk
    addvl   lhs, lhs, #8
.endm

    mopa_blocks kai_kernel_blocks_few_qau4c32x256p4vlx4_sme_mop4, f32, kept
