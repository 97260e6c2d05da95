// Tiles of low precision on Armv8.0, columns packed: lowp_neon_tiles.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/lowp/lowp_args.h"
#include "kai/engines/lowp/lowp_neon_tiles.inc"

tile kai_lowp_p4x16_1x16, 1x16, 1, 16
tile kai_lowp_p4x16_1x4, 1x4, 1, 4
tile kai_lowp_p4x16_2x8, 2x8, 2, 8
tile kai_lowp_p4x16_2x4, 2x4, 2, 4
tile kai_lowp_p4x16_3x4, 3x4, 3, 4
tile kai_lowp_p4x16_4x4, 4x4, 4, 4
