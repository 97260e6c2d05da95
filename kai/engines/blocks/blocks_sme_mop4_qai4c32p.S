// f32 and f16 <- qsi8d32p1vlx4 (f32 scales, block sums) x qai4c32p4vlx4, few rows (at most VL / 2 and 8). Formula and
// fields: blocks_sme2_mopa_qai4c32p.S; quarter tiles: blocks_sme_mop4.inc.
//
// z4-z7   4 rows of S; before z4 lhs_sum of 4 rows in each 128 bits; in the end z4 bias
// z12-z15 4 rows of products                      z17, z19  zero of the block to add: left, right
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define KAI_MOPA_SUMS_0 8, 9, 10, 11
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sme_mop4.inc"
#include "kai/engines/blocks/blocks_sme_args.h"

    alias   sum_at, own0        // lhs_sum of the block to add
    alias   bias_at, own1       // of the previous pass

.macro take_args
    take_block_args_and_table
.endm

.macro start_pass
    start_rhs
.endm

.macro start_block w
.endm

// Products of the scales -> za\w. z17, z19 = zero, sum_at: lhs_sum. Clobbers z0-z3, z16, t0.
.macro end_block w
    column_fields
    load_words_2 0, 1, t0, 0
    load_words_2 2, 3, t0, 4
    mov     z17.d, z0.d
    mov     z19.d, z1.d
    load_rows_twice 16, lhs, #2, mul vl         // half vectors
    fmop4a_first_pair_f32 \w, 2, 16
    mov     sum_at, lhs
    addvl   lhs, lhs, #2
    addvl   rhs, rhs, #8
.endm

// t0 = f32 fields of the columns of the pass at rhs.
.macro column_fields
    addvl   t0, rhs, #-8
    add     t0, t0, col, lsl #1
.endm

// Sums += zero * lhs_sum; z4-z7 = S, f32; z12-z15 = products of the scales.
.macro read_rows s, w, i, ws, r0, r1, r2, r3
    ld1rqw  {z4.s}, has_rows_\i\()/z, [sum_at, #16 * (\i % 2)]
    .if \i < 2
    fmla_words_4 \r0, \r1, \r2, \r3, 17, 4
    .else
    fmla_words_4 \r0, \r1, \r2, \r3, 19, 4
    .endif
    read_4_rows \s, 4, 5, 6, 7, \ws
    read_4_rows \w, 12, 13, 14, 15, \ws
    convert_4 4, 5, 6, 7
.endm

// Sums z\r0-z\r3 += S * products, as read_rows left them.
.macro add_rows s, w, i, ws, r0, r1, r2, r3
    fmla    z\r0\().s, p0/m, z4.s, z12.s
    fmla    z\r1\().s, p0/m, z5.s, z13.s
    fmla    z\r2\().s, p0/m, z6.s, z14.s
    fmla    z\r3\().s, p0/m, z7.s, z15.s
.endm

.macro end_pass
    column_fields
    mov     bias_at, t0
.endm

.macro results_of_rows i, r0, r1, r2, r3
    ld1w    {z4.s}, p0/z, [bias_at, #\i / 2, mul vl]
    plain_by_4 fadd, \r0, \r1, \r2, \r3, 4
.endm

    mopa_blocks kai_kernel_blocks_few_qai4c32p4vlx4_sme_mop4, any, pairs
