// f16 and f32 <- f16 x f16p with FMLAL: the loop over panels. The work is in float_neon_fhm.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_widened.hpp"

extern "C" {

kai::WidenedFn kai_row_f16_f16_f16p32x1b_1x64_neon_fmlal, kai_row_f32_f16_f16p32x1b_1x64_neon_fmlal;

// float_neon_fhm_panels.cpp has those for panels of SME.
#define KAI_DEFINE_MATMUL_FMLAL(ROW, TILES, DST_BYTES, NAME, LHS, RHS, NR, ...) \
    KAI_OF_NEON(NR, KAI_DEFINE_MATMUL_WIDENED, ROW, TILES, DST_BYTES, NAME, LHS, RHS, NR, __VA_ARGS__)
#define KAI_ISA_neon_fhm KAI_LINES(KAI_DEFINE_MATMUL_FMLAL)
#define KAI_UKERNEL_ROWS(ISA, ...) \
    KAI_LINE(ISA, kai_row_f16_f16_f16p32x1b_1x64_neon_fmlal, kai::kNoTiles, sizeof(uint16_t), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p_sumf32/ukernels.def"
#undef KAI_UKERNEL_ROWS
#define KAI_UKERNEL_ROWS(ISA, ...) \
    KAI_LINE(ISA, kai_row_f32_f16_f16p32x1b_1x64_neon_fmlal, kai::kNoTiles, sizeof(float), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f16_f16p/ukernels.def"

}  // extern "C"
