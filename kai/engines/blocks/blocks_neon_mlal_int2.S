// qsi8d32p x qsi2c32p on Armv8.0: tiles of 1 to 4 rows x 4 columns (int_neon_mlal.inc), blocks of any length.
//
//     sum[m][n] = fma(f32(S), lhs_scale * rhs_scale, sum[m][n]),     S = sum over the block of lhs * rhs
//
// A step of a quad is 32 k: packed_a (columns 0 1) and packed_b (columns 2 3), 8 bytes of each column. Field f of their
// bytes, bits 2 f and 2 f + 1, has the 8 k from 8 f on, as the weight plus 1: with its lower bit flipped minus the
// weight in two's complement, which shifts to the top of the byte and back extend. So sums are -S.
//
//   Registers, and those of int_neon_mlal.inc and blocks_neon_mlal_scales.inc
//   v26, v27  packed_a, packed_b    B1, which is field 3; of the second quad v14, v15, C1
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_mlal.inc"
#define SUMS_NEGATED 1
#include "kai/engines/blocks/blocks_neon_mlal_scales.inc"

block_end .req lhs

// \set\()2, 3, 0, 1 = minus the weights of fields 0 to 3 of 32 bytes from \from on: \set is B, or C of the second quad.
.macro int2_columns set, from, head
    ldr     q\set\()1_a, [\from, #\head]
    ldr     q\set\()1_b, [\from, #\head + 16]
    movi    \set\()2_a.16b, #0x55
    eor     \set\()1_a.16b, \set\()1_a.16b, \set\()2_a.16b
    eor     \set\()1_b.16b, \set\()1_b.16b, \set\()2_a.16b
    shl     \set\()2_a.16b, \set\()1_a.16b, #6
    shl     \set\()2_b.16b, \set\()1_b.16b, #6
    shl     \set\()3_a.16b, \set\()1_a.16b, #4
    shl     \set\()3_b.16b, \set\()1_b.16b, #4
    shl     \set\()0_a.16b, \set\()1_a.16b, #2
    shl     \set\()0_b.16b, \set\()1_b.16b, #2
    weights \set\()2_a, \set\()2_b, \set\()3_a, \set\()3_b, \set\()0_a, \set\()0_b, \set\()1_a, \set\()1_b
.endm
// Fields at the top of bytes become values.
.macro weights vector, rest:vararg
    sshr    \vector\().16b, \vector\().16b, #6
    .ifnb \rest
    weights \rest
    .endif
.endm

// One row: R_0 (R_1) = or += 32 k.
.macro int2_one_row op
    load_one_row (2 * height)
    int2_columns B, rhs, 8
    .if quads > 1
    add     x11, rhs, x5
    int2_columns C, x11, 8
    .endif
    multiply_one_row (2 * height)
    .if quads > 1
    add_products_twice \op, 0, 1
    .else
    add_products \op, 0, ROW_A
    .endif
.endm
// 32 k, whose fields of the block are before lhs and rhs. Moves both on.
.macro block_step op
    .if rows == 1
    int2_one_row \op
    .else
    int4_load_rows (2 * height), lhs, (16 * height)
    int2_columns B, rhs, 8
    int4_order_rows
    int4_products 1
    .if rows > 2
    int4_load_rows (2 * height + 16), lhs, (16 * height)
    int4_add \op, 0, 1, int4_order_rows
    int4_products 3
    int4_add \op, 2, 3
    .else
    int4_add \op, 0, 1
    .endif
    .endif
    add     lhs, lhs, #32 * height
    add     rhs, rhs, #32
.endm

// Distances in blocks of qsi8d32p and qsi2c32p.
.macro bits_prepare
    ldr     x16, [args, #MLAL_ARGS_blocks]
    mov     x14, #-32 * height
    mul     x14, x14, x10
    neg     x15, x10, lsl #5
.endm
.macro start_block
.endm

    mlal_functions kai_mlal_qsi8d32p_qsi2c32p, 2, bits_prepare, scaled_tile
