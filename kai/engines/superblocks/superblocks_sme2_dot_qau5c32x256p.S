// f32 <- qsi8d256p1x4 x qau5c32x256p4vlx4, one row: superblocks_sme2_dot.inc. What is multiplied, USDOT: fifth bit,
// nibble, 0 0 0, as in superblocks_sme2_mopa_qau5c32x256p.S.
//
// z0, z1  32 values of the LHS for the even sub-block, 16 in each 128 bits      z2, z3  for the odd one
// z4-z7   fifth bits of 4 k, then weights of the odd sub-block                  z8-z11  weights of the even one
// z12-z15 nibbles of 4 k      z24-z27  those of the even sub-block      z28  how far left the fifth bits go
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define SUB_BLOCKS 8
#define MINIMA 8
#define TIMES 8
#include "kai/engines/asm/asm.h"
#include "kai/engines/superblocks/superblocks_sme2_dot.inc"

    alias   fifths, x17         // sums, which are taken after the values
    alias   pairs_w, w4

.macro take_table
.endm

.macro start_values
    mov     fifths, rhs
    addvl   rhs, rhs, #16
    addvl   rhs, rhs, #16
.endm

// z\e, z\o = 8 times the weights of the even and the odd sub-block, from fifth bits z\o and nibbles z\n. Changes z\n,
// z\t.
.macro decode e, o, n, t
    lsl     z\o\().b, p0/m, z\o\().b, z28.b
    lsl     z\e\().b, z\o\().b, #1
    lsl     z\t\().b, z\n\().b, #4
    and     z\n\().b, z\n\().b, #0xf0
    sri     z\e\().b, z\t\().b, #1
    sri     z\o\().b, z\n\().b, #1
.endm

// Groups 0 and 1 += four vectors of 4 k of both sub-blocks: word \i of z\l0 and z\l1.
.macro multiply_4 i, l0, l1, at
    ld1b    {z4.b-z7.b}, pn8/z, [fifths, \at, mul vl]
    ld1b    {z12.b-z15.b}, pn8/z, [rhs, \at, mul vl]
    decode  8, 4, 12, 24
    decode  9, 5, 13, 25
    decode  10, 6, 14, 26
    decode  11, 7, 15, 27
    usdot   za.s[w8, 0, vgx4], {z8.b-z11.b}, z\l0\().b[\i]
    usdot   za.s[w8, 1, vgx4], {z4.b-z7.b}, z\l1\().b[\i]
.endm

// Bit j of the odd sub-block j goes to the top: 7 - j, with 4 - (j - 1) / 2 pairs left.
.macro multiply_two
    load_row_32 0, 1, lhs
    load_row_32 2, 3, lhs
    dup     z28.b, pairs_w
    add     z28.b, z28.b, z28.b
    sub     z28.b, z28.b, #2
    multiply_4 0, 0, 2, 0
    multiply_4 1, 0, 2, 4
    multiply_4 2, 0, 2, 8
    multiply_4 3, 0, 2, 12
    multiply_4 0, 1, 3, 16
    multiply_4 1, 1, 3, 20
    multiply_4 2, 1, 3, 24
    multiply_4 3, 1, 3, 28
    addvl   rhs, rhs, #16
    addvl   rhs, rhs, #16
.endm

    dot_superblocks kai_kernel_matmul_clamp_f32_qsi8d256p1x4_qau5c32x256p4vlx4_1x4vl_sme2_sdot
