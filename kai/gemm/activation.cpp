// Activations. All of them come from one exponential of an argument that is not positive, so that nothing overflows:
//
//     e^x = scale + scale * rest,   scale = 2^n,   rest = e^r - 1,   x = n * ln 2 + r,   |r| <= ln 2 / 2
//
//     sigmoid(x)    1 / (1 + z) or z / (1 + z), z = e^-|x|
//     silu(x)       x * sigmoid(x)
//     tanh(x)       -w / (2 + w), w = e^(-2|x|) - 1, with the sign of x
//     gelu, tanh    x * (1 + tanh(u)) / 2 = x * sigmoid(2 u), u = sqrt(2 / pi) * (x + 0.044715 x^3)
//     gelu, erf     max(x, 0) - |x| * Q(|x|), Q(a) = erfc(a / sqrt(2)) / 2 = e^(-a^2 / 2) * t * P(t),
//                   t = 1 / (1 + a / 4)
//
// The polynomials are Chebyshev interpolations, computed with 40 digits: rest to 8e-9, P to 1.5e-8 for a up to 13.5.
// Errors as measured: docs/epilogues.md. Vectors of four numbers as GCC and Clang have them on every
// host; a * b + c is one operation where the CPU has it.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/gemm/activation.hpp"

#include "kai/call.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace kai::gemm {
namespace {

using Floats = float __attribute__((vector_size(16)));
using Ints = int32_t __attribute__((vector_size(16)));
constexpr size_t kLanes = sizeof(Floats) / sizeof(float);

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

KAI_INLINE Floats choose(Ints where, Floats a, Floats b) {
    return as<Floats>((where & as<Ints>(a)) | (~where & as<Ints>(b)));
}
/// NaN stays.
KAI_INLINE Floats at_most(Floats x, float bound) {
    return choose(x > bound, all(bound), x);
}
KAI_INLINE Floats magnitude(Floats x) {
    return as<Floats>(as<Ints>(x) & INT32_MAX);
}
KAI_INLINE Floats with_sign_of(Floats x, Floats sign) {
    return as<Floats>((as<Ints>(x) & INT32_MAX) | (as<Ints>(sign) & INT32_MIN));
}

struct Exponential {
    Floats scale, rest;  // scale + scale * rest
};

/// e^x for x from -87 to 0: 2^n is not subnormal.
KAI_INLINE Exponential exponential(Floats x) {
    constexpr float kInteger = 0x1.8p23F;  // added to n: n is in the lowest bits
    constexpr float kLog2E = 0x1.715476p+0F, kLn2 = 0x1.62e4p-1F, kLn2Rest = 0x1.7f7d1cp-20F;
    constexpr float kRest[] = {0.0083632329F, 0.041666554F, 0.16666577F, 0.5F};
    const Floats shifted = multiply_add(x, all(kLog2E), all(kInteger)), n = shifted - kInteger;
    const Floats r = multiply_add(n, all(-kLn2Rest), multiply_add(n, all(-kLn2), x));
    Floats q = all(0.0013926251F);
    for (const float c : kRest) {
        q = multiply_add(q, r, all(c));
    }
    constexpr int32_t kOne = 0x3F800000, kMantissa = 23;
    return {as<Floats>((as<Ints>(shifted) << kMantissa) + kOne), multiply_add(r * r, q, r)};
}

/// e^-a for a >= 0, or NaN; 0 beyond 87, where it is below 2^-125.
KAI_INLINE Floats decay(Floats a) {
    constexpr float kMost = 87;
    const Exponential e = exponential(-at_most(a, kMost));
    return choose(a > kMost, all(0), multiply_add(e.scale, e.rest, e.scale));
}

KAI_INLINE Floats sigmoid(Floats x) {
    const Floats z = decay(magnitude(x));
    return choose(x < 0.0F, z, all(1)) / (1.0F + z);
}

/// x * sigmoid(u), where u has the sign of x. -infinity gives 0, as its neighbours do.
KAI_INLINE Floats gate(Floats x, Floats u) {
    const Floats s = sigmoid(u);
    return choose((x < 0.0F) & (s == 0.0F), all(0), x * s);
}

KAI_INLINE Floats silu(Floats x) {
    return gate(x, x);
}

KAI_INLINE Floats tanh(Floats x) {
    const Exponential e = exponential(-2.0F * at_most(magnitude(x), 20));
    const Floats w = multiply_add(e.scale, e.rest, e.scale - 1.0F);
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
    const Floats rest = a * (p * t * decay(bounded * bounded * 0.5F));
    return choose(x < 0.0F, all(0), x) - choose(a > kMost, all(0), rest);
}

KAI_INLINE Floats relu(Floats x) {
    return choose(x < 0.0F, all(0), x);
}

/// Several vectors at a time: each is a long chain of operations.
template <typename F>
KAI_INLINE void each(float* x, size_t count, F f) {
    constexpr size_t kVectors = kActivated / kLanes;
    for (size_t i = 0; i < count; i += kActivated) {
        Floats v[kVectors];
#pragma GCC unroll 8
        for (size_t j = 0; j < kVectors; ++j) {
            __builtin_memcpy(&v[j], x + i + j * kLanes, sizeof(Floats));
            v[j] = f(v[j]);
        }
        __builtin_memcpy(x + i, v, sizeof(v));
    }
}

}  // namespace

void activate(kai_gemm_activation activation, float* x, size_t count) {
    switch (activation) {
        case KAI_GEMM_RELU:
            return each(x, count, relu);
        case KAI_GEMM_GELU_TANH:
            return each(x, count, gelu_tanh);
        case KAI_GEMM_GELU_ERF:
            return each(x, count, gelu_erf);
        case KAI_GEMM_SILU:
            return each(x, count, silu);
        case KAI_GEMM_TANH:
            return each(x, count, tanh);
        case KAI_GEMM_SIGMOID:
            return each(x, count, sigmoid);
        default:
            return;
    }
}

}  // namespace kai::gemm
