// f32 <- qsi8d256p x qau5c32x256p with SMMLA: one row.
//
// SPDX-License-Identifier: Apache-2.0
#define RHS_BITS 5
#include "kai/engines/superblocks/superblocks_neon_i8mm_row.inc"

row_function kai_row_qsi8d256p1x8_qau5c32x256p4x8_neon_i8mm
