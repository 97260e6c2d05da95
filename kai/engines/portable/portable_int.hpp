// int8 x small integers in portable C++: shared by its families.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/limits.hpp"
#include "kai/engines/portable/portable.hpp"
#include "kai/engines/qai8dxp/qai8dxp_args.h"

namespace kai {
namespace {

constexpr size_t kColumns = PortableLimits::kColumns, kRows = PortableLimits::kRows;
constexpr size_t kStep = 32, kChunk = PortableLimits::kChunk;  // k

/// Sums of a row, one per column. Columns that the RHS does not have are 0.
using Sums = int32_t[kColumns];
using Floats = float[kColumns];

/// Widens steps of a row: 16 elements at the start of each, and the 16 that are `apart` from them.
[[gnu::noinline]] void widen(const uint8_t* row, size_t steps, size_t step, size_t apart, int16_t* out) {
    for (size_t s = 0; s < steps; ++s, row += step, out += kStep) {
        for (size_t i = 0; i < kStep / 2; ++i) {
            out[i] = static_cast<int8_t>(row[i]);
        }
        for (size_t i = 0; i < kStep / 2; ++i) {
            out[kStep / 2 + i] = static_cast<int8_t>(row[apart + i]);
        }
    }
}

/// sums += row x columns, which are four at least, from k to k + count - 1.
[[gnu::noinline]] void multiply(
    const int16_t* row, const int16_t (*weights)[kChunk], size_t columns, size_t k, size_t count, int32_t* sums) {
    for (size_t c = 0; c < columns; c += 4, weights += 4) {
        int32_t sum[4] = {};
#if defined(__clang__)  // x86-64: else it does not find PMADDWD
#pragma clang loop vectorize_width(8) interleave_count(1)
#endif
        for (size_t i = k; i < k + count; ++i) {
            const int32_t x = row[i];
            sum[0] += x * weights[0][i];
            sum[1] += x * weights[1][i];
            sum[2] += x * weights[2][i];
            sum[3] += x * weights[3][i];
        }
        for (size_t i = 0; i < 4; ++i) {
            sums[c + i] = static_cast<int32_t>(static_cast<uint32_t>(sums[c + i]) + static_cast<uint32_t>(sum[i]));
        }
    }
}

/// The first n of a row of results.
[[gnu::noinline]] void store_row(const float* results, size_t n, uint8_t* dst, OutKind out, float lo, float hi) {
    for (size_t c = 0; c < n; ++c) {
        const float x = clamped(results[c], lo, hi);
        if (out == OutKind::f32) {
            store(dst + 4 * c, x);
        } else {
            store(dst + 2 * c, out == OutKind::f16 ? kai_cast_f16_f32(x) : kai_cast_bf16_f32(x));
        }
    }
}

/// The fields of a super-block for each of N columns.
template <size_t N>
struct SuperBlock {
    static constexpr size_t kSubBlocks = 8;  // of 32
    float d[N], dmin[N];
    uint8_t minima[N][2 * kSubBlocks];
};

/// results = fma(T, lhs_scale, results), T = I * d, with minima fma(-J, dmin, I * d), J = sum of minima * sums of the
/// LHS, MINIMA of them. `row`: the fields of a super-block of a row. `sums`: I.
template <size_t MINIMA, size_t N>
KAI_INLINE void add_super_block(const Sums& sums, const SuperBlock<N>& fields, const uint8_t* row, float* results) {
    float t[N], minus_j[N], row_scales[N];
    const auto row_scale = load<float>(row);
    for (size_t c = 0; c < N; ++c) {
        int32_t j_sum = 0;
        for (size_t j = 0; j < MINIMA; ++j) {
            const int sum_of_row = 128 * static_cast<int8_t>(row[4 + j]) + static_cast<int8_t>(row[4 + MINIMA + j]);
            j_sum += fields.minima[c][j] * sum_of_row;
        }
        t[c] = static_cast<float>(sums[c]) * fields.d[c];
        minus_j[c] = -static_cast<float>(j_sum);
        row_scales[c] = row_scale;
    }
    if constexpr (MINIMA != 0) {
        fused(minus_j, fields.dmin, t, N);
    }
    fused(t, row_scales, results, N);
}

}  // namespace
}  // namespace kai
