// LHS packers of f32 that quantise block by block, with FAMAX: the bytes of those in pack_lhs_blocks.cpp.
//
// FAMAX finds the larger of two magnitudes, where bit patterns take an operation for each value to clear the sign and
// one to compare. It makes a quiet NaN of any: blocks with a NaN are searched again by bit patterns, whose NaN counts.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/faminmax.hpp"
#include "kai/engines/pack/pack_lhs_blocks_kinds.hpp"

namespace kai {
namespace {

/// Larger magnitudes of 32 values: that of all is the largest lane.
KAI_INLINE uint32x4_t famax_of_32(const uint8_t* src) {
    uint32x4_t v[8];
    KAI_UNROLL(8)
    for (size_t i = 0; i < 8; ++i) {
        v[i] = load<uint32x4_t>(src + 16 * i);
    }
    return famax(famax(famax(v[0], v[1]), famax(v[2], v[3])), famax(famax(v[4], v[5]), famax(v[6], v[7])));
}

[[gnu::noinline, gnu::cold]] float32x4_t largest_bits(const FourRows& src, size_t bl) {
    return LargestBits::of<Elements<SourceType::f32>>(src, bl);
}

struct LargestByFamax {
    template <typename Source>
    KAI_INLINE static float32x4_t of(const FourRows& src, size_t bl) {
        static_assert(Source::size == sizeof(float));
        uint32x4_t top[4];
        KAI_UNROLL(4)
        for (size_t r = 0; r < 4; ++r) {
            top[r] = famax_of_32(src.at[r]);
        }
        for (size_t j = 32; j < bl; j += 32) {
            KAI_UNROLL(4)
            for (size_t r = 0; r < 4; ++r) {
                top[r] = famax(top[r], famax_of_32(src.at[r] + j * sizeof(float)));
            }
        }
        const float32x4_t amax = Source::largest_of_each(top[0], top[1], top[2], top[3]);
        return has_nan(amax) ? largest_bits(FourRows(src), bl) : amax;
    }
};

constexpr LhsRules kRulesF32In32 = rules_of(kF32, {0, 0, 0}, 32);

}  // namespace
}  // namespace kai

#define KAI_BY_FAMAX(KIND) kai::KIND, true, true, kai::LargestByFamax
KAI_LHS_PACK_BLOCKS(lhs_quant_pack_qsi8d32p_f32_neon_faminmax, kRulesF32In32, float, m_idx_start, KAI_BY_FAMAX(kF32))
KAI_LHS_PACK_BLOCKS(
    lhs_quant_pack_qsi8d32pscalef32_f32_neon_faminmax, kRulesSumsF32, float, m_idx_start, KAI_BY_FAMAX(kSumsF32))
KAI_LHS_PACK_256(lhs_quant_pack_qsi8d256p_f32_neon_faminmax, kRules256, KAI_BY_FAMAX(k256F32))
KAI_LHS_PACK_256(lhs_quant_pack_qsi8d16x256p_f32_neon_faminmax, kRules16x256, KAI_BY_FAMAX(k16x256F32))
