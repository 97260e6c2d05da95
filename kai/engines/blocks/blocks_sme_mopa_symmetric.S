// f32 <- qsi8d32p1vlx4 x an int4 or int8 RHS with f16 scales, many rows: SME without SME2.
//
//     acc = fma(f32(S), lhs_scale[m][b] * rhs_scale[n][b], acc)              blocks b ascending
//     dst = clamp(acc)
//
// Engine: blocks_sme_mopa.inc. Scales are multiplied in vectors, because moves from ZA are single ones here. za1, za3:
// nothing.
//
// int4: a shift and a mask turn the nibbles into bytes, 16 times the values; the RHS scales are a sixteenth.
//
// z2, z3  int4: nibbles of the RHS, 8 k each, then values; int8: values, 4 k each      z6  int4: values
// rhs 8 VL further: immediates reach from -8 to 7      z4, z5  2 vectors of the LHS: 1 VL rows x 4 k each
// z0  LHS scales of the block to add, one per row    z1  4 of them      z7  its RHS scales      p2  rows of the pass
// z8-z11  4 rows of S      z12-z15  4 rows of products
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/blocks/blocks_sme_mopa_f16_scales.inc"

.macro take_args
    take_block_args
.endm

.macro start_pass
    addvl   rhs, rhs_panel, #8
    add     rhs, rhs, col, lsl #2
    start_scales rhs_bits
.endm

// z\w = int4: parts \k and \k + 1, int8: part \k. int8: rhs is at part 0 or, from part 4 on, at part 4.
.macro load_part w, k
    .if rhs_bits == 4
    ld1b    {z\w\().b}, p0/z, [rhs, #2 * (\k) - 8, mul vl]
    .else
    ld1b    {z\w\().b}, p0/z, [rhs, #4 * ((\k) % 4) - 8, mul vl]
    .endif
.endm

.macro load_parts
    load_part 2, 0
    load_part 3, 8 / rhs_bits
.endm

// Parts \k and \k + 1, in z4 and z5, times values into the tile \s, and loads for the parts that follow.
.macro multiply_2_int4 s, k, h
    lsl     z6.b, z\h\().b, #4
    and     z\h\().b, z\h\().b, #0xf0
    smopa   za\s\().s, p0/m, p0/m, z4.b, z6.b
    smopa   za\s\().s, p0/m, p0/m, z5.b, z\h\().b
    .if \k < 4
    load_part \h, \k + 4
    .endif
.endm

.macro multiply_2_int8 s, k, h
    smopa   za\s\().s, p0/m, p0/m, z4.b, z2.b
    smopa   za\s\().s, p0/m, p0/m, z5.b, z3.b
    .if \k == 2
    addvl   rhs, rhs, #16
    .endif
    .if \k < 6
    load_part 2, \k + 2
    load_part 3, \k + 3
    .endif
.endm

// Two parts at the second of them.
.macro part s, k, a, w, h
    .if \k % 2 == 1
    ld1b    {z4.b}, p0/z, [lhs, #\k - 1, mul vl]
    ld1b    {z5.b}, p0/z, [lhs, #\k, mul vl]
    .if rhs_bits == 4
    multiply_2_int4 \s, (\k - 1), \h
    .else
    multiply_2_int8 \s, (\k - 1), \h
    .endif
    .endif
.endm

.macro next_chunk
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #16
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

.macro mopa_symmetric rhs, bits
    .set    rhs_bits, \bits
    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_\rhs\()_1vlx4vl_sme_mopa, f32, pairs
.endm

    mopa_symmetric qsi4c32p4vlx4, 4
    mopa_symmetric qsi8c32p4vlx4, 8
