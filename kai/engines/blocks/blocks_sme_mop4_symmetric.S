// f32 <- qsi8d32p1vlx4 x an RHS of 2, 4 or 8 bits with f16 or bf16 scales, few rows (at most VL / 2 and 8). Formula and
// fields: blocks_sme2_mopa_symmetric.S; quarter tiles: blocks_sme_mop4.inc.
//
// Next to S, in za1 and za3, the products of the scales, by an FMOP4A: scales of the rows twice, of 2 VL columns.
//
// z8-z11  4 rows of S      z12-z15  4 rows of products
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define RHS_BITS rhs_bits
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sme_mop4.inc"
#include "kai/engines/blocks/blocks_sme_args.h"
#include "kai/engines/blocks/blocks_sme_mopa_f16_scales.inc"

// ZT0, if nibbles or pairs of bits need it.
.macro take_args
    .if RHS_BITS == 8
    take_block_args
    .else
    take_block_args_and_table
    .endif
.endm

.macro start_pass
    start_rhs
    start_scales RHS_BITS
.endm

// Products of the scales of the block -> za\w. Clobbers z8, z9, z18.
.macro start_block w
    ld1h    {z18.d}, p0/z, [lhs_scale]
    uzp1    z18.s, z18.s, z18.s
    ld1h    {z8.s}, p0/z, [rhs_scale]
    ld1h    {z9.s}, p0/z, [rhs_scale, #1, mul vl]
    .if rhs_scales_bf16
    fcvt    z18.s, p0/m, z18.h
    lsl     z8.s, z8.s, #16
    lsl     z9.s, z9.s, #16
    fmop4a_first_pair_f32 \w, 8, 18
    .else
    fmop4a_first_pair_f16 \w, 8, 18
    .endif
.endm

.macro end_block w
    next_scales
.endm

// z12-z15 = products of the scales, of za\w.
.macro products w, i, ws
    read_4_rows \w, 12, 13, 14, 15, \ws
.endm

// The function of an RHS. scales_bf16: rhs_scales_bf16.
.macro few_symmetric rhs, bits, scales_bf16=0
    .set    rhs_bits, \bits
    .set    rhs_scales_bf16, \scales_bf16
    mopa_blocks kai_kernel_blocks_few_\rhs\()_sme_mop4, f32, pairs
.endm

    few_symmetric qsi4c32p4vlx4, 4
    few_symmetric qsi8c32p4vlx4, 8
    few_symmetric qsi2c32p4vlx4, 2
    few_symmetric qlu4c32p4vlx4scalebf16, 4, 1
