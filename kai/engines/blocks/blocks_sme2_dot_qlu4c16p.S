// f32 <- qsi8d32p1x4 x qlu4c16p4vlx4, one row: blocks_sme2_dot_symmetric.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#define RHS_BITS 4
#define RHS_HALVES 1
#include "kai/engines/blocks/blocks_sme2_dot_symmetric.inc"

    dot_qsi8d32p kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qlu4c16p4vlx4_1x4vl_sme2_sdot, f32, int4
