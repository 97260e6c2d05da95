// f32 <- qsi8d256p x qsi6c16x256p with SDOT: one row, groups of 4.
//
// SPDX-License-Identifier: Apache-2.0
#define RHS_BITS 6
#define GROUP 4
#include "kai/engines/superblocks/superblocks_neon_dotprod_signed_row.inc"

row_function kai_row_qsi8d256p1x4_qsi6c16x256p4x4_neon_dotprod
