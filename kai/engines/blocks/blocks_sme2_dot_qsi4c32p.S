// f32 <- qsi8d32p1x4 x qsi4c32p4vlx4, one row: blocks_sme2_dot.inc.
//
// Scales, f16, follow all values of the row and of a panel. FDOT makes their products, f16 to f32 and exact, from
// pairs (scale, 0), which is how f16 loads as words, and with minus the LHS scale.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sme2_dot.inc"

// panel_field: bytes of the values of the row
.macro start_fields
    mul     panel_field, blocks, chunks
    lsl     panel_field, panel_field, #5
    start_scales
.endm

.macro start_scales
    add     lhs_fields, lhs, panel_field
    cntb    rhs_fields
    lsr     rhs_fields, rhs_fields, #1          // 4 VL words of columns, half a byte each
    madd    rhs_fields, rhs_fields, panel_field, rhs
.endm

.macro add_offsets
.endm

.macro end_block
    zero    {za2.s}
    ld1rh   {z3.s}, p0/z, [lhs_fields]
    ld1h    {z28.s}, p0/z, [rhs_fields]
    ld1h    {z29.s}, p0/z, [rhs_fields, #1, mul vl]
    ld1h    {z30.s}, p0/z, [rhs_fields, #2, mul vl]
    ld1h    {z31.s}, p0/z, [rhs_fields, #3, mul vl]
    eor     z3.s, z3.s, #0x8000
    fdot    za.s[w8, 2, vgx4], {z28.h-z31.h}, z3.h
    add     lhs_fields, lhs_fields, #2
    addvl   rhs_fields, rhs_fields, #2
.endm

.macro end_panel
.endm

.macro next_panel
    mov     rhs, rhs_fields
    start_scales
.endm

.macro add_bias
.endm

    dot_qsi8d32p kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme2_sdot, f32
