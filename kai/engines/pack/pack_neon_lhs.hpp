// Shared by the NEON versions of the LHS packers: quants of four rows or of one, in the order of a panel.
//
// Four rows are narrowed together, so that the results of UZP1 are already interleaved: 16 bytes are 8
// values of two rows (groups of 8) or 4 values of four rows (groups of 4).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_lhs_source.hpp"
#include "kai/engines/core/quantise.hpp"

#if defined(__aarch64__)

namespace kai {
namespace {

/// Where four rows, or four blocks, are read.
struct FourRows {
    const uint8_t* at[4];
};

/// The low halves of the lanes of a, then of b.
KAI_INLINE int16x8_t narrow(int32x4_t a, int32x4_t b) {
    return vuzp1q_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
}

KAI_INLINE int8x16_t narrow(int16x8_t a, int16x8_t b) {
    return vuzp1q_s8(vreinterpretq_s8_s16(a), vreinterpretq_s8_s16(b));
}

/// Eight quants of one row, or 4 of two. They are exact as int16.
struct Quants32 {
    int16x8_t v[4];
};

/// 32 elements as they are in memory: 8 of each of four rows, or of one row.
template <typename Source>
struct Loaded32 {
    typename Source::Loaded v[4];
};

/// From element j on.
template <typename Source>
KAI_INLINE Loaded32<Source> load_8_of_four_rows(const FourRows& src, size_t j) {
    const size_t at = j * Source::size;
    return {
        {Source::load8(src.at[0] + at), Source::load8(src.at[1] + at), Source::load8(src.at[2] + at),
         Source::load8(src.at[3] + at)}};
}

template <typename Source>
KAI_INLINE Loaded32<Source> load_32_of_row(const uint8_t* src) {
    constexpr size_t step = 8 * Source::size;
    return {
        {Source::load8(src), Source::load8(src + step), Source::load8(src + 2 * step), Source::load8(src + 3 * step)}};
}

/// 8 elements of each of four rows. Groups of 8: a row in each vector; groups of 4: elements 0 ... 3 of rows 0 and 1,
/// of rows 2 and 3, then elements 4 ... 7.
template <size_t group, typename Source, Ties ties>
KAI_INLINE Quants32 quantise_four_rows(const Loaded32<Source>& loaded, float32x4_t multiplier) {
    int32x4_t lo[4], hi[4];
    KAI_UNROLL(4)
    for (size_t r = 0; r < 4; ++r) {
        const Eight x = Source::values(loaded.v[r]);
        lo[r] = quant_in_low_half<ties>(vmulq_n_f32(x.lo, multiplier[r]));
        hi[r] = quant_in_low_half<ties>(vmulq_n_f32(x.hi, multiplier[r]));
    }
    if constexpr (group == 8) {
        return {{narrow(lo[0], hi[0]), narrow(lo[1], hi[1]), narrow(lo[2], hi[2]), narrow(lo[3], hi[3])}};
    } else {
        return {{narrow(lo[0], lo[1]), narrow(lo[2], lo[3]), narrow(hi[0], hi[1]), narrow(hi[2], hi[3])}};
    }
}

/// Two vectors that hold 8 elements of four rows, to consecutive slots.
template <size_t group>
KAI_INLINE void store_8_of_four_rows(uint8_t* dst, size_t group_step, int8x16_t a, int8x16_t b) {
    store(dst, a);
    store(dst + (group == 8 ? 16 : group_step), b);
}

/// 8 consecutive elements of one row.
template <typename Source, Ties ties>
KAI_INLINE int16x8_t quantise_8_of_row(typename Source::Loaded loaded, float multiplier) {
    const Eight x = Source::values(loaded);
    return narrow(
        quant_in_low_half<ties>(vmulq_n_f32(x.lo, multiplier)), quant_in_low_half<ties>(vmulq_n_f32(x.hi, multiplier)));
}

/// 32 consecutive elements of one row.
template <typename Source, Ties ties>
KAI_INLINE Quants32 quantise_row(const Loaded32<Source>& loaded, float multiplier) {
    Quants32 q;
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        q.v[i] = quantise_8_of_row<Source, ties>(loaded.v[i], multiplier);
    }
    return q;
}

/// Quants of one row that are stored together, to groups of 4, 8 or 16 that are `step` bytes apart.
KAI_INLINE void spread_groups(const uint8_t* src, size_t count, uint8_t* dst, size_t group, size_t step) {
    for (const uint8_t* end = src + count; src != end; src += group, dst += step) {
        if (group == 4) {
            store(dst, load<uint32_t>(src));
        } else {
            store(dst, load<uint64_t>(src));
        }
        if (group == 16) {
            store(dst + 8, load<uint64_t>(src + 8));
        }
    }
}

}  // namespace
}  // namespace kai

#endif
