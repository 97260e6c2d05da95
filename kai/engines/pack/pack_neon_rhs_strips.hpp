// RHS packers of 4-bit K x N sources with blocks and the sum of each column: NEON. The same bytes as the scalar packer
// of pack_rhs_blocks.hpp.
//
// 16 columns at a time, 8 bytes of each row. SLI and SRI pair the elements that share a byte, which separates the even
// columns from the odd ones; ZIPs collect the bytes of a column.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_neon_columns.hpp"
#include "kai/engines/pack/pack_rhs_blocks.hpp"

#if defined(__aarch64__)

namespace kai {
namespace {

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

/// Places at ... at + 3 in an array of `step` bytes per column.
KAI_INLINE FourColumns four_columns(const RhsBlocks& p, size_t at, const uint8_t* array, size_t step) {
    return {
        {array + p.column(at) * step, array + p.column(at + 1) * step, array + p.column(at + 2) * step,
         array + p.column(at + 3) * step}};
}

KAI_INLINE Strip strip_at(const RhsBlocks& p, size_t place) {
    Strip strip;
    for (size_t four = 0; four < 4; ++four) {
        const size_t at = place + 4 * four < p.places ? place + 4 * four : p.places - 4;
        const size_t c = at % p.tile.rows;
        uint8_t* panel = p.packed + at / p.tile.rows * p.stride;
        strip.elements[four] = panel + p.elements + p.group * c;
        strip.tail[four] = panel + p.fields + 2 * c;
        strip.sums[four] = panel + p.end + 4 * c;
        strip.scales[four] = four_columns(p, at, p.scale, p.scale_stride);
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

/// Copies the scales `at` bytes on in their array to a block's tail, `tail` bytes after that of the first block, and
/// returns them. is_16th: what is stored is a 16th of them.
template <bool is_16th>
KAI_INLINE StripSums pack_scales(const Strip& strip, size_t at, size_t tail) {
    StripSums scales;
    const auto stored = [](uint64_t bits) {
        return is_16th ? vget_lane_u64(vreinterpret_u64_u16(sixteenths(four_f32_of_bf16(bits))), 0) : bits;
    };
    KAI_UNROLL(2)
    for (size_t i = 0; i < 2; ++i) {
        const size_t half = 1 - i;
        const uint64_t second = load_four_u16(strip.scales[2 * half + 1], at);
        const uint64_t first = load_four_u16(strip.scales[2 * half], at);
        store(strip.tail[2 * half + 1] + tail, stored(second));
        store(strip.tail[2 * half] + tail, stored(first));
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

/// Of two bytes of 8 columns in each vector, even columns and odd ones: the sums of bytes and of their high nibbles.
struct ByteSums {
    uint8x16_t total[2], high[2];
};

/// Adds up `group` bytes of each column.
template <size_t group>
KAI_INLINE void add_bytes(
    const uint8x16_t even[group / 2], const uint8x16_t odd[group / 2], ByteSums& sums, bool first) {
    KAI_UNROLL(2)
    for (size_t parity = 0; parity < 2; ++parity) {
        const uint8x16_t* v = parity == 0 ? even : odd;
        uint8x16_t& total = sums.total[parity];
        uint8x16_t& high = sums.high[parity];
        total = first ? v[0] : vaddq_u8(total, v[0]);
        high = first ? vshrq_n_u8(v[0], 4) : vsraq_n_u8(high, v[0], 4);
        KAI_UNROLL(4)
        for (size_t j = 1; j < group / 2; ++j) {
            total = vaddq_u8(total, v[j]);
            high = vsraq_n_u8(high, v[j], 4);
        }
    }
}

/// Adds the sums of `weights` weights of each column.
template <size_t weights>
KAI_INLINE void add_strip(const ByteSums& bytes, const StripSums& scales, StripSums& sums) {
    KAI_UNROLL(2)
    for (size_t parity = 0; parity < 2; ++parity) {
        const uint16x8_t columns = vpaddlq_u8(nibble_sums(bytes.total[parity], bytes.high[parity]));
        float32x4_t* of = &sums.of[2 * parity];
        const float32x4_t* scale = &scales.of[2 * parity];
        of[0] = add_total<weights>(of[0], vzip1q_u16(columns, two_to_23()), scale[0]);
        of[1] = add_total<weights>(of[1], vzip2q_u16(columns, two_to_23()), scale[1]);
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
template <const BlocksKind& kind, size_t group>
KAI_INLINE size_t pack_32_rows(
    const uint8_t* src, size_t row_step, const Strip& strip, size_t at, size_t group_step, const StripSums& scales,
    StripSums& sums) {
    constexpr size_t d = kind.format.nibble_distance;
    ByteSums bytes;
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
        add_bytes<group>(even, odd, bytes, kind.packed_groups || place == 0);
        if constexpr (kind.packed_groups) {
            add_strip<2 * group>(bytes, scales, sums);
        }
        KAI_UNROLL(4)
        for (size_t j = 0; j < group / 2; ++j) {
            even[j] = veorq_u8(even[j], vdupq_n_u8(0x88));
            odd[j] = veorq_u8(odd[j], vdupq_n_u8(0x88));
        }
        store_strip<group>(even, odd, strip, at);
        if constexpr (d == group) {
            src = far;
        }
    }
    if constexpr (!kind.packed_groups) {
        add_strip<32>(bytes, scales, sums);
    }
    return at;
}

/// 32 rows of block b of the strip at `place`, which has missing columns, 8 bytes apart. Rare, and so kept out of the
/// way.
[[gnu::noinline]] void complete_32_rows(const RhsBlocks& p, size_t b, size_t row, size_t place, uint8_t to[32 * 8]) {
    const uint8_t* src = p.rhs + (b * p.bl + row) * p.rhs_stride;
    const auto nibble = [&](size_t at) {
        const size_t parity = (p.kind.repeats ? p.column(at) : at) % 2;
        return p.kind.zeros && at >= p.n ? 8 : src[p.column(at) / 2] >> 4 * parity & 0x0F;
    };
    for (size_t r = 0; r < 32; ++r, src += p.rhs_stride) {
        for (size_t at = place; at < place + 16; at += 2, ++to) {
            *to = static_cast<uint8_t>(nibble(at) | nibble(at + 1) << 4);
        }
    }
}

/// `count` blocks of a strip. A function of its own: its loops need all registers.
using PackStrip = void(const RhsBlocks& all, const Strip& strip, size_t place, size_t first, size_t count);

template <const BlocksKind& kind, size_t group>
void pack_strip(const RhsBlocks& all, const Strip& strip_at_place, size_t place, size_t first, size_t count) {
    const RhsBlocks p = all;  // local copies: stores cannot alias them
    const Strip strip = strip_at_place;
    const size_t group_step = group * p.tile.rows;
    const bool complete = place + 16 <= p.n;
    StripSums sums = load_sums(strip);
    for (size_t b = first; b < first + count; ++b) {
        const StripSums scales = pack_scales<kind.sixteenths>(strip, b * p.scale_step, b * p.step);
        size_t at = b * p.step;
        for (size_t row = 0; row < p.bl; row += 32) {
            uint8_t rows[32 * 8];
            if (!complete) {
                complete_32_rows(p, b, row, place, rows);
            }
            const uint8_t* src = complete ? p.rhs + (b * p.bl + row) * p.rhs_stride + place / 2 : rows;
            at = pack_32_rows<kind, group>(src, complete ? p.rhs_stride : 8, strip, at, group_step, scales, sums);
        }
    }
    store_sums(strip, sums);
}
/// @}

/// 128 columns (a line of a cache) by 256 rows at a time, in it strip by strip.
[[gnu::noinline]] void pack_rhs_blocks_by_strips(const BlocksKind& kind, const kai_rhs_call& c, PackStrip* pack) {
    const RhsBlocks p = rhs_blocks(kind, Fields::scale_and_sum, c);
    const size_t run = p.bl < 256 ? 256 / p.bl : 1;
    for (size_t line = 0; line < p.places; line += 128) {
        for (size_t b = 0; b < p.blocks; b += run) {
            for (size_t place = line; place < p.places && place < line + 128; place += 16) {
                pack(p, strip_at(p, place), place, b, run < p.blocks - b ? run : p.blocks - b);
            }
        }
    }
}

/// The packer of a kind.
template <const BlocksKind& kind>
constexpr BlocksPacker<PackStrip> strips_packer() {
    BlocksPacker<PackStrip> packer = {kind, pack_rhs_blocks_by_strips};
    if constexpr (kind.format.group == Format::two) {
        packer.by_2 = pack_strip<kind, 2>;
    } else {
        packer.by_4 = pack_strip<kind, 4>;
        if constexpr (kind.format.nibble_distance != 4) {
            packer.by_8 = pack_strip<kind, 8>;
        }
    }
    return packer;
}

}  // namespace
}  // namespace kai

#else

namespace kai {
namespace {

template <const BlocksKind& kind>
constexpr BlocksPacker<void()> strips_packer() {
    return {kind};
}

}  // namespace
}  // namespace kai

#endif

namespace kai {
namespace {

template <const BlocksKind& kind>
inline constexpr auto kStrips = strips_packer<kind>();

}  // namespace
}  // namespace kai
