// f32 <- qsi8d32p x qsi4c32p, qsi8c32p, qlu4c32p or qlu4c16p with SDOT, blocks of 32: one row, 16 columns at a time.
//
//     int4: sum[n] = fma(S, lhs_scale * rhs_scale, sum[n]),     S = sum over the block of lhs * rhs
//     int8, indices: sum[n] = fma(S * lhs_scale, rhs_scale, sum[n])
//
// Registers: blocks_neon_dotprod_row.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_BLOCK 34    // f16 + 32 bytes
#define LHS_ELEMENTS 2
#include "kai/engines/blocks/blocks_neon_symmetric.inc"
#include "kai/engines/blocks/blocks_neon_dotprod_row.inc"

.macro first_elements
    add     x13, x13, #LHS_ELEMENTS
    advance_quads RHS_ELEMENTS
.endm

// From the elements to the scales: int8 is at the next elements already.
#define BACK (RHS_BLOCK + (RHS_BITS / 8) * RHS_ELEMENTS)

// Scales of the columns, v28 = that of the row; of indices, bf16 if x7 is not 0.
.macro block_scales
    .if RHS_HALVES
    ldur    h28, [x13, #-LHS_ELEMENTS]
    each_scale load_scale, (-RHS_ELEMENTS + 8 * half)
    .if half == 1
    add     x13, x13, #LHS_BLOCK
    advance_quads RHS_BLOCK
    .endif
    fcvt    s28, h28
    each_scale widen_f16
    .else
    ldur    h28, [x13, #-LHS_BLOCK]
    add     x13, x13, #LHS_ELEMENTS
    each_scale load_scale, -BACK
    .if RHS_BITS == 4
    advance_quads RHS_ELEMENTS
    .endif
    fcvt    s28, h28
    .if RHS_TABLE
    cbnz    x7, 8f
    .endif
    each_scale widen_f16
    .if RHS_TABLE
    b       9f
8:
    each_scale widen_bf16
9:
    .elseif RHS_BITS == 4
    shared_quads fmul, 4s, RHS_C, RHS_C, v28.s[0]
    .endif
    .endif
.endm

// \do the scales of each quad.
.macro each_scale do, at
    \do     24, x9, \at
    .if quads == 4
    \do     25, x10, \at
    \do     26, x11, \at
    \do     27, x12, \at
    .endif
.endm
.macro load_scale to, quad, at
    ldur    d\to, [\quad, #\at]
.endm
.macro widen_f16 to, quad, at
    fcvtl   v\to\().4s, v\to\().4h
.endm
.macro widen_bf16 to, quad, at
    shll    v\to\().4s, v\to\().4h, #16
.endm

.macro finish_row
.endm

.macro rows_of rhs
    blocks_of_32_function kai_row_qsi8d32p1x4_\rhs\()4x4, none, x4
    blocks_of_32_function kai_row_qsi8d32p1x8_\rhs\()4x8, addp, x8
.endm

    each_format rows_of
