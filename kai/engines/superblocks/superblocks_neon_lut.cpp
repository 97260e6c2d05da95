// f32 <- qsi8d256p x qlu4c32x256p with LUTI4 and SDOT, one row (superblocks_neon.hpp, superblocks_neon_lut_rows.S).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/superblocks/superblocks_neon.hpp"

KAI_SUPER_ROW(qlu4c32x256p, 8, neon_lut)

extern "C" {
#define KAI_ISA_neon_lut KAI_LINES(KAI_DEFINE_MATMUL_SUPERBLOCKS_NEON)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qlu4c32x256p/ukernels.def"
}
