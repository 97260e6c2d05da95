// f32 and f16 <- qsi8d32p1vlx4 (f32 scales, block sums) x qai4c32p4vlx4, many rows.
//
//     acc = fma(zero[n][b], lhs_sum[m][b], acc)                              blocks b ascending
//     acc = fma(f32(S), lhs_scale[m][b] * rhs_scale[n][b], acc)
//     dst = clamp(acc + bias[n])
//
// Engine: blocks_sme_mopa.inc; nibbles: blocks_sme2_mopa.inc. After the values of a block: lhs_sum, lhs_scale; zero,
// rhs_scale; after the last block of an RHS panel: bias. Next to S, in za1 and za3, the products of the scales, by
// an FMOPA: an outer product onto zero rounds once, as a multiplication does, and saves one multiplication per
// vector in streaming mode.
//
// z0      lhs_sum of 4 rows in each 128 bits      z1       zero of the block to add
// z8-z11  4 rows of S; in the end z8 bias         z12-z15  4 rows of products
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sme2_mopa.inc"
#include "kai/engines/blocks/blocks_sme_args.h"

    alias   sum_at, own0        // lhs_sum of the block to add, from the first row of the pass on
    alias   bias_at, own1       // of the previous pass

.macro take_args
    take_block_args_and_table
.endm

.macro start_pass
    start_rhs
.endm

.macro start_block w
.endm

// Products of the scales -> za\w. z1 = zero, sum_at: lhs_sum. Clobbers z2, z3, t0.
.macro end_block w
    column_fields
    ld1w    {z1.s}, p0/z, [t0]
    ld1w    {z3.s}, p0/z, [t0, #4, mul vl]
    ld1w    {z2.s}, p0/z, [lhs, #1, mul vl]
    fmopa   za\w\().s, p0/m, p0/m, z2.s, z3.s
    add     sum_at, lhs, row, lsl #2
    addvl   lhs, lhs, #2
    addvl   rhs, rhs, #8
.endm

// t0 = f32 fields of the columns of the pass at rhs.
.macro column_fields
    addvl   t0, rhs, #-8
    add     t0, t0, col, lsl #1
.endm

// Sums += zero * lhs_sum; z8-z11 = S, f32; z12-z15 = products of the scales.
.macro read_rows s, w, i, ws, r0, r1, r2, r3
    ld1rqw  {z0.s}, has_rows_\i\()/z, [sum_at, #16 * \i]
    read_4_rows \s, 8, 9, 10, 11, \ws
    read_4_rows \w, 12, 13, 14, 15, \ws
    fmla_words_4 \r0, \r1, \r2, \r3, 1, 0
    convert_4 8, 9, 10, 11
.endm

// Sums z\r0-z\r3 += S * products, as read_rows left them.
.macro add_rows s, w, i, ws, r0, r1, r2, r3
    fmla    z\r0\().s, p0/m, z8.s, z12.s
    fmla    z\r1\().s, p0/m, z9.s, z13.s
    fmla    z\r2\().s, p0/m, z10.s, z14.s
    fmla    z\r3\().s, p0/m, z11.s, z15.s
.endm

.macro end_pass
    column_fields
    mov     bias_at, t0
.endm

.macro results_of_rows i, r0, r1, r2, r3
    ld1w    {z8.s}, p0/z, [bias_at]
    plain_by_4 fadd, \r0, \r1, \r2, \r3, 8
.endm

    mopa_blocks kai_kernel_blocks_many_qai4c32p4vlx4_sme2, any, pairs
