// LHS packers of the families with an int8 LHS that is quantised block by block (formats qsi8d32p*).
//
//     q = round(x * multiplier),  multiplier and scale from amax = max |x| of the block
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_getters.hpp"
#include "kai/src/pack_lhs_blocks_neon.hpp"
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

/// Checks the arguments and packs. The loops are those of the kind, for groups of 8, 4 or both.
template <const LhsBlockKind& kind, typename Source, bool groups_of_8 = true, bool groups_of_4 = true>
KAI_INLINE void pack_qsi8d32p(const LhsPack& p) {
    [[maybe_unused]] const Format& format = kind.format;
    [[maybe_unused]] const Tile t = p.tile;
    KAI_ASSERT_MSG(t.rows > 0, "mr must not be 0");
    KAI_ASSERT_MSG(t.kr > 0, "kr must not be 0");
    KAI_ASSERT_IF_MSG(format.group == Format::kr_over_sr, t.sr > 0 && t.kr % t.sr == 0, "sr must divide kr");
    KAI_ASSERT_MSG(p.bl > 0 && p.bl % format.group_size(t) == 0, "bl must be a multiple of the group (kr / sr, or kr)");
    KAI_ASSERT_MSG(p.k % p.bl == 0, "k must be a multiple of bl");
#if defined(__aarch64__)
    static constexpr BlockLoops loops = block_loops<kind, Source, groups_of_8, groups_of_4>();
    pack_lhs_blocks(kind, loops, p);
#else
    pack_lhs_blocks_scalar(kind, p);
#endif
}

}  // namespace
}  // namespace kai

KAI_DEFINE_LHS_PACK_GETTERS_BL(lhs_quant_pack_qsi8d32p_f32, qsi8d32p)
KAI_DEFINE_LHS_PACK_GETTERS_BL(lhs_quant_pack_qsi8d32p4x8sb_f32_neon, qsi8d32p)
KAI_DEFINE_LHS_PACK_GETTERS_BL(lhs_quant_pack_qsi8d32p_f32_neon, qsi8d32p_last)
KAI_DEFINE_LHS_PACK_GETTERS_BL(lhs_quant_pack_qsi8d32pscalef32_f32_neon, qsi8d32pscalef32)
KAI_DEFINE_LHS_PACK_GETTERS_BL(lhs_quant_pack_qsi8d32pscalef32_f16_neon, qsi8d32pscalef32)

void kai_run_lhs_quant_pack_qsi8d32p_f32(
    size_t m, size_t k, size_t bl, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const float* lhs,
    size_t lhs_stride, void* lhs_packed) {
    kai::pack_qsi8d32p<kai::kF32, kai::SourceF32>({m, k, bl, {mr, kr, sr}, m_idx_start, lhs, lhs_stride, lhs_packed});
}

void kai_run_lhs_quant_pack_qsi8d32p4x8sb_f32_neon(
    size_t m, size_t k, size_t bl, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const float* lhs,
    size_t lhs_stride, void* lhs_packed) {
    KAI_ASSERT_MSG(mr == 4 && kr == 16 && sr == 2, "mr, kr, sr must be 4, 16, 2");
    KAI_ASSERT_MSG(bl % 32 == 0, "bl must be a multiple of 32");
    kai::pack_qsi8d32p<kai::k4x8sb, kai::SourceF32, true, false>(
        {m, k, bl, {mr, kr, sr}, m_idx_start, lhs, lhs_stride, lhs_packed});
}

void kai_run_lhs_quant_pack_qsi8d32p_f32_neon(
    size_t m, size_t k, size_t bl, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const float* lhs,
    size_t lhs_stride, void* lhs_packed) {
    KAI_ASSERT_MSG(kr == 4, "kr must be 4");
    KAI_ASSERT_MSG(bl % 32 == 0, "bl must be a multiple of 32");
    // By convention this packer does not look at m_idx_start: lhs and lhs_packed are those of the first row.
    KAI_UNUSED(m_idx_start);
    kai::pack_qsi8d32p<kai::kF32Last, kai::SourceF32, false, true>(
        {m, k, bl, {mr, kr, sr}, 0, lhs, lhs_stride, lhs_packed});
}

void kai_run_lhs_quant_pack_qsi8d32pscalef32_f32_neon(
    size_t m, size_t k, size_t bl, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const float* lhs,
    size_t lhs_stride, void* lhs_packed) {
    KAI_ASSERT_MSG(bl % 32 == 0, "bl must be a multiple of 32");
    kai::pack_qsi8d32p<kai::kSumsF32, kai::SourceF32>(
        {m, k, bl, {mr, kr, sr}, m_idx_start, lhs, lhs_stride, lhs_packed});
}

void kai_run_lhs_quant_pack_qsi8d32pscalef32_f16_neon(
    size_t m, size_t k, size_t bl, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const void* lhs,
    size_t lhs_stride, void* lhs_packed) {
    KAI_ASSERT_MSG(bl % 32 == 0, "bl must be a multiple of 32");
    kai::pack_qsi8d32p<kai::kSumsF16, kai::SourceF16>(
        {m, k, bl, {mr, kr, sr}, m_idx_start, lhs, lhs_stride, lhs_packed});
}
