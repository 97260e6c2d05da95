// f32 <- qsi8d32p1vlx4 x qsi4c32p4vlx4, many rows.
//
//     acc = fma(f32(S), lhs_scale[m][b] * rhs_scale[n][b], acc)              blocks b ascending
//     dst = clamp(acc)
//
// Engine: blocks_sme_mopa.inc; nibbles: blocks_sme2_mopa.inc. Next to S, in za1 and za3, the products of the scales,
// by an FMOPA from f16 to f32: loaded as words, the scales are pairs (scale, 0), and their product is exact.
//
// z8-z11  4 rows of S      z12-z15  4 rows of products
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sme2_mopa.inc"
#include "kai/engines/blocks/blocks_sme_mopa_qsi4c32p.inc"

.macro take_args
    take_block_args_and_table
.endm

.macro start_pass
    start_rhs
    start_scales
.endm

.macro start_block w
    ld1h    {z8.s}, p0/z, [lhs_scale]
    ld1h    {z12.s}, p0/z, [rhs_scale]
    fmopa   za\w\().s, p0/m, p0/m, z8.h, z12.h
.endm

.macro end_block w
    next_scales
.endm

.macro products w, i, ws
    read_4_rows \w, 12, 13, 14, 15, \ws
.endm

    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa, f32, 4, pairs
