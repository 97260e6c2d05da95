// f32 <- qsi8d32p1vlx4 x qsi4c32p4vlx4, many rows: SME without SME2, blocks_sme_mopa_symmetric.inc.
//
// A shift and a mask turn the nibbles into bytes, 16 times the values; the RHS scales are a sixteenth.
//
// z2, z3  RHS nibbles, 8 k each; values      z6  RHS values
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#define RHS_BITS 4
#include "kai/engines/blocks/blocks_sme_mopa_symmetric.inc"

// z\w = nibbles of parts \k and \k + 1.
.macro nibbles w, k
    ld1b    {z\w\().b}, p0/z, [rhs, #2 * (\k) - 8, mul vl]
.endm

.macro load_parts
    nibbles 2, 0
    nibbles 3, 2
.endm

.macro multiply_2 s, k, h
    lsl     z6.b, z\h\().b, #4
    and     z\h\().b, z\h\().b, #0xf0
    smopa   za\s\().s, p0/m, p0/m, z4.b, z6.b
    smopa   za\s\().s, p0/m, p0/m, z5.b, z\h\().b
    .if \k < 4
    nibbles \h, \k + 4
    .endif
.endm

    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme_mopa, f32, 4, pairs
