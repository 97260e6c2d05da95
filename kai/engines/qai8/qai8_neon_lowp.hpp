// Low precision on NEON by the tiles of static int8 (qai8_neon_parts.hpp): uint8 or int8 with offsets, integer
// requantisation.
//
//     dst[i][j] = requantised(bias[j] + sum over k of (lhs[i][k] + A) * (rhs[j][k] + B))
//
// Tiles multiply the bytes as they are, unsigned or signed, and leave int32 sums, modulo 2^32:
//
//     sum of lhs * rhs  +  A * sum of rhs + bias  +  B * sum of lhs + k * A * B
//                          the start of a column     the term of a row, not if B is 0
//
// Of rows that are found through a table, k is without what pads their chunks.
//
// One panel of 16 columns at a time, for a block of rows, whose sums are on the stack: lowp_neon.hpp makes them
// results.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/lowp/lowp_neon.hpp"
#include "kai/engines/qai8/qai8_neon_parts.hpp"

namespace kai {
namespace {

static_assert(kPanel == kStrip);

/// The sum of the k of a row, modulo 2^32.
[[gnu::noinline]] uint32_t sum_of(const Qai8& p, size_t row, bool is_unsigned) {
    if (p.table == nullptr) {
        return static_cast<uint32_t>(sum_of_row(p.row(row), p.k, is_unsigned));
    }
    const RowTable& table = *p.table;
    uint32_t sum = 0;
    for (size_t chunk = 0; chunk < table.chunks; ++chunk) {
        const uint8_t* const from = table.at(table.row(row)[chunk * table.group]);
        sum += static_cast<uint32_t>(sum_of_row(from, table.length, is_unsigned));
    }
    return sum;
}

template <class Isa, class Pipeline>
[[gnu::noinline]] void multiply_lowp(const Lowp& p) {
    const kai_matmul_lowp_params& q = *p.params;
    const Qai8 rows_of_p = {p.m,          p.n,   p.k,          p.lhs,     p.lhs_stride, p.rhs,
                            p.rhs_stride, p.dst, p.dst_stride, p.for_a55, p.table};
    const Finish<Pipeline> finish(p);
    const auto rhs_offset = static_cast<uint32_t>(q.rhs_offset);
    const uint32_t constant = p.depth() * static_cast<uint32_t>(q.lhs_offset) * rhs_offset;
    constexpr size_t kRows = StaticLimits::kSumRows;
    typename Isa::Storage storage;
    int32_t sums[kRows][kStrip], terms[kRows] = {}, starts[kStrip];
    Columns columns;
    columns.take_one(q);
    Qai8Args args = {};
    args.sums = 1;
    set_rows(rows_of_p, args);
    const size_t block = Isa::block_rows(p.m, p.n, p.k, kRows);
    for (size_t first = 0; first < p.m; first += block) {
        const size_t rows = min(p.m - first, block);
        const uint8_t* const lhs = rows_of_p.row(first);
        Qai8Part parts[Isa::kMostParts];
        const size_t count = Isa::prepare(rows_of_p, first, rows, storage, parts);
        for (size_t i = 0; i < rows && rhs_offset != 0; ++i) {
            terms[i] = static_cast<int32_t>(rhs_offset * sum_of(rows_of_p, first + i, p.flip != 0) + constant);
        }
        for (size_t n0 = 0; n0 < p.n; n0 += kStrip) {
            const size_t width = min(p.n - n0, kStrip);
            const uint8_t* const panel = p.rhs + n0 / kStrip * p.rhs_stride;
            const uint8_t* const column_sums = panel + p.rhs_stride - sizeof(starts);
            int32x4_t start[4] = {};
            if (q.bias != nullptr) {
                load_strip(start, q.bias + n0, width);
            }
            four([&](size_t i) {
                const int32x4_t sum = vreinterpretq_s32_u8(vld1q_u8(column_sums + 16 * i));
                vst1q_s32(&starts[4 * i], vmlaq_n_s32(start[i], sum, q.lhs_offset));
            });
            if (q.per_channel) {
                columns.take(q, n0, width);
            }
            args.rhs = panel;
            args.starts = reinterpret_cast<const uint8_t*>(starts);
            for (size_t i = 0; i < count; ++i) {
                set_part(parts[i], args, lhs);
                set_output(parts[i], reinterpret_cast<uint8_t*>(sums[0]), sizeof(sums[0]), 1, args);
                parts[i].run(&args);
            }
            uint8_t* dst = p.dst + first * p.dst_stride + n0;
            for (size_t i = 0; i < rows; ++i, dst += p.dst_stride) {
                const uint8x16_t results = finish(sums[i], terms[i], columns);
                if (width == kStrip) {
                    vst1q_u8(dst, results);
                } else {
                    uint8_t some[kStrip];
                    vst1q_u8(some, results);
                    __builtin_memcpy(dst, some, width);
                }
            }
        }
    }
}

template <class Isa>
KAI_INLINE void multiply_lowp(const Lowp& p) {
    (p.params->pipeline == KAI_LOWP_LEGACY ? multiply_lowp<Isa, Legacy> : multiply_lowp<Isa, FixedPoint>)(p);
}

}  // namespace
}  // namespace kai
