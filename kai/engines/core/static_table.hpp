// Static int8 with rows of the LHS found through a table of pointers (kai_run_imatmul_rows_qai8_fn), k in chunks. An
// engine reads them through the table, or has them gathered: some rows on the stack, each chunk padded with zeros to
// whole groups of k as the packed RHS has them, to be multiplied by what multiplies rows as they lie.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"
#include "kai/engines/core/layout.hpp"
#include "kai/engines/core/limits.hpp"
#include "kai/engines/core/requantise.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace kai {
namespace {

/// A table in blocks of `group` rows: [row / group][chunks][group] pointers to `length` bytes each.
struct StaticTable {
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

/// A call of an indirect kernel for panels of 16 columns in groups of kr k.
struct StaticTableCall {
    StaticTable lhs;
    size_t m, n, kr;
    const uint8_t* rhs;
    size_t rhs_stride;  // from panel to panel
    uint8_t* dst;
    size_t dst_stride;
    const kai_matmul_requantize32_params* params;

    /// Bytes of a chunk in the panels.
    KAI_INLINE size_t padded() const {
        return (lhs.length + kr - 1) / kr * kr;
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
[[maybe_unused, gnu::noinline]] void gather(const StaticTableCall& c, size_t first, size_t count, uint8_t* to) {
    const size_t padded = c.padded();
    for (size_t row = first; row < first + count; ++row) {
        const void* const* pointers = c.lhs.row(row);
        for (size_t chunk = 0; chunk < c.lhs.chunks; ++chunk, pointers += c.lhs.group, to += padded) {
            copy_chunk(c.lhs.at(*pointers), c.lhs.length, padded, to);
        }
    }
}

/// A row that is too long to be gathered, element by element.
[[maybe_unused, gnu::noinline]] void multiply_long_row(const StaticTableCall& c, size_t row, const char* function) {
    constexpr size_t kPanel = StaticLimits::kColumns, kFields = kPanel * sizeof(int32_t);
    const kai_matmul_requantize32_params to = before_zero_point(*c.params, function);
    for (size_t n0 = 0; n0 < c.n; n0 += kPanel) {
        const uint8_t* const panel = c.rhs + n0 / kPanel * c.rhs_stride;
        uint32_t sums[kPanel];
        float scales[kPanel];
        __builtin_memcpy(sums, panel, sizeof(sums));
        __builtin_memcpy(scales, panel + c.rhs_stride - kFields, sizeof(scales));
        const uint8_t* group = panel + kFields;
        for (size_t chunk = 0; chunk < c.lhs.chunks; ++chunk) {
            const uint8_t* const from = c.lhs.at(c.lhs.row(row)[chunk * c.lhs.group]);
            for (size_t k = 0; k < c.lhs.length; k += c.kr, group += kPanel * c.kr) {
                const size_t count = c.lhs.length - k < c.kr ? c.lhs.length - k : c.kr;
                for (size_t i = 0; i < kPanel * count; ++i) {
                    const size_t column = i / count, at = i % count;
                    const int32_t x = static_cast<int8_t>(from[k + at]);
                    sums[column] += static_cast<uint32_t>(x * static_cast<int8_t>(group[column * c.kr + at]));
                }
            }
        }
        for (size_t i = 0; i < kPanel && n0 + i < c.n; ++i) {
            const int32_t x = to_int32(static_cast<float>(static_cast<int32_t>(sums[i])) * scales[i]);
            const int32_t clamped = x < to.min_value ? to.min_value : x > to.max_value ? to.max_value : x;
            c.dst[row * c.dst_stride + n0 + i] =
                static_cast<uint8_t>(static_cast<uint32_t>(clamped) + static_cast<uint32_t>(to.output_zero_point));
        }
    }
}

/// multiply(rows, count, k, dst): `count` rows of k bytes, one after another.
template <class Multiply>
KAI_INLINE void multiply_gathered(const StaticTableCall& c, const char* function, Multiply multiply) {
    constexpr size_t kTile = 6, kTiles = 12, kBytes = StaticLimits::kGatheredBytes;  // kTiles: tiles of 4 rows and of 6
    const size_t k = c.lhs.chunks * c.padded();
    if (k > kBytes) {
        for (size_t row = 0; row < c.m; ++row) {
            multiply_long_row(c, row, function);
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

/// The functions of a micro-kernel. MULTIPLY(NAME) computes the call `c`; `function` is its name.
#define KAI_DEFINE_IMATMUL_STATIC(MULTIPLY, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP)                  \
    KAI_DEFINE_IMATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, sizeof(int8_t))               \
    KAI_RUN_IMATMUL_ROWS_QAI8(NAME) {                                                                    \
        static_assert((NR) == kai::StaticLimits::kColumns && (SR) == 1);                                 \
        kai::check_bounds(m, n, params);                                                                 \
        if (m == 0 || n == 0) {                                                                          \
            return;                                                                                      \
        }                                                                                                \
        const size_t stride = kai::RHS.stride({NR, KR, SR}, kai::Chunks{k_chunk_count, k_chunk_length}); \
        const kai::StaticTableCall c = {                                                                 \
            {indirection_buffer, M_STEP, k_chunk_count, k_chunk_length, pad_ptr, lhs_ptr_offset},        \
            m,                                                                                           \
            n,                                                                                           \
            KR,                                                                                          \
            kai::bytes(rhs_packed),                                                                      \
            stride,                                                                                      \
            kai::bytes(dst),                                                                             \
            dst_stride_row,                                                                              \
            params};                                                                                     \
        const char* const function = __func__;                                                           \
        MULTIPLY(NAME);                                                                                  \
    }
