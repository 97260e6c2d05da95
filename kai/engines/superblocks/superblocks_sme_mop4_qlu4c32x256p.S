// f32 <- qsi8d256p1vlx4 x qlu4c32x256p4vlx4, few rows: superblocks_sme_mop4.inc. LUTI4 turns indices into weights:
// blocks_sme_mop4.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define KAI_MOPA_PART 8
#define MINIMA 0
#define COLUMN_SHIFT 1
#define TIMES 1
#include "kai/engines/asm/asm.h"
#include "kai/engines/superblocks/superblocks_sme_mop4.inc"

.macro start_values
.endm

.macro take_args
    take_block_args_and_table
.endm

    mopa_blocks kai_kernel_blocks_few_qlu4c32x256p4vlx4_sme_mop4, f32, all
