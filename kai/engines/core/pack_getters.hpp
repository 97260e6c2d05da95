// The getters of packers, derived from the formats. Those of packers with rules call what checks the rules:
// pack_lhs_rules.hpp, pack_rhs_rules.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/run_functions.hpp"

namespace kai {
namespace {

/// LHS packers whose rules only `run` checks give their Format where others give their LhsRules.
KAI_INLINE void check_lhs_getter(const Format&, Tile, const char*, size_t) {
}
constexpr const Format& format_of(const Format& format) {
    return format;
}

}  // namespace
}  // namespace kai

/// The depth of an LHS getter whose parameters are KAI_DEPTH_OF_K or KAI_DEPTH_OF_BL.
#define KAI_LHS_DEPTH_K k
#define KAI_LHS_DEPTH_BL k, bl

/// The getters of an LHS packer that do not depend on the depth. M_STEP: `mr`, or the only one.
#define KAI_DEFINE_LHS_PACK_STEPS(NAME, M_STEP)                         \
    size_t kai_get_m_step_##NAME([[maybe_unused]] size_t mr) {          \
        return KAI_CHECKED(M_STEP, m_step, NAME);                       \
    }                                                                   \
    size_t kai_get_lhs_offset_##NAME(size_t m_idx, size_t lhs_stride) { \
        return m_idx * lhs_stride;                                      \
    }

/// The other getters, without blocks (DEPTH: K) or with blocks of bl (BL). FORMAT: a Format, or LhsRules if getters
/// have rules.
#define KAI_DEFINE_LHS_PACKED_GETTERS(DEPTH, NAME, FORMAT)                                                         \
    size_t kai_get_lhs_packed_offset_##NAME(size_t m_idx, KAI_DEPTH_OF_##DEPTH, size_t mr, size_t kr, size_t sr) { \
        kai::check_lhs_getter(kai::FORMAT, {mr, kr, sr}, __func__, KAI_LHS_DEPTH_##DEPTH);                         \
        return kai::format_of(kai::FORMAT).offset({mr, kr, sr}, m_idx, KAI_LHS_DEPTH_##DEPTH);                     \
    }                                                                                                              \
    size_t kai_get_lhs_packed_size_##NAME(size_t m, KAI_DEPTH_OF_##DEPTH, size_t mr, size_t kr, size_t sr) {       \
        kai::check_lhs_getter(kai::FORMAT, {mr, kr, sr}, __func__, KAI_LHS_DEPTH_##DEPTH);                         \
        return kai::format_of(kai::FORMAT).size({mr, kr, sr}, m, KAI_LHS_DEPTH_##DEPTH);                           \
    }
/// All getters.
#define KAI_DEFINE_LHS_PACK_GETTERS_OF(M_STEP, DEPTH, NAME, FORMAT) \
    KAI_DEFINE_LHS_PACK_STEPS(NAME, M_STEP)                         \
    KAI_DEFINE_LHS_PACKED_GETTERS(DEPTH, NAME, FORMAT)
#define KAI_DEFINE_LHS_PACK_GETTERS(...) KAI_DEFINE_LHS_PACK_GETTERS_OF(mr, K, __VA_ARGS__)
#define KAI_DEFINE_LHS_PACK_GETTERS_BL(...) KAI_DEFINE_LHS_PACK_GETTERS_OF(mr, BL, __VA_ARGS__)
/// Those that follow from kai_panels_NAME alone; arguments for the tile are ignored.
#define KAI_DEFINE_LHS_PACKED_GETTERS_OF_PANELS(NAME)                                                              \
    size_t kai_get_lhs_packed_offset_##NAME(size_t m_idx, size_t k, size_t /*mr*/, size_t /*kr*/, size_t /*sr*/) { \
        return kai::panels_offset(kai_panels_##NAME, m_idx, k, 0);                                                 \
    }                                                                                                              \
    size_t kai_get_lhs_packed_size_##NAME(size_t m, size_t k, size_t /*mr*/, size_t /*kr*/, size_t /*sr*/) {       \
        return kai::panels_size(kai_panels_##NAME, m, k, 0);                                                       \
    }

/// kai_run_NAME of an LHS packer without blocks, from elements of T: checks the shape, then does what follows.
#define KAI_DEFINE_LHS_PACK_RUN(NAME, RULES, T, ...)                                           \
    void kai_run_##NAME(                                                                       \
        size_t m, size_t k, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const T* lhs, \
        [[maybe_unused]] size_t lhs_stride, void* lhs_packed) {                                \
        kai::check_lhs_call(kai::RULES, {mr, kr, sr}, __func__, k);                            \
        __VA_ARGS__                                                                            \
    }

/// @name The shape of an RHS as getters take it, besides an index, and as kai_rhs_packed_* take it
/// NR: one tile. CX: one scale per column. BL: blocks of bl; sr is 2, and no size depends on it. BL_BF16: their scales
/// are bf16, in an array.
/// @{
#define KAI_RHS_SHAPE_OF_NR size_t k, size_t nr, size_t kr
#define KAI_RHS_SHAPE_NR k, nr, kr, 1, 0, kai_dt_bf16
#define KAI_RHS_SHAPE_OF_CX size_t k, size_t nr, size_t kr, size_t sr
#define KAI_RHS_SHAPE_CX k, nr, kr, sr, 0, kai_dt_bf16
#define KAI_RHS_SHAPE_OF_BL size_t k, size_t nr, size_t kr, size_t bl
#define KAI_RHS_SHAPE_BL k, nr, kr, 2, bl, kai_dt_bf16
#define KAI_RHS_SHAPE_OF_BL_BF16 size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt
#define KAI_RHS_SHAPE_BL_BF16 k, nr, kr, sr, bl, scale_dt
/// @}

/// Getters of an RHS packer that follow from kai_rules_NAME (pack_rhs_rules.hpp).
#define KAI_DEFINE_RHS_PACKED_GETTERS(SHAPE, NAME)                                     \
    size_t kai_get_rhs_packed_offset_##NAME(size_t n_idx, KAI_RHS_SHAPE_OF_##SHAPE) {  \
        return kai_rhs_packed_offset(n_idx, KAI_RHS_SHAPE_##SHAPE, &kai_rules_##NAME); \
    }                                                                                  \
    size_t kai_get_rhs_packed_size_##NAME(size_t n, KAI_RHS_SHAPE_OF_##SHAPE) {        \
        return kai_rhs_packed_size(n, KAI_RHS_SHAPE_##SHAPE, &kai_rules_##NAME);       \
    }
#define KAI_DEFINE_RHS_PACKED_STRIDE(SHAPE, NAME)                               \
    size_t kai_get_rhs_packed_stride_##NAME(KAI_RHS_SHAPE_OF_##SHAPE) {         \
        return kai_rhs_packed_stride(KAI_RHS_SHAPE_##SHAPE, &kai_rules_##NAME); \
    }

/// The getters of an RHS packer of SHAPE BL, but that of the stride.
#define KAI_DEFINE_RHS_PACK_GETTERS_BL(NAME)                            \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx, size_t rhs_stride) { \
        return n_idx * rhs_stride;                                      \
    }                                                                   \
    KAI_DEFINE_RHS_PACKED_GETTERS(BL, NAME)

/// All getters of an RHS packer of SHAPE CX or BL_BF16. OFFSET: that of column n_idx, whose rows are rhs_stride apart.
#define KAI_DEFINE_RHS_PACK_GETTERS_(SHAPE, NAME, OFFSET)                                \
    size_t kai_get_n_step_##NAME(size_t nr) {                                            \
        return nr;                                                                       \
    }                                                                                    \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx, [[maybe_unused]] size_t rhs_stride) { \
        return OFFSET;                                                                   \
    }                                                                                    \
    KAI_DEFINE_RHS_PACKED_STRIDE(SHAPE, NAME)                                            \
    KAI_DEFINE_RHS_PACKED_GETTERS(SHAPE, NAME)
#define KAI_DEFINE_RHS_PACK_GETTERS_CX(...) KAI_DEFINE_RHS_PACK_GETTERS_(CX, __VA_ARGS__)
#define KAI_DEFINE_RHS_PACK_GETTERS_BL_BF16(...) KAI_DEFINE_RHS_PACK_GETTERS_(BL_BF16, __VA_ARGS__)

/// The panels of an RHS packer without blocks as data, kai_panels_NAME, and the getters that take no depth. BIAS: type
/// of the bias.
#define KAI_DEFINE_RHS_PACK_STEPS(NAME, FORMAT, NR, KR, SR, BIAS) \
    KAI_PANELS(kai_panels_##NAME, rhs, NAME, FORMAT, NR, KR, SR)  \
    KAI_DEFINE_SIZE(n_step, NAME, NR)                             \
    size_t kai_get_bias_offset_##NAME(size_t n_idx) {             \
        return n_idx * sizeof(BIAS);                              \
    }

/// Getters of SIDE, lhs or rhs, that follow from kai_panels_NAME.
#define KAI_DEFINE_PANELS_GETTERS(SIDE, DEPTH, NAME, FORMAT, KR, SR)                            \
    size_t kai_get_##SIDE##_packed_offset_##NAME(size_t index, KAI_DEPTH_OF_##DEPTH) {          \
        return kai::panels_offset(kai_panels_##NAME, index, KAI_DEPTH_##DEPTH(FORMAT, KR, SR)); \
    }                                                                                           \
    size_t kai_get_##SIDE##_packed_size_##NAME(size_t count, KAI_DEPTH_OF_##DEPTH) {            \
        return kai::panels_size(kai_panels_##NAME, count, KAI_DEPTH_##DEPTH(FORMAT, KR, SR));   \
    }

/// All getters of an RHS packer without blocks, K x N source of ELEMENT, but kai_get_rhs_packed_offset_* and _size_*.
/// The packed stride is that of a panel.
#define KAI_DEFINE_RHS_PACK_STEPS_KXN(DEPTH, NAME, FORMAT, NR, KR, SR, ELEMENT, BIAS)    \
    KAI_DEFINE_RHS_PACK_STEPS(NAME, FORMAT, NR, KR, SR, BIAS)                            \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx) {                                     \
        return n_idx * sizeof(ELEMENT);                                                  \
    }                                                                                    \
    size_t kai_get_rhs_packed_stride_##NAME(KAI_DEPTH_OF_##DEPTH) {                      \
        return kai::panels_stride(kai_panels_##NAME, KAI_DEPTH_##DEPTH(FORMAT, KR, SR)); \
    }

/// All of them.
#define KAI_DEFINE_RHS_PACK_GETTERS_KXN_(DEPTH, NAME, FORMAT, NR, KR, SR, ELEMENT, BIAS) \
    KAI_DEFINE_RHS_PACK_STEPS_KXN(DEPTH, NAME, FORMAT, NR, KR, SR, ELEMENT, BIAS)        \
    KAI_DEFINE_PANELS_GETTERS(rhs, DEPTH, NAME, FORMAT, KR, SR)
#define KAI_DEFINE_RHS_PACK_GETTERS_KXN(...) KAI_DEFINE_RHS_PACK_GETTERS_KXN_(K, __VA_ARGS__)

/// The same for indirect matmul.
#define KAI_DEFINE_RHS_IMATMUL_PACK_GETTERS(...) KAI_DEFINE_RHS_PACK_GETTERS_KXN_(CHUNKS, __VA_ARGS__)

/// The same of an N x K source.
#define KAI_DEFINE_RHS_IMATMUL_PACK_GETTERS_NXK(NAME, FORMAT, NR, KR, SR, BIAS)         \
    KAI_DEFINE_RHS_PACK_STEPS(NAME, FORMAT, NR, KR, SR, BIAS)                           \
    KAI_DEFINE_PANELS_GETTERS(rhs, CHUNKS, NAME, FORMAT, KR, SR)                        \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx, size_t rhs_stride) {                 \
        return n_idx * rhs_stride;                                                      \
    }                                                                                   \
    size_t kai_get_rhs_packed_stride_##NAME(KAI_DEPTH_OF_CHUNKS) {                      \
        return kai::panels_stride(kai_panels_##NAME, KAI_DEPTH_CHUNKS(FORMAT, KR, SR)); \
    }

/// All getters of an RHS packer without blocks, N x K source. The packed stride is that of one column.
#define KAI_DEFINE_RHS_PACK_GETTERS_NXK(NAME, FORMAT, NR, KR, SR, BIAS) \
    KAI_DEFINE_RHS_PACK_STEPS(NAME, FORMAT, NR, KR, SR, BIAS)           \
    KAI_DEFINE_PANELS_GETTERS(rhs, K, NAME, FORMAT, KR, SR)             \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx, size_t rhs_stride) { \
        return n_idx * rhs_stride;                                      \
    }                                                                   \
    size_t kai_get_rhs_packed_stride_##NAME(size_t k) {                 \
        return kai::FORMAT.stride({1, KR, SR}, k);                      \
    }

/// All getters of an LHS packer for indirect matmul, and its panels as data, kai_panels_NAME.
#define KAI_DEFINE_LHS_IMATMUL_PACK_GETTERS(NAME, FORMAT, MR, KR, SR) \
    KAI_PANELS(kai_panels_##NAME, lhs, NAME, FORMAT, MR, KR, SR)      \
    KAI_DEFINE_SIZE(m_step, NAME, MR)                                 \
    KAI_DEFINE_PANELS_GETTERS(lhs, CHUNKS, NAME, FORMAT, KR, SR)

/// Offset of the scale of a column, of packers of formats that have scales.
#define KAI_DEFINE_RHS_PACK_SCALE_OFFSET(NAME)         \
    size_t kai_get_scale_offset_##NAME(size_t n_idx) { \
        return n_idx * sizeof(float);                  \
    }
