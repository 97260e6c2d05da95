// LHS packers that quantise each row as a whole: NEON. The same bytes as pack_lhs_rows_scalar, whose axes these are.
//
// A row is read twice, for its range and for its quants. Four rows are quantised together (pack_lhs_neon.hpp).
//
// A loop takes a fixed number of elements at a time. What is left takes them too: the last step overlaps the one before
// it, which does no harm as the same bytes are written. Rows that are too short for one step, the incomplete group at
// the end of a row, and rows with an infinite multiplier take the scalar way.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/pack_lhs_neon.hpp"
#include "kai/src/pack_lhs_rows.hpp"

namespace kai {
namespace {

#if defined(__aarch64__)

template <typename Source>
KAI_INLINE Range<Source> range_of_row(const uint8_t* row, size_t k) {
    constexpr size_t step = 128, element = Source::size;  // bytes
    using Lanes = typename Source::Lanes;
    if (k * element < step) {
        return range_of_row_scalar<Source>(row, k);
    }
    Range<Source> range;
    Lanes lo = Source::splat(range.lo), hi = Source::splat(range.hi);
    for (size_t j = 0; j < k * element; j += step) {
        const uint8_t* src = row + (j + step <= k * element ? j : k * element - step);
        Lanes v[8];
#pragma GCC unroll 8
        for (size_t i = 0; i < 8; ++i) {
            v[i] = lanes_at<Source>(src + 16 * i);
        }
        lo = largest(
            largest(lo, largest(largest(v[0], v[1]), largest(v[2], v[3]))),
            largest(largest(v[4], v[5]), largest(v[6], v[7])));
        hi = largest_signed(
            largest_signed(hi, largest_signed(largest_signed(v[0], v[1]), largest_signed(v[2], v[3]))),
            largest_signed(largest_signed(v[4], v[5]), largest_signed(v[6], v[7])));
    }
    range.lo = largest_lane(lo);
    range.hi = largest_lane_signed(hi);
    return range;
}

/// Adds zero points and saturates.
KAI_INLINE int8x16_t finish(int16x8_t a, int16x8_t zero_a, int16x8_t b, int16x8_t zero_b) {
    return vqmovn_high_s16(vqmovn_s16(vaddq_s16(a, zero_a)), vaddq_s16(b, zero_b));
}

/// Four rows to consecutive slots, a step of kStep elements of each at a time.
template <size_t group>
struct FourRowsToPanel {
    static constexpr size_t kRows = 4, kStep = 8;

    FourRows rows;
    float32x4_t multiplier;
    int16x8_t zero[4];  // of Quants32
    uint8_t* dst;
    size_t group_step;

    KAI_INLINE FourRowsToPanel(const LhsRows& p, size_t i, const RowQuant* q, const RowPlace& to)
        : rows{{p.row(i), p.row(i + 1), p.row(i + 2), p.row(i + 3)}},
          dst(to.panel + group * to.slot),
          group_step(group * p.tile.rows) {
        int16x8_t z[4];
        for (size_t r = 0; r < 4; ++r) {
            multiplier[r] = q[r].multiplier;
            z[r] = vdupq_n_s16(static_cast<int16_t>(q[r].zero_point));
        }
        for (size_t r = 0; r < 4; ++r) {
            zero[r] = group == 8 ? z[r] : vcombine_s16(vget_low_s16(z[r % 2 * 2]), vget_low_s16(z[r % 2 * 2 + 1]));
        }
    }

    template <typename Source>
    KAI_INLINE Loaded32<Source> loaded(size_t j) const {
        return load_8_of_four_rows<Source>(rows, j);
    }
    template <typename Source, Ties ties>
    KAI_INLINE Quants32 quants(const Loaded32<Source>& x) const {
        return quantize_four_rows<group, Source, ties>(x, multiplier);
    }
    KAI_INLINE void put(size_t j, const Quants32& q) const {
        store_8_of_four_rows<group>(
            dst + j / group * group_step, group_step, finish(q.v[0], zero[0], q.v[1], zero[1]),
            finish(q.v[2], zero[2], q.v[3], zero[3]));
    }
    template <typename Source, Ties ties>
    KAI_INLINE void put_8(size_t j) const {
        put(j, quants<Source, ties>(loaded<Source>(j)));
    }
};

/// One row to its slot. `alone`: in a panel of one row, whose elements are in their order.
template <bool alone>
struct RowToPanel {
    static constexpr size_t kRows = 1, kStep = 32;

    const uint8_t* row;
    float multiplier;
    int16x8_t zero;
    uint8_t* dst;
    size_t group, group_step;

    KAI_INLINE RowToPanel(const LhsRows& p, size_t i, const RowQuant* q, const RowPlace& to)
        : row(p.row(i)),
          multiplier(q->multiplier),
          zero(vdupq_n_s16(static_cast<int16_t>(q->zero_point))),
          group(alone ? 16 : qai8dxp.group_size(p.tile)),
          group_step(group * p.tile.rows) {
        dst = to.panel + group * to.slot;
    }

    KAI_INLINE uint8_t* place(size_t j) const {
        return alone ? dst + j : dst + j / group * group_step;
    }
    template <typename Source>
    KAI_INLINE Loaded32<Source> loaded(size_t j) const {
        return load_32_of_row<Source>(row + j * Source::size);
    }
    template <typename Source, Ties ties>
    KAI_INLINE Quants32 quants(const Loaded32<Source>& x) const {
        return quantize_row<Source, ties>(x, multiplier);
    }
    KAI_INLINE void put(size_t j, const Quants32& q) const {
        store_32_of_row(
            place(j), alone ? 16 : group, alone ? 16 : group_step, finish(q.v[0], zero, q.v[1], zero),
            finish(q.v[2], zero, q.v[3], zero));
    }
    template <typename Source, Ties ties>
    KAI_INLINE void put_8(size_t j) const {
        const int16x8_t q = quantize_8_of_row<Source, ties>(Source::load8(row + j * Source::size), multiplier);
        store_8_of_row(place(j), alone ? 16 : group, group_step, vqmovn_s16(vaddq_s16(q, zero)));
    }
};

/// Elements 0 ... `to` - 1, at least a step of them. Those of a step are finished and stored while the next ones
/// are computed: cores that issue in order always have something to do.
template <typename Source, Ties ties, typename Rows>
KAI_INLINE void quantize_span(const Rows& rows, size_t to) {
    const size_t last = to - Rows::kStep;
    Quants32 q = rows.template quants<Source, ties>(rows.template loaded<Source>(0));
    size_t j = 0;
    while (j < last) {
        const size_t next_j = j + Rows::kStep < last ? j + Rows::kStep : last;
        const Loaded32<Source> next = rows.template loaded<Source>(next_j);  // before the store, which may alias
        rows.put(j, q);
        q = rows.template quants<Source, ties>(next);
        j = next_j;
    }
    rows.put(j, q);
}

/// Row i, or it and the next three, to consecutive slots of a panel.
template <typename Rows, typename Source, typename Rounding>
KAI_INLINE void pack_some_rows(const LhsRows& p, size_t i, size_t whole, const RowPlace& to) {
    RowQuant q[Rows::kRows];
    bool finite = true;
    for (size_t r = 0; r < Rows::kRows; ++r) {
        q[r] = range_of_row<Source>(p.row(i + r), p.k).quant();
        put_row_fields(p, q[r], {to.panel, to.slot + r});
        finite = finite && q[r].finite();
    }

    constexpr bool all_away = Rounding::even_until(16) == 0, last_8_away = Rounding::even_until(16) == 8;
    const size_t even = Rounding::even_until(whole);
    const bool vectors = finite && (all_away ? whole : even) >= Rows::kStep;
    if (vectors) {
        const Rows rows(p, i, q, to);
        if constexpr (all_away) {
            quantize_span<Source, Ties::away>(rows, whole);
        } else {
            quantize_span<Source, Ties::to_even>(rows, even);
        }
        if constexpr (last_8_away) {
            rows.template put_8<Source, Ties::away>(even);
        }
    }
    const size_t done = vectors ? whole : 0;
    if (done < qai8dxp.padded(p.tile, p.k)) {
        for (size_t r = 0; r < Rows::kRows; ++r) {
            quantize_rest_of_row<Source, Rounding>(p, q[r], p.row(i + r), done, {to.panel, to.slot + r});
        }
    }
}

/// A row that is left over, of a panel of several: shared by all sizes of groups.
template <typename Source, typename Rounding>
[[gnu::noinline]] void pack_row_of_several(const LhsRows& p, size_t i, size_t whole, const RowPlace& to) {
    pack_some_rows<RowToPanel<false>, Source, Rounding>(p, i, whole, to);
}

/// All rows. group 0: each row is alone in its panel.
template <size_t group, typename Source, typename Rounding>
KAI_INLINE void pack_all_rows(const LhsRows& p) {
    const size_t whole = p.whole_groups(group ? group : qai8dxp.group_size(p.tile));
    RowPlace to = RowPlace::of_first(p);
    for (size_t i = 0; i < p.m;) {
        if constexpr (group == 0) {
            pack_some_rows<RowToPanel<true>, Source, Rounding>(p, i, whole, to);
            to.advance(p, 1);
            ++i;
        } else if (i + 4 <= p.m && to.slot + 4 <= p.tile.rows) {
            pack_some_rows<FourRowsToPanel<group>, Source, Rounding>(p, i, whole, to);
            to.advance(p, 4);
            i += 4;
        } else {
            pack_row_of_several<Source, Rounding>(p, i, whole, to);
            to.advance(p, 1);
            ++i;
        }
    }
}

template <typename Source, typename Rounding>
KAI_INLINE void pack_lhs_rows(const LhsRows& p) {
    const size_t group = qai8dxp.group_size(p.tile);
    if (p.tile.rows == 1) {
        pack_all_rows<0, Source, Rounding>(p);
    } else if (group == 8) {
        pack_all_rows<8, Source, Rounding>(p);
    } else if (group == 4) {
        pack_all_rows<4, Source, Rounding>(p);
    } else {
        pack_lhs_rows_scalar<Source, Rounding>(p);
    }
}

#else

template <typename Source, typename Rounding>
void pack_lhs_rows(const LhsRows& p) {
    pack_lhs_rows_scalar<Source, Rounding>(p);
}

#endif

}  // namespace
}  // namespace kai
