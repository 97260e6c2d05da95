// f32 <- qsi8d32p1vlx4 x qsi4c32p4vlx4, many rows: a shift and a mask make bytes of the nibbles, 16 times the values.
// Formula, registers and tiles: blocks_sme_mopa.inc, with 16 S and rhs_scale / 16.
//
// z0  LHS scales of the block before, one a row      z1  4 of them      z7  its RHS scales      p2  rows of the pass
// z2, z3  RHS nibbles, 8 k each; values      z4, z5  2 vectors of the LHS: 1 VL rows x 4 k each      z6  RHS values
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/blocks/blocks_sme_mopa.inc"

.macro prepare_values
.endm

// 8 VL further: immediates reach from -8 to 7.
.macro start_values
    addvl   rhs, rhs_panel, #8
    add     rhs, rhs, col, lsl #2
.endm

// z\w = nibbles of parts \k and \k + 1.
.macro nibbles w, k
    ld1b    {z\w\().b}, p0/z, [rhs, #2 * \k - 8, mul vl]
.endm

// int32 tile \tile += parts \k and \k1, whose nibbles are in \w. Clobbers \w.
.macro mopa tile, k, k1, w
    ld1b    {z4.b}, p0/z, [lhs, #\k, mul vl]
    ld1b    {z5.b}, p0/z, [lhs, #\k1, mul vl]
    lsl     z6.b, z\w\().b, #4
    and     z\w\().b, z\w\().b, #0xf0
    smopa   za\tile\().s, p0/m, p0/m, z4.b, z6.b
    smopa   za\tile\().s, p0/m, p0/m, z5.b, z\w\().b
.endm

.macro values_first
    nibbles 2, 0
    nibbles 3, 2
.endm

.macro values_01 s
    mopa    \s, 0, 1, 2
    nibbles 2, 4
.endm

.macro values_23 s
    mopa    \s, 2, 3, 3
    nibbles 3, 6
.endm

.macro values_45 s
    mopa    \s, 4, 5, 2
.endm

.macro values_67 s
    mopa    \s, 6, 7, 3
.endm

// Moves from ZA are single ones here: multiplications cost less.
.macro scales_first w
.endm

.macro scales_last
    whilelo p2.s, row, vl
    add     t0, lhs_scale, row, lsl #1
    ld1h    {z0.s}, p2/z, [t0]
    ld1h    {z7.s}, p0/z, [rhs_scale]
    fcvt    z0.s, p0/m, z0.h
    fcvt    z7.s, p0/m, z7.h
.endm

.macro products w, i, ws
    mov     z1.q, z0.q[\i]
    fmul    z15.s, z7.s, z1.s[3]
    fmul    z14.s, z7.s, z1.s[2]
    fmul    z13.s, z7.s, z1.s[1]
    fmul    z12.s, z7.s, z1.s[0]
.endm

mopa_qsi8d32p kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme_mopa
