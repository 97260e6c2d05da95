// Rows of f16 to f32 and back: the bits of kai_cast_f32_f16 and kai_cast_f16_f32, with F16C on the CPUs of x86-64 that
// have it. (On AArch64 compilers make vectors of the loops.)
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

#if defined(__x86_64__) && !defined(KLEIDIAI_NO_X86_64_V3) && !defined(_MSC_VER) && !defined(__APPLE__) && \
    (defined(__clang__) ? __clang_major__ >= 19 : __GNUC__ >= 12)
#define KAI_CONVERTS_WITH_F16C 1
#include <immintrin.h>
#else
#define KAI_CONVERTS_WITH_F16C 0
#endif

namespace kai {
namespace {

#if KAI_CONVERTS_WITH_F16C
[[maybe_unused, gnu::target("avx,f16c")]] void widen_with_f16c(const void* from, void* to, size_t count) {
    for (size_t i = 0; i < count; i += 8) {
        const __m128i halves = _mm_loadu_si128(static_cast<const __m128i*>(from) + i / 8);
        _mm256_storeu_ps(static_cast<float*>(to) + i, _mm256_cvtph_ps(halves));
    }
}
[[maybe_unused, gnu::target("avx,f16c")]] void narrow_with_f16c(const void* from, void* to, size_t count) {
    for (size_t i = 0; i < count; i += 8) {
        const __m256 floats = _mm256_loadu_ps(static_cast<const float*>(from) + i);
        const __m128i halves = _mm256_cvtps_ph(floats, _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(static_cast<__m128i*>(to) + i / 8, halves);
    }
}
/// How many of `count` elements to convert with F16C: whole vectors of eight.
inline size_t with_f16c(size_t count) {
    return __builtin_cpu_supports("f16c") ? count / 8 * 8 : 0;
}
#endif

/// `count` f16 to f32. No alignment.
[[maybe_unused]] void widen_halves(const void* from, void* to, size_t count) {
    size_t i = 0;
#if KAI_CONVERTS_WITH_F16C
    i = with_f16c(count);
    widen_with_f16c(from, to, i);
#endif
    for (; i < count; ++i) {
        const auto half = load<uint16_t>(static_cast<const uint8_t*>(from) + i * sizeof(uint16_t));
        store(static_cast<uint8_t*>(to) + i * sizeof(float), kai_cast_f32_f16(half));
    }
}

/// `count` f32 to f16, rounded to the nearest. No alignment.
[[maybe_unused]] void narrow_to_halves(const void* from, void* to, size_t count) {
    size_t i = 0;
#if KAI_CONVERTS_WITH_F16C
    i = with_f16c(count);
    narrow_with_f16c(from, to, i);
#endif
    for (; i < count; ++i) {
        const auto x = load<float>(static_cast<const uint8_t*>(from) + i * sizeof(float));
        store(static_cast<uint8_t*>(to) + i * sizeof(uint16_t), kai_cast_f16_f32(x));
    }
}

}  // namespace
}  // namespace kai
