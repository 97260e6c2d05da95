// f32 <- qsi8d256p1vlx4 x qau5c32x256p4vlx4, many rows: superblocks_sme2_mopa.inc.
//
// Nibbles as those of qau4c32x256p. Of a byte of fifth bits, which stand before them, bit j is for sub-block j. What is
// multiplied, SUMOPA: fifth bit | nibble | 0 0 0.
//
// z0, z1  fifth bits of four weights of all sub-blocks, then weights      z2, z3  nibbles of two sub-blocks
// z4-z7   4 vectors of the LHS: 1 VL rows x 4 k each                      z14     how far left the fifth bits go
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define KAI_MOPA_PART 8
#define MINIMA 8
#define COLUMN_SHIFT 2
#define TIMES 8
#include "kai/engines/asm/asm.h"
#include "kai/engines/superblocks/superblocks_sme2_mopa.inc"

    alias   fifths, x26         // of parts 0-3, 8 VL further
    alias   fifths_4, x17       // of parts 4-7
    alias   shift, w27          // t0

.macro take_args
    take_block_args
.endm

.macro start_values
    mov     fifths, rhs
    addvl   fifths_4, rhs, #16
    addvl   rhs, fifths_4, #16
.endm

// z\w, z\f = nibbles and fifth bits of part \k. rhs is at part 0 or, from part 4 on, at part 4.
.macro load_part w, f, k
    ld1b    {z\w\().b}, p0/z, [rhs, #4 * ((\k) % 4) - 8, mul vl]
    .if \k < 4
    ld1b    {z\f\().b}, p0/z, [fifths, #4 * (\k) - 8, mul vl]
    .else
    ld1b    {z\f\().b}, p0/z, [fifths_4, #4 * ((\k) - 4) - 8, mul vl]
    .endif
.endm

// See blocks_sme_mopa.inc; and z14. Clobbers t0.
.macro load_parts
    sub     t0, left, #1
    and     t0, t0, #7                          // 7 - j
    dup     z14.b, shift
    load_part 2, 0, 0
    ld1b    {z4.b-z7.b}, pn8/z, [lhs]
    load_part 3, 1, 1
.endm

// Tile \s += z\a x weights of the nibbles z\w and the fifth bits z\f. Changes both.
.macro multiply s, a, w, f
    lsl     z\f\().b, p0/m, z\f\().b, z14.b
    .if \s == 0
    lsl     z\w\().b, z\w\().b, #4
    .else
    and     z\w\().b, z\w\().b, #0xf0
    .endif
    sri     z\f\().b, z\w\().b, #1
    sumopa  za\s\().s, p0/m, p0/m, z\a\().b, z\f\().b
.endm

// See blocks_sme_mopa.inc. Loads the part after the next one in the place of \k. rhs: after an even sub-block, back to
// its start.
.macro part s, k, a, w, h
    .if \k % 2 == 0
    multiply \s, \a, 2, 0
    .else
    multiply \s, \a, 3, 1
    .endif
    .if \k == 3
    ld1b    {z4.b-z7.b}, pn8/z, [lhs, #4, mul vl]
    .endif
    .if \k == 2
    addvl   rhs, rhs, #16
    .endif
    .if \k < 6 && \k % 2 == 0
    load_part 2, 0, \k + 2
    .elseif \k < 6
    load_part 3, 1, \k + 2
    .endif
    .if \k == 7
    addvl   rhs, rhs, #16 * (\s - 1)
    .endif
.endm

.macro next_chunk
    addvl   lhs, lhs, #8
.endm

    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d256p1vlx4_qau5c32x256p4vlx4_1vlx4vl_sme2_mopa, f32, kept
