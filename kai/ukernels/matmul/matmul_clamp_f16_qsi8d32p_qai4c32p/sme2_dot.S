// f16 <- qsi8d32p1x4 x qai4c32p4vlx4, one row: sme2_dot_qsi8d32p_qai4c32p.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/asm/asm.h"
#include "kai/asm/sme2_dot_qsi8d32p_qai4c32p.inc"

    dot_qsi8d32p kai_kernel_matmul_clamp_f16_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot, f16
