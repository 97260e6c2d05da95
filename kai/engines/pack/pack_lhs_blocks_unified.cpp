// The LHS packer of the unified API that quantises in blocks of 32, with the sum of each block: panels of one row.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_neon_lhs_blocks.hpp"
#include "kai/engines/core/pack_unified.hpp"

namespace kai {
namespace {

constexpr LhsBlockKind kHalfSums = {qsi8d32psumf16, SourceType::f32, Ties::to_even};

/// Panels of one row, at the stride of the call.
void run_unified(const UnifiedLhsPacker& packer, const kai_matmul_pack_lhs_uker_args* args) {
    check(packer, args);
    const auto& [m, k] = args->shape;
    const auto& [packed, lhs] = args->operand;
    KAI_REQUIRE(packer.name, k % qsi8d32psumf16.block == 0, not_multiple, "k", k, qsi8d32psumf16.block);
    for (size_t i = 0; i < m; ++i) {
        const LhsRows row = {
            1,
            k,
            qsi8d32psumf16.block,
            {1, 4, 1},
            0,
            bytes(lhs.ptr, i * lhs.stride.m),
            lhs.stride.m,
            bytes(packed.ptr, i * packed.stride.m)};
        pack_blocks<kHalfSums, false, false>(row);
    }
}

}  // namespace
}  // namespace kai

KAI_DEFINE_LHS_PACK_API(
    matmul_pack_lhs_mxk_qsi8d32p1x4sf16_f32_neon, kai::run_unified, float, kai::packed(kai::qsi8d32psumf16, 1, 4))
