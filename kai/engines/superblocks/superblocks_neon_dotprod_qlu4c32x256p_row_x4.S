// f32 <- qsi8d256p x qlu4c32x256p with SDOT: one row, groups of 4.
//
// SPDX-License-Identifier: Apache-2.0
#define RHS_BITS 4
#define RHS_TABLE 1
#define GROUP 4
#include "kai/engines/superblocks/superblocks_neon_dotprod_signed_row.inc"

row_function kai_row_qsi8d256p1x4_qlu4c32x256p4x4_neon_dotprod
