// Values of blocks of GGUF files, 16 at a time: NEON.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/gguf/gguf.hpp"

#if defined(__aarch64__)

namespace kai {
namespace {

/// @name Lanes 0 to 15 of small fields: which byte, and how far it is shifted
/// @{
alignas(16) inline constexpr uint8_t kByteOf1Bit[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
alignas(16) inline constexpr int8_t kShiftOf1Bit[16] = {0, -1, -2, -3, -4, -5, -6, -7, 0, -1, -2, -3, -4, -5, -6, -7};
alignas(16) inline constexpr uint8_t kByteOf2Bits[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
alignas(16) inline constexpr int8_t kShiftOf2Bits[16] = {0, -2, -4, -6, 0, -2, -4, -6, 0, -2, -4, -6, 0, -2, -4, -6};
alignas(16) inline constexpr uint8_t kPowersOf3[16] = {1, 1, 1, 1, 3, 3, 3, 3, 9, 9, 9, 9, 27, 27, 27, 27};
/// @}

/// The fields of quants i to i + 15; i is a multiple of 16.
KAI_INLINE uint8x16_t fields_x16(Plane p, const uint8_t* block, size_t i) {
    const uint8_t* src = block + p.byte(i);
    if (p.bits == 8) {
        return vld1q_u8(src);
    }
    const uint8x16_t mask = vdupq_n_u8(static_cast<uint8_t>((1U << p.bits) - 1));
    if (p.distance >= 16) {
        const int8x16_t shift = vdupq_n_s8(static_cast<int8_t>(-static_cast<int>(p.shift(i))));
        return vandq_u8(vshlq_u8(vld1q_u8(src), shift), mask);
    }
    if (p.distance == 8) {
        const uint8x8_t nibbles = vld1_u8(src);
        return vandq_u8(vcombine_u8(nibbles, vshr_n_u8(nibbles, 4)), mask);
    }
    uint8x16_t v;
    if (p.bits == 1) {
        v = vqtbl1q_u8(vreinterpretq_u8_u16(vdupq_n_u16(load<uint16_t>(src))), vld1q_u8(kByteOf1Bit));
        v = vshlq_u8(v, vld1q_s8(kShiftOf1Bit));
    } else {
        v = vqtbl1q_u8(vreinterpretq_u8_u32(vdupq_n_u32(load<uint32_t>(src))), vld1q_u8(kByteOf2Bits));
        v = vshlq_u8(v, vld1q_s8(kShiftOf2Bits));
    }
    return vandq_u8(v, mask);
}

/// Digits i to i + 15, less 1. The digit is the upper part of 3 * byte: 0 below 86, 2 from 171 on.
KAI_INLINE int8x16_t digits_x16(const uint8_t* block, size_t i) {
    uint8x16_t v;
    if (i < 240) {
        const Digit digit = digit_at(i);
        v = vmulq_u8(vld1q_u8(block + digit.byte), vdupq_n_u8(static_cast<uint8_t>(digit.power)));
    } else {
        const uint8x16_t four = vreinterpretq_u8_u32(vdupq_n_u32(load<uint32_t>(block + 48)));
        v = vmulq_u8(four, vld1q_u8(kPowersOf3));
    }
    const uint8x16_t not_0 = vcgeq_u8(v, vdupq_n_u8(86)), is_2 = vcgeq_u8(v, vdupq_n_u8(171));
    return vreinterpretq_s8_u8(vsubq_u8(vdupq_n_u8(255), vaddq_u8(not_0, is_2)));
}

/// The values of weights i to i + 15; i is a multiple of 16.
template <const Block& t>
KAI_INLINE int8x16_t values_x16(const uint8_t* block, size_t i) {
    if constexpr (t.ternary) {
        return digits_x16(block, i);
    } else {
        uint8x16_t quants = fields_x16(t.low, block, i);
        if constexpr (t.high.bits != 0) {
            quants = vorrq_u8(quants, vshlq_n_u8(fields_x16(t.high, block, i), t.low.bits));
        }
        if constexpr (t.table != nullptr) {
            return vqtbl1q_s8(vld1q_s8(t.table), quants);
        }
        return vaddq_s8(vreinterpretq_s8_u8(quants), vdupq_n_s8(t.bias));
    }
}

alignas(16) inline constexpr uint8_t kMaskOf1Bit[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

/// The values of weights i to i + 31; i is a multiple of 32.
template <const Block& t>
KAI_INLINE void values_x32(const uint8_t* block, size_t i, int8x16_t v[2]) {
    if constexpr (
        t.low.bits == 4 && t.low.distance == 16 && t.high.bits == 1 && t.high.distance == 1 && t.bias == -16) {
        // Nibbles whose upper half is the sign: all ones where bit 4 is 0.
        const uint8x16_t nibbles = vld1q_u8(block + t.low.byte(i)), mask = vld1q_u8(kMaskOf1Bit);
        const uint8x16_t zeros = vreinterpretq_u8_u32(vdupq_n_u32(~load<uint32_t>(block + t.high.byte(i))));
        const uint8x16_t first = vld1q_u8(kByteOf1Bit), second = vaddq_u8(first, vdupq_n_u8(2));
        const uint8x16_t signs[2] = {
            vtstq_u8(vqtbl1q_u8(zeros, first), mask), vtstq_u8(vqtbl1q_u8(zeros, second), mask)};
        v[0] = vreinterpretq_s8_u8(vsliq_n_u8(nibbles, signs[0], 4));
        v[1] = vreinterpretq_s8_u8(vsliq_n_u8(vshrq_n_u8(nibbles, 4), signs[1], 4));
    } else {
        v[0] = values_x16<t>(block, i);
        v[1] = values_x16<t>(block, i + 16);
    }
}

}  // namespace
}  // namespace kai

#endif
