// The product of two sides, and how far a micro-kernel may be from it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test/reference/formats.hpp"

namespace reference {

/// dst[m][n] before the clamp, and the largest error that f32 arithmetic can make.
///
/// The bound: each f32 operation errs by at most u = 2^-24 of its result, and every intermediate result is at most
/// T = sum of the |terms|. With q operations on an element, |error| <= q * u * T * (1 + q * u) + q * 2^-149, the last
/// part for subnormal results. Terms and operations of an element:
///   f32:             bias, k products;                                     q = k + 1 (fused) to 2 * k + 1
///   int8 x int4:     per block scale * scale * S (S exact in int32, |S| < 2^24);  q = 2 per block (product and sum)
///   ... with zeros:  also zero * lhs_sum per block, and the bias;                 q = 4 per block + 1
struct Expected {
    size_t m, n;
    std::vector<double> value, bound;
};

Expected matmul(const Side& lhs, const Side& rhs);

/// min(max(x, lo), hi); NaN stays NaN.
double clamp(double x, float lo, float hi);

/// Compares the first m x n elements; "" if all are within their bounds, else a description of the first that is not.
/// NaN must be NaN and an infinity that infinity; where the bound reaches beyond FLT_MAX, an infinity is fine as well.
std::string compare(const Expected& expected, const std::vector<float>& dst, size_t m, size_t n, float lo, float hi);

}  // namespace reference
