// LHS packers that quantise block by block: NEON. The same bytes as pack_lhs_blocks_scalar, whose axes these are.
//
// What limits the speed are the SIMD operations per element. So:
//
//   - Four blocks, a lane each, share the divisions: those that four rows have at one place of k, or four of one row.
//   - Four rows are narrowed together (pack_lhs_neon.hpp).
//   - A block is loaded twice, for amax and for the quants: loads are cheap, and four blocks do not fit in registers.
//   - The scales of the next four blocks are computed before the quants of these, which hides the divisions.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/pack_lhs_blocks.hpp"
#include "kai/src/pack_lhs_neon.hpp"

#if defined(__aarch64__)

namespace kai {
namespace {

/// Where a row (or the first of four) goes: the places of its block 0, and how far apart those of its blocks are.
struct LhsPlaces {
    uint8_t *quants, *fields;
    size_t quants_step, fields_step;
    size_t group;       // elements of a row that lie together
    size_t group_step;  // from a group of a row to its next one
    size_t rows;        // of the panel
};

template <typename Fields>
KAI_INLINE LhsPlaces places_of(const Format& format, const LhsPack& p, size_t group, size_t i) {
    uint8_t* panel = p.panel(format, i);
    const size_t quants = format.elements(p.tile, p.bl, 0), fields = fields_offset(format, p, 0);
    return {
        panel + quants + group * p.slot(i),
        panel + fields + Fields::width * p.slot(i),
        format.elements(p.tile, p.bl, 1) - quants,
        fields_offset(format, p, 1) - fields,
        group,
        group * p.tile.rows,
        p.tile.rows};
}

/// Largest magnitudes of 32 values: that of all is the largest lane.
template <typename Source>
KAI_INLINE typename Source::Lanes largest_of_32(const uint8_t* src) {
    constexpr size_t vectors = 2 * Source::size;
    typename Source::Lanes v[vectors];
#pragma GCC unroll 8
    for (size_t i = 0; i < vectors; ++i) {
        v[i] = without_sign(lanes_at<Source>(src + 16 * i));
    }
#pragma GCC unroll 3
    for (size_t half = vectors / 2; half > 0; half /= 2) {
#pragma GCC unroll 4
        for (size_t i = 0; i < half; ++i) {
            v[i] = largest(v[i], v[i + half]);
        }
    }
    return v[0];
}

template <typename Source, typename Scale>
KAI_INLINE BlockScale<float32x4_t> scales_of(const FourRows& src, size_t bl) {
    typename Source::Lanes top[4];
#pragma GCC unroll 4
    for (size_t r = 0; r < 4; ++r) {
        top[r] = largest_of_32<Source>(src.at[r]);
    }
    for (size_t j = 32; j < bl; j += 32) {
#pragma GCC unroll 4
        for (size_t r = 0; r < 4; ++r) {
            top[r] = largest(top[r], largest_of_32<Source>(src.at[r] + j * Source::size));
        }
    }
    return Scale::of(Source::largest_of_each(top[0], top[1], top[2], top[3]));
}

/// A block of each of four rows to consecutive slots. Returns the sums of the quants if `needs_sum`.
template <size_t group, typename Source, Ties ties, bool needs_sum>
KAI_INLINE int32x4_t
quantize_block_of_four_rows(const FourRows& src, size_t bl, float32x4_t multiplier, uint8_t* dst, size_t group_step) {
    int32x4_t sums[2] = {};
    Loaded32<Source> x = load_8_of_four_rows<Source>(src, 0);
    for (size_t j = 0; j < bl; j += 32) {
#pragma GCC unroll 4
        for (size_t i = 0; i < 32; i += 8, dst += 8 / group * group_step) {
            const Quants32 v = quantize_four_rows<group, Source, ties>(x, multiplier);
            if (i < 24 || j + 32 < bl) {
                x = load_8_of_four_rows<Source>(src, j + i + 8);  // before the store, which may alias
            }
            const int8x16_t q[2] = {narrow(v.v[0], v.v[1]), narrow(v.v[2], v.v[3])};
            store_8_of_four_rows<group>(dst, group_step, q[0], q[1]);
            if constexpr (needs_sum) {
                sums[0] = vpadalq_s16(sums[0], vpaddlq_s8(q[0]));
                sums[1] = vpadalq_s16(sums[1], vpaddlq_s8(q[1]));
            }
        }
    }
    // Groups of 8: lanes {row 0, 0, 1, 1}, {2, 2, 3, 3}. Groups of 4: {0, 1, 2, 3} twice.
    return group == 8 ? vpaddq_s32(sums[0], sums[1]) : vaddq_s32(sums[0], sums[1]);
}

/// A block of one row to its slot. Returns a vector whose lanes add up to the sum of the quants if `needs_sum`.
template <typename Source, Ties ties, bool needs_sum>
KAI_INLINE int32x4_t
quantize_block_of_row(const uint8_t* src, size_t bl, float multiplier, uint8_t* dst, size_t group, size_t group_step) {
    int32x4_t sum = {};
    for (size_t j = 0; j < bl; j += 32) {
        const Quants32 v = quantize_row<Source, ties>(load_32_of_row<Source>(src + j * Source::size), multiplier);
        const int8x16_t q[2] = {narrow(v.v[0], v.v[1]), narrow(v.v[2], v.v[3])};
        dst = store_32_of_row(dst, group, group_step, q[0], q[1]);
        if constexpr (needs_sum) {
            sum = vpadalq_s16(vpadalq_s16(sum, vpaddlq_s8(q[0])), vpaddlq_s8(q[1]));
        }
    }
    return sum;
}

/// Blocks with a NaN have quants of 0, but quant_in_low_half may have made something else: clears the quants of block r
/// if lane r of `scale` is NaN, and returns `sum` with 0 for it. The blocks are `block_step` bytes apart.
[[gnu::noinline]] int32x4_t clear_nan_blocks(
    float32x4_t scale, int32x4_t sum, size_t count, uint8_t* dst, size_t block_step, size_t bl, size_t group,
    size_t group_step) {
    const uint32x4_t ordered = vceqq_f32(scale, scale);
    for (size_t r = 0; r < count; ++r) {
        for (size_t j = 0; j < bl && ordered[r] == 0; ++j) {
            dst[r * block_step + j / group * group_step + j % group] = 0;
        }
    }
    return vandq_s32(sum, vreinterpretq_s32_u32(ordered));
}

KAI_INLINE bool has_nan(float32x4_t v) {
    return vminvq_u32(vceqq_f32(v, v)) == 0;
}

/// Four rows of `blocks` blocks to consecutive slots of one panel.
template <size_t group, typename Source, typename Scale, Ties ties, typename Fields>
[[gnu::noinline]] void pack_four_rows(const FourRows& rows, size_t blocks, size_t bl, const LhsPlaces& places) {
    FourRows next = rows, now = rows;
    LhsPlaces to = places;
    BlockScale<float32x4_t> s = {};
    for (size_t i = 0; i <= blocks; ++i) {  // scales of block i, quants of block i - 1
        const BlockScale<float32x4_t> next_s = i < blocks ? scales_of<Source, Scale>(next, bl) : s;
        if (i > 0) {
            const bool nan = quant_needs_ordered<ties> && has_nan(s.scale);
            int32x4_t sum = quantize_block_of_four_rows<group, Source, ties, Fields::needs_sum>(
                now, bl, s.multiplier, to.quants, to.group_step);
            if (nan) {
                sum = clear_nan_blocks(s.scale, sum, 4, to.quants, group, bl, group, to.group_step);
            }
            typename Fields::Four(sum, s.scale).put(to.fields, to.rows);
            to.quants += to.quants_step;
            to.fields += to.fields_step;
        }
        s = next_s;
        now = next;
#pragma GCC unroll 4
        for (size_t r = 0; r < 4; ++r) {
            next.at[r] += bl * Source::size;
        }
    }
}

/// `count` (1 to 4) blocks of a row, whose values are at src.
template <size_t only_group, typename Source, Ties ties, typename Fields>
KAI_INLINE void quantize_blocks_of_row(
    const FourRows& src, size_t count, size_t bl, const BlockScale<float32x4_t>& s, const LhsPlaces& to) {
    const bool nan = quant_needs_ordered<ties> && has_nan(s.scale);
    const size_t group = only_group ? only_group : to.group;
    int32x4_t sums[4] = {};
#pragma GCC unroll 4
    for (size_t b = 0; b < 4; ++b) {
        if (b < count) {
            sums[b] = quantize_block_of_row<Source, ties, Fields::needs_sum>(
                src.at[b], bl, s.multiplier[b], to.quants + b * to.quants_step, group, to.group_step);
        }
    }
    int32x4_t sum = vpaddq_s32(vpaddq_s32(sums[0], sums[1]), vpaddq_s32(sums[2], sums[3]));
    if (nan) {
        sum = clear_nan_blocks(s.scale, sum, count, to.quants, to.quants_step, bl, group, to.group_step);
    }
    const typename Fields::Four fields(sum, s.scale);
#pragma GCC unroll 4
    for (size_t b = 0; b < 4; ++b) {
        if (b < count) {
            fields.put_lane(to.fields + b * to.fields_step, to.rows, b);
        }
    }
}

/// A row of `blocks` blocks, four at a time. `only_group`: the size of its groups, or 0 for what `places` says.
template <size_t only_group, typename Source, typename Scale, Ties ties, typename Fields>
[[gnu::noinline]] void pack_row(const uint8_t* row, size_t blocks, size_t bl, const LhsPlaces& places) {
    const size_t step = bl * Source::size;
    LhsPlaces to = places;
    FourRows now = {};
    BlockScale<float32x4_t> s = {};
    for (size_t i = 0; i < blocks + 4; i += 4) {  // scales of blocks i ... i + 3, quants of the four before them
        FourRows next = {};
        BlockScale<float32x4_t> next_s = s;
        if (i < blocks) {
#pragma GCC unroll 4
            for (size_t b = 0; b < 4; ++b) {  // the last one again if there are fewer
                next.at[b] = row + (i + b < blocks ? i + b : blocks - 1) * step;
            }
            next_s = scales_of<Source, Scale>(next, bl);
        }
        if (i > 0) {
            const size_t left = blocks - (i - 4);
            quantize_blocks_of_row<only_group, Source, ties, Fields>(now, left < 4 ? left : 4, bl, s, to);
            to.quants += 4 * to.quants_step;
            to.fields += 4 * to.fields_step;
        }
        now = next;
        s = next_s;
    }
}

/// All rows. `only_group`: the one size of groups that there is besides that of panels of one row, or 0 for any.
template <size_t only_group, typename Source, typename Scale, Ties ties, typename Fields>
void pack_lhs_blocks(const Format& format, const LhsPack& p) {
    const size_t group = p.tile.rows == 1 ? 16 : format.group_size(p.tile);
    if (p.m == 0 || p.k == 0) {
        return;
    }
    if (p.bl % 32 != 0 || (group != 4 && group != 8 && group != 16)) {
        return pack_lhs_blocks_scalar<Source, Scale, ties, Fields>(format, p);
    }
    const size_t blocks = p.k / p.bl;
    for (size_t i = 0; i < p.m;) {
        const LhsPlaces to = places_of<Fields>(format, p, group, i);
        if (group == 16) {
            pack_row<16, Source, Scale, ties, Fields>(p.row(i), blocks, p.bl, to);
            ++i;
            continue;
        }
        if (i + 4 > p.m || p.slot(i) + 4 > p.tile.rows) {
            pack_row<only_group, Source, Scale, ties, Fields>(p.row(i), blocks, p.bl, to);
            ++i;
            continue;
        }
        const FourRows rows = {{p.row(i), p.row(i + 1), p.row(i + 2), p.row(i + 3)}};
        if (only_group == 8 || (only_group == 0 && group == 8)) {
            pack_four_rows<8, Source, Scale, ties, Fields>(rows, blocks, p.bl, to);
        } else {
            pack_four_rows<only_group == 8 ? 8 : 4, Source, Scale, ties, Fields>(rows, blocks, p.bl, to);
        }
        i += 4;
    }
}

}  // namespace
}  // namespace kai

#else

namespace kai {
namespace {

template <size_t, typename Source, typename Scale, Ties ties, typename Fields>
void pack_lhs_blocks(const Format& format, const LhsPack& p) {
    pack_lhs_blocks_scalar<Source, Scale, ties, Fields>(format, p);
}

}  // namespace
}  // namespace kai

#endif
