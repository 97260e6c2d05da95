// f32 <- qsi8d32p1vlx4 x an RHS of 2, 4 or 8 bits with f16 scales, many rows.
//
//     acc = fma(f32(S), lhs_scale[m][b] * rhs_scale[n][b], acc)              blocks b ascending
//     dst = clamp(acc)
//
// Engine: blocks_sme_mopa.inc. Next to S, in za1 and za3, the products of the scales, by an FMOPA from f16 to f32:
// loaded as words, the scales are pairs (scale, 0), and their product is exact.
//
// With rhs_scales_bf16 f32 are multiplied instead. With RHS_HALVES a column has a scale per half of a block of 32:
// blocks of the engine are halves, and two of them share the scales of the rows. Rows of ZA would then be read for
// longer than SMOPA takes, so products of rows 8 to 15 of a pass are made by FMUL.
//
// z8-z11  4 rows of S      z12-z15  4 rows of products
// Halves: z0, z1  scales of rows 8 to 11, 12 to 15, in each 128 bits      p6  rows of the pass
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define RHS_BITS rhs_bits
#define RHS_HALVES rhs_halves
#define KAI_MOPA_ROUNDS RHS_HALVES
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sme2_mopa.inc"
#include "kai/engines/blocks/blocks_sme_args.h"
#include "kai/engines/blocks/blocks_sme_mopa_f16_scales.inc"

    alias   done_scales, own2   // halves: scales of the columns of the block that is added

// ZT0, if nibbles or pairs of bits need it. Halves: done_scales = any address that can be read.
.macro take_args
    .if RHS_BITS == 8
    take_block_args
    .else
    take_block_args_and_table
    .endif
    .if RHS_HALVES
    ldr     done_scales, [args, #BLOCK_ARGS_lhs]    // the first step adds whatever is there, which is discarded
    .endif
.endm

// Cursors of values and scales. Halves: p6.
.macro start_pass
    start_rhs
    start_scales RHS_BITS, RHS_HALVES
    .if RHS_HALVES
    whilelo p6.s, row, vl
    .endif
.endm

// Products of the scales of the block -> za\w. Clobbers z8, z12.
.macro start_block w
    ld1h    {z8.s}, p0/z, [lhs_scale]
    ld1h    {z12.s}, p0/z, [rhs_scale]
    .if rhs_scales_bf16
    fcvt    z8.s, p0/m, z8.h
    lsl     z12.s, z12.s, #16
    fmopa   za\w\().s, p0/m, p0/m, z8.s, z12.s
    .else
    fmopa   za\w\().s, p0/m, p0/m, z8.h, z12.h
    .endif
.endm

// lhs_scale, rhs_scale to the next block. Halves: done_scales, after the first half z0, z1.
.macro end_block w
    .if RHS_HALVES
    .if \w == 1                                 // the first half
    add     t0, lhs_scale, row, lsl #1
    ld1h    {z1.s}, p6/z, [t0]
    fcvt    z1.s, p0/m, z1.h
    mov     z0.q, z1.q[2]
    mov     z1.q, z1.q[3]
    .endif
    mov     done_scales, rhs_scale
    next_scales (\w == 3)
    .else
    next_scales
    .endif
.endm

// z12-z15 = products of the scales of rows \ws ...: those of za\w or, halves, from row 8 on by FMUL.
.macro products w, i, ws
    .if \i < 2 || !RHS_HALVES
    read_4_rows \w, 12, 13, 14, 15, \ws
    .elseif \i == 2
    multiply_scales 0
    .else
    multiply_scales 1
    .endif
.endm

// z12-z15 = scales of 4 rows, of which each 128 bits of z\d have a copy, times those of the columns.
.macro multiply_scales d
    ld1h    {z15.s}, p0/z, [done_scales]
    fcvt    z15.s, p0/m, z15.h
    fmul    z12.s, z15.s, z\d\().s[0]
    fmul    z13.s, z15.s, z\d\().s[1]
    fmul    z14.s, z15.s, z\d\().s[2]
    fmul    z15.s, z15.s, z\d\().s[3]
.endm

// The kernel. halves: RHS_HALVES; scales_bf16: rhs_scales_bf16.
.macro mopa_symmetric name, bits, halves=0, scales_bf16=0
    .set    rhs_bits, \bits
    .set    rhs_halves, \halves
    .set    rhs_scales_bf16, \scales_bf16
    mopa_blocks \name, f32, pairs
.endm

    mopa_symmetric kai_kernel_blocks_many_qsi4c32p4vlx4_sme2, 4
    mopa_symmetric kai_kernel_blocks_many_qsi8c32p4vlx4_sme2, 8
    mopa_symmetric kai_kernel_blocks_many_qsi2c32p4vlx4_sme2, 2
    mopa_symmetric kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qlu4c16p4vlx4_1vlx4vl_sme2_mopa, 4, 1
    mopa_symmetric kai_kernel_blocks_many_qlu4c32p4vlx4scalebf16_sme2, 4, 0, 1
