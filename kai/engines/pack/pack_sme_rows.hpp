// Rows to panels of 32-bit words in streaming mode: what the C++ side hands to the engine of
// kai/engines/pack/pack_sme_rows.inc.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/pack/pack_args.h"

namespace kai {
namespace {

KAI_STRUCT(PackRowsArgs, KAI_PACK_ROWS_ARGS);

/// Takes PackRowsArgs.
using PackRowsFn = void(const void* args);

/// The rules of an LHS packer: 2 V rows, the only kr, and what must be 0.
struct SmeRows {
    size_t kr, start;
};
KAI_INLINE void check_lhs_call(SmeRows own, Tile t, const char* function, size_t) {
    KAI_REQUIRE(function, t.rows == VL(2), other, "mr", t.rows, VL(2).value());
    KAI_REQUIRE(function, t.kr == own.kr, other, "kr", t.kr, own.kr);
    KAI_REQUIRE(function, t.sr == 1, other, "sr", t.sr, 1);
    KAI_REQUIRE(function, own.start == 0, row_start, own.start);
}

/// The heads of panels, `stride` bytes apart: one bias per row (column of the product), zero where there is no row, or
/// no bias (NULL).
[[maybe_unused]] void pack_heads(const kai_panels& panels, size_t rows, const void* bias, void* packed, size_t stride) {
    const size_t height = panels.count * VL(1), row_bytes = panels.panel_fields, size = height * row_bytes;
    uint8_t* to = bytes(packed);
    for (size_t row = 0; row < rows; row += height, to += stride) {
        size_t count = rows - row < height ? (rows - row) * row_bytes : size;
        if (bias == nullptr) {
            count = 0;
        } else {
            __builtin_memcpy(to, bytes(bias, row * row_bytes), count);
        }
        __builtin_memset(to + count, 0, size - count);
    }
}

}  // namespace
}  // namespace kai

/// A packer of rows as data.
struct kai_pack_rows_sme {
    kai::PackRowsFn* kernel;
    kai_panels panels;     ///< of V or 2 V rows
    size_t element_bytes;  ///< of the source
};

namespace kai {
namespace {

/// Rows of elements.
struct SourceRows {
    size_t rows;
    Chunks chunks;
    const void* first;  // or table
    size_t stride;      // or offset
    const void* pad;
};

/// Everything but the heads of panels, which are `stride` bytes apart; 0: one after the other. Nothing where there is
/// nothing to pack.
[[gnu::noinline, maybe_unused]] void pack_rows(
    const kai_pack_rows_sme& packer, const SourceRows& source, void* packed, size_t stride) {
    const kai_panels& panels = packer.panels;
    if (source.rows == 0 || source.chunks.count == 0 || source.chunks.length == 0) {
        return;
    }
    const size_t v = VL(1), rows = panels.count * v, head = rows * panels.panel_fields;
    const size_t group = panels.k_multiple, length = source.chunks.length;
    const size_t depths = source.chunks.count * ((length + group - 1) / group) * rows * sizeof(uint32_t);
    stride = stride != 0 ? stride : head + depths;
    const bool split = panels.count == 1;
    const PackRowsArgs args = {
        source.rows,
        length * packer.element_bytes,
        source.chunks.count,
        source.first,
        source.stride,
        source.pad,
        bytes(packed, head),
        split ? stride : v * sizeof(uint32_t),
        rows,
        (split ? 2 : 1) * stride - depths,
        split ? v : 0,
    };
    kai_commit_za();
    packer.kernel(&args);
}

/// Panels of V or 2 V columns: the head, if there is one, is the bias.
[[gnu::noinline, maybe_unused]] void pack_columns(
    const kai_pack_rows_sme& packer, size_t n, size_t k, const void* rhs, size_t rhs_stride, const void* bias,
    void* packed, size_t stride = 0) {
    stride = stride != 0 ? stride : kai_panels_stride(k, 0, &packer.panels);
    pack_heads(packer.panels, n, bias, packed, stride);
    pack_rows(packer, {n, {1, k}, rhs, rhs_stride, nullptr}, packed, stride);
}

/// The arguments of kai_run_* with the packer in the place of mr, so that all others stay where they are.
[[gnu::noinline, maybe_unused]] void pack_lhs_rows(
    size_t m, size_t k, const kai_pack_rows_sme* packer, size_t, size_t, size_t, const void* lhs, size_t lhs_stride,
    void* lhs_packed) {
    pack_rows(*packer, {m, {1, k}, lhs, lhs_stride, nullptr}, lhs_packed, 0);
}

}  // namespace
}  // namespace kai

/// An LHS packer: rows of SOURCE to panels of 2 V rows. START: m_idx_start, which must be 0, or 0 if any will do.
/// M_STEP: `mr` of the caller, or VL(2); GETTERS: those of packed panels.
#define KAI_DEFINE_LHS_PACK_ROWS_SME(NAME, FORMAT, KR, SOURCE, KERNEL, START, M_STEP, ...)              \
    KAI_PANELS(kai_panels_##NAME, lhs, NAME, FORMAT, VL(2), KR, 1)                                      \
    KAI_DEFINE_LHS_PACK_STEPS(NAME, M_STEP)                                                             \
    __VA_ARGS__                                                                                         \
    static constexpr kai_pack_rows_sme kai_packer_##NAME = {KERNEL, kai_panels_##NAME, sizeof(SOURCE)}; \
    KAI_DEFINE_LHS_PACK_RUN(                                                                            \
        NAME, SmeRows({KR, START}), void,                                                               \
        kai::pack_lhs_rows(m, k, &kai_packer_##NAME, kr, sr, m_idx_start, lhs, lhs_stride, lhs_packed);)
