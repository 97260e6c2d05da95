// f32 <- qai8dxp1vlx4 x qsi4c32p4vlx4, few rows (at most VL / 2 and 8). Formula and fields: blocks_sme2_mopa_qai8dxp.S;
// quarter tiles: blocks_sme_mop4.inc.
//
// z0      lhs_offset, lhs_scale of 4 rows, in each 128 bits      z17, z19  rhs_scale of the block to add: left, right
// z8-z11  4 rows of S                                            z12       rhs_sum      z13  bias
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_args.h"
#define KAI_MOPA_ARGS(field) PROBLEM_##field
#include "kai/engines/blocks/blocks_sme_mop4.inc"

    alias   offset_at, own0     // previous pass: lhs_offset, lhs_scale from its first row on
    alias   scale_at, own1
    alias   fields_at, own2     // previous pass: rhs_sum; bias 4 vectors further on

// kai::Qai8dxpSmeFn: const kai::Problem*, const kai::Table*, steps of 32 k, and blocks of part * parts steps.
.macro take_args
    take_table x1
    mul     chunks, x3, x4
    udiv    blocks, x2, chunks
.endm

.macro start_pass
    start_rhs
.endm

.macro start_block w
    lsl     z17.s, z17.s, #16                   // bf16 to f32
    lsl     z19.s, z19.s, #16
.endm

// z17, z19 = rhs_scale, bf16. Clobbers t0.
.macro end_block w
    addvl   t0, rhs, #-8
    ld1h    {z17.s}, p0/z, [t0]
    ld1h    {z19.s}, p0/z, [t0, #1, mul vl]
    addvl   rhs, rhs, #2
.endm

    add_rows_at_once
// Sums z\r0-z\r3 += f32(S) * rhs_scale, rows \ws ... of the tile \s. Clobbers z8-z11.
.macro add_rows s, w, i, ws, r0, r1, r2, r3
    read_4_rows \s, 8, 9, 10, 11, \ws
    convert_4 8, 9, 10, 11
    .if \i < 2
    fmla_by_scale \r0, \r1, \r2, \r3, 17
    .else
    fmla_by_scale \r0, \r1, \r2, \r3, 19
    .endif
.endm
// Sums z\r0-z\r3 += z8-z11 * z\by.
.macro fmla_by_scale r0, r1, r2, r3, by
    fmla    z\r0\().s, p0/m, z8.s, z\by\().s
    fmla    z\r1\().s, p0/m, z9.s, z\by\().s
    fmla    z\r2\().s, p0/m, z10.s, z\by\().s
    fmla    z\r3\().s, p0/m, z11.s, z\by\().s
.endm

// offset_at, scale_at, fields_at.
.macro end_pass
    mov     offset_at, lhs
    addvl   scale_at, lhs, #1
    addvl   fields_at, rhs, #-8
    add     fields_at, fields_at, col, lsl #1
.endm

// fma(rhs_sum, f32(lhs_offset), acc) * lhs_scale + bias. Clobbers z0, z12, z13.
.macro results_of_rows i, r0, r1, r2, r3
    ld1w    {z12.s}, p0/z, [fields_at, #\i / 2, mul vl]
    ld1w    {z13.s}, p0/z, [fields_at, #\i / 2 + 4, mul vl]
    ld1rqw  {z0.s}, has_rows_\i\()/z, [offset_at, #16 * (\i % 2)]
    scvtf   z0.s, p0/m, z0.s
    fmla_words_4 \r0, \r1, \r2, \r3, 12, 0
    ld1rqw  {z0.s}, has_rows_\i\()/z, [scale_at, #16 * (\i % 2)]
    fmul    z\r0\().s, z\r0\().s, z0.s[0]
    fmul    z\r1\().s, z\r1\().s, z0.s[1]
    fmul    z\r2\().s, z\r2\().s, z0.s[2]
    fmul    z\r3\().s, z\r3\().s, z0.s[3]
    plain_by_4 fadd, \r0, \r1, \r2, \r3, 13
.endm

    mopa_blocks kai_kernel_qai8dxp_few_blocks_sme_mop4, f32, all
