// Both operands quantised in blocks, on Armv8.0: tiles of 1 to 4 rows x 4 columns (int_neon_mlal.inc).
//
// qsi8d32p x qsi4c32p: f16 scales stand in front of the elements of a block, whose first half are the low nibbles
//     sum[m][n] = fma(f32(S), lhs_scale * rhs_scale, sum[m][n]),     S = sum over the block of lhs * rhs
//
// qsi8d32p x qai4c32p: f32 sums and scales, zeros and scales / 16 stand after the elements; f32 bias after a panel
//     sum[m][n] = fma(rhs_zero, lhs_sum, sum[m][n]), then fma(f32(16 * S), lhs_scale * (rhs_scale / 16), sum[m][n])
//
// Registers
//   x12      blocks to go               x14, x15   from the end of a block to its scales, LHS and RHS
//   x13      bytes of half a block      x16        blocks
//            of the LHS                 x17        LHS of the high nibbles
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_mlal.inc"

// ---- qsi4c32p

.macro scale_row row
    fmul    v2\row\().4s, v16.4s, v17.s[\row]
.endm
.macro add_block row
    scvtf   v\row\().4s, v\row\().4s
    fmla    sums_\row\().4s, v\row\().4s, v2\row\().4s
.endm
.macro result_row row
    mov     v\row\().16b, sums_\row\().16b
.endm

.macro blocks_prepare
    ldr     x16, [args, #MLAL_ARGS_blocks]
    mov     x13, #16 * height
    mul     x13, x13, x10
    neg     x14, x13, lsl #1
    neg     x15, x10, lsl #6
.endm
.macro block_step op
    int4_step \op, x17, 0, (2 * height), 8
    add     x1, x1, #16 * height
    add     x17, x17, #16 * height
.endm
.macro blocks_tile
    each_row zero_sums
    mov     x12, x16
    cbz     x12, 6f
3:  // a block
    add     x17, x1, x13
    block_step saddlp
    subs    x9, x10, #1
    b.eq    5f
4:  // 32 k
    block_step sadalp
    subs    x9, x9, #1
    b.ne    4b
5:
    ldr     d16, [x2, x15]
    fcvtl   v16.4s, v16.4h
    .if rows == 1
    ldr     h17, [x17, x14]
    fcvt    s17, h17
    .if quads > 1
    add     x11, x2, x5
    ldr     d21, [x11, x15]
    fcvtl   v21.4s, v21.4h
    fmul    v21.4s, v21.4s, v17.s[0]
    .endif
    scale_row 0
    .else
    ldr     d17, [x17, x14]
    fcvtl   v17.4s, v17.4h
    each_row scale_row
    .endif
    add     x2, x2, #8
    add     x1, x17, #2 * height
    each_row add_block
    subs    x12, x12, #1
    b.ne    3b
6:
    each_row result_row
    clamp_and_store
.endm

    mlal_functions kai_mlal_qsi8d32p_qsi4c32p, 2, blocks_prepare, blocks_tile

// ---- qai4c32p

.macro add_zeros row, zeros=24, of=0
    fmla    sums_\row\().4s, v\zeros\().4s, v28.s[\of]
    shl     v\row\().4s, v\row\().4s, #4
.endm
.macro scales_of_row row
    by_scale fmul, 2\row, 25, \row
.endm
.macro add_zeros_of_row row
    add_zeros \row, 24, \row
.endm
.macro bias_row row, bias=24
    fadd    v\row\().4s, sums_\row\().4s, v\bias\().4s
.endm

.macro zeros_prepare
    ldr     x16, [args, #MLAL_ARGS_blocks]
.endm
.macro zeros_tile
    each_row zero_sums
    mov     x12, x16
    cbz     x12, 6f
3:  // a block
    int4_block
    row_fields
    ldp     q24, q25, [x2]
    .if quads > 1
    add     x11, x2, x5
    ldp     q26, q27, [x11]
    add_zeros 0, 24, 0
    add_zeros 1, 26, 0
    by_scale fmul, 20, 25, 0
    by_scale fmul, 21, 27, 0
    .else
    each_row add_zeros_of_row
    each_row scales_of_row
    .endif
    add     x1, x1, #8 * height
    add     x2, x2, #32
    each_row add_block
    subs    x12, x12, #1
    b.ne    3b
6:
    ldr     q24, [x2]
    .if quads > 1
    add     x11, x2, x5
    ldr     q25, [x11]
    bias_row 0
    bias_row 1, 25
    .else
    each_row bias_row
    .endif
    clamp_and_store
.endm

    mlal_functions kai_mlal_qsi8d32p_qai4c32p, 2, zeros_prepare, zeros_tile
