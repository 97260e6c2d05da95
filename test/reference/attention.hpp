// Attention in double, from its definition: the matrix of scores, then softmax, then the weighted sum of values.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace reference {

/// One query of one head.
struct Query {
    const float* q;      ///< [key_size]
    const float* error;  ///< [key_size] by how much an element may be rounded before it is multiplied
    size_t position;     ///< of the query, for ALiBi
    size_t first, last;  ///< positions first ... last - 1 are seen
    const float* mask;   ///< [last] added to scores, or nullptr
    bool has_sink;
    float slope, sink;
};

/// Keys and values, as the cache has them after rounding: [positions][size].
struct KeysValues {
    const float *keys, *values;
    size_t key_size, value_size;
    const float* value_error;  ///< [positions][size] by how much values may be rounded; nullptr: exact
};

struct AttentionArithmetic {
    double scale, soft_cap;  ///< soft_cap 0: none
    double p_unit, p_tiny;   ///< relative error of a probability, and absolute one of small ones
};

/// The result of each value column, and how far f32 arithmetic may be from it.
///
/// A score is off by d <= scale * sum |q_error * key| + u * (key_size + 8) * (scale * sum |q * key| + |bias|), with u =
/// 2^-24, and after a cap by no more. So each probability is off by a factor within exp(2 * D), D the largest d of the
/// row, once for itself and once for the sum; exp, the running rescaling and the sums add (blocks + lanes + 8) * u.
struct AttentionResult {
    std::vector<double> value, bound;
};
AttentionResult attend(const Query& query, const KeysValues& cache, const AttentionArithmetic& arithmetic);

}  // namespace reference
