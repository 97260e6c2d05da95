// f32 <- f32 x f32p with FMLA and panels packed for SME: what cores do that have no SME unit at hand, with the same
// packed RHS. The results are, bit for bit, those of the SME kernels, NaN included: one chain of fused multiply-adds
// for each element, k ascending. The work is in float_neon_panels.S, for one row in float_neon_panels_row.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_neon_panels.hpp"

extern "C" {
void kai_tiles_of_panel_f32_6x16_neon(const kai::FloatGemmArgs*);
void kai_tiles_of_panel_f32_6x8_neon(const kai::FloatGemmArgs*);
void kai_row_of_panel_f32_1x32_neon(const kai::FloatGemmArgs*);
void kai_row_of_panel_f32_1x16_neon(const kai::FloatGemmArgs*);
void kai_row_of_panel_f32_1x8_neon(const kai::FloatGemmArgs*);
}

namespace kai {
namespace {

constexpr StripOfPanel kTiles[] = {{kai_tiles_of_panel_f32_6x8_neon, 8}, {kai_tiles_of_panel_f32_6x16_neon, 16}};
constexpr StripOfPanel kRow[] = {
    {kai_row_of_panel_f32_1x8_neon, 8}, {kai_row_of_panel_f32_1x16_neon, 16}, {kai_row_of_panel_f32_1x32_neon, 32}};

KAI_INLINE const StripOfPanel& strip_for(size_t m, size_t nr) {
    return m > 1 ? kTiles[nr >= 16 ? 1 : 0] : kRow[nr >= 32 ? 2 : nr >= 16 ? 1 : 0];
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_FLOAT_NEON(NAME, LHS, RHS, NR, ...) \
    KAI_OF_SME(NR, KAI_DEFINE_MATMUL_PANELS_OF_SME, kai::strip_for, sizeof(float), NAME, LHS, RHS, NR, __VA_ARGS__)

extern "C" {

#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_MATMUL_FLOAT_NEON)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32p/ukernels.def"

}  // extern "C"
