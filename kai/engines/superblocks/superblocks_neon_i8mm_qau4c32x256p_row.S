// f32 <- qsi8d256p x qau4c32x256p with USMMLA: one row.
//
// SPDX-License-Identifier: Apache-2.0
#define RHS_BITS 4
#include "kai/engines/superblocks/superblocks_neon_i8mm_row.inc"

row_function kai_row_qsi8d256p1x8_qau4c32x256p4x8_neon_i8mm
