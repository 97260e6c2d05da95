// f32 <- int8 in blocks of 256 x weights in super-blocks, packed for SME, with SDOT: the micro-kernels
// (superblocks_neon_panels.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/superblocks/superblocks_neon_panels.hpp"

KAI_SUPER_TILES(qau2c16x256p, 4, neon_dotprod, false)
KAI_SUPER_TILES(qau4c32x256p, 4, neon_dotprod, false)
KAI_SUPER_TILES(qau5c32x256p, 4, neon_dotprod, false)
KAI_SUPER_TILES(qlu4c32x256p, 4, neon_dotprod, false)
KAI_SUPER_TILES(qsi3c16x256p, 4, neon_dotprod, false)
KAI_SUPER_TILES(qsi6c16x256p, 4, neon_dotprod, false)

KAI_SUPER_PANEL_ROW(qau2c16x256p, neon_dotprod)
KAI_SUPER_PANEL_ROW(qau4c32x256p, neon_dotprod)
KAI_SUPER_PANEL_ROW(qau5c32x256p, neon_dotprod)
KAI_SUPER_PANEL_ROW(qlu4c32x256ps1s0, neon_dotprod)
KAI_SUPER_PANEL_ROW(qsi3c16x256pnrx4, neon_dotprod)
KAI_SUPER_PANEL_ROW(qsi6c16x256pnrx4, neon_dotprod)

#define KAI_DEFINE_MATMUL(NAME, LHS, RHS, MR, NR, ...) \
    KAI_OF_SME(NR, KAI_DEFINE_MATMUL_SUPER_PANELS, NAME, LHS, RHS, MR, NR, __VA_ARGS__)

extern "C" {
#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d16x256p_qau2c16x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qau4c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qau5c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qlu4c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qsi3c16x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qsi6c16x256p/ukernels.def"
}
