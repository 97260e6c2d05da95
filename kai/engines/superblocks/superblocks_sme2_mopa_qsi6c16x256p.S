// f32 <- qsi8d256p1vlx4 x qsi6c16x256p4vlx4, many rows.
//
//     I   = sum over the 16 sub-blocks j of a super-block of sub_scale[n][j] * S_j                      int32, exact
//     acc = fma(f32(I) * d[n], lhs_scale[m], acc)                            super-blocks ascending, in dst
//     dst = clamp(acc)
//
// Engine: blocks_sme_mopa.inc. Its blocks are sub-blocks of 16 k, of four parts at the odd ones of eight; a part of its
// passes is a super-block. The values that are multiplied are 4 times the weights, d is a quarter of what is stored:
// both exact.
//
// z0-z2   three bytes of four weights; the first three of these      z3      the fourth
// z4-z7   4 vectors of the LHS: 1 VL rows x 4 k each
// z8-z11  4 rows of S; in the end, results so far                    z12     sub-scales of the block to add
// z13     d / 4 of the super-block that is finished                  z14     in the end, the LHS scale of a row
// rhs     at the elements, 8 VL further: immediates reach from -8 to 7, a vector of 4 VL columns is 4
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define KAI_MOPA_PART 16
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/blocks/blocks_sme_mopa.inc"

    alias   sub_scales, own0    // of the block that is being multiplied
    alias   row_scales, own1    // LHS scales of the rows of the super-block that is finished

.macro take_args
    take_block_args
.endm

.macro start_pass
    add     rhs, rhs_panel, col, lsl #2
    start_superblock
.endm

// lhs and rhs, which are at a super-block and 4 columns in front of those of the pass, to its elements.
.macro start_superblock
    sub     sub_scales, rhs, col, lsl #1
    sub     sub_scales, sub_scales, col
    addvl   sub_scales, sub_scales, #2
    addvl   rhs, rhs, #18 + 8
    addvl   lhs, lhs, #5
.endm

.macro load_parts
    ld1b    {z3.b}, p0/z, [rhs]
    ld1b    {z1.b}, p0/z, [rhs, #-4, mul vl]
    ld1b    {z0.b}, p0/z, [rhs, #-8, mul vl]
    ld1b    {z2.b}, p0/z, [rhs]
    ld1b    {z4.b-z7.b}, pn8/z, [lhs]
.endm

.macro multiply s, a, w
    smopa   za\s\().s, p0/m, p0/m, z\a\().b, z\w\().b
.endm

.macro part s, k, a, w, h
    .if \k == 0
    sli     z3.b, z1.b, #2
    and     z1.b, z1.b, #0xfc
    .elseif \k == 1
    multiply \s, 5, 1
    .elseif \k == 2
    sli     z3.b, z0.b, #4
    and     z0.b, z0.b, #0xfc
    .elseif \k == 3
    multiply \s, 4, 0
    .elseif \k == 4
    and     z2.b, z2.b, #0xfc
    lsl     z3.b, z3.b, #2
    .elseif \k == 5
    multiply \s, 6, 2
    .elseif \k == 7
    multiply \s, 7, 3
    .endif
.endm

.macro next_chunk
    addvl   lhs, lhs, #4
    addvl   rhs, rhs, #12
.endm

.macro start_block w
.endm

.macro end_block w
    ld1sb   {z12.s}, p0/z, [sub_scales]
    addvl   sub_scales, sub_scales, #1
.endm

.macro read_rows s, w, i, ws, p, r0, r1, r2, r3
    read_4_rows \s, 8, 9, 10, 11, \ws
.endm

.macro add_rows s, w, i, ws, p, r0, r1, r2, r3
    binary_4 mla, \r0, \r1, \r2, \r3, 8, 9, 10, 11, 12, 12, 12, 12
.endm

.macro end_pass
    cbz     blocks, 9f                          // k = 0
    addvl   t0, sub_scales, #-18
    add     t0, t0, col
    ld1h    {z13.s}, p0/z, [t0]
    fmov    z14.s, #0.25
    fcvt    z13.s, p0/m, z13.h
    fmul    z13.s, z13.s, z14.s
    addvl   row_scales, lhs, #-32
    addvl   row_scales, row_scales, #-32
    addvl   row_scales, row_scales, #-5
    add     row_scales, row_scales, row, lsl #2
    addvl   rhs, rhs, #-8
    start_superblock
9:
.endm

.macro add_result i, r, acc
    ld1rw   {z14.s}, p0/z, [row_scales, #4 * (\i)]
    fmad    z\r\().s, p0/m, z14.s, z\acc\().s
.endm

.macro finish i, p, r0, r1, r2, r3
    cbz     blocks, 9f
    convert_4 \r0, \r1, \r2, \r3
    plain_4 fmul, \r0, \r1, \r2, \r3, \r0, \r1, \r2, \r3, 13, 13, 13, 13
    add_result 4 * \i + 0, \r0, 8
    add_result 4 * \i + 1, \r1, 9
    add_result 4 * \i + 2, \r2, 10
    add_result 4 * \i + 3, \r3, 11
9:
.endm

    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d256p1vlx4_qsi6c16x256p4vlx4_1vlx4vl_sme2_mopa, f32, 4, all
