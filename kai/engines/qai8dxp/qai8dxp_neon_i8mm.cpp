// qai8dxp with SMMLA: the tiles of the GEMM (qai8dxp_neon_i8mm.S) per kind of RHS, and the micro-kernels.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon.hpp"

extern "C" {
kai::GemmTileFn kai_sums_4x4_neon_i8mm, kai_sums_8x4_neon_i8mm, kai_sums_16x4_neon_i8mm;
kai::GemmTileFn kai_block_sums_4x4_neon_i8mm, kai_block_sums_8x4_neon_i8mm, kai_block_sums_16x4_neon_i8mm;
kai::FewFn kai_few_int8_2_neon_i8mm, kai_few_int8_4_neon_i8mm, kai_few_int8_8_neon_i8mm;
kai::FewFn kai_few_int4_2_neon_i8mm, kai_few_int4_4_neon_i8mm, kai_few_int4_8_neon_i8mm;
kai::FewFn kai_few_blocks_int4_2_neon_i8mm, kai_few_blocks_int4_4_neon_i8mm, kai_few_blocks_int4_8_neon_i8mm;
}

namespace kai {
namespace {

// SIX: for 5 and 6 rows; null where 4 and then 1 or 2 are faster than 8.
#define KAI_FEW(TWO, FOUR, SIX, EIGHT) \
    { TWO, TWO, FOUR, FOUR, SIX, SIX, EIGHT, EIGHT }

constexpr GemmTiles kInt8{
    {kai_sums_4x4_neon_i8mm, kai_sums_8x4_neon_i8mm, kai_sums_16x4_neon_i8mm},
    nullptr,
    nullptr,
    8,
    KAI_FEW(kai_few_int8_2_neon_i8mm, kai_few_int8_4_neon_i8mm, nullptr, kai_few_int8_8_neon_i8mm),
    15};
constexpr GemmTiles kInt4{
    {kai_sums_4x4_neon_i8mm, kai_sums_8x4_neon_i8mm, kai_sums_16x4_neon_i8mm},
    nullptr,
    kai_decode_int4_neon,
    8,
    KAI_FEW(kai_few_int4_2_neon_i8mm, kai_few_int4_4_neon_i8mm, kai_few_int4_8_neon_i8mm, kai_few_int4_8_neon_i8mm),
    16};
constexpr GemmTiles kInt4Blocks{
    {kai_block_sums_4x4_neon_i8mm, kai_block_sums_8x4_neon_i8mm, kai_block_sums_16x4_neon_i8mm},
    nullptr,
    kai_decode_int4_neon,
    8,
    KAI_FEW(kai_few_blocks_int4_2_neon_i8mm, kai_few_blocks_int4_4_neon_i8mm, nullptr, kai_few_blocks_int4_8_neon_i8mm),
    24};

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
