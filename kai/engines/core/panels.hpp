// Packed panels as data: what getters, and functions that several micro-kernels or packers share, compute sizes from.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/layout.hpp"

/// Rows of a panel: a number, or words of 32 bits per vector of SME (SVE).
struct kai_panel_rows {
    enum Unit : uint8_t { one, sme_word, sve_word };
    uint16_t count;
    Unit unit;
};

/// The getters of a side: kai_get_lhs_packed_*, kai_get_rhs_packed_*, those of the unified API.
enum kai_getters : uint8_t { kai_getters_of_lhs, kai_getters_of_rhs, kai_getters_unified };

struct kai_panels {
    const char* name;  ///< of the micro-kernel or packer, for the message on a CPU without such vectors
    uint16_t count;    ///< of rows
    kai_panel_rows::Unit unit;
    kai_getters getters;
    uint8_t bits;                        ///< of an element
    uint8_t panel_fields, block_fields;  ///< bytes per row
    uint8_t k_multiple;                  ///< k is padded to a multiple of this, a power of two
};

/// The getters kai_get_<size>_<name>.
/// @{
#define KAI_SIZES(size) \
    size(m_step) size(n_step) size(mr) size(nr) size(kr) size(sr) size(filter_height) size(filter_width)
#define KAI_SIZE_ID(NAME) kai_size_##NAME,
enum kai_size : uint8_t { KAI_SIZES(KAI_SIZE_ID) };
#undef KAI_SIZE_ID
/// @}

extern "C" {
/// @name Sizes that scale
/// On a CPU without such vectors they print that the getter needs them, and abort.
/// @{

/// n < 256 words of 32 bits per vector, for the getter of `name`: code is kai::size_code(size, n).
[[gnu::visibility("hidden")]] size_t kai_sme_size(size_t code, const char* name);
[[gnu::visibility("hidden")]] size_t kai_sve_size(size_t code, const char* name);

/// From panel to panel. bl: 0 without blocks.
[[gnu::visibility("hidden")]] size_t kai_panels_stride(size_t k, size_t bl, const kai_panels* panels);
/// Of the panel of a row.
[[gnu::visibility("hidden")]] size_t kai_panels_offset(size_t row, size_t k, size_t bl, const kai_panels* panels);
/// Of so many rows.
[[gnu::visibility("hidden")]] size_t kai_panels_size(size_t rows, size_t k, size_t bl, const kai_panels* panels);

/// @name The same for panels that are `stride` bytes apart
/// @{
[[gnu::visibility("hidden")]] size_t kai_panels_offset_at(size_t row, size_t stride, const kai_panels* panels);
[[gnu::visibility("hidden")]] size_t kai_panels_size_at(size_t rows, size_t stride, const kai_panels* panels);
/// @}

/// Rows of a panel.
[[gnu::visibility("hidden")]] size_t kai_panels_rows(const kai_panels* panels);
/// @}
}

namespace kai {
namespace {

KAI_INLINE constexpr size_t size_code(kai_size size, size_t n) {
    return static_cast<size_t>(size) << 8 | n;
}

struct PanelRows : kai_panel_rows {
    constexpr PanelRows(size_t number) : PanelRows(number, one) {
    }
    constexpr PanelRows(size_t number, Unit of) : kai_panel_rows{static_cast<uint16_t>(number), of} {
    }
    KAI_INLINE size_t value() const {
        return unit == sve_word ? count * static_cast<size_t>(kai_get_sve_vector_length_u32()) : value_of_sme();
    }
    /// Of rows that do not scale with SVE.
    KAI_INLINE size_t value_of_sme() const {
        return unit == sme_word ? count * static_cast<size_t>(kai_get_sme_vector_length_u32()) : count;
    }
    /// A number for what runs on this CPU. Getters, which a CPU without such vectors may call, use `checked`.
    KAI_INLINE operator size_t() const {
        return value();
    }
};

constexpr kai_panels panels_of(
    const char* name, kai_getters getters, const Format& f, PanelRows rows, size_t kr, size_t sr) {
    const auto byte = [](size_t x) { return static_cast<uint8_t>(x); };
    const size_t k_multiple = f.k_multiple != 0 ? f.k_multiple : f.group_size({1, kr, sr});
    if ((k_multiple & (k_multiple - 1)) != 0) {
        __builtin_trap();  // not a constant expression: it does not compile
    }
    return {
        name,
        rows.count,
        rows.unit,
        getters,
        byte(f.bits),
        byte(f.panel_head + f.panel_tail),
        byte(f.block_head + f.block_tail),
        byte(k_multiple)};
}

KAI_INLINE size_t stride_of(const kai_panels& panels, size_t rows, size_t k, size_t bl) {
    if (panels.block_fields != 0) {
        const size_t blocks = Format::blocks_of(k, bl);
        return rows * (panels.panel_fields + blocks * (bl * panels.bits / 8 + panels.block_fields));
    }
    const size_t stored = (k + panels.k_multiple - 1U) & -static_cast<size_t>(panels.k_multiple);
    return rows * (panels.panel_fields + stored * panels.bits / 8);
}

/// @name A call where rows scale
/// @{
KAI_INLINE size_t panels_stride(const kai_panels& panels, size_t k, size_t bl = 0) {
    return panels.unit == kai_panel_rows::one ? stride_of(panels, panels.count, k, bl)
                                              : kai_panels_stride(k, bl, &panels);
}
KAI_INLINE size_t panels_offset(const kai_panels& panels, size_t row, size_t k, size_t bl) {
    return panels.unit == kai_panel_rows::one ? row / panels.count * stride_of(panels, panels.count, k, bl)
                                              : kai_panels_offset(row, k, bl, &panels);
}
KAI_INLINE size_t panels_size(const kai_panels& panels, size_t rows, size_t k, size_t bl) {
    return panels.unit == kai_panel_rows::one
               ? (rows + panels.count - 1) / panels.count * stride_of(panels, panels.count, k, bl)
               : kai_panels_size(rows, k, bl, &panels);
}
KAI_INLINE size_t panels_offset_at(const kai_panels& panels, size_t row, size_t stride) {
    return panels.unit == kai_panel_rows::one ? row / panels.count * stride
                                              : kai_panels_offset_at(row, stride, &panels);
}
/// @}

}  // namespace
}  // namespace kai

/// @name Sizes of the catalogue that scale: n words of 32 bits per vector of SME (streaming), of SVE
/// @{
[[maybe_unused]] KAI_INLINE constexpr kai::PanelRows VL(size_t n) {
    return {n, kai_panel_rows::sme_word};
}
[[maybe_unused]] KAI_INLINE constexpr kai::PanelRows SVE(size_t n) {
    return {n, kai_panel_rows::sve_word};
}
/// @}
