// f32 <- qsi8d256p1x4 x qsi6c16x256p4vlx4, one row: superblocks_sme2_dot.inc.
//
// z0       16 values of the LHS in each 128 bits
// z4-z15   three bytes of four weights; the first three of these      z24-z27  the fourth weights
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define SUB_BLOCKS 16
#define MINIMA 0
#define TIMES 4
#include "kai/engines/asm/asm.h"
#include "kai/engines/superblocks/superblocks_sme2_dot.inc"

.macro take_table
.endm

// One of four vectors: three bytes of four weights each, z\b0-z\b2, and z\w = z\b2, become four times the weights.
.macro decode b0, b1, b2, w
    sli     z\w\().b, z\b1\().b, #2
    and     z\b1\().b, z\b1\().b, #0xfc
    and     z\b2\().b, z\b2\().b, #0xfc
    sli     z\w\().b, z\b0\().b, #4
    and     z\b0\().b, z\b0\().b, #0xfc
    lsl     z\w\().b, z\w\().b, #2
.endm

// Group \g += 16 k. Changes z0, z4-z15, z24-z27. Advances lhs, rhs.
.macro multiply_sub_block g
    ld1rqb  {z0.b}, p0/z, [lhs]
    ld1b    {z24.b-z27.b}, pn8/z, [rhs, #8, mul vl]
    ld1b    {z8.b-z11.b}, pn8/z, [rhs, #4, mul vl]
    ld1b    {z4.b-z7.b}, pn8/z, [rhs]
    ld1b    {z12.b-z15.b}, pn8/z, [rhs, #8, mul vl]
    add     lhs, lhs, #16
    addvl   rhs, rhs, #12
    decode  4, 8, 12, 24
    decode  5, 9, 13, 25
    decode  6, 10, 14, 26
    decode  7, 11, 15, 27
    sdot    za.s[w8, \g, vgx4], {z4.b-z7.b}, z0.b[0]
    sdot    za.s[w8, \g, vgx4], {z8.b-z11.b}, z0.b[1]
    sdot    za.s[w8, \g, vgx4], {z12.b-z15.b}, z0.b[2]
    sdot    za.s[w8, \g, vgx4], {z24.b-z27.b}, z0.b[3]
.endm

.macro start_values
.endm

.macro multiply_two
    multiply_sub_block 0
    multiply_sub_block 1
.endm

    dot_superblocks kai_kernel_matmul_clamp_f32_qsi8d256p1x4_qsi6c16x256p4vlx4_1x4vl_sme2_sdot
