// f32 <- f32 * f32p, depthwise, with the FMLA of SME2 that adds to ZA: blocks of two vectors of channels.
//
// sum<i> is the group ZA[w8 + i] of two vectors: outputs move up when w8 is counted.
//
//     z0 - z13, z16 - z19    weights: pairs of vectors, taps in row-major order
//     z14, z15               bounds of the clamp
//     z20, z21               bias
//     z22 - z27              inputs: pairs of vectors, ky = 0, 1, 2
//     z28, z29               output
//     p0                     all; p1, p2: the channels of either vector that exist; pn8: of both
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/asm/asm.h"
#define ELEMENT_SHIFT 2
#define BLOCK 2
#include "kai/asm/sme_dwconv_3x3.inc"

// Bounds of the clamp in every word.
.macro load_bounds
    ptrue   p0.s
    ld1rw   {z14.s}, p0/z, [args, #DWCONV_LO]
    ld1rw   {z15.s}, p0/z, [args, #DWCONV_HI]
    mov     w8, #0
.endm

// The vectors of channels of the packed format lie 10 vectors apart.
.macro prepare
    cntw    temp
    whilelo pn8.s, xzr, channels, vlx2
    whilelo p1.s, xzr, channels
    whilelo p2.s, temp, channels
    addvl   temp, weights, #8
    load_taps w, p1, z20.s, z0.s, z2.s, z4.s, z6.s, z8.s, z10.s, z12.s, z16.s, z18.s
    addvl   temp, temp, #10
    load_taps w, p2, z21.s, z1.s, z3.s, z5.s, z7.s, z9.s, z11.s, z13.s, z17.s, z19.s
.endm

.macro load_input ky, row
    .if \ky == 0
    ld1w    {z22.s-z23.s}, pn8/z, [\row]
    .elseif \ky == 1
    ld1w    {z24.s-z25.s}, pn8/z, [\row]
    .else
    ld1w    {z26.s-z27.s}, pn8/z, [\row]
    .endif
.endm

.macro next_outputs
    add     w8, w8, #1
    mova    za.d[w8, 2, vgx2], {z20.d-z21.d}
.endm

.macro mla ky
    .if \ky == 0
    fmla    za.s[w8, 0, vgx2], {z22.s-z23.s}, {z4.s-z5.s}
    fmla    za.s[w8, 1, vgx2], {z22.s-z23.s}, {z2.s-z3.s}
    fmla    za.s[w8, 2, vgx2], {z22.s-z23.s}, {z0.s-z1.s}
    .elseif \ky == 1
    fmla    za.s[w8, 0, vgx2], {z24.s-z25.s}, {z10.s-z11.s}
    fmla    za.s[w8, 1, vgx2], {z24.s-z25.s}, {z8.s-z9.s}
    fmla    za.s[w8, 2, vgx2], {z24.s-z25.s}, {z6.s-z7.s}
    .else
    fmla    za.s[w8, 0, vgx2], {z26.s-z27.s}, {z18.s-z19.s}
    fmla    za.s[w8, 1, vgx2], {z26.s-z27.s}, {z16.s-z17.s}
    fmla    za.s[w8, 2, vgx2], {z26.s-z27.s}, {z12.s-z13.s}
    .endif
.endm

.macro store_output dst
    mova    {z28.d-z29.d}, za.d[w8, 0, vgx2]
    fmax    {z28.s-z29.s}, {z28.s-z29.s}, z14.s
    fmin    {z28.s-z29.s}, {z28.s-z29.s}, z15.s
    st1w    {z28.s-z29.s}, pn8, [\dst]
.endm

    dwconv_function kai_kernel_dwconv_f32_f32_f32p1vlx1b_3x3_s1_sme2_mla
