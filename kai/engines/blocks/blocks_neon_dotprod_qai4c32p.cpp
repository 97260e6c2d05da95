// f32 and f16 <- qsi8d32p x qai4c32p with SDOT.
//
//     dst[m][n] = clamp(bias + sum over blocks of (rhs_zero * lhs_sum + lhs_scale * rhs_scale * S)),
//     S = sum over the block of lhs * rhs
//
// Blocks of 32, the usual length, run in blocks_neon_dotprod_qai4c32p.S (8 x 4, fewer rows as many as there are; a
// register holds 4 columns of a row) and blocks_neon_dotprod_qai4c32p_row.S (16 columns of a row); longer blocks in
// blocks_neon_dotprod_long*.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"

// Tiles of 8 rows, which read the fields of rows where they are.
KAI_DOT_TILES(qai4c32p, ShortSum<0>::kStart, nullptr, 0, false)

namespace kai {
namespace {

template <const Format& RHS, size_t MR, size_t KR, size_t, class T>
constexpr auto kernel() {
    return dot_kernel<qsi8d32pscalef32, RHS, MR, KR, T>();
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/ukernels.def"
#undef KAI_UKERNEL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::F16, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_qsi8d32p_qai4c32p/ukernels.def"
