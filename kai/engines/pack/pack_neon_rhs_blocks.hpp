// RHS packers of 4-bit and 8-bit sources with blocks: NEON, N x K sources. The same bytes as the scalar packer of
// pack_rhs_blocks.hpp, for formats whose bytes hold the same two elements as those of the source, or elements i and
// i + 16 of neighbours.
//
// Four columns at a time, 16 bytes of each: ZIP1 and ZIP2 interleave their groups, so that stores are 4 groups wide.
// Missing columns point to column n - 1. Cases not covered here go to the scalar packer.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_neon_columns.hpp"
#include "kai/engines/pack/pack_rhs_blocks.hpp"

#if defined(__aarch64__)

namespace kai {
namespace {

/// Sums of four columns, from 32 elements (16 bytes) of each. group: size in bytes of those of the panel, which are
/// added separately; 0: all 32 weights together.
template <size_t group>
KAI_INLINE float32x4_t add_32_of_four_columns(const uint8x16_t v[4], float32x4_t scale, float32x4_t sum) {
    static_assert(group == 0 || group == 4 || group == 8);
    const auto pairs = [](uint8x16_t a, uint8x16_t b) { return vpaddq_u8(a, b); };
    const uint8x16_t high[4] = {vshrq_n_u8(v[0], 4), vshrq_n_u8(v[1], 4), vshrq_n_u8(v[2], 4), vshrq_n_u8(v[3], 4)};
    if constexpr (group == 4) {
        // Bytes 4s ... 4s + 3 of the panel come from bytes 2s, 2s + 1, 8 + 2s and 8 + 2s + 1 of the source.
        const uint32x4_t a = vreinterpretq_u32_u8(nibble_sums(pairs(v[0], v[1]), pairs(high[0], high[1])));
        const uint32x4_t b = vreinterpretq_u32_u8(nibble_sums(pairs(v[2], v[3]), pairs(high[2], high[3])));
        const uint16x8_t all = vreinterpretq_u16_u32(vpaddq_u32(a, b));  // bytes of a lane: s = 0, 1, 2, 3
        const uint16x8_t even = vandq_u16(all, vdupq_n_u16(255)), odd = vshrq_n_u16(all, 8);
        sum = add_total<8>(sum, vtrn1q_u16(even, two_to_23()), scale);
        sum = add_total<8>(sum, vtrn1q_u16(odd, two_to_23()), scale);
        sum = add_total<8>(sum, vtrn2q_u16(even, two_to_23()), scale);
        return add_total<8>(sum, vtrn2q_u16(odd, two_to_23()), scale);
    }
    const uint8x16_t fours = nibble_sums(
        pairs(pairs(v[0], v[1]), pairs(v[2], v[3])),
        pairs(pairs(high[0], high[1]), pairs(high[2], high[3])));  // four totals of a column side by side
    if constexpr (group == 8) {
        // Bytes 8s ... 8s + 7 of the panel come from bytes 4s ... 4s + 3 and 8 + 4s ... 8 + 4s + 3 of the source.
        const uint16x8_t lanes = vreinterpretq_u16_u8(fours);
        const uint16x8_t both = vpaddq_u16(lanes, lanes);  // s = 0 in the low bytes, s = 1 in the high ones
        const uint16x8_t first = vandq_u16(both, vdupq_n_u16(255)), second = vshrq_n_u16(both, 8);
        sum = add_total<16>(sum, vzip1q_u16(first, two_to_23()), scale);
        return add_total<16>(sum, vzip1q_u16(second, two_to_23()), scale);
    } else {
        const uint16x8_t twos = vpaddlq_u8(fours), total = vpaddq_u16(twos, twos);
        return add_total<32>(sum, vzip1q_u16(total, two_to_23()), scale);
    }
}

/// 16 bytes of a column.
template <const BlocksKind& kind>
KAI_INLINE uint8x16_t convert_nibbles(uint8x16_t v) {
    constexpr bool swap = kind.order == Order::even_high;
    if constexpr (kind.format.nibble_distance == 16) {
        const uint8x16_t high = vshrq_n_u8(v, 4), even = swap ? high : v, odd = swap ? v : high;
        v = vsliq_n_u8(vzip1q_u8(even, odd), vzip2q_u8(even, odd), 4);  // elements 0 to 15 | 16 to 31
    } else if constexpr (kind.format.nibble_distance == 4) {
        static_assert(kind.order == Order::even_low);
        const uint8x16_t high = vshrq_n_u8(v, 4);
        const uint32x4_t first = vreinterpretq_u32_u8(vzip1q_u8(v, high)),
                         other = vreinterpretq_u32_u8(vzip2q_u8(v, high));
        v = vsliq_n_u8(  // elements 0 to 3 | 4 to 7, and so on
            vreinterpretq_u8_u32(vuzp1q_u32(first, other)), vreinterpretq_u8_u32(vuzp2q_u32(first, other)), 4);
    } else if constexpr (swap) {
        v = vsliq_n_u8(vshrq_n_u8(v, 4), v, 4);
    }
    return kind.flip == 0 ? v : veorq_u8(v, vdupq_n_u8(kind.flip * 0x11));
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
template <const BlocksKind& kind, size_t group>
KAI_INLINE uint8_t* pack_16_of_four_columns(const uint8x16_t v[4], uint8_t* dst, size_t group_step) {
    uint8x16_t converted[4], out[4];
    KAI_UNROLL(4)
    for (size_t c = 0; c < 4; ++c) {
        converted[c] = convert_nibbles<kind>(v[c]);
    }
    interleave<group>(converted, out);
    return store_groups<group>(out, dst, group_step);
}

/// Elements j of the first half of a block (low nibbles of the source) and of its second half (high nibbles) go to
/// different bytes: the format pairs neighbours, or elements four apart.
constexpr bool splits_halves(const BlocksKind& kind) {
    return kind.order == Order::halves && kind.format.nibble_distance != 0;
}

KAI_INLINE FourColumns opaque_to_gcc(FourColumns columns) {
    KAI_UNROLL(4)
    for (size_t c = 0; c < 4; ++c) {
        columns.at[c] = kai::opaque_to_gcc(columns.at[c]);
    }
    return columns;
}

/// Parts of a panel, in bytes.
struct BlockSteps {
    size_t bl;
    size_t block, field;  // from a block to the next one, from its fields to theirs
    size_t group;         // from groups of a column to its next ones
    size_t scale;         // of the source, bf16: from block to block
};

/// Packs `count` blocks of four columns. dst, fields: destinations of the first one and of its fields. Adds to the sums
/// of the previous blocks; `scales`: the scales of the source.
using PackRun = void(
    const FourColumns& columns, const FourColumns& scales, uint8_t* dst, uint8_t* fields, uint8_t* sums, size_t count,
    const BlockSteps& steps);

template <const BlocksKind& kind, size_t group>
void pack_run(
    const FourColumns& columns, [[maybe_unused]] const FourColumns& columns_scales, uint8_t* dst, uint8_t* fields,
    [[maybe_unused]] uint8_t* sums, size_t count, const BlockSteps& steps) {
    const BlockSteps s = steps;  // local copies: stores cannot alias them
    FourColumns src = columns;
    [[maybe_unused]] FourColumns scales = columns_scales;
    [[maybe_unused]] float32x4_t scale, sum;
    if constexpr (kind.fields() == Fields::scale_and_sum) {
        sum = load<float32x4_t>(sums);
    }
    for (; count > 0; --count, dst += s.block, fields += s.field) {
        if constexpr (kind.fields() == Fields::scale_in_record) {
            const uint64_t bits = load_four_u16(src);
            if constexpr (kind.sixteenths) {
                const float32x4_t four = vcvt_f32_f16(vreinterpret_f16_u64(vcreate_u64(bits)));
                store(fields, vcvt_f16_f32(vmulq_n_f32(four, 0.0625F)));
            } else {
                store(fields, bits);
            }
            advance(src, 2);
            src = opaque_to_gcc(src);
        } else if constexpr (kind.fields() == Fields::scale_and_sum) {
            const uint64_t bits = load_four_u16(scales);
            advance(scales, s.scale);
            scale = four_f32_of_bf16(bits);
            if constexpr (kind.sixteenths) {
                store(fields, sixteenths(scale));
            } else {
                store(fields, bits);
            }
        }
        uint8_t* to = dst;
        [[maybe_unused]] uint8_t* second_half = dst + s.group / group * (s.bl / 4);
        for (size_t left = s.bl * kind.format.bits / 8 / 16; left > 0; --left) {
            uint8x16_t v[4];
            load_16_of_four_columns(src, v);
            if constexpr (kind.fields() == Fields::scale_and_sum) {
                sum = add_32_of_four_columns < kind.packed_groups ? group : 0 > (v, scale, sum);
            }
            if constexpr (splits_halves(kind)) {
                uint8x16_t first[2], second[2];
                split_halves<kind.format.nibble_distance, kind.flip>(v, first, second);
                to = store_groups<group, 2>(first, opaque(to), s.group);
                second_half = store_groups<group, 2>(second, opaque(second_half), s.group);
            } else {
                to = pack_16_of_four_columns<kind, group>(v, opaque(to), s.group);
            }
        }
    }
    if constexpr (kind.fields() == Fields::scale_and_sum) {
        store(sums, sum);
    }
}

/// f32 of `count` blocks of four columns, those of a column side by side in the source and `step` bytes apart in the
/// panel: as they are or divided by 16.
KAI_INLINE void copy_f32(FourColumns src, uint8_t* dst, size_t step, size_t count, bool sixteenths) {
    for (; count >= 4; count -= 4) {
        uint8x16_t v[4], block[4];
        KAI_UNROLL(4)
        for (size_t c = 0; c < 4; ++c) {
            v[c] = vld1q_u8(src.at[c]);
        }
        if (opaque(sixteenths)) {
            KAI_UNROLL(4)
            for (size_t c = 0; c < 4; ++c) {
                v[c] = vreinterpretq_u8_f32(vmulq_n_f32(vreinterpretq_f32_u8(v[c]), 0.0625F));
            }
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
            store(dst + 4 * c, scale_bits(sixteenths, src.at[c]));
        }
        advance(src, 4);
    }
}

/// Places at ... at + 3 in an array of `step` bytes per column.
KAI_INLINE FourColumns four_columns(const RhsBlocks& p, size_t at, const uint8_t* array, size_t step) {
    return {
        {array + p.column(at) * step, array + p.column(at + 1) * step, array + p.column(at + 2) * step,
         array + p.column(at + 3) * step}};
}

/// Blocks of a wide panel are taken in runs, 16 of 32 or 4 longer ones: lines that are written eight bytes a column
/// stay in the first-level cache until they are full, and whole lines of the columns are read.
template <Fields fields_are>
[[gnu::noinline]] void pack_rhs_blocks_by_four(const BlocksKind& kind, const kai_rhs_call& call, PackRun* pack) {
    const RhsBlocks p = rhs_blocks(kind, fields_are, call);
    const BlockSteps steps = {p.bl, p.step, p.field_step, p.group * p.tile.rows, p.scale_step};
    const size_t run = p.tile.rows == 4 ? p.blocks : p.bl == 32 ? 16 : 4;
    uint8_t* panel = p.packed;
    for (size_t first = 0; first < p.places; first += p.tile.rows, panel += p.stride) {
        for (size_t b = 0; b < p.blocks; b += run) {
            const size_t count = run < p.blocks - b ? run : p.blocks - b;
            uint8_t *dst = panel + p.elements + b * p.step, *fields = panel + p.fields + b * p.field_step;
            for (size_t c = 0; c < p.tile.rows; c += 4) {
                const size_t at = opaque(first + c);  // or Clang keeps products of it
                const FourColumns src = four_columns(p, at, p.rhs + b * p.block_step, p.rhs_stride);
                if constexpr (fields_are == Fields::scale_and_sum) {
                    const FourColumns scales = four_columns(p, at, p.scale + b * p.scale_step, p.scale_stride);
                    pack(src, scales, dst + c * p.group, fields + 2 * c, panel + p.end + 4 * c, count, steps);
                } else {
                    pack(src, src, dst + c * p.group, fields + 2 * c, nullptr, count, steps);
                }
                for (size_t field = 0; field < 2 && fields_are == Fields::zero_and_scale; ++field) {
                    const uint8_t* array = (field == 0 ? p.zero : p.scale) + 4 * b;
                    copy_f32(
                        four_columns(p, at, array, p.scale_stride), fields + 4 * (field * p.tile.rows + c), p.step,
                        count, field == 1 && kind.sixteenths);
                }
            }
        }
    }
}

/// The packer of a kind. same: a kind with the same loops.
template <const BlocksKind& kind, const BlocksKind& same = kind>
constexpr BlocksPacker<PackRun> runs_packer() {
    constexpr bool fours = kind.format.nibble_distance == 4;
    BlocksPacker<PackRun> packer = {kind, pack_rhs_blocks_by_four<kind.fields()>};
    if constexpr (kind.format.group == Format::two) {
        packer.by_2 = pack_run<kind, 2>;
    } else {
        packer.by_4 = pack_run<same, 4>;
        if constexpr (!splits_halves(kind) && !fours) {
            packer.by_8 = pack_run<same, 8>;
        }
    }
    return packer;
}

}  // namespace
}  // namespace kai

#else

namespace kai {
namespace {

template <const BlocksKind& kind, const BlocksKind& = kind>
constexpr BlocksPacker<void()> runs_packer() {
    return {kind};
}

}  // namespace
}  // namespace kai

#endif

namespace kai {
namespace {

template <const BlocksKind& kind, const BlocksKind& same = kind>
inline constexpr auto kRuns = runs_packer<kind, same>();

}  // namespace
}  // namespace kai
