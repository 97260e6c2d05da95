// The LHS packer of the families with super-blocks: int8 in blocks of 256, with the sums of each 32 (format qsi8d256p).
//
//     q = round(x * 127 / amax),  amax = max |x| of the block
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_lhs_blocks.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"

namespace kai {
namespace {

constexpr LhsBlockKind kKind{qsi8d256p, SourceType::f32, ScaleRule::of_127_over_amax, Ties::to_even};
constexpr LhsRules kRules{qsi8d256p, 0, 0, 0, false, 0, 0};

KAI_INLINE void pack_qsi8d256p(const LhsPack& p) {
#if defined(__aarch64__)
    static constexpr BlockLoops loops = block_loops<kKind, SourceF32, true, true>();
    pack_lhs_blocks(kKind, loops, p);
#else
    pack_lhs_blocks_scalar(kKind, p);
#endif
}

}  // namespace
}  // namespace kai

KAI_DEFINE_LHS_PACK_GETTERS(lhs_quant_pack_qsi8d256p_f32, kRules)

void kai_run_lhs_quant_pack_qsi8d256p_f32(
    size_t m, size_t k, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const float* lhs, size_t lhs_stride,
    void* lhs_packed) {
    kai::check_lhs_call(kai::kRules, k, 0, {mr, kr, sr}, __func__);
    kai::LhsPack p = {m, k, kai::qsi8d256p.block, {mr, kr, sr}, 0, lhs, lhs_stride, lhs_packed};
    p.start_slot = m_idx_start % mr;
    kai::pack_qsi8d256p(p);
}

void kai_run_lhs_quant_pack_qsi8d256p_f32_rows(
    size_t m, size_t k, [[maybe_unused]] size_t bl, size_t mr, size_t kr, size_t sr, const size_t* rows,
    const void* lhs, size_t lhs_stride, void* lhs_packed) {
    kai::check_lhs_call(kai::kRules, k, 0, {mr, kr, sr}, __func__);
    kai::pack_qsi8d256p({m, k, kai::qsi8d256p.block, {mr, kr, sr}, 0, lhs, lhs_stride, lhs_packed, rows});
}
