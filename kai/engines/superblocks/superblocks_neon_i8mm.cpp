// f32 <- qsi8d256p x weights in super-blocks with SMMLA, one row with USMMLA or SMMLA (superblocks_neon.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/superblocks/superblocks_neon.hpp"

KAI_SUPER_TILES(qau4c32x256p, 8, neon_i8mm, true)
KAI_SUPER_TILES(qau5c32x256p, 8, neon_i8mm, true)
KAI_SUPER_TILES(qlu4c32x256p, 8, neon_i8mm, true)
KAI_SUPER_TILES(qsi6c16x256p, 8, neon_i8mm, true)
KAI_SUPER_TILES(qsi3c16x256p, 8, neon_i8mm, true)
KAI_SUPER_TILES(qau2c16x256p, 8, neon_i8mm, true)

KAI_SUPER_ROW(qau4c32x256p, 8, neon_i8mm)
KAI_SUPER_ROW(qau5c32x256p, 8, neon_i8mm)

extern "C" {
#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_MATMUL_SUPERBLOCKS_NEON)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qau4c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qau5c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qlu4c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qsi6c16x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qsi3c16x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d16x256p_qau2c16x256p/ukernels.def"
}
