// f32 <- f32 * f32p, depthwise, with the FMLA of SME2 that adds to ZA: blocks of two vectors of channels.
//
// Sums are groups of two vectors of ZA: sum i of a phase is ZA[w8 + phase + 1 + i] in row 0 of the output, and the same
// with w9 in row 1. w9 is w8 + 4: the three live sums of either row never overlap, not even with the 8 groups of the
// shortest vectors.
//
//     z0 - z13, z16 - z19    weights: pairs of vectors, taps in row-major order; tap0_a tap0_b ... for load_taps
//     z14, z15               bounds of the clamp
//     z20, z21               bias: bias_a, bias_b
//     z22 - z29              inputs: pairs of vectors
//     z30, z31               output
//     p0                     all; p1, p2: the channels of either vector that exist
//     pn8                    the channels of both that exist; pn9: the same, if row 1 of the output is wanted
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/engines/asm/asm.h"
#define SHIFT 2
#define BLOCK 2
#define ROWS 2
#include "kai/engines/dwconv/dwconv_sme_3x3.inc"

bias_a  .req z20
bias_b  .req z21
tap0_a  .req z0
tap0_b  .req z1
tap1_a  .req z2
tap1_b  .req z3
tap2_a  .req z4
tap2_b  .req z5
tap3_a  .req z6
tap3_b  .req z7
tap4_a  .req z8
tap4_b  .req z9
tap5_a  .req z10
tap5_b  .req z11
tap6_a  .req z12
tap6_b  .req z13
tap7_a  .req z16
tap7_b  .req z17
tap8_a  .req z18
tap8_b  .req z19

// See dwconv_sme_3x3.inc; w8, w9: sums of either row.
.macro load_bounds
    ptrue   p0.s
    ld1rw   {z14.s}, p0/z, [args, #DWCONV_IMAGE_lo]
    ld1rw   {z15.s}, p0/z, [args, #DWCONV_IMAGE_hi]
    mov     w8, #0
    mov     w9, #4
.endm

// The vectors of channels of the packed format lie 10 vectors apart.
.macro prepare
    cntw    temp
    whilelo pn8.s, xzr, channels, vlx2
    whilelo p1.s, xzr, channels
    whilelo p2.s, temp, channels
    addvl   temp, weights, #8
    load_taps w, s, p1, a
    addvl   temp, temp, #10
    load_taps w, s, p2, b
.endm

.macro stored_rows
    cmp     rows, #1
    csel    temp, channels, xzr, hi
    whilelo pn9.s, xzr, temp, vlx2
.endm

// z<a>, z<b> = the channels at address, offset elements on if there is an offset.
.macro load_pair a, b, address, offset
    .ifb \offset
    ld1w    {z\a\().s-z\b\().s}, pn8/z, [\address]
    .else
    ld1w    {z\a\().s-z\b\().s}, pn8/z, [\address, \offset, lsl #2]
    .endif
.endm
// `\what` with the registers of input \i.
.macro with_input i, what, rest:vararg
    .if \i == 0
    \what   22, 23, \rest
    .elseif \i == 1
    \what   24, 25, \rest
    .elseif \i == 2
    \what   26, 27, \rest
    .else
    \what   28, 29, \rest
    .endif
.endm
.macro load_input i, address, offset
    with_input \i, load_pair, \address, \offset
.endm

.macro start_outputs phase
    mova    za.d[w8, (\phase + 3), vgx2], {z20.d-z21.d}
    mova    za.d[w9, (\phase + 3), vgx2], {z20.d-z21.d}
.endm

// A group of a row, at w<w> in ZA, += input z<a>, z<b> * weights z<w0>, z<w1>.
.macro mla_group w, group, a, b, w0, w1
    fmla    za.s[w\w, (\group), vgx2], {z\a\().s-z\b\().s}, {z\w0\().s-z\w1\().s}
.endm
// The three groups of row r += input z<a>, z<b> * weights of ky, kx = 2, 1, 0.
.macro mla_pair a, b, ky, r, phase
    .if \ky == 0
    with_number mla_group, (8 + \r), (\phase + 1), \a, \b, 4, 5
    with_number mla_group, (8 + \r), (\phase + 2), \a, \b, 2, 3
    with_number mla_group, (8 + \r), (\phase + 3), \a, \b, 0, 1
    .elseif \ky == 1
    with_number mla_group, (8 + \r), (\phase + 1), \a, \b, 10, 11
    with_number mla_group, (8 + \r), (\phase + 2), \a, \b, 8, 9
    with_number mla_group, (8 + \r), (\phase + 3), \a, \b, 6, 7
    .else
    with_number mla_group, (8 + \r), (\phase + 1), \a, \b, 18, 19
    with_number mla_group, (8 + \r), (\phase + 2), \a, \b, 16, 17
    with_number mla_group, (8 + \r), (\phase + 3), \a, \b, 12, 13
    .endif
.endm
.macro mla i, r, ky, phase
    with_input \i, mla_pair, \ky, \r, \phase
.endm

// Row \r: w8 and pn8, or w9 and pn9.
.macro store_output r, phase, address, offset
    with_number store_group, (8 + \r), \phase, \address, \offset
.endm
// Sum 0 of the row at w<w>, clamped, to address; channels of pn<w>. Changes z30, z31.
.macro store_group w, phase, address, offset
    mova    {z30.d-z31.d}, za.d[w\w, (\phase + 1), vgx2]
    fmax    {z30.s-z31.s}, {z30.s-z31.s}, z14.s
    fmin    {z30.s-z31.s}, {z30.s-z31.s}, z15.s
    .ifb \offset
    st1w    {z30.s-z31.s}, pn\w, [\address]
    .else
    st1w    {z30.s-z31.s}, pn\w, [\address, \offset, lsl #2]
    .endif
.endm

.macro next_outputs steps
    add     w8, w8, #\steps
    add     w9, w9, #\steps
.endm

    dwconv_function kai_kernel_dwconv_f32_f32_f32p1vlx1b_3x3_s1_sme2_mla
