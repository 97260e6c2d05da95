// Floating point of 8 bits as "OCP 8-bit Floating Point Specification (OFP8)" has it.
//
//     E4M3    sign, 4 bits of exponent (bias 7), 3 of fraction     largest 448; no infinities; 0x7F and 0xFF are NaN
//     E5M2    sign, 5 bits of exponent (bias 15), 2 of fraction    largest 57344; infinities 0x7C, 0xFC; beyond: NaN
//
// Exponent 0 is that of subnormal numbers and zero. E5M2 is the upper byte of an f16.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

namespace kai {
namespace {

/// One of the two types: bits of its exponent and its fraction, and whether the largest exponent is that of infinities.
struct F8Type {
    int exponent, fraction;
    bool has_infinities;
};
inline constexpr F8Type f8e4m3 = {4, 3, false}, f8e5m2 = {5, 2, true};

/// 2^exponent, a normal number: -126 to 127.
KAI_INLINE float power_of_2(int exponent) {
    const uint32_t bits = static_cast<uint32_t>(exponent + 127) << 23;
    float x;
    __builtin_memcpy(&x, &bits, sizeof(x));
    return x;
}

/// The value of a code. A NaN is the default one.
constexpr float f8_value(F8Type type, unsigned code) {
    const unsigned magnitude = code & 0x7F, exponent = magnitude >> type.fraction;
    const unsigned hidden = 1U << type.fraction, fraction = magnitude & (hidden - 1);
    const bool largest = type.has_infinities ? exponent == (1U << type.exponent) - 1 : magnitude == 0x7F;
    if (largest) {
        return type.has_infinities && fraction == 0 ? (code < 0x80 ? __builtin_inff() : -__builtin_inff())
                                                    : __builtin_nanf("");
    }
    float value = static_cast<float>(exponent == 0 ? fraction : fraction + hidden);
    int power = static_cast<int>(exponent == 0 ? 1 : exponent) - (1 << (type.exponent - 1)) + 1 - type.fraction;
    for (; power > 0; --power) {
        value *= 2;
    }
    for (; power < 0; ++power) {
        value *= 0.5F;
    }
    return code < 0x80 ? value : -value;
}

/// The values of all codes.
struct F8Values {
    float of[256];

    constexpr explicit F8Values(F8Type type) : of{} {
        for (unsigned code = 0; code < 256; ++code) {
            of[code] = f8_value(type, code);
        }
    }
};

}  // namespace
}  // namespace kai
