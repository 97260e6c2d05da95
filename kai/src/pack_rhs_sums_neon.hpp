// RHS packers of 4-bit sources with blocks and the sum of each column: NEON. The same bytes as the scalar functions of
// pack_rhs_sums.hpp.
//
// N x K: four columns at a time, 32 elements of each, as in pack_rhs_blocks_neon.hpp.
// K x N: 16 columns at a time, 8 bytes of each row. SLI and SRI pair the elements that share a byte, which separates
// the even columns from the odd ones; ZIPs collect the bytes of a column.
//
// Sums. A byte v has the nibbles h = v >> 4 and l = v - 16 * h, hence l + h = v - 15 * h: sums of several v and h, both
// modulo 256, give the sum of all nibbles as long as it is below 256. A total U of up to 16 bits becomes a float by its
// place in the bits of 2^23 + U; one subtraction removes 2^23 and 8 for every nibble.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/pack_rhs_blocks_neon.hpp"
#include "kai/src/pack_rhs_sums.hpp"

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

KAI_INLINE float32x4_t add_32_of_four_columns(
    ConsecutiveGroups<32>, const uint8x16_t v[4], const uint8x16_t high[4], float32x4_t scale, float32x4_t sum) {
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

template <size_t group, class Groups>
KAI_INLINE float32x4_t add_32_of_four_columns(const uint8x16_t v[4], float32x4_t scale, float32x4_t sum) {
    const uint8x16_t high[4] = {vshrq_n_u8(v[0], 4), vshrq_n_u8(v[1], 4), vshrq_n_u8(v[2], 4), vshrq_n_u8(v[3], 4)};
    if constexpr (!Groups::packed) {
        return add_32_of_four_columns(Groups{}, v, high, scale, sum);
    } else if constexpr (group == 8) {
        return add_32_of_four_columns_by_8(v, high, scale, sum);
    } else {
        return add_32_of_four_columns_by_4(v, high, scale, sum);
    }
}
/// @}

KAI_INLINE void advance(FourColumns& columns, size_t bytes) {
#pragma GCC unroll 4
    for (size_t c = 0; c < 4; ++c) {
        columns.at[c] += bytes;
    }
}

KAI_INLINE float32x4_t four_f32_of_bf16(uint64_t bits) {
    return vreinterpretq_f32_u32(vshll_n_u16(vcreate_u16(bits), 16));
}

/// `count` blocks of four columns: `dst` and `tail` are the places of the first block; sum: of the blocks before.
template <size_t group, const Format& format, class Groups>
KAI_INLINE float32x4_t pack_sums_run(
    const RhsPack& p, FourColumns src, FourColumns scales, uint8_t* dst, uint8_t* tail, size_t count, float32x4_t sum) {
    const size_t group_step = group * p.tile.rows, block_step = format.block_bytes(p.tile, p.bl);
    for (; count > 0; --count, dst += block_step, tail += block_step) {
        const uint64_t scale_bits = load_four_u16(scales);
        advance(scales, 2);
        const float32x4_t scale = four_f32_of_bf16(scale_bits);
        store(tail, scale_bits);
        uint8_t* to = dst;
        for (size_t left = p.bl / 32; left > 0; --left) {
            uint8x16_t v[4];
            load_16_of_four_columns(src, v);
            sum = add_32_of_four_columns<group, Groups>(v, scale, sum);
            to = pack_16_of_four_columns<format, group, NibblesEvenLow, 8>(v, to, group_step);
        }
    }
    return sum;
}

template <const Format& format, size_t group, class Groups>
void pack_rhs_sums_by_four(const RhsPack& pack, const RhsSums& pack_sums) {
    const RhsPack p = pack;  // copies that no store can change
    const RhsSums s = pack_sums;
    const size_t block_step = format.block_bytes(p.tile, p.bl);
    for (size_t i = 0; i < p.panels; ++i) {
        uint8_t* panel = bytes(p.packed, i * format.stride(p.tile, p.k, p.bl));
        uint8_t *elements = panel + format.elements(p.tile, p.bl, 0), *tail = panel + format.tail(p.tile, p.bl, 0);
        uint8_t* sums = panel + format.panel_end(p.tile, p.k, p.bl);
        start_sums<format>(p, s, i, panel);
        for_four_columns(
            p, [&](size_t c, size_t b, size_t count) __attribute__((always_inline)) {
                const FourColumns src = four_columns(p, i, c, p.rhs + b * (p.bl / 2), s.rhs_stride);
                const FourColumns scales = four_columns(p, i, c, s.scale + 2 * b, s.scale_stride);
                store(
                    sums + 4 * c, pack_sums_run<group, format, Groups>(
                                      p, src, scales, elements + b * block_step + group * c,
                                      tail + b * block_step + 2 * c, count, load<float32x4_t>(sums + 4 * c)));
            });
    }
}

template <const Format& format, class Groups>
void pack_rhs_sums_nxk(const RhsPack& p, const RhsSums& s) {
    const size_t group = p.tile.rows % 4 == 0 && p.bl % 32 == 0 ? format.group_size(p.tile) : 0;
    if constexpr (format.group == Format::two) {
        if (group == 2) {
            return pack_rhs_sums_by_four<format, 2, Groups>(p, s);
        }
    } else if (group == 8) {
        return pack_rhs_sums_by_four<format, 8, Groups>(p, s);
    } else if (group == 4) {
        return pack_rhs_sums_by_four<format, 4, Groups>(p, s);
    }
    pack_rhs_sums_scalar<format, SourceNxK, Groups>(p, s);
}

template <const Format& format, class Source, class Groups>
void pack_rhs_sums_kxn(const RhsPack& p, const RhsSums& s) {
    pack_rhs_sums_scalar<format, Source, Groups>(p, s);
}

}  // namespace
}  // namespace kai

#else

namespace kai {
namespace {

template <const Format& format, class Groups>
void pack_rhs_sums_nxk(const RhsPack& p, const RhsSums& s) {
    pack_rhs_sums_scalar<format, SourceNxK, Groups>(p, s);
}

template <const Format& format, class Source, class Groups>
void pack_rhs_sums_kxn(const RhsPack& p, const RhsSums& s) {
    pack_rhs_sums_scalar<format, Source, Groups>(p, s);
}

}  // namespace
}  // namespace kai

#endif
