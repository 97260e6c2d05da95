// qai8dxp with SDOT: the tiles of the GEMM (qai8dxp_neon_dotprod.S) per kind of RHS, and the micro-kernels.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon.hpp"
#include "kai/engines/qai8dxp/qai8dxp_neon_row.hpp"

extern "C" {
kai::GemmTileFn kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod,
    kai_sums_12x8_neon_dotprod;
kai::GemmTileFn kai_block_sums_4x4_neon_dotprod, kai_block_sums_8x4_neon_dotprod, kai_block_sums_12x4_neon_dotprod;
#define KAI_DECLARE_FEW(KIND)                                                                                     \
    kai::FewFn kai_few_##KIND##_1_neon_dotprod, kai_few_##KIND##_2_neon_dotprod, kai_few_##KIND##_3_neon_dotprod, \
        kai_few_##KIND##_4_neon_dotprod, kai_few_##KIND##_5_neon_dotprod, kai_few_##KIND##_6_neon_dotprod,        \
        kai_few_##KIND##_7_neon_dotprod, kai_few_##KIND##_8_neon_dotprod
KAI_DECLARE_FEW(int8);
KAI_DECLARE_FEW(int4);
KAI_DECLARE_FEW(int2);
KAI_DECLARE_FEW(blocks_int4);
}

namespace kai {
namespace {

/// The functions for few rows of a kind of RHS.
#define KAI_FEW(KIND)                                                                                          \
    {                                                                                                          \
        kai_few_##KIND##_1_neon_dotprod, kai_few_##KIND##_2_neon_dotprod, kai_few_##KIND##_3_neon_dotprod,     \
            kai_few_##KIND##_4_neon_dotprod, kai_few_##KIND##_5_neon_dotprod, kai_few_##KIND##_6_neon_dotprod, \
            kai_few_##KIND##_7_neon_dotprod, kai_few_##KIND##_8_neon_dotprod                                   \
    }
#define KAI_CHANNEL_TILES(KIND, DECODE, FEW_ROWS)                                              \
    {                                                                                          \
        {kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod}, 4, \
            kai_sums_12x8_neon_dotprod, DECODE, 4, KAI_FEW(KIND), FEW_ROWS                     \
    }

constexpr GemmTiles kInt8 = KAI_CHANNEL_TILES(int8, nullptr, 20);
constexpr GemmTiles kInt4 = KAI_CHANNEL_TILES(int4, kai_decode_int4_neon, 16);
constexpr GemmTiles kInt2 = KAI_CHANNEL_TILES(int2, kai_decode_int2_neon, 16);
constexpr GemmTiles kInt4Blocks{
    {kai_block_sums_4x4_neon_dotprod, kai_block_sums_8x4_neon_dotprod, kai_block_sums_12x4_neon_dotprod},
    3,
    nullptr,
    kai_decode_int4_neon,
    4,
    KAI_FEW(blocks_int4),
    24};

/// GEMM for panels of 4 rows, GEMV for mr = 1. A group is GROUP k of a row.
template <size_t MR, size_t GROUP>
KAI_INLINE void matmul_neon_dotprod(const Problem* p) {
    if constexpr (MR == 1) {
        return gemv_neon_dotprod<GROUP>(p);
    }
    switch (p->rhs_kind) {
        case RhsKind::int8:
            return kai_gemm_qai8dxp_neon(p, &kInt8);
        case RhsKind::int4:
            return kai_gemm_qai8dxp_neon(p, &kInt4);
        case RhsKind::int2:
            return kai_gemm_qai8dxp_neon(p, &kInt2);
        case RhsKind::int4_blocks:
            return kai_gemm_qai8dxp_neon(p, &kInt4Blocks);
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_NEON_DOTPROD(KIND, T, OUT, NAME, LHS, RHS, MR, NR, KR, SR, ...) \
    KAI_DEFINE_MATMUL_QAI8DXP_##KIND(                                                     \
        (kai::matmul_neon_dotprod<MR, (KR) / (SR)>), T, OUT, NAME, LHS, RHS, MR, NR, KR, SR, __VA_ARGS__)
#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_NEON_DOTPROD)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"
