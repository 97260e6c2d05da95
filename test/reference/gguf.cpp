// SPDX-License-Identifier: Apache-2.0
#include "test/reference/gguf.hpp"

#include <cmath>
#include <stdexcept>

#include "kai/engines/gguf/gguf_codebooks.inc"  // the tables: facts that the recorded rows prove
#include "test/reference/float16.hpp"

namespace reference {

namespace {

constexpr int kNl[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr int kFp4[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

double f16(const uint8_t* p) {
    return f32_from_f16(static_cast<uint16_t>(p[0] | p[1] << 8));
}
int low(uint8_t byte) {
    return byte & 15;
}
int high(uint8_t byte) {
    return byte >> 4;
}
/// Of a block of 32: byte j holds weights j and j + 16.
int nibble_of_32(const uint8_t* nibbles, size_t i) {
    return i < 16 ? low(nibbles[i]) : high(nibbles[i - 16]);
}
int bit(const uint8_t* bits, size_t i) {
    return bits[i / 8] >> (i % 8) & 1;
}
GgufWeight plain(double scale, int value) {
    return {scale, value, 0, false};
}

GgufWeight q4_0(const uint8_t* b, size_t i) {
    return plain(f16(b), nibble_of_32(b + 2, i) - 8);
}
GgufWeight q4_1(const uint8_t* b, size_t i) {
    return {f16(b), nibble_of_32(b + 4, i), f16(b + 2), true};
}
GgufWeight q5_0(const uint8_t* b, size_t i) {
    return plain(f16(b), nibble_of_32(b + 6, i) + 16 * bit(b + 2, i) - 16);
}
GgufWeight q5_1(const uint8_t* b, size_t i) {
    return {f16(b), nibble_of_32(b + 8, i) + 16 * bit(b + 4, i), f16(b + 2), true};
}
GgufWeight q8_0(const uint8_t* b, size_t i) {
    return plain(f16(b), b[2 + i] < 128 ? b[2 + i] : b[2 + i] - 256);
}
GgufWeight q2_k(const uint8_t* b, size_t i) {
    const size_t j = i / 16;
    const int q = b[16 + 32 * (i / 128) + i % 32] >> 2 * (i % 128 / 32) & 3;
    return {f16(b + 80) * low(b[j]), q, -(f16(b + 82) * high(b[j])), true};
}
int scale_of_q3_k(const uint8_t* b, size_t j) {
    const uint8_t* s = b + 96;
    return (j < 8 ? low(s[j]) : high(s[j - 8])) + 16 * (s[8 + j % 4] >> 2 * (j / 4) & 3) - 32;
}
GgufWeight q3_k(const uint8_t* b, size_t i) {
    const int two = b[32 + 32 * (i / 128) + i % 32] >> 2 * (i % 128 / 32) & 3;
    const bool subtract = (b[i % 32] >> (i / 32) & 1) == 0;
    return plain(f16(b + 108) * scale_of_q3_k(b, i / 16), subtract ? two - 4 : two);
}
/// The twelve bytes of Q4_K and Q5_K, by the table of the description.
int six_bit_scale(const uint8_t* s, size_t j) {
    return j < 4 ? s[j] & 63 : low(s[j + 4]) + 16 * (s[j - 4] >> 6);
}
int six_bit_min(const uint8_t* s, size_t j) {
    return j < 4 ? s[j + 4] & 63 : high(s[j + 4]) + 16 * (s[j] >> 6);
}
int nibble_of_k(const uint8_t* qs, size_t i) {
    const uint8_t byte = qs[32 * (i / 64) + i % 32];
    return i % 64 < 32 ? low(byte) : high(byte);
}
GgufWeight with_six_bits(const uint8_t* b, size_t i, int q) {
    return {f16(b) * six_bit_scale(b + 4, i / 32), q, -(f16(b + 2) * six_bit_min(b + 4, i / 32)), true};
}
GgufWeight q4_k(const uint8_t* b, size_t i) {
    return with_six_bits(b, i, nibble_of_k(b + 16, i));
}
GgufWeight q5_k(const uint8_t* b, size_t i) {
    return with_six_bits(b, i, nibble_of_k(b + 48, i) + 16 * (b[16 + i % 32] >> (i / 32) & 1));
}
GgufWeight q6_k(const uint8_t* b, size_t i) {
    const size_t g = i % 128 / 32;
    const uint8_t byte = b[64 * (i / 128) + 32 * (g % 2) + i % 32];
    const int two = b[128 + 32 * (i / 128) + i % 32] >> 2 * g & 3, sc = b[192 + i / 16];
    return plain(f16(b + 208) * (sc < 128 ? sc : sc - 256), (g < 2 ? low(byte) : high(byte)) + 16 * two - 32);
}
GgufWeight by_table(double scale, const int* table, int index) {
    GgufWeight w = plain(scale, table[index]);
    w.index = index;
    return w;
}
GgufWeight iq4_nl(const uint8_t* b, size_t i) {
    return by_table(f16(b), kNl, nibble_of_32(b + 2, i));
}
int scale_of_iq4_xs(const uint8_t* b, size_t j) {
    const int sh = b[2] | b[3] << 8, sl = j % 2 == 0 ? low(b[4 + j / 2]) : high(b[4 + j / 2]);
    return sl + 16 * (sh >> 2 * j & 3) - 32;
}
GgufWeight iq4_xs(const uint8_t* b, size_t i) {
    const size_t j = i / 32;
    return by_table(f16(b) * scale_of_iq4_xs(b, j), kNl, nibble_of_32(b + 8 + 16 * j, i % 32));
}
GgufWeight tq1_0(const uint8_t* b, size_t i) {
    const size_t byte = i < 160 ? i % 32 : i < 240 ? 32 + (i - 160) % 16 : 48 + (i - 240) % 4;
    const size_t digit = i < 160 ? i / 32 : i < 240 ? (i - 160) / 16 : (i - 240) / 4;
    int x = b[byte];
    for (size_t t = 0; t < digit; ++t) {
        x = x * 3 % 256;
    }
    return plain(f16(b + 52), x * 3 / 256 - 1);
}
GgufWeight tq2_0(const uint8_t* b, size_t i) {
    return plain(f16(b + 64), (b[32 * (i / 128) + i % 32] >> 2 * (i % 128 / 32) & 3) - 1);
}
GgufWeight mxfp4(const uint8_t* b, size_t i) {
    return by_table(std::ldexp(1.0, b[0] - 128), kFp4, nibble_of_32(b + 1, i));
}
GgufWeight nvfp4(const uint8_t* b, size_t i) {
    const int s = b[i / 16], e = s >> 3 & 15, m = s & 7;
    const double g = s == 0x7F ? 0 : e == 0 ? m * std::ldexp(1.0, -10) : (1 + m / 8.0) * std::ldexp(1.0, e - 8);
    const uint8_t byte = b[4 + i / 16 * 8 + i % 8];
    return by_table(g, kFp4, i % 16 < 8 ? low(byte) : high(byte));
}
GgufWeight q1_0(const uint8_t* b, size_t i) {
    return plain(f16(b), bit(b + 2, i) != 0 ? 1 : -1);
}
GgufWeight q2_0(const uint8_t* b, size_t i) {
    return plain(f16(b), (b[2 + i / 4] >> 2 * (i % 4) & 3) - 1);
}

// Codebooks: weight i is place i % 8 of eight e = i / 8.

int little(const uint8_t* p, int size) {
    return size == 0 ? 0 : p[0] | little(p + 1, size - 1) << 8;
}
/// `count` bits from bit `first` on, of a field of bits.
int field(const uint8_t* bits, size_t first, size_t count) {
    int x = 0;
    for (size_t j = 0; j < count; ++j) {
        x += bit(bits, first + j) << j;
    }
    return x;
}
constexpr int kLevels1[] = {-1, 0, 1};
constexpr int kLevels2[] = {8, 25, 43};
constexpr int kLevels3Xxs[] = {4, 12, 20, 28, 36, 44, 52, 62};

int level1(const uint8_t* b, size_t i, int high) {
    return kLevels1[kCodesIQ1[b[i / 8] + 256 * high] >> 2 * (i % 8) & 3];
}
int level2(const uint16_t* codes, int line, size_t i) {
    return kLevels2[codes[line] >> 2 * (i % 8) & 3];
}
int code3(const uint16_t* codes, int line, size_t i) {
    return codes[line] >> 3 * (i % 4) & 7;
}
/// Whether weight i is negative by seven signs; the eighth makes the number of negative ones even.
bool negative(int seven, size_t i) {
    int others = 0;
    for (size_t j = 0; j < 7; ++j) {
        others += seven >> j & 1;
    }
    return i % 8 < 7 ? (seven >> i % 8 & 1) != 0 : others % 2 == 1;
}
GgufWeight signed_level(const uint8_t* b, int sub_scale, double step, int level, bool is_negative) {
    return plain(f16(b) * (2 * sub_scale + 1) / step, is_negative ? -level : level);
}
GgufWeight iq2_xxs(const uint8_t* b, size_t i) {
    const uint8_t* part = b + 2 + 8 * (i / 32);
    const int level = level2(kCodesIQ2_XXS, part[i % 32 / 8], i);
    return signed_level(b, part[7] >> 4, 8, level, negative(field(part + 4, 7 * (i % 32 / 8), 7), i));
}
GgufWeight iq2_xs(const uint8_t* b, size_t i) {
    const int word = little(b + 2 + 2 * (i / 8), 2);
    return signed_level(
        b, field(b + 66, 4 * (i / 16), 4), 8, level2(kCodesIQ2_XS, word % 512, i), negative(word / 512, i));
}
GgufWeight iq2_s(const uint8_t* b, size_t i) {
    const int line = b[2 + i / 8] + 256 * field(b + 66, 2 * (i / 8), 2);
    return signed_level(b, field(b + 74, 4 * (i / 16), 4), 8, level2(kCodesIQ2_S, line, i), bit(b + 34, i) != 0);
}
GgufWeight iq3_xxs(const uint8_t* b, size_t i) {
    const uint8_t* word = b + 66 + 4 * (i / 32);
    const int level = kLevels3Xxs[code3(kCodesIQ3_XXS, b[2 + i / 4], i)];
    return signed_level(b, word[3] >> 4, 4, level, negative(field(word, 7 * (i % 32 / 8), 7), i));
}
GgufWeight iq3_s(const uint8_t* b, size_t i) {
    const int line = b[2 + i / 4] + 256 * bit(b + 66, i / 4);
    return signed_level(
        b, field(b + 106, 4 * (i / 32), 4), 1, 2 * code3(kCodesIQ3_S, line, i) + 1, bit(b + 74, i) != 0);
}
GgufWeight iq1_s(const uint8_t* b, size_t i) {
    const uint8_t* word = b + 34 + 2 * (i / 32);
    const int level = level1(b + 2, i, field(word, 3 * (i % 32 / 8), 3));
    return plain(f16(b) * (2 * field(word, 12, 3) + 1) / 8, 8 * level + (bit(word, 15) != 0 ? -1 : 1));
}
GgufWeight iq1_m(const uint8_t* b, size_t i) {
    const int high = field(b + 32, 4 * (i / 8), 4), sub_scale = field(b + 48 + 2 * (i / 64), 3 * (i % 64 / 16), 3);
    int d = 0;
    for (size_t j = 0; j < 4; ++j) {
        d += field(b + 48, 16 * j + 12, 4) << 4 * j;
    }
    const double scale = f32_from_f16(static_cast<uint16_t>(d));
    return plain(scale * (2 * sub_scale + 1) / 8, 8 * level1(b, i, high % 8) + (high >= 8 ? -1 : 1));
}

}  // namespace

const std::vector<GgufType>& gguf_types() {
    static const std::vector<GgufType> types = {
        {"Q4_0", 2, 32, 18, q4_0},         {"Q4_1", 3, 32, 20, q4_1},         {"Q5_0", 6, 32, 22, q5_0},
        {"Q5_1", 7, 32, 24, q5_1},         {"Q8_0", 8, 32, 34, q8_0},         {"Q2_K", 10, 256, 84, q2_k},
        {"Q3_K", 11, 256, 110, q3_k},      {"Q4_K", 12, 256, 144, q4_k},      {"Q5_K", 13, 256, 176, q5_k},
        {"Q6_K", 14, 256, 210, q6_k},      {"IQ2_XXS", 16, 256, 66, iq2_xxs}, {"IQ2_XS", 17, 256, 74, iq2_xs},
        {"IQ3_XXS", 18, 256, 98, iq3_xxs}, {"IQ1_S", 19, 256, 50, iq1_s},     {"IQ4_NL", 20, 32, 18, iq4_nl},
        {"IQ3_S", 21, 256, 110, iq3_s},    {"IQ2_S", 22, 256, 82, iq2_s},     {"IQ4_XS", 23, 256, 136, iq4_xs},
        {"IQ1_M", 29, 256, 56, iq1_m},     {"TQ1_0", 34, 256, 54, tq1_0},     {"TQ2_0", 35, 256, 66, tq2_0},
        {"MXFP4", 39, 32, 17, mxfp4},      {"NVFP4", 40, 64, 36, nvfp4},      {"Q1_0", 41, 128, 18, q1_0},
        {"Q2_0", 42, 64, 18, q2_0}};
    return types;
}

const GgufType* find_gguf_type(const std::string& name) {
    for (const GgufType& type : gguf_types()) {
        if (name == type.name) {
            return &type;
        }
    }
    return nullptr;
}

std::vector<int32_t> gguf_table(const GgufType& type) {
    const std::string name = type.name;
    return name == "IQ4_NL" || name == "IQ4_XS" ? std::vector<int32_t>(kNl, kNl + 16)
           : name == "MXFP4" || name == "NVFP4" ? std::vector<int32_t>(kFp4, kFp4 + 16)
                                                : std::vector<int32_t>();
}

std::vector<size_t> gguf_f16_offsets(const GgufType& type) {
    const std::string name = type.name;
    return name == "Q4_1" || name == "Q5_1" || name == "Q4_K" || name == "Q5_K" ? std::vector<size_t>{0, 2}
           : name == "Q2_K"                                                     ? std::vector<size_t>{80, 82}
           : name == "Q3_K"                                                     ? std::vector<size_t>{108}
           : name == "Q6_K"                                                     ? std::vector<size_t>{208}
           : name == "TQ1_0"                                                    ? std::vector<size_t>{52}
           : name == "TQ2_0"                                                    ? std::vector<size_t>{64}
           : name == "MXFP4" || name == "NVFP4" || name == "IQ1_M"              ? std::vector<size_t>{}
                                                                                : std::vector<size_t>{0};
}

GgufSub gguf_sub(const GgufType& type, const uint8_t* block, size_t j) {
    const std::string name = type.name;
    if (name == "Q4_K" || name == "Q5_K") {
        return {six_bit_scale(block + 4, j), six_bit_min(block + 4, j)};
    }
    if (name == "IQ4_XS") {
        return {scale_of_iq4_xs(block, j), 0};
    }
    if (name == "Q2_K") {
        return {block[j] & 15, block[j] >> 4};
    }
    if (name == "Q3_K") {
        return {scale_of_q3_k(block, j), 0};
    }
    if (name == "Q6_K") {
        return {static_cast<int8_t>(block[192 + j]), 0};
    }
    throw std::logic_error(name);
}

std::vector<GgufWeight> gguf_weights(const GgufType& type, const uint8_t* blocks, size_t count) {
    std::vector<GgufWeight> weights;
    weights.reserve(count);
    for (size_t i = 0; i < count; ++i) {
        weights.push_back(type.weight(blocks + i / type.weights * type.bytes, i % type.weights));
    }
    return weights;
}

}  // namespace reference
