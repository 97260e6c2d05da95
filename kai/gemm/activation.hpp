// Activations: functions of one result, in f32. All but ReLU come from one power of 2, of an argument with bounds:
//
//     2^-t = scale * P(f),   scale = 2^n,   t = f - n,   |f| <= 1 / 2
//
//     sigmoid(x)    1 / (1 + e^-x)
//     silu(x)       x / (1 + e^-x)
//     tanh(x)       w / (2 + w), w = e^(-2|x|) - 1, with the sign of x
//     gelu, tanh    x * (1 + tanh(u)) / 2 = x / (1 + e^-2u), u = sqrt(2 / pi) * (x + 0.044715 x^3)
//     gelu, erf     max(x, 0) - |x| * Q(|x|), Q(a) = erfc(a / sqrt(2)) / 2 = e^(-a^2 / 2) * r * P(r),
//                   r = 1 / (1 + a / 4)
//
// Bounds are such that scale is 0 at the one end, and infinite at the other one where a quotient shall be 0.
//
// The polynomials are Chebyshev interpolations, computed with 40 digits: 2^f to 2e-9, P to 1.5e-8 for a up to 13.5.
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

/// 2^-t = scale * power.
struct Power {
    Floats scale, power;
};

inline constexpr float kLog2E = 0x1.715476p+0F;
/// Added to -t: the exponent of 2^n, n + 127, is in the lowest bits. From -127 (0) to 128 (infinite).
inline constexpr float kExponent = 0x1.8p23F + 127;

/// x^6 * c[0] + ... + c[6].
KAI_INLINE Floats polynomial_6(Floats x, const float (&c)[7]) {
    Floats p = all(c[0]);
    for (size_t i = 1; i < 7; ++i) {
        p = multiply_add(p, x, all(c[i]));
    }
    return p;
}
KAI_INLINE Floats scale_of(Floats shifted) {
    return as<Floats>(as<Ints>(shifted) << 23);
}

/// 2^-t.
KAI_INLINE Power two_to_minus(Floats t) {
    constexpr float kPower[] = {
        0.000153534165F, -0.00133988742F, 0.00961843717F, -0.0555033247F, 0.240226479F, -0.693147203F, 1.0F};
    const Floats shifted = kExponent - t;
    return {scale_of(shifted), polynomial_6(t + (shifted - kExponent), kPower)};
}
/// e^-a = scale_of(shifted) * e^-s, |s| <= ln 2 / 2. No error counts, also where a * b + c is two operations.
struct Reduced {
    Floats shifted, s;
};
KAI_INLINE Reduced reduced(Floats a) {
    constexpr float kLn2 = 0x1.62e4p-1F, kLn2Rest = 0x1.7f7d1cp-20F;
    const Floats shifted = subtract_product(a, all(kLog2E), all(kExponent)), n = shifted - kExponent;
    return {shifted, multiply_add(n, all(kLn2Rest), multiply_add(n, all(kLn2), a))};
}
/// e^-a.
KAI_INLINE Power e_to_minus(Floats a) {
    constexpr float kPower[] = {0.00138437028F, -0.00837415516F, 0.0416680012F, -0.166664313F,
                                0.499999942F,   -1.0F,           1.0F};
    const Reduced r = reduced(a);
    return {scale_of(r.shifted), polynomial_6(r.s, kPower)};
}
/// 1 + 2^-t.
KAI_INLINE Floats plus_1(Power p) {
    return multiply_add(p.scale, p.power, all(1));
}

KAI_INLINE Floats identity(Floats x) {
    return x;
}
KAI_INLINE Floats relu(Floats x) {
    return at_least(x, 0);
}

/// Bounds of a for e_to_minus: e^-a is infinite at the lower one, 0 at the upper one.
inline constexpr float kLeastExponent = -88.9F, kMostExponent = 88.2F;

KAI_INLINE Floats sigmoid(Floats x) {
    return 1.0F / plus_1(e_to_minus(at_most(at_least(x, kLeastExponent), kMostExponent)));
}
KAI_INLINE Floats silu(Floats x) {
    x = at_least(x, kLeastExponent);
    return x / plus_1(e_to_minus(at_most(x, kMostExponent)));
}

KAI_INLINE Floats tanh(Floats x) {
    constexpr float kLess[] = {0.0013926251F, -0.0083632329F, 0.041666554F, -0.16666577F, 0.5F};
    const auto [shifted, s] = reduced(2.0F * at_most(magnitude(x), 20));
    Floats q = all(kLess[0]);
    for (size_t i = 1; i < sizeof(kLess) / sizeof(float); ++i) {
        q = multiply_add(q, s, all(kLess[i]));
    }
    // e^-s = 1 - less: small results keep their bits.
    const Floats scale = scale_of(shifted), less = subtract_product(s * s, q, s);
    const Floats w = subtract_product(scale, less, scale - 1.0F);
    return with_sign_of(w / (2.0F + w), x);
}

KAI_INLINE Floats gelu_tanh(Floats x) {
    constexpr float kLinear = 2.3022082F, kCubic = 0.10294324F;  // 2 sqrt(2 / pi) log2(e), and that times 0.044715
    constexpr float kMost = 10.04F, kLeast = -10.07F;            // t is 127.3 and -128.3
    x = at_least(x, kLeast);
    const Floats y = at_most(x, kMost);
    return x / plus_1(two_to_minus(y * multiply_add(y * y, all(kCubic), all(kLinear))));
}

KAI_INLINE Floats gelu_erf(Floats x) {
    constexpr float kMost = 13.26F;  // where e^(-a^2 / 2) is 0
    constexpr float kP[] = {-0.1700788085F, 0.3317014615F, -0.2463874547F, 0.229766752F,
                            0.02099636503F, 0.1068063277F, 0.09808562196F, 0.09982303948F};
    const Floats a = at_most(magnitude(x), kMost);
    const Floats r = 1.0F / multiply_add(a, all(0.25F), all(1));
    Floats p = all(0.02928668874F);
    for (const float c : kP) {
        p = multiply_add(p, r, all(c));
    }
    const Power e = two_to_minus(a * (kLog2E / 2) * a);
    return subtract_product(a * p, r * (e.scale * e.power), at_least(x, 0));
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
