// f32 <- qsi8d256p1x4 x qau4c32x256p4vlx4, one row: superblocks_sme2_dot.inc.
//
// Bytes of two sub-blocks: the even one has their low nibbles, the odd one the high ones.
//
// z0, z1  32 values of the LHS for the even sub-block, 16 in each 128 bits      z2, z3  for the odd one
// z4-z7, z12-z15  bytes of 4 k, then weights of the odd sub-block      z8-z11, z24-z27  weights of the even one
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define SUB_BLOCKS 8
#define MINIMA 8
#define TIMES 1
#include "kai/engines/asm/asm.h"
#include "kai/engines/superblocks/superblocks_sme2_dot.inc"

.macro take_table
.endm

.macro start_values
.endm

// z\e = weights of the even sub-block of the bytes z\o, z\o those of the odd one.
.macro decode e, o
    and     z\e\().d, z\o\().d, z28.d
    lsr     z\o\().b, z\o\().b, #4
.endm

// Groups 0 and 1 += four vectors of 4 k of both sub-blocks: word \i of z\l0 and z\l1.
.macro multiply_4 i, l0, l1, at
    ld1b    {z4.b-z7.b}, pn8/z, [rhs, \at, mul vl]
    decode  8, 4
    decode  9, 5
    decode  10, 6
    decode  11, 7
    sdot    za.s[w8, 0, vgx4], {z8.b-z11.b}, z\l0\().b[\i]
    sdot    za.s[w8, 1, vgx4], {z4.b-z7.b}, z\l1\().b[\i]
.endm

// The same, with other registers.
.macro multiply_next_4 i, l0, l1, at
    ld1b    {z12.b-z15.b}, pn8/z, [rhs, \at, mul vl]
    decode  24, 12
    decode  25, 13
    decode  26, 14
    decode  27, 15
    sdot    za.s[w8, 0, vgx4], {z24.b-z27.b}, z\l0\().b[\i]
    sdot    za.s[w8, 1, vgx4], {z12.b-z15.b}, z\l1\().b[\i]
.endm

// Groups 0 and 1 += two sub-blocks.
.macro multiply_two
    load_row_32 0, 1, lhs
    load_row_32 2, 3, lhs
    mov     z28.b, #15
    multiply_4 0, 0, 2, 0
    multiply_next_4 1, 0, 2, 4
    multiply_4 2, 0, 2, 8
    multiply_next_4 3, 0, 2, 12
    addvl   rhs, rhs, #16
    multiply_4 0, 1, 3, 0
    multiply_next_4 1, 1, 3, 4
    multiply_4 2, 1, 3, 8
    multiply_next_4 3, 1, 3, 12
    addvl   rhs, rhs, #16
.endm

    dot_superblocks kai_kernel_matmul_clamp_f32_qsi8d256p1x4_qau4c32x256p4vlx4_1x4vl_sme2_sdot
