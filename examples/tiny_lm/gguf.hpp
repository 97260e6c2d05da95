// Rows of GGUF files from the trained floats, by the simplest quantisers: the extremes of a block give its scale. The
// tables of docs/gguf-blocks.md say where the bytes are.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "quantise.hpp"

/// Bit fields of a block, `bits` wide. Weights that share a byte are `distance` apart.
struct Plane {
    size_t offset, bits, distance;

    void put(uint8_t* block, size_t i, size_t value) const {
        const size_t shared = 8 / bits;
        uint8_t& byte = block[offset + i / (shared * distance) * distance + i % distance];
        byte = static_cast<uint8_t>(byte | value << bits * (i / distance % shared));
    }
};

/// Writes x as f16. Returns what a reader will see.
inline float put_f16(uint8_t* to, float x) {
    const uint16_t half = kai_cast_f16_f32(x);
    std::memcpy(to, &half, sizeof(half));
    return kai_cast_f32_f16(half);
}

/// All blocks of a layer: `write(x, block)` quantises `weights` floats to `bytes` bytes, which are 0 before.
template <size_t weights, size_t bytes, typename Write>
Quantised in_blocks(const Dense& layer, Write write) {
    Quantised to;
    to.bytes.resize(layer.weight.size() / weights * bytes);
    for (size_t i = 0; i < layer.weight.size() / weights; i++) {
        write(&layer.weight[i * weights], &to.bytes[i * bytes]);
    }
    return to;
}

inline Quantised as_q4_0(const Dense& layer) {
    return in_blocks<32, 18>(layer, [](const float* x, uint8_t* block) {
        const float scale = put_f16(block, symmetric_scale(x, 32, 4));
        for (size_t i = 0; i < 16; i++) {
            block[2 + i] = two_nibbles(quantum(x[i], scale, 0.0f, 4), quantum(x[i + 16], scale, 0.0f, 4));
        }
    });
}

inline Quantised as_q8_0(const Dense& layer) {
    return in_blocks<32, 34>(layer, [](const float* x, uint8_t* block) {
        const float scale = put_f16(block, symmetric_scale(x, 32, 8));
        for (size_t i = 0; i < 32; i++) {
            block[2 + i] = static_cast<uint8_t>(quantum(x[i], scale, 0.0f, 8));
        }
    });
}

/// Q4_K, Q5_K: a weight is d * scale * value - dmin * minimum, scale and minimum 6 bits for each 32 weights.
template <size_t bits, size_t bytes>
Quantised as_k_with_minima(const Dense& layer) {
    return in_blocks<256, bytes>(layer, [](const float* x, uint8_t* block) {
        constexpr Plane low = {bits == 4 ? 16 : 48, 4, 32}, high = {16, 1, 32};
        constexpr float most = (1 << bits) - 1;
        float scale[8], minimum[8];
        for (size_t j = 0; j < 8; j++) {
            const auto [least, greatest] = std::minmax_element(x + 32 * j, x + 32 * j + 32);
            minimum[j] = std::max(-*least, 0.0f);
            scale[j] = (std::max(*greatest, 0.0f) + minimum[j]) / most;
        }
        const float d = put_f16(block, *std::max_element(scale, scale + 8) / 63);
        const float dmin = put_f16(block + 2, *std::max_element(minimum, minimum + 8) / 63);
        const auto six_bits = [](float part, float unit) {
            return static_cast<unsigned>(std::min(unit == 0 ? 0.0f : std::nearbyint(part / unit), 63.0f));
        };
        uint8_t* sixes = block + 4;
        for (size_t j = 0; j < 8; j++) {
            const unsigned s = six_bits(scale[j], d), m = six_bits(minimum[j], dmin);
            if (j < 4) {
                sixes[j] = static_cast<uint8_t>(s);
                sixes[j + 4] = static_cast<uint8_t>(m);
            } else {
                sixes[j + 4] = static_cast<uint8_t>((s & 15) | (m & 15) << 4);
                sixes[j - 4] = static_cast<uint8_t>(sixes[j - 4] | s >> 4 << 6);
                sixes[j] = static_cast<uint8_t>(sixes[j] | m >> 4 << 6);
            }
            const float unit = d * static_cast<float>(s), below = dmin * static_cast<float>(m);
            for (size_t i = 32 * j; i < 32 * j + 32; i++) {
                const float q = unit == 0 ? 0.0f : std::nearbyint((x[i] + below) / unit);
                const auto value = static_cast<size_t>(std::min(std::max(q, 0.0f), most));
                low.put(block, i, value & 15);
                if (bits == 5) {
                    high.put(block, i, value >> 4);
                }
            }
        }
    });
}
inline constexpr auto as_q4_k = as_k_with_minima<4, 144>;
inline constexpr auto as_q5_k = as_k_with_minima<5, 176>;

/// Q6_K: an int8 scale for each 16 weights.
inline Quantised as_q6_k(const Dense& layer) {
    return in_blocks<256, 210>(layer, [](const float* x, uint8_t* block) {
        constexpr Plane low = {0, 4, 64}, high = {128, 2, 32};
        float scale[16];
        for (size_t j = 0; j < 16; j++) {
            scale[j] = symmetric_scale(x + 16 * j, 16, 6);
        }
        const float d = put_f16(block + 208, symmetric_scale(scale, 16, 8));
        for (size_t j = 0; j < 16; j++) {
            const int s = quantum(scale[j], d, 0.0f, 8);
            block[192 + j] = static_cast<uint8_t>(s);
            for (size_t i = 16 * j; i < 16 * j + 16; i++) {
                const auto value = static_cast<size_t>(quantum(x[i], d * static_cast<float>(s), 0.0f, 6) + 32);
                low.put(block, i, value & 15);
                high.put(block, i, value >> 4);
            }
        }
    });
}

/// A weight is scale * table[index].
using Table = int8_t[16];
inline constexpr Table kTableNl = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
inline constexpr Table kTableFp4 = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

inline void put_indices(
    const Table& table, const float* x, size_t count, float scale, uint8_t* block, Plane plane, size_t first = 0) {
    for (size_t i = 0; i < count; i++) {
        const int8_t* nearest = std::min_element(table, table + 16, [&](int8_t a, int8_t b) {
            return std::fabs(x[i] - scale * static_cast<float>(a)) < std::fabs(x[i] - scale * static_cast<float>(b));
        });
        plane.put(block, first + i, static_cast<size_t>(nearest - table));
    }
}

inline float largest(const float* x, size_t count) {
    return std::fabs(*std::max_element(x, x + count, [](float a, float b) { return std::fabs(a) < std::fabs(b); }));
}

inline Quantised as_iq4_nl(const Dense& layer) {
    return in_blocks<32, 18>(layer, [](const float* x, uint8_t* block) {
        const float scale = put_f16(block, symmetric_scale(x, 32, 8));  // the extreme becomes about -127
        put_indices(kTableNl, x, 32, scale, block, {2, 4, 16});
    });
}

/// IQ4_XS: a scale for each 32 weights, of six bits less 32.
inline Quantised as_iq4_xs(const Dense& layer) {
    return in_blocks<256, 136>(layer, [](const float* x, uint8_t* block) {
        float scale[8];
        for (size_t j = 0; j < 8; j++) {
            scale[j] = symmetric_scale(x + 32 * j, 32, 8);
        }
        const float d = put_f16(block, symmetric_scale(scale, 8, 6));
        for (size_t j = 0; j < 8; j++) {
            const int s = quantum(scale[j], d, 0.0f, 6);
            const auto bits = static_cast<unsigned>(s + 32);
            block[2 + j / 4] = static_cast<uint8_t>(block[2 + j / 4] | bits >> 4 << j % 4 * 2);
            block[4 + j / 2] = static_cast<uint8_t>(block[4 + j / 2] | (bits & 15) << j % 2 * 4);
            put_indices(kTableNl, x + 32 * j, 32, d * static_cast<float>(s), block, {8, 4, 16}, 32 * j);
        }
    });
}

/// The scale is a power of two, that next to largest / 12.
inline Quantised as_mxfp4(const Dense& layer) {
    return in_blocks<32, 17>(layer, [](const float* x, uint8_t* block) {
        const float most = std::max(largest(x, 32), 1e-30f);
        const int exponent = static_cast<int>(std::nearbyint(std::log2(most / 12)));
        block[0] = static_cast<uint8_t>(exponent + 128);
        put_indices(kTableFp4, x, 32, std::ldexp(1.0f, exponent), block, {1, 4, 16});
    });
}

/// The scale of 16 weights is a float of 7 bits: the least for which the largest weight is at most 12 scales.
inline Quantised as_nvfp4(const Dense& layer) {
    return in_blocks<64, 36>(layer, [](const float* x, uint8_t* block) {
        const auto value = [](int code) {
            const int exponent = code >> 3, mantissa = code & 7;
            return exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -10)
                                 : std::ldexp(static_cast<float>(8 + mantissa), exponent - 11);
        };
        for (size_t j = 0; j < 4; j++) {
            int code = 1;
            while (code < 126 && value(code) * 12 < largest(x + 16 * j, 16)) {
                code++;
            }
            block[j] = static_cast<uint8_t>(code);
            put_indices(kTableFp4, x + 16 * j, 16, value(code), block, {4, 4, 8}, 16 * j);
        }
    });
}
