// Sizes that scale with a vector length.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/cpu.hpp"
#include "kai/engines/core/unified.hpp"

namespace kai {
namespace {

#define KAI_PREFIX(NAME) "kai_get_" #NAME "_",
constexpr const char* kSizes[] = {KAI_SIZES(KAI_PREFIX)};

size_t rows_of(kai_panel_rows rows, const char* prefix, const char* name) {
    return rows.unit == kai_panel_rows::sve_word   ? kai_checked_sve_words(rows.count, prefix, name)
           : rows.unit == kai_panel_rows::sme_word ? kai_checked_sme_words(rows.count, prefix, name)
                                                   : rows.count;
}

/// The rows of a panel, for the getter kai_get_*_packed_`what`.
#define KAI_ROWS(WHAT) rows_of(*panels, {"kai_get_lhs_packed_" #WHAT "_", "kai_get_rhs_packed_" #WHAT "_", "kai_"})
struct Prefixes {
    const char* of[3];
};
KAI_INLINE size_t rows_of(const kai_panels& panels, const Prefixes& prefixes) {
    return rows_of({panels.count, panels.unit}, prefixes.of[panels.getters], panels.name);
}

}  // namespace
}  // namespace kai

using namespace kai;

size_t kai_sme_size(size_t code, const char* name) {
    return kai_checked_sme_words(code & 255, kSizes[code >> 8], name);
}

size_t kai_sve_size(size_t code, const char* name) {
    return kai_checked_sve_words(code & 255, kSizes[code >> 8], name);
}

size_t kai_panels_stride(size_t k, size_t bl, const kai_panels* panels) {
    return stride_of(*panels, KAI_ROWS(stride), k, bl);
}

size_t kai_panels_offset(size_t row, size_t k, size_t bl, const kai_panels* panels) {
    const size_t rows = KAI_ROWS(offset);
    return row / rows * stride_of(*panels, rows, k, bl);
}

size_t kai_panels_size(size_t rows, size_t k, size_t bl, const kai_panels* panels) {
    const size_t height = KAI_ROWS(size);
    return (rows + height - 1) / height * stride_of(*panels, height, k, bl);
}

size_t kai_panels_offset_at(size_t row, size_t stride, const kai_panels* panels) {
    return row / KAI_ROWS(offset) * stride;
}

size_t kai_panels_size_at(size_t rows, size_t stride, const kai_panels* panels) {
    const size_t height = KAI_ROWS(size);
    return (rows + height - 1) / height * stride;
}

size_t kai_panels_rows(const kai_panels* panels) {
    return KAI_ROWS(stride);
}

kai_matmul_uker_dim_args kai_unified_step(kai_panel_rows m, kai_panel_rows n, const char* name) {
    return {rows_of(m, "kai_", name), rows_of(n, "kai_", name), 0};
}
