// f32 <- qsi8d32p1vlx4 x an int4 or int8 RHS with f16 scales, many rows: SME without SME2.
//
//     acc = fma(f32(S), lhs_scale[m][b] * rhs_scale[n][b], acc)              blocks b ascending
//     dst = clamp(acc)
//
// Engine: blocks_sme_mopa.inc. Scales are multiplied in vectors, because SME moves single vectors from ZA. za1, za3 are
// not used.
//
// Multiplication, z2-z6, rhs: blocks_sme_mopa_parts.inc. int4: the RHS scales are a sixteenth.
//
// z0  LHS scales of the block to add, one per row    z1  4 of them      z7  its RHS scales      p2  rows of the pass
// z8-z11  4 rows of S      z12-z15  4 rows of products
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/blocks/blocks_sme_args.h"
#include "kai/engines/blocks/blocks_sme_mopa_f16_scales.inc"
#include "kai/engines/blocks/blocks_sme_mopa_parts.inc"

.macro take_args
    take_block_args
.endm

.macro start_pass
    addvl   rhs, rhs_panel, #8
    add     rhs, rhs, col, lsl #2
    start_scales rhs_bits
.endm

.macro start_block w
.endm

// z0, z7: scales of rows and columns of the block, f32. lhs_scale, rhs_scale to the next block.
.macro end_block w
    ld1h    {z7.s}, p0/z, [rhs_scale]
    whilelo p2.s, row, vl
    add     t0, lhs_scale, row, lsl #1
    ld1h    {z0.s}, p2/z, [t0]
    fcvt    z0.s, p0/m, z0.h
    fcvt    z7.s, p0/m, z7.h
    next_scales
.endm

// z12-z15 = products of the scales of the \i-th 4 rows. Clobbers z1.
.macro products w, i, ws
    mov     z1.q, z0.q[\i]
    fmul    z15.s, z7.s, z1.s[3]
    fmul    z14.s, z7.s, z1.s[2]
    fmul    z13.s, z7.s, z1.s[1]
    fmul    z12.s, z7.s, z1.s[0]
.endm

.macro mopa_symmetric rhs, bits
    .set    rhs_bits, \bits
    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_\rhs\()_1vlx4vl_sme_mopa, f32, pairs
.endm

    mopa_symmetric qsi4c32p4vlx4, 4
    mopa_symmetric qsi8c32p4vlx4, 8
