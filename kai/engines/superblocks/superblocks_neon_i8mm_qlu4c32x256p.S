// f32 <- qsi8d256p x qlu4c32x256p with SMMLA.
//
// SPDX-License-Identifier: Apache-2.0
#define RHS_BITS 4
#define RHS_TABLE 1
#include "kai/engines/superblocks/superblocks_neon_i8mm.inc"

tile_functions kai_tile_qsi8d256p4x8_qlu4c32x256p4x8
