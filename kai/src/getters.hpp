// The getters of micro-kernels and packers, derived from the catalogue line and the formats.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/cpu.hpp"
#include "kai/src/layout.hpp"

namespace kai {
namespace {

/// Who asks for a size that scales with a vector length: the function `prefix``name`, for the sentence that it says on
/// a CPU without such vectors. {}: a run function, which is not called there, and nothing is checked.
struct Getter {
    const char *prefix, *name;
};

/// In the place of a Getter: the length does not matter, and no CPU is asked.
struct AnyLength {};

KAI_INLINE size_t sme_words(size_t n, Getter getter) {
    return getter.name != nullptr ? kai_checked_sme_words(n, getter.prefix, getter.name)
                                  : n * static_cast<size_t>(kai_get_sme_vector_length_u32());
}
KAI_INLINE size_t sve_words(size_t n, Getter getter) {
    return getter.name != nullptr ? kai_checked_sve_words(n, getter.prefix, getter.name)
                                  : n * static_cast<size_t>(kai_get_sve_vector_length_u32());
}
KAI_INLINE constexpr size_t sme_words(size_t n, AnyLength) {
    return n;
}
KAI_INLINE constexpr size_t sve_words(size_t n, AnyLength) {
    return n;
}

}  // namespace
}  // namespace kai

/// Outside of getters.
[[maybe_unused]] static constexpr kai::Getter kai_getter = {};

/// A size of the catalogue that scales with the streaming vector length: n words of 32 bits per vector.
#define VL(n) kai::sme_words(n, kai_getter)

/// The same of SVE: n words of 32 bits per vector.
#define SVE(n) kai::sve_words(n, kai_getter)

/// @name An m_step of 1 in the catalogue, where that is not: any m, row after row
/// @{
[[maybe_unused]] static constexpr size_t ONE_ROW = 1;   // m is 0 or 1
[[maybe_unused]] static constexpr size_t ANY_ROWS = 1;  // any m, several rows at a time
/// @}

/// First in the body of the getter kai_get_<WHAT>_<NAME>: where VL and SVE find who asks.
#define KAI_GETTER(WHAT, NAME) [[maybe_unused]] constexpr kai::Getter kai_getter = {"kai_get_" #WHAT "_", #NAME};

#define KAI_DEFINE_SIZE(WHAT, NAME, VALUE) \
    size_t kai_get_##WHAT##_##NAME() {     \
        KAI_GETTER(WHAT, NAME)             \
        return VALUE;                      \
    }

#define KAI_DEFINE_MATMUL_STEPS(NAME, M_STEP, N_STEP) \
    KAI_DEFINE_SIZE(m_step, NAME, M_STEP)             \
    KAI_DEFINE_SIZE(n_step, NAME, N_STEP)

#define KAI_DEFINE_MATMUL_TILE(NAME, MR, NR, KR, SR, M_STEP, N_STEP) \
    KAI_DEFINE_MATMUL_STEPS(NAME, M_STEP, N_STEP)                    \
    KAI_DEFINE_SIZE(mr, NAME, MR)                                    \
    KAI_DEFINE_SIZE(nr, NAME, NR)                                    \
    KAI_DEFINE_SIZE(kr, NAME, KR)                                    \
    KAI_DEFINE_SIZE(sr, NAME, SR)

#define KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, ELEMENT_BYTES)                    \
    size_t kai_get_dst_offset_##NAME(size_t m_idx, size_t n_idx, size_t dst_stride) { \
        KAI_GETTER(dst_offset, NAME)                                                  \
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
        KAI_GETTER(SIDE##_packed_offset, NAME)                                               \
        KAI_ASSERT_MSG(IDX % (ROWS) == 0, #IDX " must be a multiple of the panel's height"); \
        return kai::FORMAT.offset({ROWS, KR, SR}, IDX, k);                                   \
    }

#define KAI_DEFINE_MATMUL_PACKED_OFFSET_BL(SIDE, IDX, NAME, FORMAT, ROWS, KR, SR)            \
    size_t kai_get_##SIDE##_packed_offset_##NAME(size_t IDX, size_t k, size_t bl) {          \
        KAI_GETTER(SIDE##_packed_offset, NAME)                                               \
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

#define KAI_DEFINE_MATMUL_LHS_OFFSET(NAME, WHAT, M_STEP, STRIDE)                     \
    size_t kai_get_##WHAT##_##NAME(size_t m_idx, [[maybe_unused]] size_t stride) {   \
        KAI_GETTER(WHAT, NAME)                                                       \
        KAI_ASSERT_MSG(m_idx % (M_STEP) == 0, "m_idx must be a multiple of m_step"); \
        return m_idx * (STRIDE);                                                     \
    }

/// The getters of a micro-kernel with an LHS as it is, without that of its offset.
#define KAI_DEFINE_MATMUL_GETTERS_ROWS_BUT_LHS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, ELEMENT_BYTES) \
    KAI_DEFINE_MATMUL_STEPS(NAME, M_STEP, N_STEP)                                                    \
    KAI_DEFINE_SIZE(nr, NAME, NR)                                                                    \
    KAI_DEFINE_SIZE(kr, NAME, KR)                                                                    \
    KAI_DEFINE_SIZE(sr, NAME, SR)                                                                    \
    KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, ELEMENT_BYTES)                                       \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(rhs, n_idx, NAME, RHS, NR, KR, SR)

/// All getters of a micro-kernel with an LHS as it is, whose offset is that of a row. Kernels for one row ask for k in
/// place of the stride: m_idx is 0 there.
#define KAI_DEFINE_MATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, ELEMENT_BYTES)     \
    KAI_DEFINE_MATMUL_GETTERS_ROWS_BUT_LHS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, ELEMENT_BYTES) \
    KAI_DEFINE_MATMUL_LHS_OFFSET(NAME, lhs_offset, M_STEP, stride)

#define KAI_DEFINE_IMATMUL_PACKED_OFFSET(SIDE, IDX, NAME, FORMAT, ROWS, KR, SR)                             \
    size_t kai_get_##SIDE##_packed_offset_##NAME(size_t IDX, size_t k_chunk_count, size_t k_chunk_length) { \
        KAI_GETTER(SIDE##_packed_offset, NAME)                                                              \
        KAI_ASSERT_MSG(IDX % (ROWS) == 0, #IDX " must be a multiple of the panel's height");                \
        return kai::FORMAT.offset({ROWS, KR, SR}, IDX, kai::Chunks{k_chunk_count, k_chunk_length});         \
    }

/// All getters of a micro-kernel for indirect matmul.
#define KAI_DEFINE_IMATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, ELEMENT_BYTES) \
    KAI_DEFINE_MATMUL_STEPS(NAME, M_STEP, N_STEP)                                                 \
    KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, ELEMENT_BYTES)                                    \
    KAI_DEFINE_IMATMUL_PACKED_OFFSET(lhs, m_idx, NAME, LHS, MR, KR, SR)                           \
    KAI_DEFINE_IMATMUL_PACKED_OFFSET(rhs, n_idx, NAME, RHS, NR, KR, SR)

/// All getters of a micro-kernel for indirect matmul that reads the LHS by a table.
#define KAI_DEFINE_IMATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, ELEMENT_BYTES) \
    KAI_DEFINE_MATMUL_STEPS(NAME, M_STEP, N_STEP)                                             \
    KAI_DEFINE_MATMUL_LHS_OFFSET(NAME, lhs_offset, M_STEP, stride)                            \
    KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, ELEMENT_BYTES)                                \
    KAI_DEFINE_IMATMUL_PACKED_OFFSET(rhs, n_idx, NAME, RHS, NR, KR, SR)

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
