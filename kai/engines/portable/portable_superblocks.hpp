// Super-blocks in portable C++: their fields, and what is done with the sum of one.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/portable/portable_int.hpp"

namespace kai {
namespace {

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
