// f32 <- qsi8d32p1x4 x qsi4c32p4vlx4, one row: SME without SME2, blocks_sme_dot_symmetric.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#define RHS_BITS 4
#include "kai/engines/blocks/blocks_sme_dot_symmetric.inc"

    sme_dot kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme_dot
