// The block types of GGUF files: one constexpr description each, from which dequantisers and packers derive.
// docs/gguf-blocks.md draws them.
//
//     weight = scale * value (+ minimum)        value = quant + bias, or table[quant]
//
// A quant is one or two bit fields in planes of the block. Scale and minimum belong to runs of 16 or more weights.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

namespace kai {
namespace {

/// A bit field of `bits` bits per quant of a block. Quant i has it in byte `offset` + i / (per * distance) * distance +
/// i % distance, from bit i / distance % per * bits on, where per = 8 / bits: quants `distance` apart share a byte.
struct Plane {
    unsigned offset = 0, bits = 0, distance = 1;

    constexpr unsigned per() const {
        return 8 / bits;
    }
    constexpr size_t byte(size_t i) const {
        return offset + i / (per() * distance) * distance + i % distance;
    }
    constexpr unsigned shift(size_t i) const {
        return static_cast<unsigned>(i / distance % per() * bits);
    }
};

/// How the scale of run j follows from the block.
enum class Scales : uint8_t {
    one,       // f16 d for the whole block
    six_bits,  // d * sc[j] and -dmin * mn[j] of 6 bits each in 12 bytes (Q4_K, Q5_K)
    nibbles,   // d * low nibble, -dmin * high nibble of byte j (Q2_K)
    split,     // d * (6 bits - 32) in 12 bytes (Q3_K)
    int8,      // d * int8 j (Q6_K)
    high_low,  // d * (6 bits - 32), u16 of the upper two bits each, then nibbles (IQ4_XS)
    e8m0,      // 2^(e - 128) (MXFP4)
    ue4m3,     // per run, halved (NVFP4)
};

struct Block {
    unsigned weights, bytes;
    Plane low, high = {};           // high: bits above those of low
    int bias = 0;                   // added to a quant
    const int8_t* table = nullptr;  // the value of each quant instead, 16 entries
    bool ternary = false;           // quants are digits to base 3 (TQ1_0)
    unsigned run;                   // weights with the same scale
    Scales scales = Scales::one;
    unsigned d = 0;     // offset of the f16 scale
    unsigned m = 0;     // offset of the f16 minimum, or of the factor of minima; 0: there are none
    unsigned subs = 0;  // offset of what runs have of their own
};

alignas(16) inline constexpr int8_t kTableNl[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                    1,    13,   25,  38,  53,  69,  89,  113};
alignas(16) inline constexpr int8_t kTableFp4[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
alignas(16) inline constexpr int8_t kTableSign[16] = {-1, 1};

constexpr Block block_of(unsigned weights, unsigned bytes, Plane low, unsigned run) {
    Block b = {};
    b.weights = weights, b.bytes = bytes, b.low = low, b.run = run;
    return b;
}

/// @name The same block with
/// @{
constexpr Block biased(Block b, int bias) {
    b.bias = bias;
    return b;
}
constexpr Block with_table(Block b, const int8_t* table) {
    b.table = table;
    return b;
}
constexpr Block with_high(Block b, Plane high) {
    b.high = high;
    return b;
}
constexpr Block with_min(Block b, unsigned m) {
    b.m = m;
    return b;
}
constexpr Block with_d_at(Block b, unsigned d) {
    b.d = d;
    return b;
}
constexpr Block with_scales(Block b, Scales scales, unsigned subs) {
    b.scales = scales;
    b.subs = subs;
    return b;
}
constexpr Block in_base_3(Block b) {
    b.ternary = true;
    return b;
}
/// @}

/// @name The types
/// @{
inline constexpr Block Q4_0 = biased(block_of(32, 18, {2, 4, 16}, 32), -8);
inline constexpr Block Q4_1 = with_min(block_of(32, 20, {4, 4, 16}, 32), 2);
inline constexpr Block Q5_0 = biased(with_high(block_of(32, 22, {6, 4, 16}, 32), {2, 1, 1}), -16);
inline constexpr Block Q5_1 = with_min(with_high(block_of(32, 24, {8, 4, 16}, 32), {4, 1, 1}), 2);
inline constexpr Block Q8_0 = block_of(32, 34, {2, 8, 16}, 32);
inline constexpr Block Q2_K =
    with_d_at(with_min(with_scales(block_of(256, 84, {16, 2, 32}, 16), Scales::nibbles, 0), 82), 80);
inline constexpr Block Q3_K = with_d_at(
    with_scales(biased(with_high(block_of(256, 110, {32, 2, 32}, 16), {0, 1, 32}), -4), Scales::split, 96), 108);
inline constexpr Block Q4_K = with_min(with_scales(block_of(256, 144, {16, 4, 32}, 32), Scales::six_bits, 4), 2);
inline constexpr Block Q5_K =
    with_min(with_scales(with_high(block_of(256, 176, {48, 4, 32}, 32), {16, 1, 32}), Scales::six_bits, 4), 2);
inline constexpr Block Q6_K = with_d_at(
    with_scales(biased(with_high(block_of(256, 210, {0, 4, 64}, 16), {128, 2, 32}), -32), Scales::int8, 192), 208);
inline constexpr Block IQ4_NL = with_table(block_of(32, 18, {2, 4, 16}, 32), kTableNl);
inline constexpr Block IQ4_XS =
    with_table(with_scales(block_of(256, 136, {8, 4, 16}, 32), Scales::high_low, 2), kTableNl);
inline constexpr Block TQ1_0 = with_d_at(biased(in_base_3(block_of(256, 54, {}, 256)), -1), 52);
inline constexpr Block TQ2_0 = with_d_at(biased(block_of(256, 66, {0, 2, 32}, 256), -1), 64);
inline constexpr Block MXFP4 = with_table(with_scales(block_of(32, 17, {1, 4, 16}, 32), Scales::e8m0, 0), kTableFp4);
inline constexpr Block NVFP4 = with_table(with_scales(block_of(64, 36, {4, 4, 8}, 16), Scales::ue4m3, 0), kTableFp4);
inline constexpr Block Q1_0 = with_table(block_of(128, 18, {2, 1, 1}, 128), kTableSign);
inline constexpr Block Q2_0 = biased(block_of(64, 18, {2, 2, 1}, 64), -1);
/// @}

/// LINE(type) for each of them.
// clang-format off
#define KAI_GGUF_BLOCKS(LINE)                                                                                 \
    LINE(Q4_0) LINE(Q4_1) LINE(Q5_0) LINE(Q5_1) LINE(Q8_0) LINE(Q2_K) LINE(Q3_K) LINE(Q4_K) LINE(Q5_K)        \
    LINE(Q6_K) LINE(IQ4_NL) LINE(IQ4_XS) LINE(TQ1_0) LINE(TQ2_0) LINE(MXFP4) LINE(NVFP4) LINE(Q1_0) LINE(Q2_0)
// clang-format on

/// Whether quants are indices of a table of 16 that are packed unchanged, in blocks of 32.
constexpr bool keeps_indices(const Block& t) {
    return t.table != nullptr && t.low.bits == 4 && t.scales != Scales::high_low;
}

/// Block length of the formats that it can be packed to: values of four bits, in runs of 32 and more, or of five to
/// eight bits in runs of 32; or indices. 0: there is no such format.
constexpr size_t packed_bl(const Block& t) {
    if (keeps_indices(t)) {
        return 32;
    }
    const bool four_bits = t.ternary || t.table == kTableSign || (t.table == nullptr && t.low.bits + t.high.bits <= 4);
    const bool more_bits = t.scales == Scales::one && t.low.bits + t.high.bits >= 5;
    return (four_bits || more_bits) && t.run >= 32 ? t.run : 0;
}

/// Where a ternary digit is: i = 0..159 in five digits of 32 bytes, ..239 in five of 16, ..255 in four of 4.
struct Digit {
    unsigned byte, power;  // the byte times 3^digit: the digit is on top
};
constexpr Digit digit_at(size_t i) {
    constexpr unsigned powers[5] = {1, 3, 9, 27, 81};
    const auto n = static_cast<unsigned>(i);
    return n < 160   ? Digit{n % 32, powers[n / 32]}
           : n < 240 ? Digit{32 + (n - 160) % 16, powers[(n - 160) / 16]}
                     : Digit{48 + (n - 240) % 4, powers[(n - 240) / 4]};
}

/// The lower bits of weight i.
KAI_INLINE unsigned low_bits_of(const Block& t, const uint8_t* block, size_t i) {
    return block[t.low.byte(i)] >> t.low.shift(i) & ((1U << t.low.bits) - 1);
}

/// The value of weight i, without its scale.
KAI_INLINE int value_of(const Block& t, const uint8_t* block, size_t i) {
    if (t.ternary) {
        const Digit digit = digit_at(i);
        return static_cast<int>((block[digit.byte] * digit.power % 256 * 3) >> 8) + t.bias;
    }
    unsigned quant = low_bits_of(t, block, i);
    if (t.low.bits == 8) {
        return static_cast<int8_t>(quant);
    }
    if (t.high.bits != 0) {
        quant |= (block[t.high.byte(i)] >> t.high.shift(i) & ((1U << t.high.bits) - 1)) << t.low.bits;
    }
    return t.table != nullptr ? t.table[quant] : static_cast<int>(quant) + t.bias;
}

/// What a run of weights shares: weight = scale * value + min.
struct Scale {
    float scale, min;
};

KAI_INLINE float f16_at(const uint8_t* p) {
    return kai_cast_f32_f16(load<uint16_t>(p));
}

KAI_INLINE float float_of_bits(uint32_t bits) {
    return load<float>(&bits);
}

/// Six bits for each of eight runs: scales in `sc`, minima in `mn`, a byte each.
struct SixBits {
    uint64_t sc, mn;
};
KAI_INLINE SixBits unpack_six_bits(const uint8_t* p) {
    const auto a = load<uint32_t>(p), b = load<uint32_t>(p + 4), c = load<uint32_t>(p + 8);
    const uint32_t sc = (c & 0x0F0F0F0FU) | (a >> 2 & 0x30303030U),
                   mn = (c >> 4 & 0x0F0F0F0FU) | (b >> 2 & 0x30303030U);
    return {uint64_t{sc} << 32 | (a & 0x3F3F3F3FU), uint64_t{mn} << 32 | (b & 0x3F3F3F3FU)};
}

/// Bytes from 0 to 63, each less 32.
KAI_INLINE uint64_t less_32(uint64_t bytes) {
    constexpr uint64_t kSigns = 0x2020202020202020U;  // once they are flipped
    return (bytes ^ kSigns) | (~bytes & kSigns) * 6;
}

/// Six bits less 32 for each of the eight runs of a half of the block, a byte each (Q3_K).
KAI_INLINE uint64_t unpack_split(const uint8_t* p, size_t half) {
    const uint64_t low = load<uint64_t>(p) >> 4 * half, high = uint64_t{load<uint32_t>(p + 8)} >> 4 * half;
    return less_32((low & 0x0F0F0F0F0F0F0F0FU) | ((high | high >> 2 << 32) & 0x0303030303030303U) << 4);
}

/// As unpack_split, for each of eight runs; the upper two bits come first (IQ4_XS).
KAI_INLINE uint64_t unpack_high_low(const uint8_t* p) {
    uint64_t high = load<uint16_t>(p), low = load<uint32_t>(p + 2);
    low = (low | low << 16) & 0x0000FFFF0000FFFFU;
    low = (low | low << 8) & 0x00FF00FF00FF00FFU;
    low = (low | low << 4) & 0x0F0F0F0F0F0F0F0FU;
    high = (high | high << 24) & 0x000000FF000000FFU;
    high = (high | high << 12) & 0x000F000F000F000FU;
    high = (high | high << 6) & 0x0303030303030303U;
    return less_32(low | high << 4);
}

/// Scale and minimum of run j. All products are exact: a scale has 11 bits, what a run adds at most 8.
KAI_INLINE Scale scale_of(const Block& t, const uint8_t* block, size_t j) {
    const uint8_t* subs = block + t.subs;
    switch (t.scales) {
        case Scales::one:
            return {f16_at(block + t.d), t.m != 0 ? f16_at(block + t.m) : 0};
        case Scales::six_bits: {
            const SixBits bits = unpack_six_bits(subs);
            return {
                f16_at(block + t.d) * static_cast<float>(bits.sc >> 8 * j & 63),
                -(f16_at(block + t.m) * static_cast<float>(bits.mn >> 8 * j & 63))};
        }
        case Scales::nibbles:
            return {
                f16_at(block + t.d) * static_cast<float>(subs[j] & 15),
                -(f16_at(block + t.m) * static_cast<float>(subs[j] >> 4))};
        case Scales::split: {
            const auto sc = static_cast<int8_t>(unpack_split(subs, j / 8) >> 8 * (j % 8));
            return {f16_at(block + t.d) * static_cast<float>(sc), 0};
        }
        case Scales::int8:
            return {f16_at(block + t.d) * static_cast<float>(static_cast<int8_t>(subs[j])), 0};
        case Scales::high_low: {
            const auto sc = static_cast<int8_t>(unpack_high_low(subs) >> 8 * j);
            return {f16_at(block + t.d) * static_cast<float>(sc), 0};
        }
        case Scales::e8m0: {
            const uint32_t e = *subs;
            return {float_of_bits(e < 2 ? 0x00200000U << e : (e - 1) << 23), 0};
        }
        case Scales::ue4m3: {
            const uint32_t s = subs[j], e = s >> 3 & 15, m = s & 7;
            return {
                s == 0x7F ? 0
                : e == 0  ? static_cast<float>(m) * 0x1p-10F
                          : float_of_bits((e + 127 - 8) << 23 | m << 20),
                0};
        }
    }
    __builtin_unreachable();
}

}  // namespace
}  // namespace kai
