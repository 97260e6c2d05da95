// f16 <-> f32 (IEEE 754 binary16); bf16 <-> f32. By their bits: a test compares with arithmetic on the values.
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
    const uint32_t sign = bits_of(x) >> 16 & 0x8000, magnitude = bits_of(x) & 0x7FFFFFFF;
    uint32_t bits;
    if (magnitude > 0x7F800000) {
        bits = 0x7E00 | (magnitude >> 13 & 0x3FF);
    } else if (magnitude >= bits_of(65520.0f)) {  // halfway between 65504 and what would be the next
        bits = 0x7C00;
    } else if (magnitude < bits_of(0x1p-14f)) {  // from 0.5 on, floats are as far apart as subnormal halves
        bits = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
    } else {
        bits = (magnitude + 0xFFF + (magnitude >> 13 & 1) - ((127 - 15) << 23)) >> 13;
    }
    return static_cast<uint16_t>(sign | bits);
}

inline float f32_from_f16(uint16_t h) {
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3FF;
    if (exponent == 0) {
        return float_of(sign | bits_of(static_cast<float>(fraction) * 0x1p-24f));
    }
    if (exponent == 31) {
        return float_of(sign | 0x7F800000 | (fraction != 0 ? 0x00400000 : 0) | fraction << 13);
    }
    return float_of(sign | (exponent + 127 - 15) << 23 | fraction << 13);
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

/// OCP OFP8. E5M2 is the upper byte of an f16. E4M3 has no infinities, and one NaN of each sign.
enum class F8 : uint8_t { e4m3, e5m2 };
inline float f32_from_f8(F8 type, uint8_t code) {
    if (type == F8::e5m2) {
        return f32_from_f16(static_cast<uint16_t>(code << 8));
    }
    const uint32_t exponent = code >> 3 & 15, fraction = code & 7;
    const float magnitude = exponent == 15 && fraction == 7 ? float_of(0x7FC00000)
                            : exponent == 0                 ? static_cast<float>(fraction) * 0x1p-9f
                                                            : float_of((exponent + 120) << 23 | fraction << 20);
    return (code & 0x80) != 0 ? -magnitude : magnitude;
}

inline float f32_from_bf16(uint16_t h) {
    return float_of(static_cast<uint32_t>(h) << 16);
}

}  // namespace reference
