// Activations: functions of one result, in f32. All but ReLU come from one power of 2, of an argument with bounds:
//
//     2^-t = scale * P(f),   scale = 2^n,   t = f - n,   |f| <= 1 / 2
//
//     sigmoid(x)    1 / (1 + e^-x)
//     silu(x)       x / (1 + e^-x)
//     tanh(x)       w / (2 + w), w = e^(-2|x|) - 1, with the sign of x
//     gelu, tanh    x * (1 + tanh(u)) / 2 = x / (1 + e^-2u), u = sqrt(2 / pi) * (x + 0.044715 x^3)
//     gelu, erf     max(x, 0) - |x| * Q(|x|), Q(a) = erfc(a / sqrt(2)) / 2 = 2^-(1 + a * H(a))
//
// Bounds are such that scale is 0 at the one end, and infinite at the other one where a quotient shall be 0.
//
// The polynomials of powers are Chebyshev interpolations, computed with 40 digits: to 2e-9. H is a minimax polynomial
// with weights: Q is off by at most 1.4e-7 up to a = 3.45, where a * Q is 2^-10, and from there on so that a * Q is off
// by at most 4.5e-9.
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

KAI_INLINE constexpr Floats all(float x) {
    return Floats{x, x, x, x};
}

/// c, to be added to a product with x. FMLA adds to its destination: a constant in a register would be copied first,
/// which takes as long as the sum. So it is loaded each time, by other units; x is named to keep compilers from sharing
/// one load.
KAI_INLINE Floats loaded(const Floats& c, Floats x) {
#if defined(__aarch64__)
    Floats copy;
    __asm__("ldr %q0, %1" : "=w"(copy) : "m"(c), "w"(x));
    return copy;
#else
    (void)x;
    return c;
#endif
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

/// pair 0 + x^2 * (pair 1 + x^2 * ...), a pair being low + high * x: so that terms do not wait for each other.
template <size_t pairs>
struct Pairs {
    struct Pair {
        Floats low;
        float high;
    };
    Pair c[pairs];

    KAI_INLINE Floats pair(size_t i, Floats x) const {
        return multiply_add(all(c[i].high), x, loaded(c[i].low, x));
    }
    KAI_INLINE Floats operator()(Floats x) const {
        const Floats square = x * x;
        Floats p = pair(pairs - 1, x);
        for (size_t i = pairs - 1; i-- > 0;) {
            p = multiply_add(p, square, pair(i, x));
        }
        return p;
    }
};
/// first + x * rest: rounded once where first is most of it.
template <size_t pairs>
struct Polynomial {
    Floats first;
    Pairs<pairs> rest;

    KAI_INLINE Floats operator()(Floats x) const {
        const Floats p = rest(x);
        return multiply_add(p, x, loaded(first, p));
    }
};
KAI_INLINE Floats scale_of(Floats shifted) {
    return as<Floats>(as<Ints>(shifted) << 23);
}

constexpr Floats kOne = all(1), kExponents = all(kExponent);
constexpr Polynomial<3> kPowerOf2 = {
    all(1),
    {{{all(-0.693147203F), 0.240226479F},
      {all(-0.0555033247F), 0.00961843717F},
      {all(-0.00133988742F), 0.000153534165F}}}};
/// 2^-(x * y), times 2^n with n more than kExponents, as `power` has it.
template <typename F>
KAI_INLINE Power two_to_minus(Floats x, Floats y, const Floats& exponent, const F& power) {
    const Floats shifted = subtract_product(x, y, loaded(exponent, y));
    return {scale_of(shifted), power(multiply_add(x, y, shifted - exponent))};
}
/// e^-(factor * a) = scale_of(shifted) * e^-(factor * s), |factor * s| <= ln 2 / 2.
struct Reduced {
    Floats shifted, s;
};
KAI_INLINE Reduced reduced(Floats a, float factor) {
    const Floats shifted = subtract_product(a, all(factor * kLog2E), loaded(kExponents, a)), n = shifted - kExponent;
#if defined(__aarch64__)
    // The product is not rounded; ln 2 is off by 2^-29.
    return {shifted, multiply_add(n, all(0x1.62e43p-1F / factor), a)};
#else
    constexpr float kLn2 = 0x1.62e4p-1F, kLn2Rest = 0x1.7f7d1cp-20F;  // n * kLn2 is exact
    return {shifted, multiply_add(n, all(kLn2Rest / factor), multiply_add(n, all(kLn2 / factor), a))};
#endif
}
constexpr Polynomial<3> kPowerOfE = {
    all(1), {{{all(-1), 0.499999942F}, {all(-0.166664313F), 0.0416680012F}, {all(-0.00837415516F), 0.00138437028F}}}};
/// e^-a.
KAI_INLINE Power e_to_minus(Floats a) {
    const Reduced r = reduced(a, 1);
    return {scale_of(r.shifted), kPowerOfE(r.s)};
}
/// 1 + 2^-t.
KAI_INLINE Floats plus_1(Power p) {
    return multiply_add(p.scale, p.power, loaded(kOne, p.power));
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

constexpr Floats kMinusHalf = all(-0.5F);
constexpr Polynomial<2> kLess = {all(1), {{{all(-0.66666308F), 0.333332432F}, {all(-0.1338117264F), 0.0445640032F}}}};
KAI_INLINE Floats tanh(Floats x) {
    const auto [shifted, s] = reduced(at_most(magnitude(x), 20), 2);
    // e^-2s = 1 - 2 * less: small results keep their bits.
    const Floats scale = scale_of(shifted), less = subtract_product(s * s, kLess(s), s);
    const Floats half_w = subtract_product(scale, less, multiply_add(scale, all(0.5F), loaded(kMinusHalf, scale)));
    return with_sign_of(half_w / (1.0F + half_w), x);
}

KAI_INLINE Floats gelu_tanh(Floats x) {
    constexpr float kLinear = 2.3022082F, kCubic = 0.10294324F;  // 2 sqrt(2 / pi) log2(e), and that times 0.044715
    constexpr float kMost = 10.04F, kLeast = -10.07F;            // t is 127.3 and -128.3
    x = at_least(x, kLeast);
    const Floats y = at_most(x, kMost);
    return x / plus_1(two_to_minus(y, multiply_add(y * y, all(kCubic), all(kLinear)), kExponents, kPowerOf2));
}

constexpr Polynomial<4> kH = {
    all(1.15111029F),
    {{{all(0.459163308F), 0.0526257008F},
      {all(-0.00723297754F), 0.000247751654F},
      {all(0.000151784188F), -3.64059524e-05F},
      {all(3.56696319e-06F), -1.2837161e-07F}}}};
/// 2^(24 - f), to 1.3e-7, and what makes Q of it: scale becomes 0 where t - 1 is 102, before H falls.
constexpr Pairs<3> kPowerOf2By24 = {
    {{all(0x1.000002p+24F), -0x1.62e438p+23F},
     {all(0x1.ebf80ap+21F), -0x1.c6a13ep+19F},
     {all(0x1.3d5a14p+17F), -0x1.6654e6p+14F}}};
constexpr Floats kExponentsOfQ = all(kExponent - 1 - 24);
KAI_INLINE Floats gelu_erf(Floats x) {
    constexpr float kMost = 11.8F;  // a * H(a) is 101.9: Q becomes 0
    const Floats a = at_most(magnitude(x), kMost);
    const Power q = two_to_minus(a, kH(a), kExponentsOfQ, kPowerOf2By24);
    return subtract_product(a * q.scale, q.power, at_least(x, 0));
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
