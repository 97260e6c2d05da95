// Both operands quantised in blocks, on Armv8.0: tiles of 1 to 4 rows x 4 columns (int_neon_mlal.inc).
//
// qsi8d32p x qsi4c32p: f16 scales stand in front of the elements of a block, whose first half are the low nibbles
//     sum[m][n] = fma(f32(S), lhs_scale * rhs_scale, sum[m][n]),     S = sum over the block of lhs * rhs
//
// qsi8d32p x qai4c32p: f32 sums and scales, zeros and scales / 16 stand after the elements; f32 bias after a panel
//     sum[m][n] = fma(rhs_zero, lhs_sum, sum[m][n]), then fma(f32(16 * S), lhs_scale * (rhs_scale / 16), sum[m][n])
//
//   Registers, and those of int_neon_mlal.inc and blocks_neon_mlal_scales.inc
//   x12                       blocks to go
//   x13                       bytes of half a block of the LHS
//   x16                       blocks
//   x17       high_lhs        LHS of the high nibbles; where a block ends, after it
//   v24, v25; v26, v27        zeros, scales / 16 of the columns; of the second quad. In the end v24, v25: bias
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_mlal.inc"
#define SUMS_NEGATED 0
#include "kai/engines/blocks/blocks_neon_mlal_scales.inc"

high_lhs .req x17
block_end .req high_lhs
regs 24, zeros, scales, zeros1, scales1
regs 24, bias, bias1

// ---- qsi4c32p

// Distances in blocks of qsi8d32p and qsi4c32p.
.macro blocks_prepare
    ldr     x16, [args, #MLAL_ARGS_blocks]
    mov     x13, #16 * height
    mul     x13, x13, x10
    neg     x14, x13, lsl #1
    neg     x15, x10, lsl #6
.endm
.macro block_step op
    int4_step \op, high_lhs, 0, (2 * height), 8
    add     lhs, lhs, #16 * height
    add     high_lhs, high_lhs, #16 * height
.endm
.macro start_block
    add     high_lhs, lhs, x13
.endm

    mlal_functions kai_mlal_qsi8d32p_qsi4c32p, 2, blocks_prepare, scaled_tile

// ---- qai4c32p

.macro add_block row
    scvtf   R_\row\().4s, R_\row\().4s
    fmla    sums_\row\().4s, R_\row\().4s, F_\row\().4s
.endm

.macro add_zeros row, from, of
    fmla    sums_\row\().4s, \from\().4s, first_fields.s[\of]
    shl     R_\row\().4s, R_\row\().4s, #4
.endm
.macro scales_of_row row
    by_scale fmul, F_\row, scales, \row
.endm
.macro add_zeros_of_row row
    add_zeros \row, zeros, \row
.endm
.macro bias_row row, from=bias
    fadd    R_\row\().4s, sums_\row\().4s, \from\().4s
.endm

.macro zeros_prepare
    ldr     x16, [args, #MLAL_ARGS_blocks]
.endm
// The same with zeros.
.macro zeros_tile
    each_row zero_sums
    mov     x12, x16
    cbz     x12, 6f
3:  // a block
    int4_block
    row_fields
    ldp     qzeros, qscales, [rhs]
    .if quads > 1
    add     x11, rhs, x5
    ldp     qzeros1, qscales1, [x11]
    add_zeros 0, zeros, 0
    add_zeros 1, zeros1, 0
    by_scale fmul, F_0, scales, 0
    by_scale fmul, F_1, scales1, 0
    .else
    each_row add_zeros_of_row
    each_row scales_of_row
    .endif
    add     lhs, lhs, #8 * height
    add     rhs, rhs, #32
    each_row add_block
    subs    x12, x12, #1
    b.ne    3b
6:
    ldr     qbias, [rhs]
    .if quads > 1
    add     x11, rhs, x5
    ldr     qbias1, [x11]
    bias_row 0
    bias_row 1, bias1
    .else
    each_row bias_row
    .endif
    clamp_and_store
.endm

    mlal_functions kai_mlal_qsi8d32p_qai4c32p, 2, zeros_prepare, zeros_tile
