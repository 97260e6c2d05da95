// Static int8 with rows of the LHS found through a table of pointers (kai_run_imatmul_rows_qai8_fn).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/layout.hpp"
#include "kai/engines/core/requantise.hpp"
#include "kai/engines/core/row_table.hpp"

namespace kai {
namespace {

/// For panels of 16 columns.
struct StaticTableCall : TableCall {
    const kai_matmul_requantize32_params* params;
};

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
    multiply_gathered(c, multiply, [&](size_t row) { multiply_long_row(c, row, function); });
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
        const kai::RowTable table = {indirection_buffer, M_STEP,  k_chunk_count,                         \
                                     k_chunk_length,     pad_ptr, lhs_ptr_offset};                       \
        const kai::StaticTableCall c = {                                                                 \
            {table, m, n, KR, kai::bytes(rhs_packed), stride, kai::bytes(dst), dst_stride_row}, params}; \
        const char* const function = __func__;                                                           \
        MULTIPLY(NAME);                                                                                  \
    }
