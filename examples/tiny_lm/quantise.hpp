// Weights in the forms that the GEMM layer takes (kai_gemm_kind), from the trained floats: N x K, blocks of 32 along K.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/gemm/kai_gemm.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "model.hpp"

inline constexpr size_t kBlock = 32;

/// A quantised matrix. What its form does not need is empty.
struct Quantised {
    std::vector<uint8_t> bytes;
    std::vector<float> scale, zero;
    std::vector<uint16_t> scale16;

    kai_gemm_weights weights(const Dense& layer) const {
        kai_gemm_weights w = {};
        w.b = bytes.data();
        w.scale = scale.empty() ? static_cast<const void*>(scale16.data()) : scale.data();
        w.zero = zero.data();
        w.zero_point = 8;
        w.bias = layer.bias.data();
        return w;
    }
};

/// The integer that stands for x when q means q * scale + zero, from -2^(bits - 1) on.
inline int quantum(float x, float scale, float zero, int bits) {
    const auto low = static_cast<float>(-(1 << (bits - 1)));
    const float q = scale == 0.0f ? 0.0f : std::nearbyint((x - zero) / scale);
    return static_cast<int>(std::min(std::max(q, low), -low - 1));
}

/// The scale for which the element of greatest magnitude, whatever its sign, becomes the lowest integer: they reach
/// from -2^(bits - 1) to 2^(bits - 1) - 1.
inline float symmetric_scale(const float* x, size_t count, int bits) {
    const float extreme = *std::max_element(x, x + count, [](float a, float b) { return std::fabs(a) < std::fabs(b); });
    return -std::ldexp(extreme, 1 - bits);
}

inline uint8_t two_nibbles(int low, int high) {
    return static_cast<uint8_t>((low + 8) | (high + 8) << 4);
}

inline Quantised as_f32(const Dense& layer) {
    Quantised to;
    to.bytes.resize(layer.weight.size() * sizeof(float));
    std::memcpy(to.bytes.data(), layer.weight.data(), to.bytes.size());
    return to;
}

template <uint16_t (*cast)(float)>
Quantised as_half(const Dense& layer) {
    Quantised to;
    to.bytes.resize(layer.weight.size() * sizeof(uint16_t));
    for (size_t i = 0; i < layer.weight.size(); i++) {
        const uint16_t half = cast(layer.weight[i]);
        std::memcpy(&to.bytes[i * sizeof(half)], &half, sizeof(half));
    }
    return to;
}

/// K x N.
template <Quantised (*as)(const Dense&)>
Quantised transposed(const Dense& layer) {
    Dense other = layer;
    for (size_t n = 0; n < layer.n; n++) {
        for (size_t k = 0; k < layer.k; k++) {
            other.weight[k * layer.n + n] = layer.weight[n * layer.k + k];
        }
    }
    return as(other);
}

/// KAI_GEMM_INT8_CHANNEL.
inline Quantised as_int8_channel(const Dense& layer) {
    Quantised to;
    for (size_t n = 0; n < layer.n; n++) {
        const float* x = &layer.weight[n * layer.k];
        to.scale.push_back(symmetric_scale(x, layer.k, 8));
        for (size_t k = 0; k < layer.k; k++) {
            to.bytes.push_back(static_cast<uint8_t>(quantum(x[k], to.scale.back(), 0.0f, 8)));
        }
    }
    return to;
}

/// For 4 bits and a long row the largest element is no measure: of 32 scales, the one that loses least.
inline float best_scale(const float* x, size_t count, int bits) {
    const float widest = symmetric_scale(x, count, bits);
    float best = widest;
    double least = INFINITY;
    for (int i = -16; i <= 16; i++) {
        const float scale = widest * static_cast<float>(i) / 16.0f;
        double loss = 0.0;
        for (size_t k = 0; k < count; k++) {
            const double d = x[k] - scale * static_cast<float>(quantum(x[k], scale, 0.0f, bits));
            loss += d * d;
        }
        best = loss < least ? scale : best;
        least = std::min(loss, least);
    }
    return best;
}

/// KAI_GEMM_INT4_CHANNEL.
inline Quantised as_int4_channel(const Dense& layer) {
    Quantised to;
    for (const float* x = layer.weight.data(); x != layer.weight.data() + layer.weight.size(); x += layer.k) {
        const float scale = best_scale(x, layer.k, 4);
        to.scale.push_back(scale);
        for (size_t k = 0; k < layer.k; k += 2) {
            to.bytes.push_back(two_nibbles(quantum(x[k], scale, 0.0f, 4), quantum(x[k + 1], scale, 0.0f, 4)));
        }
    }
    return to;
}

/// KAI_GEMM_INT2_CHANNEL: -2 to 1 times the scale, element k in bits 2 (k mod 4) of its byte.
inline Quantised as_int2_channel(const Dense& layer) {
    Quantised to;
    for (const float* x = layer.weight.data(); x != layer.weight.data() + layer.weight.size(); x += layer.k) {
        const float scale = best_scale(x, layer.k, 2);
        to.scale.push_back(scale);
        for (size_t k = 0; k < layer.k; k += 4) {
            int byte = 0;
            for (size_t i = 0; i < 4; i++) {
                byte |= (quantum(x[k + i], scale, 0.0f, 2) + 2) << 2 * i;
            }
            to.bytes.push_back(static_cast<uint8_t>(byte));
        }
    }
    return to;
}

/// KAI_GEMM_INT4_BLOCK: a bf16 scale per block, apart from the nibbles.
inline Quantised as_int4_block(const Dense& layer) {
    Quantised to;
    for (const float* x = layer.weight.data(); x != layer.weight.data() + layer.weight.size(); x += kBlock) {
        to.scale16.push_back(kai_cast_bf16_f32(symmetric_scale(x, kBlock, 4)));
        const float scale = kai_cast_f32_bf16(to.scale16.back());  // quantise with the scale that the kernel will read
        for (size_t j = 0; j < kBlock; j += 2) {
            to.bytes.push_back(two_nibbles(quantum(x[j], scale, 0.0f, 4), quantum(x[j + 1], scale, 0.0f, 4)));
        }
    }
    return to;
}

/// KAI_GEMM_INT4_BLOCK_ZERO: the least of a block becomes -8, the greatest 7; the even element in the high nibble.
inline Quantised as_int4_block_zero(const Dense& layer) {
    Quantised to;
    for (const float* x = layer.weight.data(); x != layer.weight.data() + layer.weight.size(); x += kBlock) {
        const auto [low, high] = std::minmax_element(x, x + kBlock);
        const float scale = (*high - *low) / 15.0f, zero = *low + 8.0f * scale;
        to.scale.push_back(scale);
        to.zero.push_back(zero);
        for (size_t j = 0; j < kBlock; j += 2) {
            to.bytes.push_back(two_nibbles(quantum(x[j + 1], scale, zero, 4), quantum(x[j], scale, zero, 4)));
        }
    }
    return to;
}
