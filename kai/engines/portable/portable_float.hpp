// Elements of the portable micro-kernels for floats, four at a time.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/portable/portable.hpp"

namespace kai {
namespace {

struct F32 {
    using Element = float;
    using Result = float;

    KAI_INLINE static Vec load(const uint8_t* p) {
        return kai::load<Vec>(p);
    }
    KAI_INLINE static float to_f32(float x) {
        return x;
    }
    KAI_INLINE static float from_f32(float x) {
        return x;
    }
    KAI_INLINE static Vec add(Vec a, Vec b, Vec c) {
        return kHasFma ? fma_instruction(a, b, c) : a * b + c;
    }
};

/// f16, computed in f32: the product of two f16 is exact.
struct F16 {
    using Element = uint16_t;
    using Result = uint16_t;

    KAI_INLINE static float to_f32(uint16_t x) {
#if KAI_HAS_AVX2
        return _cvtsh_ss(x);
#else
        return kai_cast_f32_f16(x);
#endif
    }
    KAI_INLINE static uint16_t from_f32(float x) {
        return kai_cast_f16_f32(x);
    }
    KAI_INLINE static Vec add(Vec a, Vec b, Vec c) {
        return rounded(multiply_add_to_odd<UnsignedBits>(a, b, c));
    }
    KAI_INLINE static Vec load(const uint8_t* p) {
        return load_f16(p);
    }
#if defined(__aarch64__)
    KAI_INLINE static Vec rounded(Vec x) {
        return vcvt_f32_f16(vcvt_f16_f32(x));
    }
#elif KAI_HAS_AVX2
    KAI_INLINE static Vec rounded(Vec x) {
        return _mm_cvtph_ps(_mm_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
    }
#else
    // What kai_cast_f16_f32 does, without branches.
    KAI_INLINE static Vec rounded(Vec x) {
        const Bits bits = kai::load<Bits>(&x), magnitude = bits & INT32_MAX;
        const Vec subnormal = (kai::load<Vec>(&magnitude) + 0.5F) - 0.5F;  // from 0.5 on, numbers are 2^-24 apart
        const auto wide = kai::load<UnsignedBits>(&magnitude), cut = (wide + 0xFFF + (wide >> 13 & 1)) & ~0x1FFFU;
        const Bits rounded = magnitude < 0x38800000 ? kai::load<Bits>(&subnormal) : kai::load<Bits>(&cut);
        const Bits finite = rounded < 0x47800000 ? rounded : Bits{} + 0x7F800000;
        const Bits result = (magnitude > 0x7F800000 ? magnitude : finite) | (bits & INT32_MIN);
        return kai::load<Vec>(&result);
    }
#endif
};

}  // namespace
}  // namespace kai
