// f32 <- qsi8d16x256p1x4 x qau2c16x256p4vlx4, one row: superblocks_sme2_dot.inc.
//
// Half a super-block at a time, h: its sub-blocks 2 s + p have bits 2 s and 2 s + 1 of the bytes 32 h + 16 p ... of a
// column. Those of one p are multiplied at once, into groups 0 to 3.
//
// z0-z3  16 values of the LHS for each s, in each 128 bits      z4-z7  bytes of 4 k, then weights of s = 3
// z8-z11, z12-z15, z24-z27  weights of s = 0, 1, 2              z28    mask
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define SUB_BLOCKS 16
#define STEP 8
#define MINIMA 16
#define TIMES 1
#include "kai/engines/asm/asm.h"
#include "kai/engines/superblocks/superblocks_sme2_dot.inc"

.macro take_table
.endm

.macro start_values
.endm

// z\s0-z\s2, z\b = weights of s = 0, 1, 2, 3 from the bytes z\b.
.macro decode s0, s1, s2, b
    and     z\s0\().d, z\b\().d, z28.d
    lsr     z\s1\().b, z\b\().b, #2
    lsr     z\s2\().b, z\b\().b, #4
    lsr     z\b\().b, z\b\().b, #6
    and     z\s1\().d, z\s1\().d, z28.d
    and     z\s2\().d, z\s2\().d, z28.d
.endm

// Groups 0 to 3 += 4 k, word \i of z0-z3, the bytes \at vectors on.
.macro multiply_4 i, at
    ld1b    {z4.b-z7.b}, pn8/z, [rhs, \at, mul vl]
    decode  8, 12, 24, 4
    decode  9, 13, 25, 5
    decode  10, 14, 26, 6
    decode  11, 15, 27, 7
    sdot    za.s[w8, 0, vgx4], {z8.b-z11.b}, z0.b[\i]
    sdot    za.s[w8, 1, vgx4], {z12.b-z15.b}, z1.b[\i]
    sdot    za.s[w8, 2, vgx4], {z24.b-z27.b}, z2.b[\i]
    sdot    za.s[w8, 3, vgx4], {z4.b-z7.b}, z3.b[\i]
.endm

// I += the four sub-blocks of \p. Their sub-scales are two vectors apart; sub_scales goes \next from the last ones.
.macro add_four p, next
    zero    {za}
    mov     z28.b, #3
    ld1rqb  {z0.b}, p0/z, [lhs, #16 * \p]
    ld1rqb  {z1.b}, p0/z, [lhs, #16 * \p + 32]
    ld1rqb  {z2.b}, p0/z, [lhs, #16 * \p + 64]
    ld1rqb  {z3.b}, p0/z, [lhs, #16 * \p + 96]
    multiply_4 0, 0
    multiply_4 1, 4
    multiply_4 2, 8
    multiply_4 3, 12
    addvl   rhs, rhs, #16
    add_sub_block 0, 2
    add_sub_block 1, 2
    add_sub_block 2, 2
    add_sub_block 3, \next
.endm

.macro add_some
    add_four 0, -5
    add_four 1, 1
    add     lhs, lhs, #128
.endm

    dot_superblocks kai_kernel_matmul_clamp_f32_qsi8d16x256p1x4_qau2c16x256p4vlx4_1x4vl_sme2_sdot
