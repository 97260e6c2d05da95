//
// Weights to 4 bits: the two source formats that the library's int4 packers read. Both cut each row of an N x K matrix
// into blocks of 32 along K, each with parameters of its own.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/kai_common.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

inline constexpr size_t kBlock = 32;

/// The nibble (0 to 15) that stands for x when nibble q means (q - 8) * scale + zero.
inline uint8_t to_nibble(float x, float scale, float zero) {
    const float q = scale == 0.0f ? 0.0f : std::nearbyint((x - zero) / scale);
    return static_cast<uint8_t>(8.0f + std::min(std::max(q, -8.0f), 7.0f));
}

/// Symmetric, format qsu4c32 s16s0: a weight is (nibble - 8) * scale. Returns [n][k / 32] records
///
///     | f16 scale | 16 bytes |     byte j: element j in the low nibble, element j + 16 in the high one
///
inline std::vector<uint8_t> quantise_symmetric(const float* weights, size_t n, size_t k) {
    constexpr size_t half = kBlock / 2;
    std::vector<uint8_t> records(n * (k / kBlock) * (2 + half));
    uint8_t* out = records.data();
    for (const float* x = weights; x != weights + n * k; x += kBlock, out += 2 + half) {
        // Nibbles reach from -8 to 7: the element of greatest magnitude, whatever its sign, becomes -8.
        const float extreme =
            *std::max_element(x, x + kBlock, [](float a, float b) { return std::fabs(a) < std::fabs(b); });
        const uint16_t scale16 = kai_cast_f16_f32(extreme / -8.0f);
        const float scale = kai_cast_f32_f16(scale16);  // quantise with the scale that the kernel will read
        out[0] = static_cast<uint8_t>(scale16 & 0xFF);
        out[1] = static_cast<uint8_t>(scale16 >> 8);
        for (size_t j = 0; j < half; j++) {
            out[2 + j] = static_cast<uint8_t>(to_nibble(x[j], scale, 0.0f) | to_nibble(x[j + half], scale, 0.0f) << 4);
        }
    }
    return records;
}

/// Asymmetric, format qau4c32 s0s1: a weight is (nibble - 8) * scale + zero.
struct AsymmetricInt4 {
    std::vector<uint8_t> nibbles;    // [n][k / 2], the even element in the high nibble
    std::vector<float> scale, zero;  // [n][k / 32]
};

inline AsymmetricInt4 quantise_asymmetric(const float* weights, size_t n, size_t k) {
    AsymmetricInt4 out;
    for (const float* x = weights; x != weights + n * k; x += kBlock) {
        const auto [low, high] = std::minmax_element(x, x + kBlock);  // become nibble 0 and nibble 15
        const float scale = (*high - *low) / 15.0f;
        const float zero = *low + 8.0f * scale;
        out.scale.push_back(scale);
        out.zero.push_back(zero);
        for (size_t j = 0; j < kBlock; j += 2) {
            out.nibbles.push_back(
                static_cast<uint8_t>(to_nibble(x[j], scale, zero) << 4 | to_nibble(x[j + 1], scale, zero)));
        }
    }
    return out;
}
