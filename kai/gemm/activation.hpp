// Activations: functions of one result, in f32. All but ReLU come from one exponential, of an argument with bounds:
//
//     e^-a = scale - scale * less,   scale = 2^n,   less = 1 - e^-s,   -a = n * ln 2 - s,   |s| <= ln 2 / 2
//
//     sigmoid(x)    1 / (1 + e^-x)
//     silu(x)       x / (1 + e^-x)
//     tanh(x)       w / (2 + w), w = e^(-2|x|) - 1, with the sign of x
//     gelu, tanh    x * (1 + tanh(u)) / 2 = x / (1 + e^-2u), u = sqrt(2 / pi) * (x + 0.044715 x^3)
//     gelu, erf     max(x, 0) - |x| * Q(|x|), Q(a) = erfc(a / sqrt(2)) / 2 = e^(-a^2 / 2) * t * P(t),
//                   t = 1 / (1 + a / 4)
//
// The polynomials are Chebyshev interpolations, computed with 40 digits: less to 8e-9, P to 1.5e-8 for a up to 13.5.
// Errors as measured: docs/epilogues.md. Vectors of four numbers as GCC and Clang have them on every
// host; a * b + c is one operation where the CPU has it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kai/call.hpp"
#include "kai/gemm/kai_gemm.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#pragma GCC visibility push(hidden)
namespace kai::gemm {

/// Numbers that activate() works on at a time.
inline constexpr size_t kActivated = 16;

/// x[i] = activation(x[i]) for i < count, rounded up to kActivated: so many may be read and written. An element's
/// result does not depend on its place.
void activate(kai_gemm_activation activation, float* x, size_t count);

using Floats = float __attribute__((vector_size(16)));
using Ints = int32_t __attribute__((vector_size(16)));
inline constexpr size_t kLanes = sizeof(Floats) / sizeof(float);

/// The same bytes as another vector.
template <typename To, typename From>
KAI_INLINE To as(From x) {
    To to;
    static_assert(sizeof(to) == sizeof(x));
    __builtin_memcpy(&to, &x, sizeof(to));
    return to;
}

KAI_INLINE Floats all(float x) {
    return Floats{x, x, x, x};
}

/// a * b + c.
KAI_INLINE Floats multiply_add(Floats a, Floats b, Floats c) {
#if defined(__aarch64__)
    return as<Floats>(vfmaq_f32(as<float32x4_t>(c), as<float32x4_t>(a), as<float32x4_t>(b)));
#else
    return a * b + c;
#endif
}
/// c - a * b.
KAI_INLINE Floats subtract_product(Floats a, Floats b, Floats c) {
#if defined(__aarch64__)
    return as<Floats>(vfmsq_f32(as<float32x4_t>(c), as<float32x4_t>(a), as<float32x4_t>(b)));
#else
    return c - a * b;
#endif
}

KAI_INLINE Floats choose(Ints where, Floats a, Floats b) {
    return as<Floats>((where & as<Ints>(a)) | (~where & as<Ints>(b)));
}
/// @name NaN stays
/// @{
KAI_INLINE Floats at_least(Floats x, float bound) {
#if defined(__aarch64__)
    return as<Floats>(vmaxq_f32(as<float32x4_t>(x), vdupq_n_f32(bound)));
#else
    return choose(x < bound, all(bound), x);
#endif
}
KAI_INLINE Floats at_most(Floats x, float bound) {
#if defined(__aarch64__)
    return as<Floats>(vminq_f32(as<float32x4_t>(x), vdupq_n_f32(bound)));
#else
    return choose(x > bound, all(bound), x);
#endif
}
/// @}
KAI_INLINE Floats magnitude(Floats x) {
    return as<Floats>(as<Ints>(x) & INT32_MAX);
}
KAI_INLINE Floats with_sign_of(Floats x, Floats sign) {
    return as<Floats>((as<Ints>(x) & INT32_MAX) | (as<Ints>(sign) & INT32_MIN));
}

struct Exponential {
    Floats scale, less;  // scale - scale * less
};

/// e^-a for a from -87 to 87: 2^n is neither subnormal nor infinite.
KAI_INLINE Exponential exponential_of_minus(Floats a) {
    constexpr float kInteger = 0x1.8p23F;  // added to n: n is in the lowest bits
    constexpr float kLog2E = 0x1.715476p+0F, kLn2 = 0x1.62e4p-1F, kLn2Rest = 0x1.7f7d1cp-20F;
    constexpr float kLess[] = {-0.0083632329F, 0.041666554F, -0.16666577F, 0.5F};
    const Floats shifted = subtract_product(a, all(kLog2E), all(kInteger)), n = shifted - kInteger;
    const Floats s = multiply_add(n, all(kLn2Rest), multiply_add(n, all(kLn2), a));
    Floats q = all(0.0013926251F);
    for (const float c : kLess) {
        q = multiply_add(q, s, all(c));
    }
    constexpr int32_t kOne = 0x3F800000, kMantissa = 23;
    return {as<Floats>((as<Ints>(shifted) << kMantissa) + kOne), subtract_product(s * s, q, s)};
}

/// x / (1 + e^-u), where u has the sign of x. 0 for u below -87, -infinity too.
KAI_INLINE Floats gate(Floats x, Floats u) {
    constexpr float kMost = 87;
    const Exponential e = exponential_of_minus(at_most(at_least(u, -kMost), kMost));
    return choose(u < -kMost, all(0), x / (1.0F + subtract_product(e.scale, e.less, e.scale)));
}

KAI_INLINE Floats identity(Floats x) {
    return x;
}
KAI_INLINE Floats relu(Floats x) {
    return at_least(x, 0);
}
KAI_INLINE Floats sigmoid(Floats x) {
    return gate(all(1), x);
}
KAI_INLINE Floats silu(Floats x) {
    return gate(x, x);
}

KAI_INLINE Floats tanh(Floats x) {
    const Exponential e = exponential_of_minus(2.0F * at_most(magnitude(x), 20));
    const Floats w = subtract_product(e.scale, e.less, e.scale - 1.0F);
    return with_sign_of(w / (2.0F + w), x);
}

KAI_INLINE Floats gelu_tanh(Floats x) {
    constexpr float kLinear = 1.5957691F, kCubic = 0.071354814F;  // 2 sqrt(2 / pi), and that times 0.044715
    return gate(x, x * multiply_add(x * x, all(kCubic), all(kLinear)));
}

KAI_INLINE Floats gelu_erf(Floats x) {
    constexpr float kMost = 13;  // beyond, |x| * Q(|x|) is below 2^-120
    constexpr float kP[] = {-0.1700788085F, 0.3317014615F, -0.2463874547F, 0.229766752F,
                            0.02099636503F, 0.1068063277F, 0.09808562196F, 0.09982303948F};
    const Floats a = magnitude(x), bounded = at_most(a, kMost);
    const Floats t = 1.0F / multiply_add(bounded, all(0.25F), all(1));
    Floats p = all(0.02928668874F);
    for (const float c : kP) {
        p = multiply_add(p, t, all(c));
    }
    const Exponential e = exponential_of_minus(bounded * bounded * 0.5F);
    const Floats rest = a * (p * t * subtract_product(e.scale, e.less, e.scale));
    return at_least(x, 0) - choose(a > kMost, all(0), rest);
}

template <Floats (*function)(Floats)>
struct Function {
    KAI_INLINE Floats operator()(Floats x) const {
        return function(x);
    }
};

/// f(function) with the function of an activation, as a type.
template <typename F>
KAI_INLINE void with_activation(kai_gemm_activation activation, F f) {
    switch (activation) {
        case KAI_GEMM_RELU:
            return f(Function<relu>{});
        case KAI_GEMM_GELU_TANH:
            return f(Function<gelu_tanh>{});
        case KAI_GEMM_GELU_ERF:
            return f(Function<gelu_erf>{});
        case KAI_GEMM_SILU:
            return f(Function<silu>{});
        case KAI_GEMM_TANH:
            return f(Function<tanh>{});
        case KAI_GEMM_SIGMOID:
            return f(Function<sigmoid>{});
        default:
            return f(Function<identity>{});
    }
}

}  // namespace kai::gemm
#pragma GCC visibility pop
