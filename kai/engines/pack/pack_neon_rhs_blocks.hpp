// RHS packers of 4-bit and 8-bit sources with blocks: NEON. The same bytes as the scalar functions of
// pack_rhs_blocks.hpp, for formats whose bytes hold the same two elements as those of the source, or elements i and
// i + 16 of neighbours.
//
// Four columns at a time, 16 bytes of each: ZIP1 and ZIP2 interleave their groups, so that stores are 4 groups wide.
// Missing columns are pointers to column n - 1. What this does not cover goes to the scalar functions.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_neon_interleave.hpp"
#include "kai/engines/pack/pack_rhs_blocks.hpp"

#if defined(__aarch64__)

namespace kai {
namespace {

/// 16 bytes of a column.
template <const Format& format, typename Nibbles, unsigned flip>
KAI_INLINE uint8x16_t convert_nibbles(uint8x16_t v) {
    if constexpr (format.bits == 8) {
        return v;
    } else if constexpr (format.nibble_distance == 16) {
        const uint8x16_t high = vshrq_n_u8(v, 4), even = Nibbles::swap ? high : v, odd = Nibbles::swap ? v : high;
        v = vsliq_n_u8(vzip1q_u8(even, odd), vzip2q_u8(even, odd), 4);  // elements 0 to 15 | 16 to 31
    } else if constexpr (Nibbles::swap) {
        v = vsliq_n_u8(vshrq_n_u8(v, 4), v, 4);
    }
    return flip == 0 ? v : veorq_u8(v, vdupq_n_u8(flip * 0x11));
}

/// The next 16 bytes of each of four columns.
KAI_INLINE void load_16_of_four_columns(FourColumns& src, uint8x16_t v[4]) {
    KAI_UNROLL(4)
    for (size_t c = 0; c < 4; ++c) {
        v[c] = vld1q_u8(src.at[c]);
        src.at[c] += 16;
    }
}

/// 16 bytes of each of four columns. Their groups of one place are side by side, `group_step` bytes from place to
/// place. Returns the place after the last one.
template <const Format& format, size_t group, typename Nibbles, unsigned flip>
KAI_INLINE uint8_t* pack_16_of_four_columns(const uint8x16_t v[4], uint8_t* dst, size_t group_step) {
    uint8x16_t converted[4], out[4];
    KAI_UNROLL(4)
    for (size_t c = 0; c < 4; ++c) {
        converted[c] = convert_nibbles<format, Nibbles, flip>(v[c]);
    }
    interleave<group>(converted, out);
    return store_groups<group>(out, dst, group_step);
}

/// Elements j of the first half of a block (low nibbles of the source) and of its second half (high nibbles) go to
/// different bytes: the format pairs neighbours, or elements four apart.
template <const Format& format, typename Nibbles>
constexpr bool splits_halves = Nibbles::halves&& format.nibble_distance != 0;

/// 16 bytes of each of four columns: the groups of the first half and those of the second one.
template <const Format& format, unsigned flip>
KAI_INLINE void split_halves(const uint8x16_t v[4], uint8x16_t first[2], uint8x16_t second[2]) {
    static_assert(format.nibble_distance == 1 || format.nibble_distance == 4);
    uint8x16_t fours[4];
    interleave<4>(v, fours);
    KAI_UNROLL(2)
    for (size_t i = 0; i < 2; ++i) {
        uint8x16_t even = fours[2 * i], odd = fours[2 * i + 1];  // those that share bytes of the panel
        if constexpr (format.nibble_distance == 1) {
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

KAI_INLINE FourColumns opaque_to_gcc(FourColumns columns) {
    KAI_UNROLL(4)
    for (size_t c = 0; c < 4; ++c) {
        columns.at[c] = kai::opaque_to_gcc(columns.at[c]);
    }
    return columns;
}

/// The bytes of a block of four columns. Advances `src`.
template <const Format& format, size_t group, typename Nibbles, unsigned flip>
KAI_INLINE void pack_block(FourColumns& src, uint8_t* dst, size_t bl, size_t group_step) {
    [[maybe_unused]] uint8_t* second_half = dst + group_step / group * (bl / 4);
    for (size_t left = bl * format.bits / 8 / 16; left > 0; --left) {
        uint8x16_t v[4];
        load_16_of_four_columns(src, v);
        if constexpr (splits_halves<format, Nibbles>) {
            uint8x16_t first[2], second[2];
            split_halves<format, flip>(v, first, second);
            dst = store_groups<group, 2>(first, opaque(dst), group_step);
            second_half = store_groups<group, 2>(second, opaque(second_half), group_step);
        } else {
            dst = pack_16_of_four_columns<format, group, Nibbles, flip>(v, opaque(dst), group_step);
        }
    }
}

/// Four f32, as they are or divided by 16.
template <bool sixteenths>
KAI_INLINE uint8x16_t scale_bits_x4(uint8x16_t v) {
    return sixteenths ? vreinterpretq_u8_f32(vmulq_n_f32(vreinterpretq_f32_u8(v), 0.0625F)) : v;
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

/// Stores four f16, as they are or divided by 16.
template <bool sixteenths>
KAI_INLINE void store_f16_scales(uint8_t* dst, uint64_t bits) {
    if constexpr (sixteenths) {
        const float32x4_t scale = vcvt_f32_f16(vreinterpret_f16_u64(vcreate_u64(bits)));
        store(dst, vcvt_f16_f32(vmulq_n_f32(scale, 0.0625F)));
    } else {
        store(dst, bits);
    }
}

/// f32 of `count` blocks of four columns, those of a column side by side in the source and `step` bytes apart in the
/// panel: as they are or divided by 16.
template <bool sixteenths>
KAI_INLINE void copy_f32(FourColumns src, uint8_t* dst, size_t step, size_t count) {
    for (; count >= 4; count -= 4) {
        uint8x16_t v[4], block[4];
        KAI_UNROLL(4)
        for (size_t c = 0; c < 4; ++c) {
            v[c] = scale_bits_x4<sixteenths>(vld1q_u8(src.at[c]));
        }
        advance(src, 16);
        interleave<4>(v, block);
        KAI_UNROLL(4)
        for (size_t b = 0; b < 4; ++b, dst += step) {
            store(dst, block[b]);
        }
    }
    for (; count > 0; --count, dst += step) {
        KAI_UNROLL(4)
        for (size_t c = 0; c < 4; ++c) {
            store(dst + 4 * c, scale_bits<sixteenths>(src.at[c]));
        }
        advance(src, 4);
    }
}

/// Calls body(first place, first block, number of blocks) for all places of a panel, four at a time, and all blocks.
///
/// Blocks of a wide panel are taken in runs, 16 of 32 or 4 longer ones: the part that is written eight bytes a column
/// stays in the nearest cache until its lines are full, and of the columns whole lines are read.
template <typename Body>
KAI_INLINE void for_four_columns(const RhsPack& p, Body body) {
    const size_t blocks = p.blocks, run = p.tile.rows == 4 ? blocks : p.bl == 32 ? 16 : 4;
    for (size_t b = 0; b < blocks; b += run) {
        for (size_t c = 0; c < p.tile.rows; c += 4) {
            body(opaque_to_gcc(c), b, run < blocks - b ? run : blocks - b);
        }
    }
}

/// Places c ... c + 3 of a panel in an array of `step` bytes per column.
KAI_INLINE FourColumns four_columns(const RhsPack& p, size_t panel, size_t c, const uint8_t* array, size_t step) {
    return {
        {array + p.column(panel, c) * step, array + p.column(panel, c + 1) * step,
         array + p.column(panel, c + 2) * step, array + p.column(panel, c + 3) * step}};
}

/// `count` blocks of four columns: records, or elements alone. `scales` and `dst`: where those of the first block
/// belong, head_step and step bytes from there to those of the next one.
struct BlockSteps {
    size_t bl, head_step, step, group_step;
};
using PackRun = void(const FourColumns& columns, uint8_t* scales, uint8_t* dst, size_t count, const BlockSteps& steps);

template <const Format& format, size_t group, typename Nibbles, unsigned flip, bool sixteenths>
void pack_records(const FourColumns& columns, uint8_t* scales, uint8_t* dst, size_t count, const BlockSteps& steps) {
    const BlockSteps s = steps;  // copies that no store can change
    FourColumns src = columns;
    for (; count > 0; --count, scales += s.head_step, dst += s.step) {
        store_f16_scales<sixteenths>(scales, load_four_u16(src));
        advance(src, 2);
        src = opaque_to_gcc(src);
        pack_block<format, group, Nibbles, flip>(src, dst, s.bl, s.group_step);
    }
}

[[gnu::noinline, maybe_unused]] void pack_rhs_records_by_four(
    const Format& format, size_t group, PackRun* pack, const RhsPack& p) {
    const size_t record = 2 + p.bl * format.bits / 8, panel_step = format.stride(p.tile, p.k, p.bl);
    const size_t head = format.head(p.tile, p.k, p.bl, 0), first = format.elements(p.tile, p.bl, 0);
    const BlockSteps steps = {
        p.bl, format.head(p.tile, p.k, p.bl, 1) - head, format.elements(p.tile, p.bl, 1) - first, group * p.tile.rows};
    for (size_t panel = 0; panel < p.panels; ++panel) {
        uint8_t* to = bytes(p.packed, panel * panel_step);
        for_four_columns(p, [&](size_t c, size_t b, size_t count) {
            pack(
                four_columns(p, panel, c, p.rhs + b * record, p.blocks * record),
                to + head + b * steps.head_step + 2 * c, to + first + b * steps.step + group * c, count, steps);
        });
    }
}

/// An f32 of each block, from an array to `dst` in the first block.
template <bool sixteenths>
KAI_INLINE void copy_field(const RhsPack& p, size_t panel, const uint8_t* array, uint8_t* dst, size_t step) {
    for_four_columns(
        p, [&](size_t c, size_t b, size_t count) __attribute__((always_inline)) {
            const FourColumns columns = four_columns(p, panel, c, array + 4 * b, 4 * p.blocks);
            copy_f32<sixteenths>(columns, dst + b * step + 4 * c, step, count);
        });
}

template <const Format& format, size_t group, typename Nibbles, unsigned flip>
void pack_elements(const FourColumns& columns, uint8_t*, uint8_t* dst, size_t count, const BlockSteps& steps) {
    const BlockSteps s = steps;  // copies that no store can change
    FourColumns src = columns;
    for (; count > 0; --count, dst += s.step) {
        pack_block<format, group, Nibbles, flip>(src, dst, s.bl, s.group_step);
    }
}

[[gnu::noinline, maybe_unused]] void pack_rhs_arrays_by_four(
    const Format& format, size_t group, PackRun* pack, bool sixteenths, bool repeat_bias, const RhsPack& pack_of_all,
    const RhsArrays& all_arrays) {
    const RhsPack p = pack_of_all;  // copies that no store can change
    const RhsArrays arrays = all_arrays;
    const size_t panel_step = format.stride(p.tile, p.k, p.bl), step = format.block_bytes(p.tile, p.bl);
    const size_t first = format.elements(p.tile, p.bl, 0), fields = format.tail(p.tile, p.bl, 0);
    const size_t tail = p.tile.rows * format.panel_tail;
    const BlockSteps steps = {p.bl, 0, step, group * p.tile.rows};
    for (size_t panel = 0; panel < p.panels; ++panel) {
        uint8_t *to = bytes(p.packed, panel * panel_step), *elements = to + first;
        for_four_columns(p, [&](size_t c, size_t b, size_t count) {
            pack(
                four_columns(p, panel, c, p.rhs + b * (p.bl / 2), p.blocks * (p.bl / 2)), nullptr,
                elements + b * step + group * c, count, steps);
        });
        uint8_t* zero = to + fields;
        copy_field<false>(p, panel, arrays.zero, zero, step);
        if (sixteenths) {
            copy_field<true>(p, panel, arrays.scale, zero + 4 * p.tile.rows, step);
        } else {
            copy_field<false>(p, panel, arrays.scale, zero + 4 * p.tile.rows, step);
        }
        pack_bias(p, arrays.bias, repeat_bias, panel * p.tile.rows, to + panel_step - tail);
    }
}

/// The group of a format, if its panels are packed by four columns; else 0.
KAI_INLINE size_t group_by_four(const Format& format, const RhsPack& p) {
    return p.tile.rows % 4 == 0 && p.bl % 32 == 0 ? format.group_size(p.tile) : 0;
}

template <const Format& format, typename Nibbles, unsigned flip, class Records>
void pack_rhs_records(const RhsPack& p) {
    constexpr const Format& order = format.bits == 8 ? qsi8c32p : format;  // of elements: the same for all of 8 bits
    constexpr bool sixteenths = Records::sixteenths;
    const size_t group = group_by_four(format, p);
    PackRun* pack = nullptr;
    if constexpr (format.group == Format::two) {
        pack = group == 2 ? pack_records<order, 2, Nibbles, flip, sixteenths> : nullptr;
    } else if (group == 4) {
        pack = pack_records<order, 4, Nibbles, flip, sixteenths>;
    } else if constexpr (!splits_halves<format, Nibbles>) {
        pack = group == 8 ? pack_records<order, 8, Nibbles, flip, sixteenths> : nullptr;
    }
    if (pack != nullptr) {
        pack_rhs_records_by_four(format, group, pack, p);
    } else {
        pack_rhs_records_scalar(format, Nibbles::get, flip, Records::sixteenths, p);
    }
    if constexpr (Records::zero_missing) {
        zero_missing_columns(format, p);
    }
}

template <const Format& format, typename Nibbles, unsigned flip, class Arrays>
void pack_rhs_arrays(const RhsPack& p, const RhsArrays& arrays) {
    const size_t group = group_by_four(format, p);
    PackRun* pack = nullptr;
    if constexpr (format.group == Format::two) {
        pack = group == 2 ? pack_elements<format, 2, Nibbles, flip> : nullptr;
    } else if (group == 8) {
        pack = pack_elements<format, 8, Nibbles, flip>;
    } else if (group == 4) {
        pack = pack_elements<format, 4, Nibbles, flip>;
    }
    if (pack != nullptr) {
        pack_rhs_arrays_by_four(format, group, pack, Arrays::sixteenths, Arrays::repeat_bias, p, arrays);
    } else {
        pack_rhs_arrays_scalar(format, Nibbles::get, flip, Arrays::sixteenths, Arrays::repeat_bias, p, arrays);
    }
}

}  // namespace
}  // namespace kai

#else

namespace kai {
namespace {

template <const Format& format, typename Nibbles, unsigned flip, class Records>
void pack_rhs_records(const RhsPack& p) {
    pack_rhs_records_scalar(format, Nibbles::get, flip, Records::sixteenths, p);
    if constexpr (Records::zero_missing) {
        zero_missing_columns(format, p);
    }
}

template <const Format& format, typename Nibbles, unsigned flip, class Arrays>
void pack_rhs_arrays(const RhsPack& p, const RhsArrays& arrays) {
    pack_rhs_arrays_scalar(format, Nibbles::get, flip, Arrays::sixteenths, Arrays::repeat_bias, p, arrays);
}

}  // namespace
}  // namespace kai

#endif
