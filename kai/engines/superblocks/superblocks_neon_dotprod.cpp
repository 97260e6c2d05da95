// f32 <- qsi8d256p x weights in super-blocks with SDOT (superblocks_neon.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/superblocks/superblocks_neon.hpp"

KAI_SUPER_TILES(qau4c32x256p, 4, neon_dotprod, false)
KAI_SUPER_TILES(qau5c32x256p, 4, neon_dotprod, false)
KAI_SUPER_TILES(qlu4c32x256p, 4, neon_dotprod, false)
KAI_SUPER_TILES(qsi6c16x256p, 4, neon_dotprod, false)
KAI_SUPER_TILES(qsi3c16x256p, 4, neon_dotprod, false)
KAI_SUPER_TILES(qau2c16x256p, 4, neon_dotprod, false)

KAI_SUPER_ROW(qau4c32x256p, 4, neon_dotprod)
KAI_SUPER_ROW(qau5c32x256p, 4, neon_dotprod)
KAI_SUPER_ROW(qlu4c32x256p, 4, neon_dotprod)
KAI_SUPER_ROW(qlu4c32x256p, 8, neon_dotprod)
KAI_SUPER_ROW(qsi6c16x256p, 4, neon_dotprod)
KAI_SUPER_ROW(qsi6c16x256p, 8, neon_dotprod)
KAI_SUPER_ROW(qsi3c16x256p, 4, neon_dotprod)
KAI_SUPER_ROW(qsi3c16x256p, 8, neon_dotprod)
KAI_SUPER_ROW(qau2c16x256p, 4, neon_dotprod)
KAI_SUPER_ROW(qau2c16x256p, 8, neon_dotprod)

extern "C" {
#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_SUPERBLOCKS_NEON)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qau4c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qau5c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qlu4c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qsi6c16x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qsi3c16x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d16x256p_qau2c16x256p/ukernels.def"
}
