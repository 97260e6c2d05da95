// Micro-kernels in portable C++, for hosts without the extensions of the others: helpers for f32 and f16.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"
#include "kai/engines/portable/portable_x86_64_v3.hpp"

namespace kai {
namespace {

/// Four f32, and their bits. Compilers have vectors of 16 bytes on every host.
using Vec [[gnu::vector_size(16)]] = float;
using Bits [[gnu::vector_size(16)]] = int32_t;
using UnsignedBits [[gnu::vector_size(16)]] = uint32_t;

/// Whether a fused multiply-add is an instruction. (Elsewhere it is a call into libm.)
#if defined(__aarch64__)
constexpr bool kHasFma = true;
KAI_INLINE Vec fma_instruction(Vec a, Vec b, Vec c) {
    return vfmaq_f32(c, a, b);
}
#elif defined(__FMA__) || KAI_HAS_AVX2
constexpr bool kHasFma = true;
KAI_INLINE Vec fma_instruction(Vec a, Vec b, Vec c) {
    return _mm_fmadd_ps(a, b, c);
}
#else
constexpr bool kHasFma = false;
KAI_INLINE Vec fma_instruction(Vec, Vec, Vec c) {
    return c;
}
#endif

/// a * b + c, where a * b is exact, rounded to odd: an inexact sum becomes that of its two neighbours whose last bit is
/// odd (Integer: the bits of Float, unsigned). Rounding that again, to a type of less than half the precision, gives
/// the same as a single rounding.
template <class Integer, class Float>
KAI_INLINE Float multiply_add_to_odd(Float a, Float b, Float c) {
    const Float product = a * b, sum = product + c, zero = {};
    const Float added = sum - product, error = (product - (sum - added)) + (c - added);
    const auto bits = load<Integer>(&sum);
    const Integer away = bits + 1, odd = (bits & 1) != 0 ? bits : (error > zero) == (sum > zero) ? away : away - 2;
    // If the sum is not finite, the error is NaN and both comparisons are false.
    const Integer result = ((error > zero) | (error < zero)) ? odd : bits;
    return load<Float>(&result);
}

/// fma(a, b, c) on every host.
KAI_INLINE float fused(float a, float b, float c) {
    return static_cast<float>(
        multiply_add_to_odd<uint64_t>(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)));
}

/// c[i] = fma(a[i], b[i], c[i]) on every host, for a multiple of 4.
[[maybe_unused, gnu::noinline]] void fused(const float* a, const float* b, float* c, size_t count) {
    if constexpr (kHasFma) {
        for (size_t i = 0; i < count; i += 4) {
            store(c + i, fma_instruction(load<Vec>(a + i), load<Vec>(b + i), load<Vec>(c + i)));
        }
        return;
    }
    using Floats [[gnu::vector_size(8)]] = float;
    using Doubles [[gnu::vector_size(16)]] = double;
    using Integers [[gnu::vector_size(16)]] = int64_t;
    const auto doubles = [](const float* x) { return __builtin_convertvector(load<Floats>(x), Doubles); };
    // A sum of doubles, rounded to f32, is rounded twice. That is harmless, unless the sum is halfway between two f32
    // (its last 29 bits tell), or is not 0 and below 2^-126, where other bits would.
    constexpr int64_t kLow = 0x1FFFFFFF, kHalf = 0x10000000, kLeast = int64_t{0x381} << 52;
    for (size_t i = 0; i < count; i += 2) {
        const Doubles sum = doubles(a + i) * doubles(b + i) + doubles(c + i);
        const auto bits = load<Integers>(&sum), magnitude = bits & INT64_MAX;
        const Integers doubtful = (((bits ^ kHalf) & kLow) - 1) | ((magnitude - kLeast) & ~(magnitude - 1));
        if (__builtin_expect((doubtful[0] | doubtful[1]) < 0, 0)) {
            c[i] = fused(a[i], b[i], c[i]);
            c[i + 1] = fused(a[i + 1], b[i + 1], c[i + 1]);
        } else {
            store(c + i, __builtin_convertvector(sum, Floats));
        }
    }
}

/// Four f16 as f32.
#if defined(__aarch64__)
KAI_INLINE Vec load_f16(const uint8_t* p) {
    return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(p)));
}
#elif KAI_HAS_AVX2
KAI_INLINE Vec load_f16(const uint8_t* p) {
    return _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}
#else
// What kai_cast_f32_f16 does, without branches.
KAI_INLINE Vec load_f16(const uint8_t* p) {
    Bits half = {};
    for (size_t i = 0; i < 4; ++i) {
        half[i] = load<uint16_t>(p + 2 * i);
    }
    const Bits magnitude = (half & 0x7FFF) << 13, from_least = magnitude + 0x38800000;
    const Vec subnormal = load<Vec>(&from_least) - 0x1p-14F;
    const Bits finite = magnitude < 0x00800000 ? load<Bits>(&subnormal) : magnitude + 0x38000000;
    const Bits result = (magnitude < 0x0F800000 ? finite : magnitude + 0x70000000) | (half & 0x8000) << 16;
    return load<Vec>(&result);
}
#endif

/// FMAX and FMIN: NaN stays NaN, -0 is less than +0.
KAI_INLINE float clamped(float x, float lo, float hi) {
    const auto number = [](uint32_t bits) { return load<float>(&bits); };
    x = x < lo ? lo : x == lo ? number(load<uint32_t>(&x) & load<uint32_t>(&lo)) : x;
    return x > hi ? hi : x == hi ? number(load<uint32_t>(&x) | load<uint32_t>(&hi)) : x;
}

}  // namespace
}  // namespace kai
