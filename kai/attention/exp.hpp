// The exponential function of attention, for every host: the same bits everywhere.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>
#include <string.h>

#pragma GCC visibility push(hidden)
namespace kai::attention {

/// 2^f, |f| <= 1/2, of kernels that take powers of two: the relative errors are at most 7.5e-5 and 7.5e-8. The highest
/// power is first.
inline constexpr float kPolynomial3[] = {0x1.c3f762p-5F, 0x1.f0de1ap-3F, 0x1.62f31ap-1F, 0x1.fff692p-1F};
inline constexpr float kPolynomial5[] = {0x1.5c08e6p-10F, 0x1.3d0c52p-7F, 0x1.c6b6e4p-5F,
                                         0x1.ebf918p-3F,  0x1.62e428p-1F, 0x1.000002p+0F};
inline constexpr float kLog2E = 0x1.715476p+0F, kLn2 = 0x1.62e43p-1F;

/// exp(x) for x <= 0, within 1.1 ulp where the result is normal; below -87.33 (2^-126) 0; NaN stays NaN.
///
/// x = n * log(2) + r with |r| <= log(2) / 2, exp(r) by a polynomial of degree 7 (its Taylor series is off by 2^-27 at
/// the ends), 2^n by the exponent. n is rounded by adding 1.5 * 2^23, so that compilers make vectors of loops.
inline float exp_of(float x) {
    constexpr float kHigh = 0x1.62e4p-1F, kLow = 0x1.7f7d1cp-20F, kRound = 0x1.8p23F;
    constexpr float kLeast = -0x1.5d58ap6F;
    const float clamped = x < kLeast ? kLeast : x;
    const float shifted = clamped * kLog2E + kRound, n = shifted - kRound;
    const float r = (clamped - n * kHigh) - n * kLow;
    float y = 0x1.a01a02p-13F;
    y = y * r + 0x1.6c16c2p-10F;
    y = y * r + 0x1.111112p-7F;
    y = y * r + 0x1.555556p-5F;
    y = y * r + 0x1.555556p-3F;
    y = y * r + 0.5F;
    y = (y * r) * r + r;
    y = y + 1;
    uint32_t bits, power;
    memcpy(&bits, &y, sizeof(bits));
    memcpy(&power, &shifted, sizeof(power));
    bits += power << 23;
    float result;
    memcpy(&result, &bits, sizeof(result));
    return x < kLeast ? 0 : x == x ? result : x;
}

/// tanh(x) within 2^-23 of 1: (1 - e) / (1 + e) with e = exp(-2 |x|), with the sign of x.
inline float tanh_of(float x) {
    const float e = exp_of(x < 0 ? 2 * x : -2 * x), y = (1 - e) / (1 + e);
    return x < 0 ? -y : y;
}

}  // namespace kai::attention
#pragma GCC visibility pop
