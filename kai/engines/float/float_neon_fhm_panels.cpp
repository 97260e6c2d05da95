// f16 and f32 <- f16 x f16p with FMLAL and panels packed for SME: what cores do that have no SME unit at hand, with the
// same packed RHS. A panel has two k of a column side by side. SME adds their products first; here even and odd k have
// sums of their own, which are added at the end, since the order of SME takes three operations where this takes two:
// other bits. The work is in float_neon_fhm_panels.S, for one row in float_neon_fhm_panels_row.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_neon_panels.hpp"

extern "C" {
void kai_tiles_of_panel_f16_3x16_neon_fhm(const kai::FloatGemmArgs*);
void kai_tiles_of_panel_f16_3x8_neon_fhm(const kai::FloatGemmArgs*);
void kai_row_of_panel_f16_1x32_neon_fhm(const kai::FloatGemmArgs*);
void kai_row_of_panel_f16_1x16_neon_fhm(const kai::FloatGemmArgs*);
void kai_row_of_panel_f16_1x8_neon_fhm(const kai::FloatGemmArgs*);
}

namespace kai {
namespace {

constexpr StripOfPanel kTiles[] = {
    {kai_tiles_of_panel_f16_3x8_neon_fhm, 8}, {kai_tiles_of_panel_f16_3x16_neon_fhm, 16}};
constexpr StripOfPanel kRow[] = {
    {kai_row_of_panel_f16_1x8_neon_fhm, 8},
    {kai_row_of_panel_f16_1x16_neon_fhm, 16},
    {kai_row_of_panel_f16_1x32_neon_fhm, 32}};

KAI_INLINE const StripOfPanel& strip_for(size_t m, size_t nr) {
    return m > 1 ? kTiles[nr >= 16 ? 1 : 0] : kRow[nr >= 32 ? 2 : nr >= 16 ? 1 : 0];
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_FMLAL(DST_BYTES, NAME, LHS, RHS, NR, ...) \
    KAI_OF_SME(NR, KAI_DEFINE_MATMUL_PANELS_OF_SME, kai::strip_for, DST_BYTES, NAME, LHS, RHS, NR, __VA_ARGS__)

extern "C" {

#define KAI_ISA_neon_fhm KAI_LINES(KAI_DEFINE_MATMUL_FMLAL)
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, sizeof(uint16_t), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p/ukernels.def"
#undef KAI_UKERNEL_ROWS
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, sizeof(float), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f16_f16p/ukernels.def"

}  // extern "C"
