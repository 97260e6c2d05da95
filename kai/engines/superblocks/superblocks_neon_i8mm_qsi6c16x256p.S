// f32 <- qsi8d256p x qsi6c16x256p with SMMLA: the K loop of tiles (superblocks_neon.inc).
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/superblocks/superblocks_neon_qsi6c16x256p.inc"

    with smmla
    superblock_function kai_tile_qsi8d256p4x8_qsi6c16x256p4x8_2x4_neon_i8mm, 1, 2
    superblock_function kai_tile_qsi8d256p4x8_qsi6c16x256p4x8_4x4_neon_i8mm, 1
    superblock_function kai_tile_qsi8d256p4x8_qsi6c16x256p4x8_8x4_neon_i8mm, 2
    superblock_function kai_tile_qsi8d256p4x8_qsi6c16x256p4x8_16x4_neon_i8mm, 4
