// LHS packers of the families with an int8 LHS that is quantised row by row (format qai8dxp).
//
//     q = clamp(round(x * 255 / (hi - lo)) + zero point, -128, 127),  lo and hi the range of the row and 0
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_lhs_rules.hpp"
#include "kai/engines/pack/pack_neon_lhs_rows.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"

namespace kai {
namespace {

constexpr LhsRowKind kF32{SourceType::f32, Rounding::away};
constexpr LhsRowKind kF16{SourceType::f16, Rounding::all_but_8_to_even};
constexpr LhsRowKind kBf16{SourceType::bf16, Rounding::groups_to_even};

constexpr LhsRules kRules{qai8dxp, 0, 0, 0, false, 0, 0};

/// Packs.
template <const LhsRowKind& kind>
KAI_INLINE void pack_qai8dxp(
    size_t m, size_t k, const Tile& t, size_t m_idx_start, const void* lhs, size_t lhs_stride, void* packed,
    const size_t* indices = nullptr) {
    const LhsRows rows = {m, k, 0, t, m_idx_start % t.rows, lhs, lhs_stride, packed, indices};
#if defined(__aarch64__)
    static constexpr RowLoops loops = row_loops<kind>();
    pack_lhs_rows(kind, loops, rows);
#else
    pack_lhs_rows(kind, rows);
#endif
}

}  // namespace
}  // namespace kai

/// `run`, and `run` for rows by a list of indices. KIND: F32, F16 or Bf16.
#define KAI_LHS_PACK_ROWS(NAME, KIND, T)                                                                \
    KAI_DEFINE_LHS_PACK_GETTERS(NAME, kRules)                                                           \
    KAI_DEFINE_LHS_PACK_RUN(                                                                            \
        NAME, kRules, T,                                                                                \
        kai::pack_qai8dxp<kai::k##KIND>(m, k, {mr, kr, sr}, m_idx_start, lhs, lhs_stride, lhs_packed);) \
    KAI_RUN_LHS_PACK_ROWS(NAME##_rows) {                                                                \
        kai::check_lhs_call(kai::kRules, {mr, kr, sr}, __func__, k);                                    \
        kai::pack_qai8dxp<kai::k##KIND>(m, k, {mr, kr, sr}, 0, lhs, lhs_stride, lhs_packed, rows);      \
    }
KAI_LHS_PACK_ROWS(lhs_quant_pack_qai8dxp_f32, F32, float)
KAI_LHS_PACK_ROWS(lhs_quant_pack_qai8dxp_f16_neon, F16, void)
KAI_LHS_PACK_ROWS(lhs_quant_pack_qai8dxp_bf16_neon, Bf16, void)
