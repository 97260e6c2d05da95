// The getters of micro-kernels and packers, derived from the catalogue line and the formats.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/layout.hpp"

/// A size of the catalogue that scales with the streaming vector length: n words of 32 bits per vector.
#define VL(n) ((n) * static_cast<size_t>(kai_get_sme_vector_length_u32()))

#define KAI_DEFINE_MATMUL_TILE(NAME, MR, NR, KR, SR, M_STEP, N_STEP) \
    size_t kai_get_m_step_##NAME() {                                 \
        return M_STEP;                                               \
    }                                                                \
    size_t kai_get_n_step_##NAME() {                                 \
        return N_STEP;                                               \
    }                                                                \
    size_t kai_get_mr_##NAME() {                                     \
        return MR;                                                   \
    }                                                                \
    size_t kai_get_nr_##NAME() {                                     \
        return NR;                                                   \
    }                                                                \
    size_t kai_get_kr_##NAME() {                                     \
        return KR;                                                   \
    }                                                                \
    size_t kai_get_sr_##NAME() {                                     \
        return SR;                                                   \
    }

#define KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, ELEMENT_BYTES)                    \
    size_t kai_get_dst_offset_##NAME(size_t m_idx, size_t n_idx, size_t dst_stride) { \
        KAI_ASSERT_MSG(m_idx % (M_STEP) == 0, "m_idx must be a multiple of m_step");  \
        KAI_ASSERT_MSG(n_idx % (N_STEP) == 0, "n_idx must be a multiple of n_step");  \
        return m_idx * dst_stride + n_idx * (ELEMENT_BYTES);                          \
    }                                                                                 \
    size_t kai_get_dst_size_##NAME(size_t m, size_t n) {                              \
        return m * n * (ELEMENT_BYTES);                                               \
    }

// An index is that of the first row (column) of a panel: a step is one or several panels.
#define KAI_DEFINE_MATMUL_PACKED_OFFSET(SIDE, IDX, NAME, FORMAT, ROWS, KR, SR)               \
    size_t kai_get_##SIDE##_packed_offset_##NAME(size_t IDX, size_t k) {                     \
        KAI_ASSERT_MSG(IDX % (ROWS) == 0, #IDX " must be a multiple of the panel's height"); \
        return kai::FORMAT.offset({ROWS, KR, SR}, IDX, k);                                   \
    }

#define KAI_DEFINE_MATMUL_PACKED_OFFSET_BL(SIDE, IDX, NAME, FORMAT, ROWS, KR, SR)            \
    size_t kai_get_##SIDE##_packed_offset_##NAME(size_t IDX, size_t k, size_t bl) {          \
        kai::check_blocks(k, bl);                                                            \
        KAI_ASSERT_MSG(IDX % (ROWS) == 0, #IDX " must be a multiple of the panel's height"); \
        return kai::FORMAT.offset({ROWS, KR, SR}, IDX, k, bl);                               \
    }

/// All getters of a micro-kernel whose operands have no blocks.
#define KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, ELEMENT_BYTES) \
    KAI_DEFINE_MATMUL_TILE(NAME, MR, NR, KR, SR, M_STEP, N_STEP)                                 \
    KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, ELEMENT_BYTES)                                   \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(lhs, m_idx, NAME, LHS, MR, KR, SR)                           \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(rhs, n_idx, NAME, RHS, NR, KR, SR)

/// All getters of a micro-kernel whose operands are quantised in blocks of bl.
#define KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, ELEMENT_BYTES) \
    KAI_DEFINE_MATMUL_TILE(NAME, MR, NR, KR, SR, M_STEP, N_STEP)                                    \
    KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, ELEMENT_BYTES)                                      \
    KAI_DEFINE_MATMUL_PACKED_OFFSET_BL(lhs, m_idx, NAME, LHS, MR, KR, SR)                           \
    KAI_DEFINE_MATMUL_PACKED_OFFSET_BL(rhs, n_idx, NAME, RHS, NR, KR, SR)

/// All getters of a micro-kernel whose RHS alone is quantised in blocks of bl.
#define KAI_DEFINE_MATMUL_GETTERS_RHS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, ELEMENT_BYTES) \
    KAI_DEFINE_MATMUL_TILE(NAME, MR, NR, KR, SR, M_STEP, N_STEP)                                        \
    KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, ELEMENT_BYTES)                                          \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(lhs, m_idx, NAME, LHS, MR, KR, SR)                                  \
    KAI_DEFINE_MATMUL_PACKED_OFFSET_BL(rhs, n_idx, NAME, RHS, NR, KR, SR)

namespace kai {
namespace {

KAI_INLINE void check_blocks([[maybe_unused]] size_t k, [[maybe_unused]] size_t bl) {
    KAI_ASSERT_MSG(bl > 0 && bl % 32 == 0, "bl must be a multiple of 32");
    KAI_ASSERT_IF_MSG(bl > 0, k % bl == 0, "k must be a multiple of bl");
}

/// Preconditions that all classic micro-kernels share.
KAI_INLINE void check_output(
    [[maybe_unused]] size_t dst_stride_col, [[maybe_unused]] size_t element_bytes, [[maybe_unused]] float lo,
    [[maybe_unused]] float hi) {
    KAI_ASSERT_MSG(dst_stride_col == element_bytes, "dst_stride_col must be the size of an element");
    KAI_ASSERT_MSG(lo <= hi, "the lower clamp bound must not exceed the upper one");
}

}  // namespace
}  // namespace kai
