// f16 <- qsi8d32p1vlx4 x qai4c32p4vlx4, many rows: blocks_sme2_mopa_qai4c32p.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_sme2_mopa_qai4c32p.inc"

    mopa_qsi8d32p_qai4c32p kai_kernel_matmul_clamp_f16_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa, f16, 1
