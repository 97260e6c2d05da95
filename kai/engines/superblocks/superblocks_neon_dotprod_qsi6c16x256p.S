// f32 <- qsi8d256p x qsi6c16x256p with SDOT: the K loop of tiles (superblocks_neon.inc).
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/superblocks/superblocks_neon_qsi6c16x256p.inc"

    with sdot
    superblock_function kai_tile_qsi8d256p4x4_qsi6c16x256p4x4_2x4_neon_dotprod, 1, 2
    superblock_function kai_tile_qsi8d256p4x4_qsi6c16x256p4x4_4x4_neon_dotprod, 1
    superblock_function kai_tile_qsi8d256p4x4_qsi6c16x256p4x4_8x4_neon_dotprod, 2
    superblock_function kai_tile_qsi8d256p4x4_qsi6c16x256p4x4_16x4_neon_dotprod, 4
