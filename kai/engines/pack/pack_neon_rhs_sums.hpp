// RHS packers of 4-bit sources with blocks and the sum of each column: NEON. The same bytes as the scalar functions of
// pack_rhs_sums.hpp.
//
// N x K: four columns at a time, 32 elements of each, as in pack_neon_rhs_blocks.hpp.
// K x N: 16 columns at a time, 8 bytes of each row. SLI and SRI pair the elements that share a byte, which separates
// the even columns from the odd ones; ZIPs collect the bytes of a column.
//
// Sums. A byte v has the nibbles h = v >> 4 and l = v - 16 * h, hence l + h = v - 15 * h: sums of several v and h, both
// modulo 256, give the sum of all nibbles as long as it is below 256. A total U of up to 16 bits becomes a float by its
// place in the bits of 2^23 + U; one subtraction removes 2^23 and 8 for every nibble.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_neon_rhs_blocks.hpp"
#include "kai/engines/pack/pack_rhs_sums.hpp"

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

template <size_t group, bool packed_groups>
KAI_INLINE float32x4_t add_32_of_four_columns(const uint8x16_t v[4], float32x4_t scale, float32x4_t sum) {
    const uint8x16_t high[4] = {vshrq_n_u8(v[0], 4), vshrq_n_u8(v[1], 4), vshrq_n_u8(v[2], 4), vshrq_n_u8(v[3], 4)};
    if constexpr (!packed_groups) {
        return add_32_of_four_columns_by_32(v, high, scale, sum);
    } else if constexpr (group == 8) {
        return add_32_of_four_columns_by_8(v, high, scale, sum);
    } else {
        return add_32_of_four_columns_by_4(v, high, scale, sum);
    }
}
/// @}

KAI_INLINE float32x4_t four_f32_of_bf16(uint64_t bits) {
    return vreinterpretq_f32_u32(vshll_n_u16(vcreate_u16(bits), 16));
}

/// `count` blocks of four columns: `dst` and `tail` are the places of the first block; sum: of the blocks before.
using PackSumsRun = float32x4_t(
    const RhsPack& p, const FourColumns& columns, const FourColumns& columns_scales, uint8_t* dst, uint8_t* tail,
    size_t count, float32x4_t sum);

template <size_t group, const Format& format, bool packed_groups>
float32x4_t pack_sums_run(
    const RhsPack& pack, const FourColumns& columns, const FourColumns& columns_scales, uint8_t* dst, uint8_t* tail,
    size_t count, float32x4_t sum) {
    const RhsPack p = pack;  // copies that no store can change
    FourColumns src = columns, scales = columns_scales;
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
            sum = add_32_of_four_columns<group, packed_groups>(v, scale, sum);
            to = pack_16_of_four_columns<format, group, NibblesEvenLow, 8>(v, opaque(to), group_step);
        }
    }
    return sum;
}

[[gnu::noinline, maybe_unused]] void pack_rhs_sums_by_four(
    const Format& format, size_t group, PackSumsRun* pack, const RhsPack& p, const RhsSums& s) {
    const size_t block_step = format.block_bytes(p.tile, p.bl), panel_step = format.stride(p.tile, p.k, p.bl);
    const size_t first = format.elements(p.tile, p.bl, 0), first_tail = format.tail(p.tile, p.bl, 0);
    const size_t end = format.panel_end(p.tile, p.k, p.bl);
    for (size_t i = 0; i < p.panels; ++i) {
        uint8_t* panel = bytes(p.packed, i * panel_step);
        uint8_t *elements = panel + first, *tail = panel + first_tail, *sums = panel + end;
        start_sums(p, s, i * p.tile.rows, sums);
        for_four_columns(p, [&](size_t c, size_t b, size_t count) {
            const FourColumns src = four_columns(p, i, c, p.rhs + b * (p.bl / 2), s.rhs_stride);
            const FourColumns scales = four_columns(p, i, c, s.scale + 2 * b, s.scale_stride);
            store(
                sums + 4 * c, pack(
                                  p, src, scales, elements + b * block_step + group * c, tail + b * block_step + 2 * c,
                                  count, load<float32x4_t>(sums + 4 * c)));
        });
    }
}

template <const Format& format, bool packed_groups>
void pack_rhs_sums_nxk(const RhsPack& p, const RhsSums& s) {
    const size_t group = group_by_four(format, p);
    PackSumsRun* pack = nullptr;
    if constexpr (format.group == Format::two) {
        pack = group == 2 ? pack_sums_run<2, format, packed_groups> : nullptr;
    } else if (group == 8) {
        pack = pack_sums_run<8, format, packed_groups>;
    } else if (group == 4) {
        pack = pack_sums_run<4, format, packed_groups>;
    }
    if (pack != nullptr) {
        return pack_rhs_sums_by_four(format, group, pack, p, s);
    }
    pack_rhs_sums_scalar(p, s, {format, false, false, packed_groups});
}

/// @name K x N: strips of 16 columns, 8 bytes of each row
///
/// A strip is four neighbouring fours of places. Its columns lie apart in the registers, even ones and odd ones:
/// sums and scales are those of columns 0 2 4 6, 8 10 12 14, 1 3 5 7, 9 11 13 15.
/// @{

/// 16 neighbouring places, in one panel or several. Where the last panel ends before the strip does, the fours that do
/// not exist have the addresses of the last one that does: fours are stored last first, and so it prevails.
struct Strip {
    uint8_t *elements[4], *tail[4], *sums[4];  // elements and tail of the first block
    FourColumns scales[4];
};

template <const Format& format, size_t group>
KAI_INLINE Strip strip_at(const RhsPack& p, const RhsSums& s, size_t place) {
    const size_t last = p.panels * p.tile.rows - 4;
    Strip strip;
    for (size_t four = 0; four < 4; ++four) {
        const size_t at = place + 4 * four < last ? place + 4 * four : last;
        const size_t i = at / p.tile.rows, c = at - i * p.tile.rows;
        uint8_t* panel = bytes(p.packed, i * format.stride(p.tile, p.k, p.bl));
        strip.elements[four] = panel + format.elements(p.tile, p.bl, 0) + group * c;
        strip.tail[four] = panel + format.tail(p.tile, p.bl, 0) + 2 * c;
        strip.sums[four] = panel + format.panel_end(p.tile, p.k, p.bl) + 4 * c;
        strip.scales[four] = four_columns(p, i, c, s.scale, s.scale_stride);
    }
    return strip;
}

/// The sums of a strip, and the way between their order and that of panels.
struct StripSums {
    float32x4_t of[4];
};

KAI_INLINE StripSums load_sums(const Strip& strip) {
    float32x4_t four[4];
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        four[i] = load<float32x4_t>(strip.sums[i]);
    }
    return {
        {vuzp1q_f32(four[0], four[1]), vuzp1q_f32(four[2], four[3]), vuzp2q_f32(four[0], four[1]),
         vuzp2q_f32(four[2], four[3])}};
}

KAI_INLINE void store_sums(const Strip& strip, const StripSums& sums) {
    store(strip.sums[3], vzip2q_f32(sums.of[1], sums.of[3]));
    store(strip.sums[2], vzip1q_f32(sums.of[1], sums.of[3]));
    store(strip.sums[1], vzip2q_f32(sums.of[0], sums.of[2]));
    store(strip.sums[0], vzip1q_f32(sums.of[0], sums.of[2]));
}

/// Copies the scales of block b to the block's tail, `tail` bytes after that of the first block, and returns them.
KAI_INLINE StripSums pack_scales(const Strip& strip, size_t b, size_t tail) {
    StripSums scales;
    KAI_UNROLL(2)
    for (size_t i = 0; i < 2; ++i) {
        const size_t half = 1 - i;
        const uint64_t second = load_four_u16(strip.scales[2 * half + 1], 2 * b);
        const uint64_t first = load_four_u16(strip.scales[2 * half], 2 * b);
        store(strip.tail[2 * half + 1] + tail, second);
        store(strip.tail[2 * half] + tail, first);
        const uint32x4_t pairs = vreinterpretq_u32_u64(vcombine_u64(vcreate_u64(first), vcreate_u64(second)));
        scales.of[half] = vreinterpretq_f32_u32(vshlq_n_u32(pairs, 16));
        scales.of[half + 2] = vreinterpretq_f32_u32(vandq_u32(pairs, vdupq_n_u32(0xFFFF0000)));
    }
    return scales;
}

/// The 8 bytes of two rows, interleaved: two bytes of each pair of columns.
KAI_INLINE uint8x16_t two_rows(const uint8_t* a, const uint8_t* b) {
    const uint8x8_t none = vdup_n_u8(0);
    return vzip1q_u8(vcombine_u8(vld1_u8(a), none), vcombine_u8(vld1_u8(b), none));
}

/// Adds up `group` bytes of each column to the sums: even and odd have two of 8 columns in each vector.
template <size_t group>
KAI_INLINE void add_strip(
    const uint8x16_t even[group / 2], const uint8x16_t odd[group / 2], const StripSums& scales, StripSums& sums) {
    KAI_UNROLL(2)
    for (size_t parity = 0; parity < 2; ++parity) {
        const uint8x16_t* v = parity == 0 ? even : odd;
        uint8x16_t total = v[0], high = vshrq_n_u8(v[0], 4);
        KAI_UNROLL(4)
        for (size_t j = 1; j < group / 2; ++j) {
            total = vaddq_u8(total, v[j]);
            high = vsraq_n_u8(high, v[j], 4);
        }
        const uint16x8_t columns = vpaddlq_u8(nibble_sums(total, high));
        float32x4_t* of = &sums.of[2 * parity];
        const float32x4_t* scale = &scales.of[2 * parity];
        of[0] = add_total<2 * group>(of[0], vzip1q_u16(columns, two_to_23()), scale[0]);
        of[1] = add_total<2 * group>(of[1], vzip2q_u16(columns, two_to_23()), scale[1]);
    }
}

/// From two bytes of 8 columns in each of `count` vectors to 2 * count bytes of some.
template <size_t count>
KAI_INLINE void join_bytes(uint8x16_t v[count]) {
    if constexpr (count >= 2) {
        uint8x16_t t[count];
        KAI_UNROLL(2)
        for (size_t j = 0; j < count; j += 2) {
            t[j] = zip1<2>(v[j], v[j + 1]);
            t[j + 1] = zip2<2>(v[j], v[j + 1]);
        }
        if constexpr (count == 2) {
            v[0] = t[0], v[1] = t[1];
        } else {
            static_assert(count == 4);
            v[0] = zip1<4>(t[0], t[2]), v[1] = zip2<4>(t[0], t[2]);
            v[2] = zip1<4>(t[1], t[3]), v[3] = zip2<4>(t[1], t[3]);
        }
    }
}

/// `group` bytes of each column of a strip, `at` bytes from the places of the first block on.
template <size_t group>
KAI_INLINE void store_strip(uint8x16_t even[group / 2], uint8x16_t odd[group / 2], const Strip& strip, size_t at) {
    join_bytes<group / 2>(even);
    join_bytes<group / 2>(odd);
    KAI_UNROLL(4)
    for (size_t i = 0; i < group / 2; ++i) {
        const size_t j = group / 2 - 1 - i;
        const uint8x16_t first = zip1<group>(even[j], odd[j]), second = zip2<group>(even[j], odd[j]);
        if constexpr (group == 2) {
            store(strip.elements[3] + at, vget_high_u8(second));
            store(strip.elements[2] + at, vget_low_u8(second));
            store(strip.elements[1] + at, vget_high_u8(first));
            store(strip.elements[0] + at, vget_low_u8(first));
        } else if constexpr (group == 4) {
            store(strip.elements[2 * j + 1] + at, second);
            store(strip.elements[2 * j] + at, first);
        } else {
            store(strip.elements[j] + at, first);
            store(strip.elements[j] + at + 16, second);
        }
    }
}

/// 32 rows. Returns where the next ones go.
template <const Format& format, size_t group>
KAI_INLINE size_t pack_32_rows(
    const uint8_t* src, size_t row_step, const Strip& strip, size_t at, size_t group_step, const StripSums& scales,
    StripSums& sums) {
    constexpr size_t d = format.nibble_distance;
    const size_t step = d == 1 ? 2 * row_step : row_step;  // between rows of neighbouring bytes
    for (size_t place = 0; place < 16 / group; ++place, at += group_step) {
        const uint8_t* far = opaque(src) + d * row_step;
        uint8x16_t even[group / 2], odd[group / 2];
        KAI_UNROLL(4)
        for (size_t j = 0; j < group / 2; ++j, src += 2 * step, far += 2 * step) {
            const uint8x16_t low = two_rows(src, src + step), high = two_rows(far, far + step);
            even[j] = vsliq_n_u8(low, high, 4);
            odd[j] = vsriq_n_u8(high, low, 4);
        }
        add_strip<group>(even, odd, scales, sums);
        KAI_UNROLL(4)
        for (size_t j = 0; j < group / 2; ++j) {
            even[j] = veorq_u8(even[j], vdupq_n_u8(0x88));
            odd[j] = veorq_u8(odd[j], vdupq_n_u8(0x88));
        }
        store_strip<group>(even, odd, strip, at);
    }
    return at;
}

/// 32 rows of the strip at `place`, which has missing columns, 8 bytes apart. Rare, and so kept out of the
/// way.
[[gnu::noinline]] void complete_32_rows(
    const SumsKind& kind, const RhsPack& p, const RhsSums& s, size_t row, size_t place, uint8_t to[32 * 8]) {
    for (size_t r = 0; r < 32; ++r) {
        for (size_t c = 0; c < 16; c += 2) {
            const unsigned low = source_nibble(kind, p, s, place + c, row + r);
            const unsigned high = source_nibble(kind, p, s, place + c + 1, row + r);
            to[8 * r + c / 2] = static_cast<uint8_t>(low | high << 4);
        }
    }
}

/// `count` blocks of a strip. A function of its own: its loops need all registers.
template <const Format& format, size_t group, bool zeros>
[[gnu::noinline]] void pack_strip_run(
    const RhsPack& pack, const RhsSums& pack_sums, size_t place, size_t first, size_t count) {
    const RhsPack p = pack;  // copies that no store can change
    const RhsSums s = pack_sums;
    const Strip strip = strip_at<format, group>(p, s, place);
    const size_t group_step = group * p.tile.rows, block_step = format.block_bytes(p.tile, p.bl);
    const bool complete = place + 16 <= p.n;
    StripSums sums = load_sums(strip);
    for (size_t b = first; b < first + count; ++b) {
        const StripSums scales = pack_scales(strip, b, b * block_step);
        size_t at = b * block_step;
        for (size_t row = b * p.bl; row < (b + 1) * p.bl; row += 32) {
            uint8_t rows[32 * 8];
            if (!complete) {
                complete_32_rows({format, true, zeros, true}, p, s, row, place, rows);
            }
            const uint8_t* src = complete ? p.rhs + row * s.rhs_stride + place / 2 : rows;
            at = pack_32_rows<format, group>(src, complete ? s.rhs_stride : 8, strip, at, group_step, scales, sums);
        }
    }
    store_sums(strip, sums);
}

/// 128 columns (a line of a cache) by 256 rows at a time, in it strip by strip.
using PackStripRun = void(const RhsPack& p, const RhsSums& s, size_t place, size_t first, size_t count);

[[gnu::noinline, maybe_unused]] void pack_rhs_sums_by_strips(
    const Format& format, PackStripRun* pack, const RhsPack& p, const RhsSums& s) {
    const size_t places = p.panels * p.tile.rows, run = p.bl < 256 ? 256 / p.bl : 1;
    const size_t panel_step = format.stride(p.tile, p.k, p.bl), end = format.panel_end(p.tile, p.k, p.bl);
    for (size_t i = 0; i < p.panels; ++i) {
        start_sums(p, s, i * p.tile.rows, bytes(p.packed, i * panel_step + end));
    }
    for (size_t line = 0; line < places; line += 128) {
        for (size_t b = 0; b < p.blocks; b += run) {
            for (size_t place = line; place < places && place < line + 128; place += 16) {
                pack(p, s, place, b, run < p.blocks - b ? run : p.blocks - b);
            }
        }
    }
}

template <const Format& format, bool zeros>
void pack_rhs_sums_kxn(const RhsPack& p, const RhsSums& s) {
    const size_t group = group_by_four(format, p);
    PackStripRun* pack = nullptr;
    if constexpr (format.group == Format::two) {
        pack = group == 2 ? pack_strip_run<format, 2, zeros> : nullptr;
    } else if (group == 8) {
        pack = pack_strip_run<format, 8, zeros>;
    } else if (group == 4) {
        pack = pack_strip_run<format, 4, zeros>;
    }
    if (pack != nullptr) {
        return pack_rhs_sums_by_strips(format, pack, p, s);
    }
    pack_rhs_sums_scalar(p, s, {format, true, zeros, true});
}

}  // namespace
}  // namespace kai

#else

namespace kai {
namespace {

template <const Format& format, bool packed_groups>
void pack_rhs_sums_nxk(const RhsPack& p, const RhsSums& s) {
    pack_rhs_sums_scalar(p, s, {format, false, false, packed_groups});
}

template <const Format& format, bool zeros>
void pack_rhs_sums_kxn(const RhsPack& p, const RhsSums& s) {
    pack_rhs_sums_scalar(p, s, {format, true, zeros, true});
}

}  // namespace
}  // namespace kai

#endif
