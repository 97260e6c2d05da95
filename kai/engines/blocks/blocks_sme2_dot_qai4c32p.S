// f32 and f16 <- qsi8d32p1x4 (f32 scales, block sums) x qai4c32p4vlx4, one row: blocks_sme2_dot.inc.
//
//     acc = fma(zero[n][b], lhs_sum[b], acc)                                 blocks b ascending
//     acc = fma(f32(S), lhs_scale[b] * rhs_scale[n][b], acc)
//     dst = clamp(acc + bias[n])
//
// After the values of a block: lhs_sum, lhs_scale; zeros, scales of the columns. After the last block of a panel:
// biases.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sme2_dot.inc"

.macro start_fields
    mov     lhs_fields, lhs
    mov     rhs_fields, rhs
.endm

.macro add_offsets
    ld1rw   {z2.s}, p0/z, [lhs_fields]
    ld1w    {z24.s-z27.s}, pn8/z, [rhs_fields]
    fmla    za.s[w8, 3, vgx4], {z24.s-z27.s}, z2.s
.endm

.macro start_block g
.endm

// lhs and rhs are at the fields of the block: group 2 = minus the products of the scales.
.macro end_block
    mov     lhs_fields, lhs
    mov     rhs_fields, rhs
    ld1rw   {z3.s}, p0/z, [lhs_fields, #4]
    ld1w    {z28.s-z31.s}, pn8/z, [rhs_fields, #4, mul vl]
    fmls    za.s[w8, 2, vgx4], {z28.s-z31.s}, z3.s
    add     lhs, lhs, #8
    addvl   rhs, rhs, #8
.endm

.macro end_panel
    mov     panel_field, rhs                    // biases
.endm

.macro next_panel
    addvl   rhs, rhs, #4
.endm

// z16-z19 += biases, which are at panel_field. Changes z20-z23.
.macro add_bias
    ld1w    {z20.s-z23.s}, pn8/z, [panel_field]
    fadd    z16.s, z16.s, z20.s
    fadd    z17.s, z17.s, z21.s
    fadd    z18.s, z18.s, z22.s
    fadd    z19.s, z19.s, z23.s
.endm

    dot_qsi8d32p kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot, any, int4
    same_func kai_kernel_matmul_clamp_f16_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot, \
        kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot
