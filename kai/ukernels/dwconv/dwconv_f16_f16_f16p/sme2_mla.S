// f16 <- f16 * f16p, depthwise, with FMLA of f16 in streaming mode: blocks of one vector of channels, f16 sums.
// (The FMLA that adds to ZA takes f16 only with an extension that SME2 does not imply.) ZA is left alone.
//
//     z0 - z8    weights, taps in row-major order
//     z9         bias
//     z10, z11   bounds of the clamp
//     z16 - z18  sums
//     z20 - z22  inputs, ky = 0, 1, 2
//     p0         all; p1: the channels that exist
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/asm/asm.h"
#define ELEMENT_SHIFT 1
#define BLOCK 1
#include "kai/asm/sme_dwconv_3x3.inc"

.macro load_bounds
    ptrue   p0.h
    ld1rh   {z10.h}, p0/z, [args, #DWCONV_LO]
    ld1rh   {z11.h}, p0/z, [args, #DWCONV_HI]
.endm

.macro prepare
    whilelo p1.h, xzr, channels
    addvl   temp, weights, #8
    load_taps h, p1, z9.h, z0.h, z1.h, z2.h, z3.h, z4.h, z5.h, z6.h, z7.h, z8.h
.endm

.macro load_input ky, row
    ld1h    {z2\ky\().h}, p1/z, [\row]
.endm

.macro next_outputs
    mov     z16.d, z17.d
    mov     z17.d, z18.d
    mov     z18.d, z9.d
.endm

.macro mla_row input, w0, w1, w2
    fmla    z16.h, p0/m, \input\().h, \w2\().h
    fmla    z17.h, p0/m, \input\().h, \w1\().h
    fmla    z18.h, p0/m, \input\().h, \w0\().h
.endm
.macro mla ky
    .if \ky == 0
    mla_row z20, z0, z1, z2
    .elseif \ky == 1
    mla_row z21, z3, z4, z5
    .else
    mla_row z22, z6, z7, z8
    .endif
.endm

.macro store_output dst
    fmax    z16.h, p0/m, z16.h, z10.h
    fmin    z16.h, p0/m, z16.h, z11.h
    st1h    {z16.h}, p1, [\dst]
.endm

    dwconv_function kai_kernel_dwconv_f16_f16_f16p1vlx1b_3x3_s1_sme2_mla, sm
