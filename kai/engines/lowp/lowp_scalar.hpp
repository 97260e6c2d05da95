// Low precision, one element at a time: of portable kernels, and of rows for which there is no other way.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/lowp/lowp.hpp"

namespace kai {
namespace {

/// A byte of the LHS or of the RHS, modulo 2^32.
KAI_INLINE uint32_t value_of(const Lowp& p, uint8_t x) {
    return static_cast<uint32_t>(p.flip != 0 ? int32_t{x} : static_cast<int8_t>(x));
}

/// kai_lowp.h says what the pipelines do.
KAI_INLINE int32_t requantised(int32_t x, int32_t multiplier, int32_t shift, const kai_matmul_lowp_params& q) {
    const auto wrapped = [](uint32_t bits) { return static_cast<int32_t>(bits); };
    const auto divided = [](int64_t value, int32_t exponent) {  // by 2^exponent, to nearest, ties away from zero
        const int64_t half = exponent > 0 ? int64_t{1} << (exponent - 1) : 0;
        return value < 0 ? -((half - value) >> exponent) : (value + half) >> exponent;
    };
    const auto bits = static_cast<uint32_t>(x), offset = static_cast<uint32_t>(q.result_offset);
    if (q.pipeline == KAI_LOWP_LEGACY) {
        return static_cast<int32_t>(divided(wrapped((bits + offset) * static_cast<uint32_t>(multiplier)), shift));
    }
    const int64_t product = int64_t{wrapped(bits << (shift > 0 ? shift : 0))} * multiplier;
    const int64_t high = (product + (int64_t{1} << 30)) >> 31, saturated = high > INT32_MAX ? INT32_MAX : high;
    return wrapped(static_cast<uint32_t>(divided(saturated, shift < 0 ? -shift : 0)) + offset);
}

/// A byte of dst.
KAI_INLINE uint8_t result_of(const Lowp& p, uint32_t sum, size_t column) {
    const kai_matmul_lowp_params& q = *p.params;
    const int32_t least = p.flip != 0 ? 0 : INT8_MIN, most = p.flip != 0 ? UINT8_MAX : INT8_MAX;
    const size_t channel = q.per_channel ? column : 0;
    const int32_t x = requantised(static_cast<int32_t>(sum), q.multiplier[channel], q.shift[channel], q);
    const int32_t clamped = x < q.min_value ? q.min_value : x > q.max_value ? q.max_value : x;
    return static_cast<uint8_t>(clamped < least ? least : clamped > most ? most : clamped);
}

}  // namespace
}  // namespace kai
