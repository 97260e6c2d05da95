// int32 sums on NEON by the tiles of static int8 (qai8_neon_parts.hpp): uint8 or int8 with offsets.
//
//     dst[i][j] = bias[j] + sum over k of (lhs[i][k] + A) * (rhs[j][k] + B)      A, B: perhaps of a row, of a column
//
// Tiles multiply the bytes as they are, unsigned or signed. Modulo 2^32:
//
//     sum of lhs * rhs  +  bias + A * sum of rhs  +  B * (sum of lhs + k * A)
//                          the start of a column     B * the term of a row
//
// The sums go straight to dst; only the columns after the last whole panel are on the stack first. Where B is not 0, or
// A belongs to a row, dst is read again: its rows are in the L1 cache.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/lowp/lowp_neon.hpp"
#include "kai/engines/qai8/qai8_neon_parts.hpp"

namespace kai {
namespace {

constexpr size_t kStripColumns = kStripPanels * kPanel;

/// Terms of the columns of a strip.
struct SumColumns {
    int32_t starts[kStripColumns];
    int32_t sums[kStripColumns];     // of the columns
    int32_t offsets[kStripColumns];  // B
};

KAI_INLINE int32x4_t load_int32(const void* from) {
    return vreinterpretq_s32_u8(vld1q_u8(static_cast<const uint8_t*>(from)));
}
KAI_INLINE void store_int32(void* to, int32x4_t x) {
    vst1q_u8(static_cast<uint8_t*>(to), vreinterpretq_u8_s32(x));
}

/// Of `width` columns from n0 on. Without offsets of rows, A is part of the starts.
[[gnu::noinline]] void take_columns(const Lowp& p, const uint8_t* panel, size_t n0, size_t width, SumColumns& columns) {
    const kai_matmul_offsets& q = *p.offsets;
    for (size_t j = 0; j < width; j += kPanel, panel += p.rhs_stride) {
        const uint8_t* const column_sums = panel + p.rhs_stride - kPanel * sizeof(int32_t);
        const size_t count = min(width - j, kPanel);
        int32x4_t start[4] = {}, offset[4];
        if (q.bias != nullptr) {
            load_strip(start, q.bias + n0 + j, count);
        }
        load_offsets(offset, q, n0 + j, count);
        four([&](size_t i) {
            const int32x4_t sum = load_int32(column_sums + 16 * i);
            start[i] = q.lhs_offsets != nullptr ? start[i] : vmlaq_n_s32(start[i], sum, q.lhs_offset);
            vst1q_s32(&columns.starts[j + 4 * i], start[i]);
            vst1q_s32(&columns.sums[j + 4 * i], sum);
            vst1q_s32(&columns.offsets[j + 4 * i], offset[i]);
        });
    }
}

/// What is added to the sums of a panel: B * the term of a row and, if A belongs to the row, A * the sums of columns.
/// `first`: the panel's first column.
template <bool adds_sums>
KAI_INLINE void add_terms(
    uint8_t* dst, size_t dst_stride, size_t rows, const SumColumns& columns, size_t first, const int32_t* offsets,
    const int32_t* terms) {
    int32x4_t b[4], sums[4];
    four([&](size_t i) {
        b[i] = vld1q_s32(&columns.offsets[first + 4 * i]);
        sums[i] = vld1q_s32(&columns.sums[first + 4 * i]);
    });
    for (size_t r = 0; r < rows; ++r, dst += dst_stride) {
        int32x4_t x[4];
        four([&](size_t i) { x[i] = vmlaq_n_s32(load_int32(dst + 16 * i), b[i], terms[r]); });
        if constexpr (adds_sums) {
            four([&](size_t i) { x[i] = vmlaq_n_s32(x[i], sums[i], offsets[r]); });
        }
        four([&](size_t i) { store_int32(dst + 16 * i, x[i]); });
    }
}

template <class Isa>
[[gnu::noinline]] void multiply_sums(const Lowp& p) {
    const kai_matmul_offsets& q = *p.offsets;
    const Qai8 rows_of_p = {p.m, p.n, p.k, p.lhs, p.lhs_stride, p.rhs, p.rhs_stride, p.dst, p.dst_stride, p.for_a55};
    constexpr size_t kRows = StaticLimits::kSumRows, kElement = sizeof(int32_t);
    const bool rows_differ = q.lhs_offsets != nullptr, has_terms = q.rhs_offset != 0 || q.rhs_offsets != nullptr;
    typename Isa::Storage storage;
    SumColumns columns;
    int32_t edge[kRows][kPanel], offsets[kRows], terms[kRows];
    Qai8Args args = {};
    args.sums = 1;
    args.lhs_stride = p.k == 0 ? 0 : p.lhs_stride, args.rhs_stride = p.rhs_stride;
    args.starts_stride = args.dst_width = kPanel * kElement;
    const size_t block = Isa::block_rows(p.m, p.n, p.k, kRows);
    for (size_t first = 0; first < p.m; first += block) {
        const size_t rows = min(p.m - first, block);
        const uint8_t* const lhs = p.k == 0 ? nullptr : p.lhs + first * p.lhs_stride;
        Qai8Part parts[Isa::kMostParts];
        const size_t count = Isa::prepare(rows_of_p, first, rows, storage, parts);
        for (size_t i = 0; i < rows && (rows_differ || has_terms); ++i) {
            offsets[i] = lhs_offset_of(q, first + i);
            const auto sum =
                has_terms ? static_cast<uint32_t>(sum_of_row(lhs + i * args.lhs_stride, p.k, p.flip != 0)) : 0;
            terms[i] = static_cast<int32_t>(sum + static_cast<uint32_t>(p.k) * static_cast<uint32_t>(offsets[i]));
        }
        for (size_t n0 = 0; n0 < p.n; n0 += kStripColumns) {
            const size_t n = min(p.n - n0, kStripColumns), whole = n / kPanel, rest = n % kPanel;
            const uint8_t* const panel = p.rhs + n0 / kPanel * p.rhs_stride;
            take_columns(p, panel, n0, n, columns);
            const auto multiply = [&](size_t panel_index, size_t panels, uint8_t* dst, size_t dst_stride) {
                args.rhs = panel + panel_index * p.rhs_stride;
                args.starts = reinterpret_cast<const uint8_t*>(&columns.starts[panel_index * kPanel]);
                for (size_t i = 0; i < count; ++i) {
                    set_part(parts[i], args, lhs);
                    set_output(parts[i], dst, dst_stride, panels, args);
                    parts[i].run(&args);
                }
                for (size_t i = 0; i < panels && (rows_differ || has_terms); ++i) {
                    uint8_t* const to = dst + i * args.dst_width;
                    const size_t column = (panel_index + i) * kPanel;
                    rows_differ ? add_terms<true>(to, dst_stride, rows, columns, column, offsets, terms)
                                : add_terms<false>(to, dst_stride, rows, columns, column, offsets, terms);
                }
            };
            uint8_t* const dst = p.dst + first * p.dst_stride + n0 * kElement;
            if (whole != 0) {
                multiply(0, whole, dst, p.dst_stride);
            }
            if (rest != 0) {
                multiply(whole, 1, reinterpret_cast<uint8_t*>(edge[0]), sizeof(edge[0]));
                for (size_t i = 0; i < rows; ++i) {
                    __builtin_memcpy(dst + i * p.dst_stride + whole * kPanel * kElement, edge[i], rest * kElement);
                }
            }
        }
    }
}

}  // namespace
}  // namespace kai
