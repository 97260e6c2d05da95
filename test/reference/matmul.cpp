// SPDX-License-Identifier: Apache-2.0
#include "test/reference/matmul.hpp"

#include <cfloat>
#include <cmath>
#include <sstream>

namespace reference {

namespace {

/// Sum of terms and of their magnitudes.
struct Sum {
    double value = 0, magnitude = 0;
    void add(double term) {
        value += term;
        magnitude += std::fabs(term);
    }
};

int32_t dot(const int8_t* a, const int8_t* b, size_t count) {
    int32_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

Sum element(const Side& lhs, const Side& rhs, size_t m, size_t n) {
    Sum sum;
    if (!lhs.values.empty()) {
        for (size_t kk = 0; kk < lhs.k; ++kk) {
            sum.add(static_cast<double>(lhs.values[m * lhs.k + kk]) * rhs.values[n * lhs.k + kk]);
        }
    }
    for (size_t b = 0; b < lhs.blocks(); ++b) {
        const size_t lb = m * lhs.blocks() + b, rb = n * lhs.blocks() + b;
        const int32_t S = dot(&lhs.q[lb * lhs.bl], &rhs.q[rb * lhs.bl], lhs.bl);
        sum.add(static_cast<double>(lhs.scale[lb]) * rhs.scale[rb] * S);
        if (!lhs.offset.empty()) {
            sum.add(static_cast<double>(lhs.offset[lb]) * rhs.offset[rb]);
        }
    }
    if (!rhs.bias.empty()) {
        sum.add(rhs.bias[n]);
    }
    return sum;
}

}  // namespace

Expected matmul(const Side& lhs, const Side& rhs) {
    const size_t operations = (lhs.blocks() > 0 ? lhs.blocks() * (lhs.offset.empty() ? 2 : 4) : 2 * lhs.k) + 1;
    const double q = static_cast<double>(operations), u = 0x1p-24;
    Expected expected = {lhs.rows, rhs.rows, {}, {}};
    for (size_t m = 0; m < lhs.rows; ++m) {
        for (size_t n = 0; n < rhs.rows; ++n) {
            const Sum sum = element(lhs, rhs, m, n);
            expected.value.push_back(sum.value);
            expected.bound.push_back(q * u * sum.magnitude * (1 + q * u) + q * 0x1p-149);
        }
    }
    return expected;
}

double clamp(double x, float lo, float hi) {
    return x < lo ? lo : x > hi ? hi : x;
}

std::string compare(const Expected& expected, const std::vector<float>& dst, size_t m, size_t n, float lo, float hi) {
    std::ostringstream first;
    size_t wrong = 0;
    for (size_t i = 0; i < m * n; ++i) {
        const size_t at = i / n * expected.n + i % n;
        const double value = expected.value[at], want = clamp(value, lo, hi), bound = expected.bound[at], got = dst[i];
        const bool may_overflow =
            std::fabs(value) + bound > FLT_MAX && got == clamp(std::copysign(INFINITY, value), lo, hi);
        const bool good = std::isnan(value)   ? std::isnan(got)
                          : std::isinf(value) ? got == want
                                              : std::fabs(got - want) <= bound || may_overflow;
        if (!good && wrong++ == 0) {
            first.precision(9);
            first << "dst[" << i / n << "][" << i % n << "] is " << got << ", not " << want << " +- " << bound;
        }
    }
    if (wrong > 0) {
        first << " (" << wrong << " of " << m * n << " elements are wrong)";
    }
    return first.str();
}

}  // namespace reference
