// The getters of packers, derived from the formats.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/engines/pack/pack_lhs_rules.hpp"

/// All getters of an LHS packer with blocks of bl. RULES: of type LhsRules.
#define KAI_DEFINE_LHS_PACK_GETTERS_BL(NAME, RULES)                                                               \
    size_t kai_get_m_step_##NAME(size_t mr) {                                                                     \
        return mr;                                                                                                \
    }                                                                                                             \
    size_t kai_get_lhs_offset_##NAME(size_t m_idx, size_t lhs_stride) {                                           \
        return m_idx * lhs_stride;                                                                                \
    }                                                                                                             \
    size_t kai_get_lhs_packed_offset_##NAME(size_t m_idx, size_t k, size_t bl, size_t mr, size_t kr, size_t sr) { \
        kai::check_lhs_shape(kai::RULES, k, bl, {mr, kr, sr}, __func__);                                          \
        return kai::RULES.format.offset({mr, kr, sr}, m_idx, k, bl);                                              \
    }                                                                                                             \
    size_t kai_get_lhs_packed_size_##NAME(size_t m, size_t k, size_t bl, size_t mr, size_t kr, size_t sr) {       \
        kai::check_lhs_shape(kai::RULES, k, bl, {mr, kr, sr}, __func__);                                          \
        return kai::RULES.format.size({mr, kr, sr}, m, k, bl);                                                    \
    }

/// The getters that every RHS packer with blocks of bl has. They want kai_rules_NAME (pack_rhs_rules.hpp). (sr is 2 in
/// all of them; no size depends on it.)
#define KAI_DEFINE_RHS_PACK_GETTERS_BL(NAME)                                                           \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx, size_t rhs_stride) {                                \
        return n_idx * rhs_stride;                                                                     \
    }                                                                                                  \
    size_t kai_get_rhs_packed_offset_##NAME(size_t n_idx, size_t k, size_t nr, size_t kr, size_t bl) { \
        return kai_rhs_packed_offset(n_idx, k, nr, kr, 2, bl, kai_dt_bf16, &kai_rules_##NAME);         \
    }                                                                                                  \
    size_t kai_get_rhs_packed_size_##NAME(size_t n, size_t k, size_t nr, size_t kr, size_t bl) {       \
        return kai_rhs_packed_size(n, k, nr, kr, 2, bl, kai_dt_bf16, &kai_rules_##NAME);               \
    }

/// The getter that some of them have besides.
#define KAI_DEFINE_RHS_PACK_STRIDE_BL(NAME)                                              \
    size_t kai_get_rhs_packed_stride_##NAME(size_t k, size_t nr, size_t kr, size_t bl) { \
        return kai_rhs_packed_stride(k, nr, kr, 2, bl, kai_dt_bf16, &kai_rules_##NAME);  \
    }

/// All getters of an RHS packer with blocks of bl and bf16 scales in an array. RHS_OFFSET: of column n_idx in the
/// source.
#define KAI_DEFINE_RHS_PACK_GETTERS_BL_BF16(NAME, RHS_OFFSET)                                             \
    size_t kai_get_n_step_##NAME(size_t nr) {                                                             \
        return nr;                                                                                        \
    }                                                                                                     \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx, [[maybe_unused]] size_t rhs_stride) {                  \
        return RHS_OFFSET;                                                                                \
    }                                                                                                     \
    size_t kai_get_rhs_packed_stride_##NAME(                                                              \
        size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt) {               \
        return kai_rhs_packed_stride(k, nr, kr, sr, bl, scale_dt, &kai_rules_##NAME);                     \
    }                                                                                                     \
    size_t kai_get_rhs_packed_offset_##NAME(                                                              \
        size_t n_idx, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt) { \
        return kai_rhs_packed_offset(n_idx, k, nr, kr, sr, bl, scale_dt, &kai_rules_##NAME);              \
    }                                                                                                     \
    size_t kai_get_rhs_packed_size_##NAME(                                                                \
        size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt) {     \
        return kai_rhs_packed_size(n, k, nr, kr, sr, bl, scale_dt, &kai_rules_##NAME);                    \
    }

/// All getters of an LHS packer without blocks. FORMAT: a Format, or LhsRules if there are any for getters.
#define KAI_DEFINE_LHS_PACK_GETTERS(NAME, FORMAT)                                                      \
    size_t kai_get_m_step_##NAME(size_t mr) {                                                          \
        return mr;                                                                                     \
    }                                                                                                  \
    size_t kai_get_lhs_offset_##NAME(size_t m_idx, size_t lhs_stride) {                                \
        return m_idx * lhs_stride;                                                                     \
    }                                                                                                  \
    size_t kai_get_lhs_packed_offset_##NAME(size_t m_idx, size_t k, size_t mr, size_t kr, size_t sr) { \
        kai::check_lhs_shape(kai::FORMAT, k, 0, {mr, kr, sr}, __func__);                               \
        return kai::format_of(kai::FORMAT).offset({mr, kr, sr}, m_idx, k);                             \
    }                                                                                                  \
    size_t kai_get_lhs_packed_size_##NAME(size_t m, size_t k, size_t mr, size_t kr, size_t sr) {       \
        kai::check_lhs_shape(kai::FORMAT, k, 0, {mr, kr, sr}, __func__);                               \
        return kai::format_of(kai::FORMAT).size({mr, kr, sr}, m, k);                                   \
    }

/// The getters of an RHS packer without blocks that do not depend on the order of the source, and its panels as data,
/// kai_panels_NAME. BIAS: its type.
#define KAI_DEFINE_RHS_PACK_GETTERS(DEPTH, NAME, FORMAT, NR, KR, SR, BIAS)                      \
    KAI_PANELS(kai_panels_##NAME, rhs, NAME, FORMAT, NR, KR, SR)                                \
    KAI_DEFINE_SIZE(n_step, NAME, NR)                                                           \
    size_t kai_get_bias_offset_##NAME(size_t n_idx) {                                           \
        return n_idx * sizeof(BIAS);                                                            \
    }                                                                                           \
    size_t kai_get_rhs_packed_offset_##NAME(size_t n_idx, KAI_DEPTH_OF_##DEPTH) {               \
        return kai::panels_offset(kai_panels_##NAME, n_idx, KAI_DEPTH_##DEPTH(FORMAT, KR, SR)); \
    }                                                                                           \
    size_t kai_get_rhs_packed_size_##NAME(size_t n, KAI_DEPTH_OF_##DEPTH) {                     \
        return kai::panels_size(kai_panels_##NAME, n, KAI_DEPTH_##DEPTH(FORMAT, KR, SR));       \
    }

/// All getters of an RHS packer without blocks, K x N source of ELEMENT. The packed stride is that of a panel.
#define KAI_DEFINE_RHS_PACK_GETTERS_KXN_(DEPTH, NAME, FORMAT, NR, KR, SR, ELEMENT, BIAS) \
    KAI_DEFINE_RHS_PACK_GETTERS(DEPTH, NAME, FORMAT, NR, KR, SR, BIAS)                   \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx) {                                     \
        return n_idx * sizeof(ELEMENT);                                                  \
    }                                                                                    \
    size_t kai_get_rhs_packed_stride_##NAME(KAI_DEPTH_OF_##DEPTH) {                      \
        return kai::panels_stride(kai_panels_##NAME, KAI_DEPTH_##DEPTH(FORMAT, KR, SR)); \
    }
#define KAI_DEFINE_RHS_PACK_GETTERS_KXN(...) KAI_DEFINE_RHS_PACK_GETTERS_KXN_(K, __VA_ARGS__)

/// The same for indirect matmul.
#define KAI_DEFINE_RHS_IMATMUL_PACK_GETTERS(...) KAI_DEFINE_RHS_PACK_GETTERS_KXN_(CHUNKS, __VA_ARGS__)

/// All getters of an RHS packer without blocks, N x K source. The packed stride is that of one column.
#define KAI_DEFINE_RHS_PACK_GETTERS_NXK(NAME, FORMAT, NR, KR, SR, BIAS) \
    KAI_DEFINE_RHS_PACK_GETTERS(K, NAME, FORMAT, NR, KR, SR, BIAS)      \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx, size_t rhs_stride) { \
        return n_idx * rhs_stride;                                      \
    }                                                                   \
    size_t kai_get_rhs_packed_stride_##NAME(size_t k) {                 \
        return kai::FORMAT.stride({1, KR, SR}, k);                      \
    }

/// All getters of an LHS packer for indirect matmul, and its panels as data, kai_panels_NAME.
#define KAI_DEFINE_LHS_IMATMUL_PACK_GETTERS(NAME, FORMAT, MR, KR, SR)                          \
    KAI_PANELS(kai_panels_##NAME, lhs, NAME, FORMAT, MR, KR, SR)                               \
    KAI_DEFINE_SIZE(m_step, NAME, MR)                                                          \
    size_t kai_get_lhs_packed_offset_##NAME(size_t m_idx, KAI_DEPTH_OF_CHUNKS) {               \
        return kai::panels_offset(kai_panels_##NAME, m_idx, KAI_DEPTH_CHUNKS(FORMAT, KR, SR)); \
    }                                                                                          \
    size_t kai_get_lhs_packed_size_##NAME(size_t m, KAI_DEPTH_OF_CHUNKS) {                     \
        return kai::panels_size(kai_panels_##NAME, m, KAI_DEPTH_CHUNKS(FORMAT, KR, SR));       \
    }

/// Offset of the scale of a column, of packers of formats that have scales.
#define KAI_DEFINE_RHS_PACK_SCALE_OFFSET(NAME)         \
    size_t kai_get_scale_offset_##NAME(size_t n_idx) { \
        return n_idx * sizeof(float);                  \
    }

/// All getters of an RHS packer with one scale per column. OFFSET: that of column n_idx, whose rows are rhs_stride
/// apart.
#define KAI_DEFINE_RHS_PACK_GETTERS_CX(NAME, OFFSET)                                                   \
    size_t kai_get_n_step_##NAME(size_t nr) {                                                          \
        return nr;                                                                                     \
    }                                                                                                  \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx, [[maybe_unused]] size_t rhs_stride) {               \
        return OFFSET;                                                                                 \
    }                                                                                                  \
    size_t kai_get_rhs_packed_stride_##NAME(size_t k, size_t nr, size_t kr, size_t sr) {               \
        return kai_rhs_packed_stride(k, nr, kr, sr, 0, kai_dt_bf16, &kai_rules_##NAME);                \
    }                                                                                                  \
    size_t kai_get_rhs_packed_offset_##NAME(size_t n_idx, size_t k, size_t nr, size_t kr, size_t sr) { \
        return kai_rhs_packed_offset(n_idx, k, nr, kr, sr, 0, kai_dt_bf16, &kai_rules_##NAME);         \
    }                                                                                                  \
    size_t kai_get_rhs_packed_size_##NAME(size_t n, size_t k, size_t nr, size_t kr, size_t sr) {       \
        return kai_rhs_packed_size(n, k, nr, kr, sr, 0, kai_dt_bf16, &kai_rules_##NAME);               \
    }

namespace kai {
namespace {

/// What the getters of packers with blocks ask for; `run` asks for more.
KAI_INLINE void check_whole_blocks([[maybe_unused]] size_t k, [[maybe_unused]] size_t bl) {
    KAI_ASSERT_MSG(bl > 0, "bl must not be 0");
    KAI_ASSERT_IF_MSG(bl > 0, k % bl == 0, "k must be a multiple of bl");
}

}  // namespace
}  // namespace kai
