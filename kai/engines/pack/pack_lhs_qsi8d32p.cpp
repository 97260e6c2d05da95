// LHS packers of the families with an int8 LHS that is quantised block by block (formats qsi8d32p*).
//
//     q = round(x * multiplier),  multiplier and scale from amax = max |x| of the block
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_lhs_blocks.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"

namespace kai {
namespace {

// clang-format off
constexpr LhsBlockKind kF32      {qsi8d32p,         SourceType::f32, ScaleRule::amax_over_127,    Ties::away};
constexpr LhsBlockKind k4x8sb    {qsi8d32p,         SourceType::f32, ScaleRule::amax_over_127,    Ties::to_even};
constexpr LhsBlockKind kF32Last  {qsi8d32p_last,    SourceType::f32, ScaleRule::amax_over_127,    Ties::away};
constexpr LhsBlockKind kSumsF32  {qsi8d32pscalef32, SourceType::f32, ScaleRule::of_127_over_amax, Ties::to_even};
constexpr LhsBlockKind kSumsF16  {qsi8d32pscalef32, SourceType::f16, ScaleRule::of_127_over_amax, Ties::away};
// clang-format on

/// The rules of a kind. Any mr, kr and sr but those of `only`.
constexpr LhsRules rules_of(const LhsBlockKind& kind, Tile only, size_t bl_multiple) {
    return {kind.format, only.rows, only.kr, only.sr, true, bl_multiple, 0};
}
constexpr LhsRules kRulesF32 = rules_of(kF32, {0, 0, 0}, 0);
constexpr LhsRules kRules4x8sb = rules_of(k4x8sb, {4, 16, 2}, 32);
constexpr LhsRules kRulesF32Last = rules_of(kF32Last, {0, 4, 0}, 32);
constexpr LhsRules kRulesSumsF32 = rules_of(kSumsF32, {0, 0, 0}, 32);
constexpr LhsRules kRulesSumsF16 = rules_of(kSumsF16, {0, 0, 0}, 32);

/// Packs. The loops are those of the kind, for groups of 8, 4 or both.
template <const LhsBlockKind& kind, typename Source, bool groups_of_8 = true, bool groups_of_4 = true>
KAI_INLINE void pack_qsi8d32p(const LhsPack& p) {
#if defined(__aarch64__)
    static constexpr BlockLoops loops = block_loops<kind, Source, groups_of_8, groups_of_4>();
    pack_lhs_blocks(kind, loops, p);
#else
    pack_lhs_blocks_scalar(kind, p);
#endif
}

}  // namespace
}  // namespace kai

KAI_DEFINE_LHS_PACK_GETTERS_BL(lhs_quant_pack_qsi8d32p_f32, kRulesF32)
KAI_DEFINE_LHS_PACK_GETTERS_BL(lhs_quant_pack_qsi8d32p4x8sb_f32_neon, kRules4x8sb)
KAI_DEFINE_LHS_PACK_GETTERS_BL(lhs_quant_pack_qsi8d32p_f32_neon, kRulesF32Last)
KAI_DEFINE_LHS_PACK_GETTERS_BL(lhs_quant_pack_qsi8d32pscalef32_f32_neon, kRulesSumsF32)
KAI_DEFINE_LHS_PACK_GETTERS_BL(lhs_quant_pack_qsi8d32pscalef32_f16_neon, kRulesSumsF16)

/// `run`, and `run` for rows by a list of indices. FIRST_ROW: what `run` takes m_idx_start for. The last ones: the
/// arguments of pack_qsi8d32p.
#define KAI_LHS_PACK_BLOCKS(NAME, RULES, T, FIRST_ROW, ...)                                                  \
    void kai_run_##NAME(                                                                                     \
        size_t m, size_t k, size_t bl, size_t mr, size_t kr, size_t sr, [[maybe_unused]] size_t m_idx_start, \
        const T* lhs, size_t lhs_stride, void* lhs_packed) {                                                 \
        kai::check_lhs_call(kai::RULES, k, bl, {mr, kr, sr}, __func__);                                      \
        kai::pack_qsi8d32p<__VA_ARGS__>({m, k, bl, {mr, kr, sr}, FIRST_ROW, lhs, lhs_stride, lhs_packed});   \
    }                                                                                                        \
    void kai_run_##NAME##_rows(                                                                              \
        size_t m, size_t k, size_t bl, size_t mr, size_t kr, size_t sr, const size_t* rows, const void* lhs, \
        size_t lhs_stride, void* lhs_packed) {                                                               \
        kai::check_lhs_call(kai::RULES, k, bl, {mr, kr, sr}, __func__);                                      \
        kai::pack_qsi8d32p<__VA_ARGS__>({m, k, bl, {mr, kr, sr}, 0, lhs, lhs_stride, lhs_packed, rows});     \
    }
KAI_LHS_PACK_BLOCKS(lhs_quant_pack_qsi8d32p_f32, kRulesF32, float, m_idx_start, kai::kF32, kai::SourceF32)
KAI_LHS_PACK_BLOCKS(
    lhs_quant_pack_qsi8d32p4x8sb_f32_neon, kRules4x8sb, float, m_idx_start, kai::k4x8sb, kai::SourceF32, true, false)
// By convention this packer ignores m_idx_start: lhs and lhs_packed are those of the first row.
KAI_LHS_PACK_BLOCKS(
    lhs_quant_pack_qsi8d32p_f32_neon, kRulesF32Last, float, 0, kai::kF32Last, kai::SourceF32, false, true)
KAI_LHS_PACK_BLOCKS(
    lhs_quant_pack_qsi8d32pscalef32_f32_neon, kRulesSumsF32, float, m_idx_start, kai::kSumsF32, kai::SourceF32)
KAI_LHS_PACK_BLOCKS(
    lhs_quant_pack_qsi8d32pscalef32_f16_neon, kRulesSumsF16, void, m_idx_start, kai::kSumsF16, kai::SourceF16)
