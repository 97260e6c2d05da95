// f32 <- bf16 x bf16p with BFDOT and panels packed for SME, one row: what cores do that have no SME unit at hand, with
// the same packed RHS. The results are, bit for bit, those of the SME kernel for one row: one chain of pairs for each
// element, k ascending. The work is in bf16_neon_bf16_panels_row.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_neon_panels.hpp"

extern "C" {
void kai_row_of_panel_bf16_1x32_neon_bf16(const kai::FloatGemmArgs*);
void kai_row_of_panel_bf16_1x16_neon_bf16(const kai::FloatGemmArgs*);
void kai_row_of_panel_bf16_1x8_neon_bf16(const kai::FloatGemmArgs*);
}

namespace kai {
namespace {

constexpr StripOfPanel kRow[] = {
    {kai_row_of_panel_bf16_1x8_neon_bf16, 8},
    {kai_row_of_panel_bf16_1x16_neon_bf16, 16},
    {kai_row_of_panel_bf16_1x32_neon_bf16, 32}};

KAI_INLINE const StripOfPanel& strip_for(size_t /*m*/, size_t nr) {
    return kRow[nr >= 32 ? 2 : nr >= 16 ? 1 : 0];
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_BF16_PANELS(...) KAI_DEFINE_MATMUL_PANELS_OF_SME(kai::strip_for, sizeof(float), __VA_ARGS__)

extern "C" {

#define KAI_ISA_neon_bf16 KAI_LINES(KAI_DEFINE_MATMUL_BF16_PANELS)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16_bf16p/ukernels.def"

}  // extern "C"
