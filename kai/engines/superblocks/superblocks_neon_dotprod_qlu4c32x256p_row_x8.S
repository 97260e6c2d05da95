// f32 <- qsi8d256p x qlu4c32x256p with SDOT: one row, groups of 8.
//
// SPDX-License-Identifier: Apache-2.0
#define RHS_BITS 4
#define RHS_TABLE 1
#define GROUP 8
#include "kai/engines/superblocks/superblocks_neon_dotprod_signed_row.inc"

row_function kai_row_qsi8d256p1x8_qlu4c32x256p4x8_neon_dotprod
