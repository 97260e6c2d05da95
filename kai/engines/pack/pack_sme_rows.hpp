// Rows to panels of 32-bit words in streaming mode: what the C++ side hands to the engine of
// kai/engines/pack/pack_sme_rows.inc.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_args.h"
#include "kai/engines/core/getters.hpp"
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_rhs_checks.hpp"

namespace kai {
namespace {

KAI_STRUCT(PackRowsArgs, KAI_PACK_ROWS_ARGS);

using PackRowsFn = void(const PackRowsArgs*);

/// Panels to write: V or 2 V rows each, `stride` bytes apart.
struct Panels {
    const Format& format;
    Tile tile;
    void* first;
    size_t stride;
};

/// Rows of elements of element_bytes.
struct SourceRows {
    size_t rows;
    Chunks chunks;
    size_t element_bytes;
    const void* first;  // or table
    size_t stride;      // or offset
    const void* pad;
};

/// Everything but the panel heads. Nothing where there is nothing to pack.
KAI_INLINE void pack_rows(PackRowsFn* kernel, const SourceRows& source, const Panels& panels) {
    if (source.rows == 0 || source.chunks.count == 0 || source.chunks.length == 0) {
        return;
    }
    const Tile tile = panels.tile;
    const size_t v = VL(1);
    const bool split = tile.rows == v;
    const size_t head = tile.rows * panels.format.panel_head;
    const size_t depths = panels.format.stride(tile, source.chunks) - head;
    const PackRowsArgs args = {
        source.rows,
        source.chunks.length * source.element_bytes,
        source.chunks.count,
        source.first,
        source.stride,
        source.pad,
        bytes(panels.first, head),
        split ? panels.stride : v * sizeof(uint32_t),
        tile.rows,
        (split ? 2 : 1) * panels.stride - depths,
        split ? v : 0,
    };
    kai_commit_za();
    kernel(&args);
}

/// The heads: one bias per row (column of the product), zero where there is no row, or no bias (NULL).
KAI_INLINE void pack_heads(size_t rows, const void* bias, const Panels& panels) {
    const size_t bytes_per_row = panels.format.panel_head;
    uint8_t* to = bytes(panels.first);
    for (size_t row = 0; row < rows; row += panels.tile.rows, to += panels.stride) {
        const size_t height = panels.tile.rows * bytes_per_row;
        size_t count = rows - row < panels.tile.rows ? (rows - row) * bytes_per_row : height;
        if (bias == nullptr) {
            count = 0;
        } else {
            __builtin_memcpy(to, bytes(bias, row * bytes_per_row), count);
        }
        __builtin_memset(to + count, 0, height - count);
    }
}

/// Of LHS packers.
KAI_INLINE void check_panels(
    size_t mr, size_t kr, size_t sr, size_t own_kr, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE(function, mr == VL(2), "mr = %zu, not %zu", mr, VL(2));
    KAI_REQUIRE(function, kr == own_kr, "kr = %zu, not %zu", kr, own_kr);
    KAI_REQUIRE(function, sr == 1, "sr = %zu, not 1", sr);
}

KAI_INLINE void no_start(size_t m_idx_start, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE(function, m_idx_start == 0, "m_idx_start = %zu, not 0: move the pointers instead", m_idx_start);
}
KAI_INLINE void any_start(size_t) {
}

}  // namespace
}  // namespace kai

/// An LHS packer: rows of SOURCE to panels of 2 V rows. CHECK_START: what it says to m_idx_start.
#define KAI_DEFINE_LHS_PACK_ROWS_SME(NAME, FORMAT, KR, SOURCE, KERNEL, CHECK_START)                                  \
    KAI_DEFINE_LHS_PACK_GETTERS(NAME, FORMAT)                                                                        \
    void kai_run_##NAME(                                                                                             \
        size_t m, size_t k, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const void* lhs, size_t lhs_stride, \
        void* lhs_packed) {                                                                                          \
        kai::check_panels(mr, kr, sr, KR);                                                                           \
        CHECK_START(m_idx_start);                                                                                    \
        const kai::Tile tile = {VL(2), KR, 1};                                                                       \
        kai::pack_rows(                                                                                              \
            KERNEL, {m, {1, k}, sizeof(SOURCE), lhs, lhs_stride, nullptr},                                           \
            {kai::FORMAT, tile, lhs_packed, kai::FORMAT.stride(tile, k)});                                           \
    }

/// An LHS packer: chunks of SOURCE found through a table of pointers to panels of 2 V rows.
#define KAI_DEFINE_LHS_IMATMUL_PACK_SME(NAME, FORMAT, KR, SOURCE, KERNEL)                                          \
    KAI_DEFINE_LHS_IMATMUL_PACK_GETTERS(NAME, FORMAT, VL(2), KR, 1)                                                \
    void kai_run_##NAME(                                                                                           \
        size_t m, size_t k_chunk_count, size_t k_chunk_length, const void* const* lhs_ptrs, size_t lhs_ptr_offset, \
        const void* pad_ptr, void* lhs_packed) {                                                                   \
        const kai::Tile tile = {VL(2), KR, 1};                                                                     \
        const kai::Chunks chunks = {k_chunk_count, k_chunk_length};                                                \
        kai::pack_rows(                                                                                            \
            KERNEL, {m, chunks, sizeof(SOURCE), lhs_ptrs, lhs_ptr_offset, pad_ptr},                                \
            {kai::FORMAT, tile, lhs_packed, kai::FORMAT.stride(tile, chunks)});                                    \
    }

/// An RHS packer: N x K elements of SOURCE, and bias of the same type, to panels of 2 V columns.
#define KAI_DEFINE_RHS_PACK_NXK_ROWS_SME(NAME, FORMAT, KR, SOURCE)                                          \
    KAI_DEFINE_RHS_PACK_GETTERS_NXK(NAME, FORMAT, VL(2), KR, 1, SOURCE)                                     \
    KAI_RHS_VECTORS_RUN(                                                                                    \
        NAME, 8 * sizeof(SOURCE), false, false, VL(2), KR, sr, void, const kai::Tile tile = {VL(2), KR, 1}; \
        const kai::Panels panels = {kai::FORMAT, tile, rhs_packed, kai::FORMAT.stride(tile, k)};            \
        kai::pack_heads(n, bias, panels);                                                                   \
        kai::pack_rows(kai_kernel_pack_rows_sme, {n, {1, k}, sizeof(SOURCE), rhs, rhs_stride, nullptr}, panels);)
