// int8 of two packed sides with SME: SMOPA, four k at a time. What becomes of the sums: panels_sme_int8.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/panels/panels_sme_int8.inc"

// ---- qai8_near, for bounds near 0 (kai::is_near_zero): as qai8, in fewer instructions of one vector. In f32 the sum
// with 1.5 * 2^23 has the nearest integer, ties to even, in its low bits, for -2^22 ... 2^22 - 1; beyond, the bits of
// the sum, as int32, are beyond those of any such integer. Only the low byte is kept.

    alias   t0_bits, w16

// z15: 1.5 * 2^23; its bits are added to the bounds. z9: 1. z8: the largest f32. A NaN scale makes any sum 0, an
// infinite one makes only 0 a 0: replacing them by 0 and by the largest f32 has the same effect.
.macro store_qai8_near
    take_qai8
    mov     t0_bits, #0x4b400000
    mov     z15.s, t0_bits
    add     z12.s, z12.s, z15.s
    add     z13.s, z13.s, z15.s
    fmov    z9.s, #1.0
    mov     t0_bits, #0x7f7fffff
    mov     z8.s, t0_bits
    finite_scale 10
    finite_scale 11
    store_int8 qai8_near
.endm

// z\s: NaN becomes 0, an infinity the largest f32 of its sign. z8: the largest f32. Clobbers z16, p3.
.macro finite_scale s
    fcmuo   p3.s, p0/z, z\s\().s, z\s\().s
    mov     z\s\().s, p3/m, #0
    fmin    z\s\().s, p0/m, z\s\().s, z8.s
    fneg    z16.s, p0/m, z8.s
    fmax    z\s\().s, p0/m, z\s\().s, z16.s
.endm

// z\r0-z\r3, a row of za0-za3, requantised.
.macro requantise_qai8_near r0, r1, r2, r3
    convert_4 \r0, \r1, \r2, \r3
    fmul    z\r0\().s, z\r0\().s, z10.s
    fmul    z\r1\().s, z\r1\().s, z11.s
    fmul    z\r2\().s, z\r2\().s, z10.s
    fmul    z\r3\().s, z\r3\().s, z11.s
    fmad_4  \r0, \r1, \r2, \r3, 9, 15
    sclamp_4 \r0, \r1, \r2, \r3, 12, 13
.endm

// z\r0-z\r3 = fma(z\r, z\scale, z\addend)
.macro fmad_4 r0, r1, r2, r3, scale, addend
    fmad    z\r0\().s, p0/m, z\scale\().s, z\addend\().s
    fmad    z\r1\().s, p0/m, z\scale\().s, z\addend\().s
    fmad    z\r2\().s, p0/m, z\scale\().s, z\addend\().s
    fmad    z\r3\().s, p0/m, z\scale\().s, z\addend\().s
.endm

    multiply_part pair_s8_sme, pair, smopa, b
    store_part qai8_sme, qai8
    store_part qai8_near_sme, qai8_near
