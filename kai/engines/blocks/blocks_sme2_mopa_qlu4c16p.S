// f32 <- qsi8d32p1vlx4 x qlu4c16p4vlx4, many rows: blocks_sme2_mopa_symmetric.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define RHS_BITS 4
#define RHS_HALVES 1
#include "kai/engines/blocks/blocks_sme2_mopa_symmetric.inc"

.macro take_args
    take_block_args_and_table
    ldr     done_scales, [args, #BLOCK_ARGS_lhs]    // the first step adds what it finds there, which is discarded
.endm

    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qlu4c16p4vlx4_1vlx4vl_sme2_mopa, f32, 4, pairs
