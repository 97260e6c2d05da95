// qai8dxp with SMMLA: the tiles of the GEMM (qai8dxp_neon_i8mm.S) per kind of RHS, and the micro-kernels.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon.hpp"

extern "C" {
kai::GemmTileFn kai_sums_4x4_neon_i8mm, kai_sums_8x4_neon_i8mm, kai_sums_16x4_neon_i8mm;
kai::GemmTileFn kai_block_sums_4x4_neon_i8mm, kai_block_sums_8x4_neon_i8mm, kai_block_sums_16x4_neon_i8mm;
kai::FewFn kai_few_int8_2_neon_i8mm, kai_few_int8_4_neon_i8mm, kai_few_int8_6_neon_i8mm, kai_few_int8_8_neon_i8mm;
kai::FewFn kai_few_int4_2_neon_i8mm, kai_few_int4_4_neon_i8mm, kai_few_int4_6_neon_i8mm, kai_few_int4_8_neon_i8mm;
kai::FewFn kai_few_blocks_int4_2_neon_i8mm, kai_few_blocks_int4_4_neon_i8mm, kai_few_blocks_int4_6_neon_i8mm,
    kai_few_blocks_int4_8_neon_i8mm;
}

namespace kai {
namespace {

#define KAI_TILES(SUMS, KIND, DECODE, FEW_ROWS)                                                                       \
    {                                                                                                                 \
        {kai_##SUMS##_4x4_neon_i8mm, kai_##SUMS##_8x4_neon_i8mm, kai_##SUMS##_16x4_neon_i8mm}, 4, nullptr, DECODE, 8, \
            {kai_few_##KIND##_2_neon_i8mm, kai_few_##KIND##_2_neon_i8mm, kai_few_##KIND##_4_neon_i8mm,                \
             kai_few_##KIND##_4_neon_i8mm, kai_few_##KIND##_6_neon_i8mm, kai_few_##KIND##_6_neon_i8mm,                \
             kai_few_##KIND##_8_neon_i8mm, kai_few_##KIND##_8_neon_i8mm},                                             \
            FEW_ROWS                                                                                                  \
    }

constexpr GemmTiles kInt8 = KAI_TILES(sums, int8, nullptr, 64);
constexpr GemmTiles kInt4 = KAI_TILES(sums, int4, kai_decode_int4_neon, 16);
constexpr GemmTiles kInt4Blocks = KAI_TILES(block_sums, blocks_int4, kai_decode_int4_neon, 24);

KAI_INLINE void gemm_neon_i8mm(const Problem* p) {
    switch (p->rhs_kind) {
        case RhsKind::int8:
            return kai_gemm_qai8dxp_neon(p, &kInt8);
        case RhsKind::int4_blocks:
            return kai_gemm_qai8dxp_neon(p, &kInt4Blocks);
        default:
            return kai_gemm_qai8dxp_neon(p, &kInt4);
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_NEON_I8MM(KIND, ...) KAI_DEFINE_MATMUL_QAI8DXP_##KIND(kai::gemm_neon_i8mm, __VA_ARGS__)
#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_MATMUL_NEON_I8MM)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"
