// The getters of micro-kernels and packers, derived from the catalogue line and the formats.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/catalogue.hpp"
#include "kai/engines/core/check.hpp"
#include "kai/engines/core/cpu.hpp"
#include "kai/engines/core/layout.hpp"
#include "kai/engines/core/panels.hpp"
#include "kai/engines/core/run_functions.hpp"

namespace kai {
namespace {

/// Names the function `prefix``name` that asks for a size, for its message on a CPU without such vectors.
struct Getter {
    const char *prefix, *name;
};

/// The getter kai_get_`size`_`name`.
struct SizeGetter {
    kai_size size;
    const char* name;
};

/// A packed side of a micro-kernel as data, from which functions shared by several micro-kernels compute strides.
struct PackedSide {
    PanelRows rows;
    uint32_t bits, panel_fields, block_fields;  // of an element; bytes per row

    constexpr PackedSide(const Format& f, PanelRows panel_rows)
        : rows(panel_rows),
          bits(f.bits),
          panel_fields(f.panel_head + f.panel_tail),
          block_fields(f.block_head + f.block_tail) {
    }
    /// Bytes of a row in a panel: k as it is stored.
    KAI_INLINE size_t row_bytes(size_t k, size_t blocks = 0) const {
        return panel_fields + k * bits / 8 + blocks * block_fields;
    }
    /// Bytes from a panel to the next.
    KAI_INLINE size_t stride(size_t k, size_t blocks = 0) const {
        return rows.value_of_sme() * row_bytes(k, blocks);
    }
};

/// @name A size of the catalogue for a getter: a number, or VL(n) or SVE(n) of this CPU
/// Without such vectors they print that the getter needs them, and abort.
/// @{
KAI_INLINE constexpr size_t checked(size_t size, Getter) {
    return size;
}
KAI_INLINE constexpr size_t checked(size_t size, SizeGetter) {
    return size;
}
KAI_INLINE size_t checked(PanelRows size, Getter getter) {
    return size.unit == PanelRows::sve_word   ? kai_checked_sve_words(size.count, getter.prefix, getter.name)
           : size.unit == PanelRows::sme_word ? kai_checked_sme_words(size.count, getter.prefix, getter.name)
                                              : size.count;
}
KAI_INLINE size_t checked(PanelRows size, SizeGetter getter) {
    const size_t code = size_code(getter.size, size.count);
    return size.unit == PanelRows::sve_word   ? kai_sve_size(code, getter.name)
           : size.unit == PanelRows::sme_word ? kai_sme_size(code, getter.name)
                                              : size.count;
}
/// @}

/// Whether a micro-kernel is scheduled for Cortex-A55: its name ends with that.
constexpr bool is_for_a55(const char* name) {
    const char* end = "_cortexa55";
    const char* at = end;
    for (; *name != 0; ++name) {
        at = *name == *at ? at + 1 : end + (*name == *end ? 1 : 0);
    }
    return *at == 0;
}

}  // namespace
}  // namespace kai

/// @name Spellings of m_step 1 that add a constraint on m
/// @{
[[maybe_unused]] static constexpr size_t ONE_ROW = 1;   // m is 0 or 1
[[maybe_unused]] static constexpr size_t ANY_ROWS = 1;  // any m, several rows at a time
/// @}

/// VALUE, a size of the catalogue, in the getter kai_get_<WHAT>_<NAME>.
#define KAI_CHECKED(VALUE, WHAT, NAME) kai::checked(VALUE, kai::Getter{"kai_get_" #WHAT "_", #NAME})

/// An index that a getter takes: a multiple of the step of that name.
#define KAI_REQUIRE_MULTIPLE(INDEX, STEP_NAME, STEP) \
    KAI_REQUIRE(__func__, INDEX % (STEP) == 0, not_multiple_of, #INDEX, INDEX, STEP_NAME, STEP)

/// For `run` of families in which micro-kernels with an m_step of 1 take one row only.
#define KAI_REQUIRE_ONE_ROW(M_STEP, M) KAI_REQUIRE(__func__, (M_STEP) > 1 || (M) <= 1, many_rows, M)

#define KAI_DEFINE_SIZE(WHAT, NAME, VALUE)                                   \
    size_t kai_get_##WHAT##_##NAME() {                                       \
        return kai::checked(VALUE, kai::SizeGetter{kai_size_##WHAT, #NAME}); \
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
        KAI_REQUIRE_MULTIPLE(m_idx, "m_step", KAI_CHECKED(M_STEP, dst_offset, NAME)); \
        KAI_REQUIRE_MULTIPLE(n_idx, "n_step", KAI_CHECKED(N_STEP, dst_offset, NAME)); \
        return m_idx * dst_stride + n_idx * (ELEMENT_BYTES);                          \
    }                                                                                 \
    size_t kai_get_dst_size_##NAME(size_t m, size_t n) {                              \
        return m * n * (ELEMENT_BYTES);                                               \
    }

/// @name Depth as a getter takes it: K, K in blocks of BL, or CHUNKS of indirect matmul; and as panels_* take it
/// @{
#define KAI_DEPTH_OF_K size_t k
#define KAI_DEPTH_K(FORMAT, KR, SR) k, kai::FORMAT.block
#define KAI_DEPTH_OF_BL size_t k, size_t bl
#define KAI_DEPTH_BL(FORMAT, KR, SR) k, bl
#define KAI_DEPTH_OF_CHUNKS size_t k_chunk_count, size_t k_chunk_length
#define KAI_DEPTH_CHUNKS(FORMAT, KR, SR) k_chunk_count *kai::FORMAT.padded({1, KR, SR}, k_chunk_length), 0
/// @}

#define KAI_PANEL_lhs "mr"
#define KAI_PANEL_rhs "nr"

/// A constant VARIABLE: the panels of a SIDE of NAME.
#define KAI_PANELS(VARIABLE, SIDE, NAME, FORMAT, ROWS, KR, SR)                          \
    static constexpr kai_panels VARIABLE = [] {                                         \
        return kai::panels_of(#NAME, kai_getters_of_##SIDE, kai::FORMAT, ROWS, KR, SR); \
    }();

// An index is that of the first row (column) of a panel: a step is one or several panels.
#define KAI_DEFINE_MATMUL_PACKED_OFFSET(DEPTH, CHECK, SIDE, IDX, NAME, FORMAT, ROWS, KR, SR)        \
    size_t kai_get_##SIDE##_packed_offset_##NAME(size_t IDX, KAI_DEPTH_OF_##DEPTH) {                \
        CHECK;                                                                                      \
        KAI_REQUIRE_MULTIPLE(IDX, KAI_PANEL_##SIDE, KAI_CHECKED(ROWS, SIDE##_packed_offset, NAME)); \
        KAI_PANELS(panels, SIDE, NAME, FORMAT, ROWS, KR, SR)                                        \
        return kai::panels_offset(panels, IDX, KAI_DEPTH_##DEPTH(FORMAT, KR, SR));                  \
    }

#define KAI_DEFINE_MATMUL_PACKED_OFFSET_BL(SIDE, IDX, NAME, FORMAT, ROWS, KR, SR) \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(BL, kai::check_blocks(kai::FORMAT, k, bl), SIDE, IDX, NAME, FORMAT, ROWS, KR, SR)

/// All getters of a micro-kernel whose operands have no blocks, where k is a multiple of K_MULTIPLE.
#define KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(K_MULTIPLE, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, ELEMENT_BYTES) \
    KAI_DEFINE_MATMUL_TILE(NAME, MR, NR, KR, SR, M_STEP, N_STEP)                                                      \
    KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, ELEMENT_BYTES)                                                        \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(K, kai::check_depth(k, K_MULTIPLE), lhs, m_idx, NAME, LHS, MR, KR, SR)            \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(K, kai::check_depth(k, K_MULTIPLE), rhs, n_idx, NAME, RHS, NR, KR, SR)

/// The same for any k.
#define KAI_DEFINE_MATMUL_GETTERS(...) KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(1, __VA_ARGS__)

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
    KAI_DEFINE_MATMUL_PACKED_OFFSET(K, , lhs, m_idx, NAME, LHS, MR, KR, SR)                             \
    KAI_DEFINE_MATMUL_PACKED_OFFSET_BL(rhs, n_idx, NAME, RHS, NR, KR, SR)

#define KAI_DEFINE_MATMUL_LHS_OFFSET(NAME, WHAT, M_STEP, STRIDE)                   \
    size_t kai_get_##WHAT##_##NAME(size_t m_idx, [[maybe_unused]] size_t stride) { \
        KAI_REQUIRE_MULTIPLE(m_idx, "m_step", KAI_CHECKED(M_STEP, WHAT, NAME));    \
        return m_idx * (STRIDE);                                                   \
    }

/// All getters of a micro-kernel with an unpacked LHS, whose offset is that of a row: kai_get_<LHS_GETTER>_<name>.
/// Kernels for one row take k instead of the stride: m_idx is 0 there.
#define KAI_DEFINE_MATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER, ELEMENT_BYTES) \
    KAI_DEFINE_MATMUL_STEPS(NAME, M_STEP, N_STEP)                                                        \
    KAI_DEFINE_SIZE(nr, NAME, NR)                                                                        \
    KAI_DEFINE_SIZE(kr, NAME, KR)                                                                        \
    KAI_DEFINE_SIZE(sr, NAME, SR)                                                                        \
    KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, ELEMENT_BYTES)                                           \
    KAI_DEFINE_MATMUL_LHS_OFFSET(NAME, LHS_GETTER, M_STEP, stride)                                       \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(K, , rhs, n_idx, NAME, RHS, NR, KR, SR)

/// All getters of a micro-kernel that packs neither side.
#define KAI_DEFINE_MATMUL_GETTERS_PLAIN(NAME, RHS, M_STEP, N_STEP) \
    KAI_DEFINE_MATMUL_GETTERS_PLAIN_TO(NAME, RHS, M_STEP, N_STEP, kai::RHS.bits / 8)
/// The same, for results of DST_BYTES each.
#define KAI_DEFINE_MATMUL_GETTERS_PLAIN_TO(NAME, RHS, M_STEP, N_STEP, DST_BYTES)      \
    KAI_DEFINE_MATMUL_STEPS(NAME, M_STEP, N_STEP)                                     \
    KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, DST_BYTES)                            \
    KAI_DEFINE_MATMUL_LHS_OFFSET(NAME, lhs_offset, M_STEP, stride)                    \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx, size_t rhs_stride) {               \
        KAI_REQUIRE_MULTIPLE(n_idx, "n_step", KAI_CHECKED(N_STEP, rhs_offset, NAME)); \
        return kai::RHS.offset(n_idx, rhs_stride);                                    \
    }

/// All getters of a micro-kernel for indirect matmul.
#define KAI_DEFINE_IMATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, ELEMENT_BYTES) \
    KAI_DEFINE_MATMUL_STEPS(NAME, M_STEP, N_STEP)                                                 \
    KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, ELEMENT_BYTES)                                    \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(CHUNKS, , lhs, m_idx, NAME, LHS, MR, KR, SR)                  \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(CHUNKS, , rhs, n_idx, NAME, RHS, NR, KR, SR)

/// All getters of a micro-kernel for indirect matmul that reads the LHS by a table.
#define KAI_DEFINE_IMATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, ELEMENT_BYTES) \
    KAI_DEFINE_MATMUL_STEPS(NAME, M_STEP, N_STEP)                                             \
    KAI_DEFINE_MATMUL_LHS_OFFSET(NAME, lhs_offset, M_STEP, stride)                            \
    KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, ELEMENT_BYTES)                                \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(CHUNKS, , rhs, n_idx, NAME, RHS, NR, KR, SR)

namespace kai {
namespace {

/// @name Preconditions that micro-kernels share. `function`: the public function that was called.
/// @{

KAI_INLINE void check_blocks(size_t k, size_t bl, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE(function, bl > 0, zero, "bl");
    KAI_REQUIRE(function, bl % 32 == 0, not_multiple, "bl", bl, 32);
    KAI_REQUIRE(function, k % bl == 0, not_multiple_of, "k", k, "bl", bl);
}

/// The same for a packed operand, whose format may have blocks of 32 only.
KAI_INLINE void check_blocks(const Format& f, size_t k, size_t bl, const char* function = __builtin_FUNCTION()) {
    check_blocks(k, bl, function);
    KAI_REQUIRE(function, !has_blocks_of_32(f) || bl == 32, other, "bl", bl, 32);
}

/// For micro-kernels without blocks whose depth is restricted.
KAI_INLINE void check_depth(size_t k, size_t multiple, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE(function, k % multiple == 0, not_multiple, "k", k, multiple);
}

/// For products whose sums over k are int32.
KAI_INLINE void check_sums(size_t k, size_t most, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE(function, k <= most, large_sums, k, most);
}

KAI_INLINE void check_bounds(float lo, float hi, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE(function, lo <= hi, bounds_out_of_order, static_cast<double>(lo), static_cast<double>(hi));
}

/// Whether clamping can change a number. It takes as long as 2 k of a tile of FMLA.
KAI_INLINE bool is_bounded(float lo, float hi) {
    return lo != -__builtin_inff() || hi != __builtin_inff();
}

KAI_INLINE void check_element(
    size_t dst_stride_col, size_t element_bytes, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE(function, dst_stride_col == element_bytes, element_stride, dst_stride_col, element_bytes);
}

KAI_INLINE void check_output(
    size_t dst_stride_col, size_t element_bytes, float lo, float hi, const char* function = __builtin_FUNCTION()) {
    check_element(dst_stride_col, element_bytes, function);
    check_bounds(lo, hi, function);
}
/// @}

}  // namespace
}  // namespace kai
