// f16 <-> f32 by arithmetic on the value (IEEE 754 binary16), slow and plain; bf16 <-> f32.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace reference {

inline uint32_t bits_of(float x) {
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
}

inline float float_of(uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof(x));
    return x;
}

/// To nearest, ties to even. NaN becomes quiet and keeps its sign and the upper bits of its payload.
inline uint16_t f16_from_f32(float x) {
    const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
    const double a = std::fabs(static_cast<double>(x));
    if (std::isnan(x)) {
        return sign | 0x7E00 | (bits_of(x) >> 13 & 0x3FF);
    }
    if (a >= 65520.0) {  // halfway between 65504 and what would be the next
        return sign | 0x7C00;
    }
    const int exponent = a == 0 ? -14 : std::max(std::ilogb(a), -14);
    const int steps = static_cast<int>(std::nearbyint(std::ldexp(a, 10 - exponent)));  // 1024 to 2048, or a subnormal
    return sign | static_cast<uint16_t>((exponent + 15) * 1024 + steps - 1024);
}

inline float f32_from_f16(uint16_t h) {
    const int exponent = h >> 10 & 31, fraction = h & 0x3FF;
    if (exponent == 31) {
        const uint32_t quiet_nan = fraction != 0 ? 0x00400000u | static_cast<uint32_t>(fraction) << 13 : 0;
        return float_of(static_cast<uint32_t>(h & 0x8000) << 16 | 0x7F800000u | quiet_nan);
    }
    const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                          : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
    return h & 0x8000 ? -magnitude : magnitude;
}

/// To nearest, ties to even: bf16 is the upper half of a float. NaN becomes quiet.
inline uint16_t bf16_from_f32(float x) {
    const uint32_t bits = bits_of(x), upper = bits >> 16, lower = bits & 0xFFFF;
    if (std::isnan(x)) {
        return static_cast<uint16_t>(upper | 0x40);
    }
    const bool up = lower > 0x8000 || (lower == 0x8000 && upper % 2 == 1);
    return static_cast<uint16_t>(upper + (up ? 1 : 0));
}

inline float f32_from_bf16(uint16_t h) {
    return float_of(static_cast<uint32_t>(h) << 16);
}

}  // namespace reference
