// f32 <- qsi8d32p1vlx4 x qsi4c32p4vlx4, many rows: SME without SME2.
//
//     acc = fma(f32(16 S), lhs_scale[m][b] * (rhs_scale[n][b] / 16), acc)    blocks b ascending
//     dst = clamp(acc)
//
// Engine: blocks_sme_mopa.inc. A shift and a mask turn the nibbles into bytes, 16 times the values; scales are
// multiplied in vectors, because moves from ZA are single ones here. za1, za3: nothing.
//
// z0  LHS scales of the block to add, one per row    z1  4 of them      z7  its RHS scales      p2  rows of the pass
// z2, z3  RHS nibbles, 8 k each; values      z4, z5  2 vectors of the LHS: 1 VL rows x 4 k each      z6  RHS values
// z8-z11  4 rows of S      z12-z15  4 rows of products
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/blocks/blocks_sme_mopa_qsi4c32p.inc"

// 8 VL further: immediates reach from -8 to 7.
.macro start_pass
    addvl   rhs, rhs_panel, #8
    add     rhs, rhs, col, lsl #2
    start_scales
.endm

// z\w = nibbles of parts \k and \k + 1.
.macro nibbles w, k
    ld1b    {z\w\().b}, p0/z, [rhs, #2 * (\k) - 8, mul vl]
.endm

.macro load_parts
    nibbles 2, 0
    nibbles 3, 2
.endm

// Two parts at the second of them.
.macro part s, k, a, w, h
    .if \k % 2 == 1
    ld1b    {z4.b}, p0/z, [lhs, #\k - 1, mul vl]
    ld1b    {z5.b}, p0/z, [lhs, #\k, mul vl]
    lsl     z6.b, z\h\().b, #4
    and     z\h\().b, z\h\().b, #0xf0
    smopa   za\s\().s, p0/m, p0/m, z4.b, z6.b
    smopa   za\s\().s, p0/m, p0/m, z5.b, z\h\().b
    .if \k < 4
    nibbles \h, \k + 3
    .endif
    .endif
.endm

.macro take_args
    take_block_args
.endm

.macro start_block w
.endm

.macro end_block w
    ld1h    {z7.s}, p0/z, [rhs_scale]
    whilelo p2.s, row, vl
    add     t0, lhs_scale, row, lsl #1
    ld1h    {z0.s}, p2/z, [t0]
    fcvt    z0.s, p0/m, z0.h
    fcvt    z7.s, p0/m, z7.h
    next_scales
.endm

.macro products w, i, ws
    mov     z1.q, z0.q[\i]
    fmul    z15.s, z7.s, z1.s[3]
    fmul    z14.s, z7.s, z1.s[2]
    fmul    z13.s, z7.s, z1.s[1]
    fmul    z12.s, z7.s, z1.s[0]
.endm

    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme_mopa, f32, 4, pairs
