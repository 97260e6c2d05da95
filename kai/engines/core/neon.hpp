// NEON helpers of the engines: loads and stores at any alignment, clamps, sums that become floats without a conversion.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include "kai/engines/core/layout.hpp"

namespace kai {
namespace {

KAI_INLINE int8x16_t load_s8x16(const uint8_t* p) {
    return vreinterpretq_s8_u8(vld1q_u8(p));
}

/// Four f32 at any alignment.
KAI_INLINE float32x4_t load_f32x4(const uint8_t* p) {
    return vreinterpretq_f32_u8(vld1q_u8(p));
}

/// Four f16 at any alignment.
KAI_INLINE float32x4_t load_f16x4(const uint8_t* p) {
    return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(p)));
}

KAI_INLINE float load_f16(const uint8_t* p) {
    return static_cast<float>(load<__fp16>(p));
}

/// A sum that starts at the bits of C = 1.5 * 2^(23 - FRACTION), where floats are 2^-FRACTION apart, ends as the float
/// C + S: an exact subtraction replaces the conversion, which costs two slots on many cores. FRACTION = 4: sums are
/// 16 * S. |sum| <= 2^22, as in blocks of up to 256 of int4, in blocks of 32 of int8.
template <int FRACTION>
struct ShortSum {
    static constexpr float kStart = 1.5F * (1 << (23 - FRACTION));
};

/// @name Output
///
/// An element is a float or F16: the bits that a conversion to nearest, ties to even, gives.
/// @{
struct F16 {
    uint16_t bits;
};

/// max, then min: NaN stays NaN.
KAI_INLINE float32x4_t clamped(float32x4_t x, float lo, float hi) {
    return vminq_f32(vmaxq_f32(x, vdupq_n_f32(lo)), vdupq_n_f32(hi));
}

/// Four elements at any alignment.
KAI_INLINE void store_four(float* dst, float32x4_t x) {
    store(dst, x);
}
KAI_INLINE void store_four(F16* dst, float32x4_t x) {
    store(dst, vcvt_f16_f32(x));
}
/// @}

}  // namespace
}  // namespace kai
