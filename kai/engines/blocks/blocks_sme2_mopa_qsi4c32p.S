// f32 <- qsi8d32p1vlx4 x qsi4c32p4vlx4, many rows: LUTI4 makes bytes of the nibbles.
// Formula, registers and tiles: blocks_sme_mopa.inc.
//
// z2, z3  RHS nibbles, then values      z4-z7  4 vectors of the LHS: 1 VL rows x 4 k each
// p2      the nibbles of 1 VL columns
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/blocks/blocks_sme_mopa.inc"

.macro prepare_values
    ldr     t0, [args, #KAI_BLOCK_ARGS_TABLE]
    ldr     zt0, [t0]
    cnth    t0
    whilelo p2.b, xzr, t0
.endm

// 8 VL further: immediates reach from -8 to 7.
.macro start_values
    addvl   rhs, rhs_panel, #8
    add     rhs, rhs, col, lsl #1
.endm

// z\w = nibbles of part \k.
.macro nibbles w, k
    ld1b    {z\w\().b}, p2/z, [rhs, #2 * \k - 8, mul vl]
.endm

// int32 tile \tile += 4 k of the LHS in \a x 4 k of the RHS, whose nibbles are in \w. Clobbers \w.
.macro mopa tile, a, w
    luti4   z\w\().b, zt0, z\w[0]
    smopa   za\tile\().s, p0/m, p0/m, z\a\().b, z\w\().b
.endm

.macro values_first
    nibbles 2, 0
    ld1b    {z4.b-z7.b}, pn8/z, [lhs]
    nibbles 3, 1
.endm

.macro values_01 s
    mopa    \s, 4, 2
    nibbles 2, 2
    mopa    \s, 5, 3
    nibbles 3, 3
.endm

.macro values_23 s
    mopa    \s, 6, 2
    nibbles 2, 4
    mopa    \s, 7, 3
    ld1b    {z4.b-z7.b}, pn8/z, [lhs, #4, mul vl]
    nibbles 3, 5
.endm

.macro values_45 s
    mopa    \s, 4, 2
    nibbles 2, 6
    mopa    \s, 5, 3
    nibbles 3, 7
.endm

.macro values_67 s
    mopa    \s, 6, 2
    mopa    \s, 7, 3
.endm

// The products by an FMOPA from f16 to f32: loaded as words, the scales are pairs (scale, 0), and their product is exact.
.macro scales_first w
    ld1h    {z8.s}, p0/z, [lhs_scale]
    ld1h    {z12.s}, p0/z, [rhs_scale]
    fmopa   za\w\().s, p0/m, p0/m, z8.h, z12.h
.endm

.macro scales_last
.endm

.macro products w, i, ws
    read_4_rows \w, 12, 13, 14, 15, \ws
.endm

mopa_qsi8d32p kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa
