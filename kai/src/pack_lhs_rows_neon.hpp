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
    Range<Source> range;
    if (k * element < step) {
        for (size_t j = 0; j < k; ++j) {
            range.include(bits_at<Source>(row, j));
        }
        return range;
    }
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

/// Elements `from` ... `to` - 1 of four rows, at least kStep, to consecutive slots.
template <size_t group>
struct QuantizeFourRows {
    static constexpr size_t kStep = 8;

    FourRows rows;
    float32x4_t multiplier;
    int16x8_t zero[4];  // of Quants32
    uint8_t* dst;
    size_t group_step;

    KAI_INLINE QuantizeFourRows(const LhsRows& p, size_t i, const RowQuant* q, uint8_t* dst, size_t group_step)
        : rows{{p.row(i), p.row(i + 1), p.row(i + 2), p.row(i + 3)}}, dst(dst), group_step(group_step) {
        int16x8_t z[4];
        for (size_t r = 0; r < 4; ++r) {
            multiplier[r] = q[r].multiplier;
            z[r] = vdupq_n_s16(static_cast<int16_t>(q[r].zero_point));
        }
        for (size_t r = 0; r < 4; ++r) {
            zero[r] = group == 8 ? z[r] : vcombine_s16(vget_low_s16(z[r % 2 * 2]), vget_low_s16(z[r % 2 * 2 + 1]));
        }
    }

    template <typename Source, Ties ties>
    KAI_INLINE void run(size_t from, size_t to) const {
        for (size_t j = from; j < to; j += kStep) {
            const size_t at = j + kStep <= to ? j : to - kStep;
            const Quants32 q = quantize_8_of_four_rows<group, Source, ties>(rows, at, multiplier);
            store_8_of_four_rows<group>(
                dst + at / group * group_step, group_step, finish(q.v[0], zero[0], q.v[1], zero[1]),
                finish(q.v[2], zero[2], q.v[3], zero[3]));
        }
    }
};

/// The same of one row.
template <size_t group>
struct QuantizeRow {
    static constexpr size_t kStep = 32;

    const uint8_t* row;
    float multiplier;
    int16x8_t zero;
    uint8_t* dst;
    size_t group_step;

    KAI_INLINE QuantizeRow(const LhsRows& p, size_t i, const RowQuant* q, uint8_t* dst, size_t group_step)
        : row(p.row(i)),
          multiplier(q->multiplier),
          zero(vdupq_n_s16(static_cast<int16_t>(q->zero_point))),
          dst(dst),
          group_step(group_step) {
    }

    template <typename Source, Ties ties>
    KAI_INLINE void run(size_t from, size_t to) const {
        constexpr size_t step_of_dst = group == 16 ? 16 : group;
        for (size_t j = from; j < to; j += kStep) {
            const size_t at = j + kStep <= to ? j : to - kStep;
            const Quants32 q = quantize_32_of_row<Source, ties>(row + at * Source::size, multiplier);
            uint8_t* out = group == 16 ? dst + at : dst + at / step_of_dst * group_step;
            store_groups<group>(out, group_step, finish(q.v[0], zero, q.v[1], zero));
            store_groups<group>(out + 16 / step_of_dst * group_step, group_step, finish(q.v[2], zero, q.v[3], zero));
        }
    }
};

/// `count` rows from row i on, to consecutive slots of a panel.
template <typename Quantize, size_t count, size_t group, typename Source, typename Rounding>
KAI_INLINE void pack_some_rows(const LhsRows& p, size_t i) {
    const size_t slot = p.slot(i);
    uint8_t* panel = p.panel(i);
    RowQuant q[count];
    bool finite = true;
    for (size_t r = 0; r < count; ++r) {
        q[r] = range_of_row<Source>(p.row(i + r), p.k).quant();
        put_row_fields(p, q[r], panel, slot + r);
        finite = finite && q[r].finite();
    }

    const size_t real_group = qai8dxp.group_size(p.tile);
    const size_t whole = p.k / real_group * real_group, even = Rounding::even_until(p.k, real_group);
    const bool vectors = finite && whole >= Quantize::kStep && (even == 0 || even >= Quantize::kStep);
    if (vectors) {
        const Quantize quantize(p, i, q, panel + group * slot, group * p.tile.rows);
        if constexpr (Rounding::some_away) {  // first: its last step may overlap elements that are to round to even
            quantize.template run<Source, Ties::away>(
                even < whole - Quantize::kStep ? even : whole - Quantize::kStep, whole);
        }
        if constexpr (Rounding::some_even) {
            quantize.template run<Source, Ties::to_even>(0, even);
        }
    }
    const size_t done = vectors ? whole : 0;
    if (done < qai8dxp.padded(p.tile, p.k)) {
        for (size_t r = 0; r < count; ++r) {
            quantize_rest_of_row<Source, Rounding>(p, q[r], p.row(i + r), done, panel, slot + r);
        }
    }
}

/// All rows, with groups of `group` (16: the rows of a panel of one).
template <size_t group, typename Source, typename Rounding>
void pack_all_rows(const LhsRows& p) {
    for (size_t i = 0; i < p.m;) {
        if constexpr (group < 16) {
            if (i + 4 <= p.m && p.slot(i) + 4 <= p.tile.rows) {
                pack_some_rows<QuantizeFourRows<group>, 4, group, Source, Rounding>(p, i);
                i += 4;
                continue;
            }
        }
        pack_some_rows<QuantizeRow<group>, 1, group, Source, Rounding>(p, i);
        ++i;
    }
}

template <typename Source, typename Rounding>
KAI_INLINE void pack_lhs_rows(const LhsRows& p) {
    const size_t group = qai8dxp.group_size(p.tile);
    if (p.tile.rows == 1) {
        pack_all_rows<16, Source, Rounding>(p);
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
