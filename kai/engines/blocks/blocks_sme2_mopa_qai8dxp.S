// f32 <- qai8dxp1vlx4 x qsi4c32p4vlx4, many rows.
//
//     acc = fma(f32(S), rhs_scale[n][b], acc)                                blocks b ascending
//     acc = fma(rhs_sum[n], f32(lhs_offset[m]), acc)
//     dst = clamp(acc * lhs_scale[m] + bias[n])                              two roundings
//
// Engine: blocks_sme_mopa.inc; nibbles: blocks_sme2_mopa.inc. After the values of an RHS block: rhs_scale, bf16;
// after the last block: rhs_sum, bias. After all values of an LHS panel: lhs_offset, lhs_scale.
//
// z0      lhs_offset, lhs_scale of 4 rows, in each 128 bits      z1   rhs_scale of the block to add
// z8-z11  4 rows of S                                            z12  rhs_sum      z13  bias
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_args.h"
#define KAI_MOPA_ARGS(field) PROBLEM_##field
#include "kai/engines/blocks/blocks_sme2_mopa.inc"

    alias   offset_at, own0     // previous pass: lhs_offset, lhs_scale from its first row on
    alias   scale_at, own1

// kai::Qai8dxpSmeFn: const kai::Problem*, const kai::Table*, steps of 32 k, and blocks of part *
// parts steps.
.macro take_args
    take_table x1
    mul     chunks, x3, x4
    udiv    blocks, x2, chunks
.endm

.macro start_pass
    start_rhs
.endm

.macro start_block w
    lsl     z1.s, z1.s, #16                     // bf16 to f32
.endm

.macro end_block w
    addvl   t0, rhs, #-8
    ld1h    {z1.s}, p0/z, [t0]
    addvl   rhs, rhs, #2
.endm

    add_rows_at_once
// Sums z\r0-z\r3 += f32(S) * rhs_scale, rows \ws ... of the tile \s. Clobbers z8-z11.
.macro add_rows s, w, i, ws, r0, r1, r2, r3
    read_4_rows \s, 8, 9, 10, 11, \ws
    convert_4 8, 9, 10, 11
    fmla    z\r0\().s, p0/m, z8.s, z1.s
    fmla    z\r1\().s, p0/m, z9.s, z1.s
    fmla    z\r2\().s, p0/m, z10.s, z1.s
    fmla    z\r3\().s, p0/m, z11.s, z1.s
.endm

// offset_at, scale_at: of the rows of the pass. z12 = rhs_sum, z13 = bias.
.macro end_pass
    add     offset_at, lhs, row, lsl #2
    addvl   scale_at, offset_at, #1
    addvl   t0, rhs, #-8
    add     t0, t0, col, lsl #1
    ld1w    {z12.s}, p0/z, [t0]
    ld1w    {z13.s}, p0/z, [t0, #4, mul vl]
.endm

// fma(rhs_sum, f32(lhs_offset), acc) * lhs_scale + bias. Clobbers z0.
.macro results_of_rows i, r0, r1, r2, r3
    ld1rqw  {z0.s}, has_rows_\i\()/z, [offset_at, #16 * \i]
    scvtf   z0.s, p0/m, z0.s
    fmla_words_4 \r0, \r1, \r2, \r3, 12, 0
    ld1rqw  {z0.s}, has_rows_\i\()/z, [scale_at, #16 * \i]
    fmul    z\r0\().s, z\r0\().s, z0.s[0]
    fmul    z\r1\().s, z\r1\().s, z0.s[1]
    fmul    z\r2\().s, z\r2\().s, z0.s[2]
    fmul    z\r3\().s, z\r3\().s, z0.s[3]
    plain_by_4 fadd, \r0, \r1, \r2, \r3, 13
.endm

    mopa_blocks kai_kernel_qai8dxp_many_blocks_sme2, f32, all
