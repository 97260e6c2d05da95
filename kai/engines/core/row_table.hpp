// Rows of the LHS found through a table of pointers, k in chunks: indirect matmul of int8 and uint8. An engine reads
// them through the table, or has them gathered: some rows on the stack, each chunk padded with zeros to whole groups of
// k as the packed RHS has them, to be multiplied by what multiplies rows as they lie.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"
#include "kai/engines/core/limits.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace kai {
namespace {

/// A table in blocks of `group` rows: [row / group][chunks][group] pointers to `length` bytes each.
struct RowTable {
    const void* pointers;
    size_t group, chunks, length;
    const void* pad;
    size_t offset;

    /// The pointers of a row, which are `group` apart.
    KAI_INLINE const void* const* row(size_t index) const {
        return static_cast<const void* const*>(pointers) + index / group * chunks * group + index % group;
    }
    /// The bytes of a chunk.
    KAI_INLINE const uint8_t* at(const void* pointer) const {
        return bytes(pointer, pointer == pad ? 0 : offset);
    }
};

/// A call of an indirect kernel for panels in groups of kr k.
struct TableCall {
    RowTable lhs;
    size_t m, n, kr;
    const uint8_t* rhs;
    size_t rhs_stride;  // from panel to panel
    uint8_t* dst;
    size_t dst_stride;

    /// Bytes of a chunk in the panels.
    KAI_INLINE size_t padded() const {
        return (lhs.length + kr - 1) / kr * kr;
    }
    /// Bytes of a row in the panels.
    KAI_INLINE size_t depth() const {
        return lhs.chunks * padded();
    }
};

/// `count` bytes, then zeros up to `padded`, less than 16 of them.
KAI_INLINE void copy_chunk(const uint8_t* from, size_t count, size_t padded, uint8_t* to) {
#if defined(__aarch64__)
    size_t i = 0;
    for (; i + 64 <= count; i += 64) {
        const uint8x16_t a = vld1q_u8(from + i), b = vld1q_u8(from + i + 16);
        const uint8x16_t c = vld1q_u8(from + i + 32), d = vld1q_u8(from + i + 48);
        vst1q_u8(to + i, a), vst1q_u8(to + i + 16, b);
        vst1q_u8(to + i + 32, c), vst1q_u8(to + i + 48, d);
    }
    for (; i + 16 <= count; i += 16) {
        vst1q_u8(to + i, vld1q_u8(from + i));
    }
    if (i == padded) {
        return;
    }
    if (i != 0) {
        vst1q_u8(to + count - 16, vld1q_u8(from + count - 16));
    } else {
        __builtin_memcpy(to, from, count);
    }
#else
    __builtin_memcpy(to, from, count);
#endif
    __builtin_memset(to + count, 0, padded - count);
}

/// Rows `first` to first + count - 1, one after another.
[[maybe_unused, gnu::noinline]] void gather(const TableCall& c, size_t first, size_t count, uint8_t* to) {
    const size_t padded = c.padded();
    for (size_t row = first; row < first + count; ++row) {
        const void* const* pointers = c.lhs.row(row);
        for (size_t chunk = 0; chunk < c.lhs.chunks; ++chunk, pointers += c.lhs.group, to += padded) {
            copy_chunk(c.lhs.at(*pointers), c.lhs.length, padded, to);
        }
    }
}

/// multiply(rows, count, k, dst): `count` rows of k bytes, one after another. multiply_long(row): one that is too long
/// to be gathered.
template <class Multiply, class MultiplyLong>
KAI_INLINE void multiply_gathered(const TableCall& c, Multiply multiply, MultiplyLong multiply_long) {
    constexpr size_t kTile = 6, kTiles = 12, kBytes = StaticLimits::kGatheredBytes;  // kTiles: tiles of 4 rows and of 6
    const size_t k = c.depth();
    if (k > kBytes) {
        for (size_t row = 0; row < c.m; ++row) {
            multiply_long(row);
        }
        return;
    }
    uint8_t rows[kBytes];
    const size_t fit = k == 0 ? kTiles : kBytes / k;
    const size_t block = fit < kTiles ? KAI_MIN(fit, kTile) : fit / kTiles * kTiles;
    for (size_t first = 0; first < c.m; first += block) {
        const size_t count = KAI_MIN(c.m - first, block);
        if (k != 0) {
            gather(c, first, count, rows);
        }
        multiply(rows, count, k, c.dst + first * c.dst_stride);
    }
}

}  // namespace
}  // namespace kai
