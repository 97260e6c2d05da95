// f32 <- qsi8d256p1vlx4 x qlu4c32x256p4vlx4, many rows: superblocks_sme2_mopa.inc. LUTI4 turns indices into weights:
// blocks_sme2_mopa.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define KAI_MOPA_PART 8
#define MINIMA 0
#define COLUMN_SHIFT 1
#define TIMES 1
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sme2_mopa.inc"
#include "kai/engines/superblocks/superblocks_sme2_mopa.inc"

.macro start_values
.endm

.macro take_args
    take_block_args_and_table
.endm

    mopa_blocks kai_kernel_blocks_many_qlu4c32x256p4vlx4_sme2, f32, all
