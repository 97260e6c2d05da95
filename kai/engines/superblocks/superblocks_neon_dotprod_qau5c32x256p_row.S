// f32 <- qsi8d256p x qau5c32x256p with SDOT: one row.
//
// SPDX-License-Identifier: Apache-2.0
#define RHS_BITS 5
#include "kai/engines/superblocks/superblocks_neon_dotprod_row.inc"

row_function kai_row_qsi8d256p1x4_qau5c32x256p4x4_neon_dotprod
