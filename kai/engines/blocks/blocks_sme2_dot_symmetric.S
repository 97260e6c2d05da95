// f32 <- qsi8d32p1x4 x an RHS of 2, 4 or 8 bits with f16 scales, one row: blocks_sme2_dot.inc.
//
// Scales, f16, follow all values of the row and of a panel. FDOT makes their products, f16 to f32 and exact, from
// pairs (scale, 0), which is how f16 loads as words, and with minus the LHS scale.
//
// With rhs_scales_bf16 f32 are multiplied instead. With RHS_HALVES a column has a scale per half of a block of 32, and
// blocks of the engine are halves.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define RHS_HALVES rhs_halves
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sme2_dot.inc"

// panel_field: bytes of the values of the row
.macro start_fields
    mul     panel_field, blocks, chunks
    lsl     panel_field, panel_field, #5 - RHS_HALVES
    start_scales
.endm

// lhs_fields, rhs_fields: the scales of the first block of the panel at lhs, rhs.
.macro start_scales
    add     lhs_fields, lhs, panel_field
    cntb    rhs_fields                          // 4 VL columns, a byte each
    .if rhs_bits == 4
    lsr     rhs_fields, rhs_fields, #1
    .elseif rhs_bits == 2
    lsr     rhs_fields, rhs_fields, #2
    .endif
    madd    rhs_fields, rhs_fields, panel_field, rhs
.endm

.macro add_offsets
.endm

.macro end_block
.endm

// Group 2 = minus the products of the scales of the block; lhs_fields, rhs_fields to the next one.
.macro start_block g
    ld1rh   {z3.s}, p0/z, [lhs_fields]
    load_vectors ld1h, s, 28, 29, 30, 31, rhs_fields, 0
    .if rhs_scales_bf16
    fcvt    z3.s, p0/m, z3.h
    lsl     z28.s, z28.s, #16
    lsl     z29.s, z29.s, #16
    lsl     z30.s, z30.s, #16
    lsl     z31.s, z31.s, #16
    fmls    za.s[w8, 2, vgx4], {z28.s-z31.s}, z3.s
    .else
    eor     z3.s, z3.s, #0x8000
    fdot    za.s[w8, 2, vgx4], {z28.h-z31.h}, z3.h
    .endif
    .if \g == 1 || !RHS_HALVES
    add     lhs_fields, lhs_fields, #2
    .endif
    addvl   rhs_fields, rhs_fields, #2
.endm

.macro end_panel
.endm

.macro next_panel
    ldr     more, [args, #BLOCK_ARGS_rhs_head]
    add     rhs, rhs_fields, more
    start_scales
.endm

.macro add_bias
.endm

// The kernel. halves: RHS_HALVES; scales_bf16: rhs_scales_bf16.
.macro dot_symmetric rhs, bits, halves=0, scales_bf16=0
    .set    rhs_bits, \bits
    .set    rhs_halves, \halves
    .set    rhs_scales_bf16, \scales_bf16
    dot_qsi8d32p kai_kernel_matmul_clamp_f32_qsi8d32p1x4_\rhs\()_1x4vl_sme2_sdot, f32, int\bits
.endm

    dot_symmetric qsi4c32p4vlx4, 4
    dot_symmetric qsi8c32p4vlx4, 8
    dot_symmetric qsi2c32p4vlx4, 2
    dot_symmetric qlu4c16p4vlx4, 4, 1
    dot_symmetric qlu4c32p4vlx4scalebf16, 4, 0, 1
