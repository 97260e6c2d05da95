// f32 <- FP8 x FP8 with FMMLA of FEAT_F8F32MM (f8_neon_f8f32mm.S): 8 rows or one times panels of 12 columns.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/f8/f8_codes.hpp"

extern "C" {
void kai_tile_f8_8x12_neon_f8f32mm(const kai::F8CodesArgs*);
void kai_row_f8_1x12_neon_f8f32mm(const kai::F8CodesArgs*);
}

namespace kai {
namespace {

/// FPMR: the formats of FMMLA's first operand, the LHS, and of its second one. No scale.
constexpr uint64_t kLhsE4m3 = 1, kE5m2 = 0, kE4m3 = 1 << 3;
constexpr size_t kGroup = 8;

constexpr F8Codes tile_of(uint64_t rhs_format, size_t mr) {
    return {kLhsE4m3 | rhs_format, mr, kGroup, mr == 1 ? kai_row_f8_1x12_neon_f8f32mm : kai_tile_f8_8x12_neon_f8f32mm};
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_TILES(FORMAT, NAME, LHS, RHS, MR, ...) \
    KAI_DEFINE_F8_OF(kai::kGroup, BL, kai::multiply_codes, kai::tile_of(FORMAT, MR), NAME, LHS, RHS, MR, __VA_ARGS__)
#define KAI_ISA_neon_f8f32mm KAI_LINES(KAI_DEFINE_TILES)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE4m3, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f8e4m3d32p_f8e4m3c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE5m2, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p/ukernels.def"

}  // extern "C"
