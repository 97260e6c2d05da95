// f32 <- qsi8d256p1x4 x qsi6c16x256p4vlx4, one row. What it computes: superblocks_sme2_mopa_qsi6c16x256p.S.
//
// One panel of 4 VL columns after the other. SDOT sums a sub-block in a group of four ZA vectors; two take turns.
//
// z0       16 values of the LHS in each 128 bits            z1      LHS scale      z2, z3  lo, hi; z2: 0.25
// z4-z15   three bytes of four weights; the first three of these
// z16-z19  I      z20-z23  running sums
// z24-z27  the fourth weights; sub-scales, d / 4            z28-z31 S
// p0, pn8  all    pn9  columns to store      w8, w12-w15  sme2_groups.inc
//
// Assumes n >= 1.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_groups.inc"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/blocks/blocks_args.h"

    alias   args, x0
    alias   lhs, x1
    alias   rhs, x2
    alias   left, x3            // sub-blocks of the panel
    alias   pairs, x4           // of sub-blocks of the super-block left
    alias   cols, x5            // from the panel on
    alias   dst, x6
    alias   sub_scales, x7
    alias   d_at, x9
    alias   blocks, x10

// Of one of four vectors, three bytes of four weights each, z\b0-z\b2, and z\w = z\b2: four times the weights.
.macro decode b0, b1, b2, w
    sli     z\w\().b, z\b1\().b, #2
    and     z\b1\().b, z\b1\().b, #0xfc
    and     z\b2\().b, z\b2\().b, #0xfc
    sli     z\w\().b, z\b0\().b, #4
    and     z\b0\().b, z\b0\().b, #0xfc
    lsl     z\w\().b, z\w\().b, #2
.endm

// Group \g, which is zero, += the sub-block at lhs, rhs.
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

// I += group \g * the next sub-scales.
.macro add_sub_block g
    ld1sb   {z24.s}, p0/z, [sub_scales]
    ld1sb   {z25.s}, p0/z, [sub_scales, #1, mul vl]
    ld1sb   {z26.s}, p0/z, [sub_scales, #2, mul vl]
    ld1sb   {z27.s}, p0/z, [sub_scales, #3, mul vl]
    addvl   sub_scales, sub_scales, #1
    read_group \g, 28, 29, 30, 31
    binary_4 mla, 16, 17, 18, 19, 28, 29, 30, 31, 24, 25, 26, 27
.endm

func kai_kernel_matmul_clamp_f32_qsi8d256p1x4_qsi6c16x256p4vlx4_1x4vl_sme2_sdot, hidden
    frame   d8-d15
    smstart
    all_true
    address_groups
    ldr     cols, [args, #BLOCK_ARGS_n]
    ldr     blocks, [args, #BLOCK_ARGS_blocks]
    ldr     rhs, [args, #BLOCK_ARGS_rhs]
    ldr     dst, [args, #BLOCK_ARGS_dst]

1:  // a panel
    clear_4 20, 21, 22, 23
    ldr     lhs, [args, #BLOCK_ARGS_lhs]
    cbz     blocks, 4f
    mov     left, blocks
2:  // a super-block
    clear_4 16, 17, 18, 19
    ld1rw   {z1.s}, p0/z, [lhs]
    add     lhs, lhs, #20
    mov     d_at, rhs
    addvl   sub_scales, rhs, #2
    addvl   rhs, rhs, #18
    mov     pairs, #8
3:  // two sub-blocks
    zero    {za0.s, za1.s}
    multiply_sub_block 0
    multiply_sub_block 1
    add_sub_block 0
    add_sub_block 1
    subs    pairs, pairs, #1
    b.ne    3b
    ld1h    {z24.s}, p0/z, [d_at]
    ld1h    {z25.s}, p0/z, [d_at, #1, mul vl]
    ld1h    {z26.s}, p0/z, [d_at, #2, mul vl]
    ld1h    {z27.s}, p0/z, [d_at, #3, mul vl]
    fmov    z2.s, #0.25
    fcvt    z24.s, p0/m, z24.h
    fcvt    z25.s, p0/m, z25.h
    fcvt    z26.s, p0/m, z26.h
    fcvt    z27.s, p0/m, z27.h
    plain_4 fmul, 24, 25, 26, 27, 24, 25, 26, 27, 2, 2, 2, 2
    convert_4 16, 17, 18, 19
    plain_4 fmul, 16, 17, 18, 19, 16, 17, 18, 19, 24, 25, 26, 27
    binary_4 fmla, 20, 21, 22, 23, 16, 17, 18, 19, 1, 1, 1, 1
    subs    left, left, #16
    b.ne    2b
4:  // store
    add     left, args, #BLOCK_ARGS_lo
    ld1rw   {z2.s}, p0/z, [left]
    ld1rw   {z3.s}, p0/z, [left, #4]
    whilelo pn9.s, xzr, cols, vlx4
    clamp_4 20, 21, 22, 23, 2, 3
    st1w    {z20.s-z23.s}, pn9, [dst]
    addvl   dst, dst, #4
    addvl   cols, cols, #-1                     // 4 VL words
    cmp     cols, #0
    b.gt    1b
    smstop
    return
endfunc
