// f32 <- qsi8d256p1x4 x qlu4c32x256p4vlx4, one row: superblocks_sme2_dot.inc.
//
// z0, z1   32 values of the LHS, 16 in each 128 bits      z4-z7    indices      z8-z15   weights
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define SUB_BLOCKS 8
#define MINIMA 0
#define TIMES 1
#include "kai/engines/asm/asm.h"
#include "kai/engines/superblocks/superblocks_sme2_dot.inc"

.macro take_table
    ldr     left, [args, #BLOCK_ARGS_table]
    ldr     zt0, [left]
.endm

// Group \g += 32 k. Changes z0, z1, z4-z15. Advances lhs, rhs.
.macro multiply_sub_block g
    load_row_32 0, 1, lhs
    dot_8_int4 \g, 0, 0, 1, rhs, 0
    dot_8_int4 \g, 0, 2, 3, rhs, 4
    dot_8_int4 \g, 1, 0, 1, rhs, 8
    dot_8_int4 \g, 1, 2, 3, rhs, 12
    addvl   rhs, rhs, #16
.endm

.macro start_values
.endm

.macro multiply_two
    multiply_sub_block 0
    multiply_sub_block 1
.endm

    dot_superblocks kai_kernel_matmul_clamp_f32_qsi8d256p1x4_qlu4c32x256p4vlx4_1x4vl_sme2_sdot
