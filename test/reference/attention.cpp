// SPDX-License-Identifier: Apache-2.0
#include "test/reference/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reference {
namespace {

constexpr double kUnit = 0x1p-24;

struct Score {
    double x, error;
};

Score score_of(const Query& q, const KeysValues& cache, const AttentionArithmetic& a, size_t j) {
    const float* key = cache.keys + j * cache.key_size;
    double sum = 0, terms = 0, rounding = 0;
    for (size_t i = 0; i < cache.key_size; ++i) {
        sum += double(q.q[i]) * key[i];
        terms += std::fabs(double(q.q[i]) * key[i]);
        rounding += std::fabs(double(q.error[i]) * key[i]);
    }
    double x = a.scale * sum;
    double error = a.scale * (rounding + kUnit * double(cache.key_size + 8) * (terms + rounding));
    if (a.soft_cap != 0) {
        x = a.soft_cap * std::tanh(x / a.soft_cap);
        error += a.soft_cap * 16 * kUnit;
    }
    const double bias = q.slope * (double(j) - double(q.position));
    x += bias;
    error += 4 * kUnit * (std::fabs(bias) + std::fabs(x));
    if (q.mask != nullptr) {
        x += q.mask[j];
        error += std::isfinite(x) ? 4 * kUnit * std::fabs(x) : 0;
    }
    return {x, error};
}

}  // namespace

AttentionResult attend(const Query& q, const KeysValues& cache, const AttentionArithmetic& a) {
    AttentionResult r = {std::vector<double>(cache.value_size), std::vector<double>(cache.value_size)};
    double most = q.has_sink ? double(q.sink) : -std::numeric_limits<double>::infinity(), worst = 0;
    std::vector<double> x;
    for (size_t j = q.first; j < q.last; ++j) {
        const Score s = score_of(q, cache, a, j);
        x.push_back(s.x);
        most = std::max(most, s.x);
        worst = std::max(worst, s.error);
    }
    if (most == -std::numeric_limits<double>::infinity()) {
        return r;
    }
    double sum = q.has_sink ? std::exp(q.sink - most) : 0;
    std::vector<double> weighted(cache.value_size), all(cache.value_size), rounding(cache.value_size);
    for (size_t j = q.first; j < q.last; ++j) {
        const double p = std::exp(x[j - q.first] - most);
        sum += p;
        for (size_t c = 0; c < cache.value_size; ++c) {
            const double v = cache.values[j * cache.value_size + c];
            r.value[c] += p * v;
            weighted[c] += p * std::fabs(v);
            all[c] += std::fabs(v);
            rounding[c] += cache.value_error != nullptr ? p * cache.value_error[j * cache.value_size + c] : 0;
        }
    }
    const double count = double(q.last - q.first);
    const double unit = std::expm1(2 * worst) + a.p_unit + kUnit * (count / 8 + 64 + 4 * std::log2(count + 2));
    for (size_t c = 0; c < cache.value_size; ++c) {
        r.value[c] /= sum;
        r.bound[c] = (unit * weighted[c] + a.p_tiny * all[c] + rounding[c]) / sum + 0x1p-140;
    }
    return r;
}

}  // namespace reference
