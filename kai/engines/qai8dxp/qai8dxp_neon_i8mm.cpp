// qai8dxp with SMMLA: the tiles of the GEMM (qai8dxp_neon_i8mm.S) per kind of RHS, and the micro-kernels.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon.hpp"

extern "C" {
kai::GemmTileFn kai_sums_4x4_neon_i8mm, kai_sums_8x4_neon_i8mm, kai_sums_16x4_neon_i8mm;
kai::GemmTileFn kai_block_sums_4x4_neon_i8mm, kai_block_sums_8x4_neon_i8mm, kai_block_sums_16x4_neon_i8mm;
#define KAI_FEW_TILE(KIND, SIZE) kai_part_few_##KIND##_##SIZE##_neon_i8mm
#define KAI_DECLARE_FEW(KIND) \
    kai::FewTileFn KAI_FEW_TILE(KIND, 2x8), KAI_FEW_TILE(KIND, 4x8), KAI_FEW_TILE(KIND, 6x4), KAI_FEW_TILE(KIND, 8x4)
KAI_DECLARE_FEW(int8);
KAI_DECLARE_FEW(int4);
KAI_DECLARE_FEW(blocks_int4);
kai::FewTileFn KAI_FEW_TILE(int8, 2x16), KAI_FEW_TILE(int8, 4x16), KAI_FEW_TILE(int8, 6x8), KAI_FEW_TILE(int8, 8x8);
}

namespace kai {
namespace {

/// Tiles for few rows. SMMLA multiplies pairs of rows, so two numbers of rows share a tile.
#define KAI_FEW(KIND, FOUR_2, FOUR_4, TWO_6, TWO_8)                                                 \
    {                                                                                               \
        {FOUR_2, KAI_FEW_TILE(KIND, 2x8), nullptr}, {FOUR_2, KAI_FEW_TILE(KIND, 2x8), nullptr},     \
            {FOUR_4, KAI_FEW_TILE(KIND, 4x8), nullptr}, {FOUR_4, KAI_FEW_TILE(KIND, 4x8), nullptr}, \
            {nullptr, TWO_6, KAI_FEW_TILE(KIND, 6x4)}, {nullptr, TWO_6, KAI_FEW_TILE(KIND, 6x4)},   \
            {nullptr, TWO_8, KAI_FEW_TILE(KIND, 8x4)}, {nullptr, TWO_8, KAI_FEW_TILE(KIND, 8x4)},   \
    }
#define KAI_TILES(SUMS, DECODE, FEW_ROWS, ...)                                                                        \
    {                                                                                                                 \
        {kai_##SUMS##_4x4_neon_i8mm, kai_##SUMS##_8x4_neon_i8mm, kai_##SUMS##_16x4_neon_i8mm}, 4, nullptr, DECODE, 8, \
            KAI_FEW(__VA_ARGS__), FEW_ROWS                                                                            \
    }

constexpr GemmTiles kInt8 = KAI_TILES(
    sums, nullptr, Qai8dxpLimits::kFewRowsInt8I8mm, int8, KAI_FEW_TILE(int8, 2x16), KAI_FEW_TILE(int8, 4x16),
    KAI_FEW_TILE(int8, 6x8), KAI_FEW_TILE(int8, 8x8));
constexpr GemmTiles kInt4 =
    KAI_TILES(sums, kai_decode_int4_neon, Qai8dxpLimits::kFewRowsInt4, int4, nullptr, nullptr, nullptr, nullptr);
constexpr GemmTiles kInt4Blocks = KAI_TILES(
    block_sums, kai_decode_int4_neon, Qai8dxpLimits::kFewRowsInt4Blocks, blocks_int4, nullptr, nullptr, nullptr,
    nullptr);

KAI_INLINE void gemm_neon_i8mm(const Problem* p) {
    switch (p->rhs_kind) {
        case RhsKind::int8:
            return gemm_neon(*p, kInt8);
        case RhsKind::int4_blocks:
            return gemm_neon(*p, kInt4Blocks);
        default:
            return gemm_neon(*p, kInt4);
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_NEON_I8MM(KIND, ...) KAI_DEFINE_MATMUL_QAI8DXP_##KIND(kai::gemm_neon_i8mm, __VA_ARGS__)
#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_MATMUL_NEON_I8MM)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"
