// f32 <- qsi8d32p1x4 (f16 sums and scales) x qai4c32p16vsx4 (f16 zeros and scales), one row: blocks_sme2_dot.inc.
//
//     acc = fma(lhs_sum[b], zero[n][b], acc)                                 blocks b ascending
//     acc = fma(f32(S), lhs_scale[b] * rhs_scale[n][b], acc)
//     dst = clamp(acc)
//
// After the values of a block: lhs_sum, lhs_scale; zeros, scales of the columns, all f16. A word has the fields of a
// column of the left half of the panel and, above, of one of the right half: vectors 0 and 2, 1 and 3 of the columns.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sme2_dot.inc"

.macro start_fields
    ptrue   p1.s                                // of halfwords: the even ones
    mov     lhs_fields, lhs
    mov     rhs_fields, rhs
.endm

// z\r0-z\r3 = field \at (0: zeros, 1: scales) of the columns, as pairs (field, 0). What \other points to is that of the
// right half.
.macro load_fields r0, r1, r2, r3, at, other
    ld1h    {z\r0\().h}, p1/z, [rhs_fields, #2 * \at, mul vl]
    ld1h    {z\r1\().h}, p1/z, [rhs_fields, #2 * \at + 1, mul vl]
    ld1h    {z\r2\().h}, p1/z, [\other, #2 * \at, mul vl]
    ld1h    {z\r3\().h}, p1/z, [\other, #2 * \at + 1, mul vl]
.endm

// Group 3 += lhs_sum * zeros of the block to add. z2, z24-z27; clobbers panel_field.
.macro add_offsets
    ld1rh   {z2.s}, p0/z, [lhs_fields]
    add     panel_field, rhs_fields, #2
    load_fields 24, 25, 26, 27, 0, panel_field
    fdot    za.s[w8, 3, vgx4], {z24.h-z27.h}, z2.h
.endm

.macro start_block g
.endm

// lhs and rhs are at the fields of the block: group 2 = minus the products of the scales. Clobbers panel_field.
.macro end_block
    mov     lhs_fields, lhs
    mov     rhs_fields, rhs
    ld1rh   {z3.s}, p0/z, [lhs_fields, #2]
    add     panel_field, rhs_fields, #2
    load_fields 28, 29, 30, 31, 1, panel_field
    eor     z3.s, z3.s, #0x8000
    fdot    za.s[w8, 2, vgx4], {z28.h-z31.h}, z3.h
    add     lhs, lhs, #4
    addvl   rhs, rhs, #4
.endm

.macro end_panel
.endm

.macro next_panel
    ldr     more, [args, #BLOCK_ARGS_rhs_head]
    add     rhs, rhs, more
.endm

.macro add_bias
.endm

    dot_qsi8d32p kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qai4c32p16vsx4s1s0sf16_1x16vs_sme2_dot, f32, int4
