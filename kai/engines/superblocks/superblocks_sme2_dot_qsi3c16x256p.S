// f32 <- qsi8d256p1x4 x qsi3c16x256p4vlx4, one row: superblocks_sme2_dot.inc.
//
// Two sub-blocks are one of six bits, as in superblocks_sme2_mopa_qsi3c16x256p.S. Their three bytes are three planes of
// 4 k; the fourth 4 k are below them. What is multiplied is 32 times the weights, the top of a byte.
//
// z0, z1   16 values of the LHS in each 128 bits, for the even and the odd sub-block
// z4-z7    a plane, then the weights of the odd sub-block      z8-z11   those of the even one
// z12-z15, z24-z27   the fourth 4 k: bits of planes, then weights of the even and the odd sub-block
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define SUB_BLOCKS 16
#define MINIMA 0
#define TIMES 32
#include "kai/engines/asm/asm.h"
#include "kai/engines/superblocks/superblocks_sme2_dot.inc"

.macro take_table
.endm

.macro start_values
.endm

// z\e = the weights of the even sub-block from the bytes z\o, which become those of the odd one.
.macro decode e, o
    and     z\e\().d, z\o\().d, z28.d
    lsl     z\o\().b, z\o\().b, #3
    and     z\o\().d, z\o\().d, z28.d
.endm
// z8-z11 and z4-z7 = weights of 4 k each.
.macro decode_4
    decode  8, 4
    decode  9, 5
    decode  10, 6
    decode  11, 7
.endm
// Groups 0 and 1 += 4 k, word \i of z0 and z1.
.macro multiply_4 i
    sdot    za.s[w8, 0, vgx4], {z8.b-z11.b}, z0.b[\i]
    sdot    za.s[w8, 1, vgx4], {z4.b-z7.b}, z1.b[\i]
.endm
// z24-z27 get the bits of a plane, z4-z7, from bit \at on.
.macro insert at
    sli     z24.b, z4.b, #\at
    sli     z25.b, z5.b, #\at
    sli     z26.b, z6.b, #\at
    sli     z27.b, z7.b, #\at
.endm
// z\e, z\o = weights of the fourth 4 k from their six bits in z\o.
.macro decode_last e, o
    lsl     z\e\().b, z\o\().b, #2
    lsl     z\o\().b, z\o\().b, #5
    and     z\e\().d, z\e\().d, z28.d
.endm

// Groups 0 and 1 += a pair of sub-blocks.
.macro multiply_two
    load_row_32 0, 1, lhs
    mov     z28.b, #0xe0
    ld1b    {z24.b-z27.b}, pn8/z, [rhs, #8, mul vl]
    ld1b    {z4.b-z7.b}, pn8/z, [rhs, #4, mul vl]
    insert  2
    decode_4
    multiply_4 1
    ld1b    {z4.b-z7.b}, pn8/z, [rhs]
    insert  4
    decode_4
    multiply_4 0
    ld1b    {z4.b-z7.b}, pn8/z, [rhs, #8, mul vl]
    decode_4
    multiply_4 2
    decode_last 12, 24
    decode_last 13, 25
    decode_last 14, 26
    decode_last 15, 27
    sdot    za.s[w8, 0, vgx4], {z12.b-z15.b}, z0.b[3]
    sdot    za.s[w8, 1, vgx4], {z24.b-z27.b}, z1.b[3]
    addvl   rhs, rhs, #12
.endm

    dot_superblocks kai_kernel_matmul_clamp_f32_qsi8d256p1x4_qsi3c16x256p4vlx4_1x4vl_sme2_sdot
