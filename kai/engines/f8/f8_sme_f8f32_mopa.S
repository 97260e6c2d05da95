// FP8 x FP8 with FMOPA of FEAT_SME_F8F32: all k of a panel of 4 V columns, V = SVL / 32, times all rows
// (f8_sme_f8f32.cpp).
//
//     row of dst = start + sum over blocks of (S * rhs_scale) * lhs_scale, clamped;   S = sum over k of lhs * rhs
//
// FMOPA adds the products of 4 k of V rows and V columns to a tile. FPMR says what codes are, E4M3 or E5M2; it belongs
// to nobody after a call. Loops, tiles and registers: f8_sme2_panels.inc.
//
// z0       4 k of V rows      z4-z7  4 k of 4 V columns     z1, z16-z19  the next 4
// scales   of V rows, cursor                                z14          scale of a row
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/fp8.inc"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/f8/f8_sme2_panels.inc"

// For panel_times_rows. Clobbers count.
.macro set_fpmr
    ldr     count, [args, #F8_PANEL_ARGS_fpmr]
    msr     S3_3_C4_C4_2, count                 // FPMR
.endm

.macro start_rows_codes
    ldr     weights, [args, #F8_PANEL_ARGS_rhs]
.endm

// za0-za3 += products of 8 k, from lhs and weights on, which advance.
.macro multiply_8_k_codes
    ld1b    {z0.b-z1.b}, pn8/z, [lhs]
    ld1b    {z4.b-z7.b}, pn8/z, [weights]
    ld1b    {z16.b-z19.b}, pn8/z, [weights, #4, mul vl]
    addvl   lhs, lhs, #2
    addvl   weights, weights, #8
    fmopa_f8 0, 0, 4
    fmopa_f8 1, 0, 5
    fmopa_f8 2, 0, 6
    fmopa_f8 3, 0, 7
    fmopa_f8 0, 1, 16
    fmopa_f8 1, 1, 17
    fmopa_f8 2, 1, 18
    fmopa_f8 3, 1, 19
.endm

// Scales follow the codes of a block, on both sides.
.macro take_scales_codes
    mov     scales, lhs
    addvl   lhs, lhs, #1
    ld1w    {z8.s-z11.s}, pn8/z, [weights]
    addvl   weights, weights, #4
.endm

// Clobbers z0-z3, z14.
.macro add_row_codes
    ld1rw   {z14.s}, p0/z, [scales]
    add     scales, scales, #4
    fmul    z0.s, z0.s, z8.s
    fmul    z1.s, z1.s, z9.s
    fmul    z2.s, z2.s, z10.s
    fmul    z3.s, z3.s, z11.s
    fmla    z4.s, p0/m, z0.s, z14.s
    fmla    z5.s, p0/m, z1.s, z14.s
    fmla    z6.s, p0/m, z2.s, z14.s
    fmla    z7.s, p0/m, z3.s, z14.s
.endm

    panel_times_rows kai_panel_f8_sme_f8f32, codes, set_fpmr
