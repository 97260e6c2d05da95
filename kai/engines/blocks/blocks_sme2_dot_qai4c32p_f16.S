// f16 <- qsi8d32p1x4 x qai4c32p4vlx4, one row: blocks_sme2_dot_qai4c32p.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sme2_dot_qai4c32p.inc"

    dot_qsi8d32p kai_kernel_matmul_clamp_f16_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot, f16
