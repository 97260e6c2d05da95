// f32 <- qsi8d32p1vlx4 x qsi8c32p4vlx4, many rows: blocks_sme2_mopa_symmetric.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define RHS_BITS 8
#include "kai/engines/blocks/blocks_sme2_mopa_symmetric.inc"

.macro take_args
    take_block_args
.endm

    mopa_blocks kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qsi8c32p4vlx4_1vlx4vl_sme2_mopa, f32, 4, pairs
