// f16 <- f16 * f16p, depthwise, with FMLA of f16 in streaming mode: blocks of one vector of channels, f16 sums.
// (The FMLA that adds to ZA takes f16 only with an extension that SME2 does not imply.) ZA is left alone.
//
//     z0 - z8      weights, taps in row-major order: tap0_a ... tap8_a for load_taps
//     z9           bias: bias_a
//     z10, z11     bounds of the clamp
//     z20 - z25    inputs
//     z12 - z19, z26 - z29    sums of rows 0 to 3, three each: sum00 sum01 sum02, sum10 ...
//     p0           all; p1: the channels that exist; p2 - p4: the same, if rows 1 to 3 of the output are wanted
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/engines/asm/asm.h"
#define SHIFT 1
#define BLOCK 1
#define ROWS 4
#include "kai/engines/dwconv/dwconv_sme_3x3.inc"

// sum<r><i>: sum of row r. Which output of the row it belongs to depends on the phase.
.macro name_sums r, s0, s1, s2
    sum\r\()0   .req \s0
    sum\r\()1   .req \s1
    sum\r\()2   .req \s2
.endm
    name_sums 0, z12, z13, z14
    name_sums 1, z15, z16, z17
    name_sums 2, z18, z19, z26
    name_sums 3, z27, z28, z29

bias_a  .req z9
tap0_a  .req z0
tap1_a  .req z1
tap2_a  .req z2
tap3_a  .req z3
tap4_a  .req z4
tap5_a  .req z5
tap6_a  .req z6
tap7_a  .req z7
tap8_a  .req z8

.macro load_bounds
    ptrue   p0.h
    ld1rh   {z10.h}, p0/z, [args, #DWCONV_IMAGE_lo]
    ld1rh   {z11.h}, p0/z, [args, #DWCONV_IMAGE_hi]
.endm

.macro prepare
    whilelo p1.h, xzr, channels
    addvl   temp, weights, #8
    load_taps h, h, p1, a
.endm

.macro stored_row r, p
    cmp     rows, #\r
    csel    temp, channels, xzr, hi
    whilelo \p\().h, xzr, temp
.endm
.macro stored_rows
    stored_row 1, p2
    stored_row 2, p3
    stored_row 3, p4
.endm

// z2<i> = the channels at address, offset elements on if there is an offset.
.macro load_input i, address, offset
    .ifb \offset
    ld1h    {z2\i\().h}, p1/z, [\address]
    .else
    ld1h    {z2\i\().h}, p1/z, [\address, \offset, lsl #1]
    .endif
.endm

// Sum 2 of phases 0, 1, 2 is sum<r>0, sum<r>1, sum<r>2.
.macro start_sum r, i
    mov     sum\r\i\().d, z9.d
.endm
.macro start_outputs phase
    .irp    r, 0, 1, 2, 3
    start_sum \r, \phase
    .endr
.endm

// Sums 0, 1, 2 of a row are sum<r><i> of i = phase + 1, phase + 2, phase, modulo 3.
.macro mla i, r, ky, phase
    with_number mla_tap, (3 * \ky + 2), \i, \r, ((\phase + 1) % 3)
    with_number mla_tap, (3 * \ky + 1), \i, \r, ((\phase + 2) % 3)
    with_number mla_tap, (3 * \ky), \i, \r, (\phase)
.endm
.macro mla_tap w, i, r, s
    with_number mla_sum, \s, \i, \r, \w
.endm
.macro mla_sum s, i, r, w
    fmla    sum\r\s\().h, p0/m, z2\i\().h, z\w\().h
.endm

// Clamps a sum and stores its channels of p<p>. Loses it.
.macro store_sum p, sum, address, offset
    fmax    \sum\().h, p0/m, \sum\().h, z10.h
    fmin    \sum\().h, p0/m, \sum\().h, z11.h
    .ifb \offset
    st1h    {\sum\().h}, p\p, [\address]
    .else
    st1h    {\sum\().h}, p\p, [\address, \offset, lsl #1]
    .endif
.endm
.macro store_output r, phase, address, offset
    with_number store_row, ((\phase + 1) % 3), \r, \address, \offset
.endm
.macro store_row i, r, address, offset
    with_number store_sum, (1 + \r), sum\r\i, \address, \offset
.endm

// After three steps the sums are back in place: nothing to do.
.macro next_outputs steps
    .if \steps == 1
    .irp    r, 0, 1, 2, 3
    move_sums sum\r
    .endr
    .endif
.endm
.macro move_sums sum
    mov     \sum\()1.d, \sum\()2.d
    mov     \sum\()2.d, \sum\()0.d
.endm

    dwconv_function kai_kernel_dwconv_f16_f16_f16p1vlx1b_3x3_s1_sme2_mla, sm
