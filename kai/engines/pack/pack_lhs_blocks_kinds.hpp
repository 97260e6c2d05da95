// LHS packers that quantise block by block: what packers there are, and the functions of one. Those of all CPUs:
// pack_lhs_blocks.cpp; with FAMAX: pack_neon_faminmax.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_lhs_rules.hpp"
#include "kai/engines/pack/pack_neon_lhs_blocks.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"

namespace kai {
namespace {

// clang-format off
constexpr LhsBlockKind kF32      {qsi8d32p,         SourceType::f32, Ties::away};
constexpr LhsBlockKind k4x8sb    {qsi8d32p,         SourceType::f32, Ties::to_even};
constexpr LhsBlockKind kF32Last  {qsi8d32p_last,    SourceType::f32, Ties::away};
constexpr LhsBlockKind kSumsF32  {qsi8d32pscalef32, SourceType::f32, Ties::to_even};
constexpr LhsBlockKind kSumsF16  {qsi8d32pscalef32, SourceType::f16, Ties::away};
constexpr LhsBlockKind k256F32   {qsi8d256p,        SourceType::f32, Ties::to_even};
constexpr LhsBlockKind k16x256F32{qsi8d16x256p,     SourceType::f32, Ties::to_even};
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
constexpr LhsRules kRules256{qsi8d256p, 0, 0, 0, false, 0, 0};
constexpr LhsRules kRules16x256{qsi8d16x256p, 0, 0, 0, false, 0, 0};

}  // namespace
}  // namespace kai

/// `run`, and `run` for rows by a list of indices. FIRST_ROW: what `run` takes m_idx_start for. The last ones: the
/// arguments of pack_blocks.
#define KAI_LHS_PACK_BLOCKS(NAME, RULES, T, FIRST_ROW, ...)                                                     \
    KAI_DEFINE_LHS_PACK_GETTERS_BL(NAME, RULES)                                                                 \
    KAI_RUN_LHS_PACK_BL(NAME, T) {                                                                              \
        kai::check_lhs_call(kai::RULES, {mr, kr, sr}, __func__, k, bl);                                         \
        const void* first = kai::bytes(lhs, FIRST_ROW * lhs_stride);                                            \
        kai::pack_blocks<__VA_ARGS__>({m, k, bl, {mr, kr, sr}, FIRST_ROW % mr, first, lhs_stride, lhs_packed}); \
    }                                                                                                           \
    KAI_RUN_LHS_PACK_ROWS(NAME##_rows) {                                                                        \
        kai::check_lhs_call(kai::RULES, {mr, kr, sr}, __func__, k, bl);                                         \
        kai::pack_blocks<__VA_ARGS__>({m, k, bl, {mr, kr, sr}, 0, lhs, lhs_stride, lhs_packed, rows});          \
    }

/// The same for blocks of 256.
#define KAI_LHS_PACK_256(NAME, RULES, ...)                                                                        \
    KAI_DEFINE_LHS_PACK_GETTERS(NAME, RULES)                                                                      \
    KAI_DEFINE_LHS_PACK_RUN(                                                                                      \
        NAME, RULES, float,                                                                                       \
        kai::pack_blocks<__VA_ARGS__>({m, k, 256, {mr, kr, sr}, m_idx_start % mr, lhs, lhs_stride, lhs_packed});) \
    KAI_RUN_LHS_PACK_ROWS(NAME##_rows) {                                                                          \
        kai::check_lhs_call(kai::RULES, {mr, kr, sr}, __func__, k);                                               \
        kai::pack_blocks<__VA_ARGS__>({m, k, 256, {mr, kr, sr}, 0, lhs, lhs_stride, lhs_packed, rows});           \
    }
