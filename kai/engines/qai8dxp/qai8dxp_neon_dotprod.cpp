// qai8dxp with SDOT: the tiles of the GEMM (qai8dxp_neon_dotprod.S, _wide.S, _blocks.S, _few_*.S) per kind of RHS, and
// the micro-kernels with mr = 4. Those with mr = 1: qai8dxp_neon_dotprod_row.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon.hpp"

extern "C" {
kai::GemmTileFn kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod,
    kai_sums_12x8_neon_dotprod;
kai::GemmTileFn kai_block_sums_4x4_neon_dotprod, kai_block_sums_8x4_neon_dotprod, kai_block_sums_12x4_neon_dotprod;
#define KAI_FEW_TILE(KIND, SIZE) kai_part_few_##KIND##_##SIZE##_neon_dotprod
#define KAI_DECLARE_FEW_1_TO_4(KIND, COLUMNS)                                                                         \
    kai::FewTileFn KAI_FEW_TILE(KIND, 1x##COLUMNS), KAI_FEW_TILE(KIND, 2x##COLUMNS), KAI_FEW_TILE(KIND, 3x##COLUMNS), \
        KAI_FEW_TILE(KIND, 4x##COLUMNS)
#define KAI_DECLARE_FEW_5_TO_8(KIND, COLUMNS)                                                                         \
    kai::FewTileFn KAI_FEW_TILE(KIND, 5x##COLUMNS), KAI_FEW_TILE(KIND, 6x##COLUMNS), KAI_FEW_TILE(KIND, 7x##COLUMNS), \
        KAI_FEW_TILE(KIND, 8x##COLUMNS)
KAI_DECLARE_FEW_1_TO_4(int8, 16);
KAI_DECLARE_FEW_1_TO_4(int8, 8);
KAI_DECLARE_FEW_5_TO_8(int8, 8);
KAI_DECLARE_FEW_1_TO_4(int4, 16);
KAI_DECLARE_FEW_1_TO_4(int4, 8);
KAI_DECLARE_FEW_5_TO_8(int4, 8);
KAI_DECLARE_FEW_1_TO_4(int2, 16);
KAI_DECLARE_FEW_1_TO_4(int2, 8);
KAI_DECLARE_FEW_5_TO_8(int2, 8);
KAI_DECLARE_FEW_1_TO_4(blocks_int4, 16);
KAI_DECLARE_FEW_1_TO_4(blocks_int4, 8);
KAI_DECLARE_FEW_5_TO_8(blocks_int4, 8);
KAI_DECLARE_FEW_5_TO_8(blocks_int4, 4);
}

namespace kai {
namespace {

/// Tiles for few rows of a kind of RHS: numbers of rows with two sizes of tiles, with one.
#define KAI_FEW_16_8(KIND, ROWS) \
    { KAI_FEW_TILE(KIND, ROWS##x16), KAI_FEW_TILE(KIND, ROWS##x8), nullptr }
#define KAI_FEW_8(KIND, ROWS) \
    { nullptr, KAI_FEW_TILE(KIND, ROWS##x8), nullptr }
#define KAI_FEW_4(KIND, ROWS) \
    { nullptr, nullptr, KAI_FEW_TILE(KIND, ROWS##x4) }
#define KAI_CHANNEL_TILES(KIND, DECODE, FEW, FEW_ROWS)                                              \
    {                                                                                               \
        {kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod}, 4,      \
            kai_sums_12x8_neon_dotprod, DECODE, 4,                                                  \
            {KAI_FEW_16_8(KIND, 1), KAI_FEW_16_8(KIND, 2), FEW(KIND, 3),       FEW(KIND, 4),        \
             KAI_FEW_8(KIND, 5),    KAI_FEW_8(KIND, 6),    KAI_FEW_8(KIND, 7), KAI_FEW_8(KIND, 8)}, \
            FEW_ROWS                                                                                \
    }

constexpr GemmTiles kInt8 = KAI_CHANNEL_TILES(int8, nullptr, KAI_FEW_16_8, Qai8dxpLimits::kFewRowsInt8Dotprod);
constexpr GemmTiles kInt4 = KAI_CHANNEL_TILES(int4, kai_decode_int4_neon, KAI_FEW_16_8, Qai8dxpLimits::kFewRowsInt4);
constexpr GemmTiles kInt2 = KAI_CHANNEL_TILES(int2, kai_decode_int2_neon, KAI_FEW_8, Qai8dxpLimits::kFewRowsInt4);
constexpr GemmTiles kInt4Blocks{
    {kai_block_sums_4x4_neon_dotprod, kai_block_sums_8x4_neon_dotprod, kai_block_sums_12x4_neon_dotprod},
    3,
    nullptr,
    kai_decode_int4_neon,
    4,
    {KAI_FEW_16_8(blocks_int4, 1), KAI_FEW_16_8(blocks_int4, 2), KAI_FEW_8(blocks_int4, 3), KAI_FEW_8(blocks_int4, 4),
     KAI_FEW_8(blocks_int4, 5), KAI_FEW_4(blocks_int4, 6), KAI_FEW_4(blocks_int4, 7), KAI_FEW_4(blocks_int4, 8)},
    Qai8dxpLimits::kFewRowsInt4Blocks};

KAI_INLINE void gemm_neon_dotprod(const Problem* p) {
    switch (p->rhs_kind) {
        case RhsKind::int8:
            return gemm_neon(*p, kInt8);
        case RhsKind::int4:
            return gemm_neon(*p, kInt4);
        case RhsKind::int2:
            return gemm_neon(*p, kInt2);
        case RhsKind::int4_blocks:
            return gemm_neon(*p, kInt4Blocks);
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_NEON_DOTPROD(KIND, T, OUT, NAME, LHS, RHS, MR, NR, ...) \
    KAI_OF_NEON(NR, KAI_DEFINE_MATMUL_MR_##MR, KIND, T, OUT, NAME, LHS, RHS, MR, NR, __VA_ARGS__)
#define KAI_DEFINE_MATMUL_MR_1(...)
#define KAI_DEFINE_MATMUL_MR_4(KIND, ...) KAI_DEFINE_MATMUL_QAI8DXP_##KIND(kai::gemm_neon_dotprod, __VA_ARGS__)
#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_NEON_DOTPROD)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"
