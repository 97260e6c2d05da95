// Four columns of an RHS at a time, NEON: how they are read, and sums of their weights. For sources with blocks.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_neon_interleave.hpp"

#if defined(__aarch64__)

namespace kai {
namespace {

/// 16 bytes of each of four columns: the groups of the first half and those of the second one. Elements `distance`
/// apart share a byte.
template <unsigned distance, unsigned flip>
KAI_INLINE void split_halves(const uint8x16_t v[4], uint8x16_t first[2], uint8x16_t second[2]) {
    static_assert(distance == 1 || distance == 4);
    uint8x16_t fours[4];
    interleave<4>(v, fours);
    KAI_UNROLL(2)
    for (size_t i = 0; i < 2; ++i) {
        uint8x16_t even = fours[2 * i], odd = fours[2 * i + 1];  // those that share bytes of the panel
        if constexpr (distance == 1) {
            even = vuzp1q_u8(fours[2 * i], fours[2 * i + 1]);
            odd = vuzp2q_u8(fours[2 * i], fours[2 * i + 1]);
        }
        first[i] = veorq_u8(vsliq_n_u8(even, odd, 4), vdupq_n_u8(flip * 0x11));
        second[i] = veorq_u8(vsriq_n_u8(odd, even, 4), vdupq_n_u8(flip * 0x11));
    }
}

KAI_INLINE void advance(FourColumns& columns, size_t bytes) {
    KAI_UNROLL(4)
    for (size_t c = 0; c < 4; ++c) {
        columns.at[c] += bytes;
    }
}

/// 16 bits of each of four columns, `offset` bytes on.
KAI_INLINE uint64_t load_four_u16(const FourColumns& src, size_t offset = 0) {
    uint64_t bits = 0;
    KAI_UNROLL(4)
    for (size_t c = 0; c < 4; ++c) {
        bits |= uint64_t{load<uint16_t>(src.at[c] + offset)} << (16 * c);
    }
    return bits;
}

/// @name Sums of the weights of columns, whose nibbles are 8 more than the weights
///
/// A byte v has the nibbles h = v >> 4 and l = v - 16 * h, hence l + h = v - 15 * h: sums of several v and h, both
/// modulo 256, give the sum of all nibbles as long as it is below 256. A total U of up to 16 bits becomes a float by
/// its place in the bits of 2^23 + U; one subtraction removes 2^23 and 8 for every nibble.
/// @{

/// The sum of the nibbles of each byte, from sums of bytes and of their high nibbles.
KAI_INLINE uint8x16_t nibble_sums(uint8x16_t v, uint8x16_t high) {
    return vmlsq_u8(v, high, vdupq_n_u8(15));
}

/// sum + (total - 8 * count) * scale; total: the low 16 bits of each lane, below the upper half of 2^23.
template <size_t count>
KAI_INLINE float32x4_t add_total(float32x4_t sum, uint16x8_t total, float32x4_t scale) {
    const float32x4_t value = vsubq_f32(vreinterpretq_f32_u16(total), vdupq_n_f32(8388608.0F + 8 * count));
    return vfmaq_f32(sum, value, scale);
}

/// The upper half of 2^23.
KAI_INLINE uint16x8_t two_to_23() {
    return vdupq_n_u16(0x4B00);
}

/// @}

KAI_INLINE float32x4_t four_f32_of_bf16(uint64_t bits) {
    return vreinterpretq_f32_u32(vshll_n_u16(vcreate_u16(bits), 16));
}

/// Four bf16 scales, given as f32, divided by 16 and cut off.
KAI_INLINE uint16x4_t sixteenths(float32x4_t scales) {
    return vshrn_n_u32(vreinterpretq_u32_f32(vmulq_n_f32(scales, 0.0625F)), 16);
}

}  // namespace
}  // namespace kai

#endif
