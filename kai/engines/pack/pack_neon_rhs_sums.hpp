// Sums of the weights of columns in blocks, whose nibbles are 8 more than the weights: NEON.
//
// A byte v has the nibbles h = v >> 4 and l = v - 16 * h, hence l + h = v - 15 * h: sums of several v and h, both
// modulo 256, give the sum of all nibbles as long as it is below 256. A total U of up to 16 bits becomes a float by its
// place in the bits of 2^23 + U; one subtraction removes 2^23 and 8 for every nibble.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

#if defined(__aarch64__)

namespace kai {
namespace {

/// @name From totals to floats
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

/// @name Sums of four columns, from 32 elements (16 bytes) of each
/// @{

KAI_INLINE uint8x16_t pairs(uint8x16_t a, uint8x16_t b) {
    return vpaddq_u8(a, b);
}

KAI_INLINE float32x4_t
add_32_of_four_columns_by_32(const uint8x16_t v[4], const uint8x16_t high[4], float32x4_t scale, float32x4_t sum) {
    const uint8x16_t fours = nibble_sums(
        pairs(pairs(v[0], v[1]), pairs(v[2], v[3])),
        pairs(pairs(high[0], high[1]), pairs(high[2], high[3])));  // four totals of a column side by side
    const uint16x8_t twos = vpaddlq_u8(fours), total = vpaddq_u16(twos, twos);
    return add_total<32>(sum, vzip1q_u16(total, two_to_23()), scale);
}

/// Bytes 8s ... 8s + 7 of the panel come from bytes 4s ... 4s + 3 and 8 + 4s ... 8 + 4s + 3 of the source.
KAI_INLINE float32x4_t
add_32_of_four_columns_by_8(const uint8x16_t v[4], const uint8x16_t high[4], float32x4_t scale, float32x4_t sum) {
    const uint16x8_t fours = vreinterpretq_u16_u8(nibble_sums(
        pairs(pairs(v[0], v[1]), pairs(v[2], v[3])), pairs(pairs(high[0], high[1]), pairs(high[2], high[3]))));
    const uint16x8_t both = vpaddq_u16(fours, fours);  // s = 0 in the low bytes, s = 1 in the high ones
    const uint16x8_t first = vandq_u16(both, vdupq_n_u16(255)), second = vshrq_n_u16(both, 8);
    sum = add_total<16>(sum, vzip1q_u16(first, two_to_23()), scale);
    return add_total<16>(sum, vzip1q_u16(second, two_to_23()), scale);
}

/// Bytes 4s ... 4s + 3 of the panel come from bytes 2s, 2s + 1, 8 + 2s and 8 + 2s + 1 of the source.
KAI_INLINE float32x4_t
add_32_of_four_columns_by_4(const uint8x16_t v[4], const uint8x16_t high[4], float32x4_t scale, float32x4_t sum) {
    const uint32x4_t a = vreinterpretq_u32_u8(nibble_sums(pairs(v[0], v[1]), pairs(high[0], high[1])));
    const uint32x4_t b = vreinterpretq_u32_u8(nibble_sums(pairs(v[2], v[3]), pairs(high[2], high[3])));
    const uint16x8_t all = vreinterpretq_u16_u32(vpaddq_u32(a, b));  // bytes of a lane: s = 0, 1, 2, 3
    const uint16x8_t even = vandq_u16(all, vdupq_n_u16(255)), odd = vshrq_n_u16(all, 8);
    sum = add_total<8>(sum, vtrn1q_u16(even, two_to_23()), scale);
    sum = add_total<8>(sum, vtrn1q_u16(odd, two_to_23()), scale);
    sum = add_total<8>(sum, vtrn2q_u16(even, two_to_23()), scale);
    return add_total<8>(sum, vtrn2q_u16(odd, two_to_23()), scale);
}

/// group: size in bytes of those of the panel, which are added separately; 0: all 32 weights together.
template <size_t group>
KAI_INLINE float32x4_t add_32_of_four_columns(const uint8x16_t v[4], float32x4_t scale, float32x4_t sum) {
    static_assert(group == 0 || group == 4 || group == 8);
    const uint8x16_t high[4] = {vshrq_n_u8(v[0], 4), vshrq_n_u8(v[1], 4), vshrq_n_u8(v[2], 4), vshrq_n_u8(v[3], 4)};
    return group == 0   ? add_32_of_four_columns_by_32(v, high, scale, sum)
           : group == 8 ? add_32_of_four_columns_by_8(v, high, scale, sum)
                        : add_32_of_four_columns_by_4(v, high, scale, sum);
}
/// @}

KAI_INLINE float32x4_t four_f32_of_bf16(uint64_t bits) {
    return vreinterpretq_f32_u32(vshll_n_u16(vcreate_u16(bits), 16));
}

}  // namespace
}  // namespace kai

#endif
