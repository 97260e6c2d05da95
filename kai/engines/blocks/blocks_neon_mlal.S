// f32 <- qsi8d32p x qsi4c32p on Armv8.0: tiles of 1 to 4 rows x 4 columns (int_neon_mlal.inc).
//
//     sum[m][n] = fma(f32(S), lhs_scale * rhs_scale, sum[m][n]),     S = sum over the block of lhs * rhs
//
// f16 scales stand in front of the elements of a block. The low nibbles are its first half, the high ones the other.
//
// Registers
//   x12      blocks to go               x14, x15   scales of the rows, of the columns
//   x13      bytes of half a block      x17        LHS of the high nibbles
//            of the LHS
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_mlal.inc"

.macro add_block row
    fmul    v2\row\().4s, v16.4s, v17.s[\row]
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
.endm
.macro blocks_tile
    each_row zero_sums
    mov     x12, x16
    cbz     x12, 5f
3:  // a block
    mov     x14, x1
    mov     x15, x2
    add     x1, x1, #2 * height
    add     x2, x2, #8
    add     x17, x1, x13
    mov     x9, x10
    each_row zero_row
4:  // 32 k
    int4_step x17, 0
    add     x1, x1, #16 * height
    add     x17, x17, #16 * height
    subs    x9, x9, #1
    b.ne    4b
    ldr     d16, [x15]
    .if height == 1
    ldr     h17, [x14]
    .else
    ldr     d17, [x14]
    .endif
    fcvtl   v16.4s, v16.4h
    fcvtl   v17.4s, v17.4h
    each_row add_block
    mov     x1, x17
    subs    x12, x12, #1
    b.ne    3b
5:
    each_row result_row
    clamp_and_store
.endm

    mlal_functions kai_mlal_qsi8d32p_qsi4c32p, blocks_prepare, blocks_tile
