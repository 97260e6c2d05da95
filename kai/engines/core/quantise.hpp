// Dynamic quantisation to int8: rounding, and the scale of a block.
//
// Every function has a scalar and a NEON form with the same results for every input. Each operation is rounded
// separately, as IEEE 754 says; nothing depends on libm. NaN and infinities:
//
// - amax compares bit patterns, so that a NaN counts as more than infinity and the order of the values does not matter.
// - NaN among the values of a block: the multiplier is NaN, all quants are 0, the stored scale is NaN.
// - Infinity among them: the multiplier is 0, all quants are 0.
// - amax so small that the multiplier would be infinite (and amax = 0): multiplier and quants are 0.
//
// Divisions by zero are meant: they give the infinities that become 0. (float-divide-by-zero of UBSan, which is no part
// of `undefined`, reports them.)
//
// Hence |x * multiplier| rounds to at most 127, and narrowing to int8 never loses a bit.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

namespace kai {
namespace {

/// Rounding of a value halfway between two integers.
enum class Ties { to_even, away };

/// The nearest integer. NaN gives 0; values out of range saturate (as FCVTNS and FCVTAS do).
KAI_INLINE int32_t round_to_int(Ties ties, float v) {
#if defined(__aarch64__)
    return ties == Ties::away ? vcvtas_s32_f32(v) : vcvtns_s32_f32(v);
#else
    if (v != v) {
        return 0;
    }
    if (v >= 2147483648.0f) {
        return INT32_MAX;
    }
    if (v < -2147483648.0f) {
        return INT32_MIN;
    }
    const int32_t whole = static_cast<int32_t>(v);     // towards zero
    const float rest = v - static_cast<float>(whole);  // exact
    const float distance = rest < 0.0f ? -rest : rest;
    const bool tie_moves = ties == Ties::away || whole % 2 != 0;
    const bool moves = distance > 0.5f || (distance == 0.5f && tie_moves);
    return !moves ? whole : rest < 0.0f ? whole - 1 : whole + 1;
#endif
}

/// 1.5 * 2^23. Adding it to a value below 2^22 leaves one unit in the last place, and so rounds, ties to even: the low
/// bits are those of the integer.
constexpr float kToEven = 12582912.0f;

#if defined(__aarch64__)
/// Lanes whose low half is round_to_int(v), for |v| < 2^15; the half above is anything. An infinity that FMUL has
/// made a NaN of (inf * 0) gives 0; for other NaNs see quant_needs_ordered.
///
/// Ties to even: adding a constant rounds like FCVTNS and costs half as much.
template <Ties ties>
KAI_INLINE int32x4_t quant_in_low_half(float32x4_t v) {
    if constexpr (ties == Ties::away) {
        return vcvtaq_s32_f32(v);
    } else {
        return vreinterpretq_s32_f32(vaddq_f32(v, vdupq_n_f32(kToEven)));
    }
}

/// The low byte of a NaN's payload is not 0: the caller must clear the quants of a block with a NaN.
template <Ties ties>
constexpr bool quant_needs_ordered = ties == Ties::to_even;
#endif

/// @name What the scale of a block is computed in. Vec is float, or float32x4_t: four blocks at once.
/// @{
template <typename Vec>
KAI_INLINE Vec splat(float x);

template <>
KAI_INLINE float splat<float>(float x) {
    return x;
}

/// x, or 0 for infinity. x >= 0 or NaN.
KAI_INLINE float zero_if_infinite(float x) {
    return x == __builtin_inff() ? 0.0f : x;
}

#if defined(__aarch64__)
template <>
KAI_INLINE float32x4_t splat<float32x4_t>(float x) {
    return vdupq_n_f32(x);
}

KAI_INLINE float32x4_t zero_if_infinite(float32x4_t x) {
    const uint32x4_t infinite = vceqq_f32(x, vdupq_n_f32(__builtin_inff()));
    return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(x), infinite));
}
#endif
/// @}

/// How a block's multiplier (quant = round(x * multiplier)) and scale (x is about quant * scale) follow from amax. One
/// is a first quotient, the other the reciprocal of that: not the same bits.
enum class ScaleRule {
    amax_over_127,    // scale = amax / 127, multiplier = 1 / scale
    of_127_over_amax  // multiplier = 127 / amax, scale = 1 / multiplier
};

template <typename Vec>
KAI_INLINE Vec first_quotient(ScaleRule rule, Vec amax) {
    return rule == ScaleRule::amax_over_127 ? amax / splat<Vec>(127.0f) : zero_if_infinite(splat<Vec>(127.0f) / amax);
}
template <typename Vec>
KAI_INLINE Vec second_quotient(Vec first) {
    return zero_if_infinite(splat<Vec>(1.0f) / first);
}
/// @}

template <typename Vec>
struct BlockScale {
    Vec multiplier, scale;
};

template <typename Vec>
KAI_INLINE BlockScale<Vec> scale_of(ScaleRule rule, Vec amax) {
    const Vec first = first_quotient(rule, amax), second = second_quotient(first);
    return rule == ScaleRule::amax_over_127 ? BlockScale<Vec>{second, first} : BlockScale<Vec>{first, second};
}

/// Asymmetric quantisation of a whole row: q = round(x * multiplier) + zero_point, saturated to int8.
struct RowQuant {
    float multiplier;
    int32_t zero_point;
    float scale;  // 1 / multiplier

    /// From the smallest and the largest of 0 and the values of the row.
    KAI_INLINE static RowQuant of(float lo, float hi) {
        const float multiplier = lo == hi ? 1.0f : 255.0f / (hi - lo);
        const float scale = multiplier != 0.0f ? 1.0f / multiplier : 0.0f;
        // The end of the range that errs less after rounding is made exact.
        const float bottom = lo * multiplier, top = hi * multiplier;
        const float zero = (-128.0f + bottom) + (127.0f + top) > 0.0f ? -128.0f - bottom : 127.0f - top;
        const float at_least = zero > -128.0f ? zero : -128.0f;  // NaN too
        const float rounded = (at_least < 127.0f ? at_least : 127.0f) + kToEven;
        return {multiplier, load<int32_t>(&rounded) - load<int32_t>(&kToEven), scale};
    }

    KAI_INLINE int8_t quant(Ties ties, float x) const {
        // Wraps for the infinite products of an infinite multiplier: both infinities give 127.
        const auto q = static_cast<int32_t>(
            static_cast<uint32_t>(round_to_int(ties, x * multiplier)) + static_cast<uint32_t>(zero_point));
        return static_cast<int8_t>(q < -128 ? -128 : q > 127 ? 127 : q);
    }

    /// Whether |x * multiplier| is at most 256 for all values of the row. It is not if the range is so small that the
    /// multiplier is infinite, nor with NaN in the row.
    KAI_INLINE bool finite() const {
        return multiplier - multiplier == 0.0f;
    }
};

}  // namespace
}  // namespace kai
