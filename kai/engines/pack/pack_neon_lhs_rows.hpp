// LHS packers that quantise each row as a whole: NEON. The same bytes as pack_lhs_rows_scalar.
//
// A row is read twice, for its range and for its quants. Four rows are quantised together (pack_neon_lhs.hpp).
//
// A loop takes a fixed number of elements at a time. The remainder takes the same number: the last step overlaps the
// previous one, which is harmless: it writes the same bytes. Rows that are too short for one step, the
// incomplete group at the end of a row, and rows with an infinite multiplier go to the scalar code.
//
// The loops are functions of their own, which packers share if they agree in what is done per element: type and ties.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_neon_lhs.hpp"
#include "kai/engines/pack/pack_lhs_rows.hpp"

#if defined(__aarch64__)

namespace kai {
namespace {

// ---- Ranges

/// Bit patterns of a range, in the low bits: where the search leaves them.
struct RangeInRegisters {
    float lo, hi;
};

/// Lanes: of 32 or 16 bits.
template <typename Lanes, typename Bits>
[[gnu::noinline]] RangeInRegisters range_of_row(const uint8_t* row, size_t k) {
    constexpr size_t step = 128;  // bytes
    const size_t size = k * sizeof(Bits);
    Range<Bits> range;
    if (size < step) {
        range = range_of_row_scalar<Bits>(row, k);
    } else {
        Lanes lo = splat_bits(range.lo), hi = {};
        for (size_t j = 0; j < size; j += step) {
            const uint8_t* src = row + (j + step <= size ? j : size - step);
            Lanes v[8];
            KAI_UNROLL(8)
            for (size_t i = 0; i < 8; ++i) {
                v[i] = load<Lanes>(src + 16 * i);
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
    }
    const uint32_t lo = range.lo, hi = range.hi;
    return {load<float>(&lo), load<float>(&hi)};
}

/// RowQuant::of of four rows, with the same results.
struct FourRowQuants {
    float32x4_t multiplier, scale;
    int32x4_t zero_point;

    KAI_INLINE static FourRowQuants of(float32x4_t lo, float32x4_t hi) {
        const float32x4_t one = vdupq_n_f32(1.0f), least = vdupq_n_f32(-128.0f), most = vdupq_n_f32(127.0f);
        const float32x4_t multiplier = vbslq_f32(vceqq_f32(lo, hi), one, vdupq_n_f32(255.0f) / (hi - lo));
        const uint32x4_t no_scale = vceqq_f32(multiplier, vdupq_n_f32(0.0f));
        const float32x4_t bottom = lo * multiplier, top = hi * multiplier;
        const uint32x4_t positive = vcgtq_f32((least + bottom) + (most + top), vdupq_n_f32(0.0f));
        const float32x4_t zero = vbslq_f32(positive, least - bottom, most - top);
        const float32x4_t at_least = vbslq_f32(vcgtq_f32(zero, least), zero, least);
        const float32x4_t in_range = vbslq_f32(vcltq_f32(at_least, most), at_least, most);
        const float32x4_t to_even = vdupq_n_f32(kToEven);
        return {
            multiplier, vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(one / multiplier), no_scale)),
            vreinterpretq_s32_f32(in_range + to_even) - vreinterpretq_s32_f32(to_even)};
    }
    /// Of bit patterns.
    KAI_INLINE static FourRowQuants of(SourceType source, uint32x4_t lo, uint32x4_t hi) {
        if (source == SourceType::f32) {
            return of(vreinterpretq_f32_u32(lo), vreinterpretq_f32_u32(hi));
        }
        if (source == SourceType::bf16) {
            return of(vreinterpretq_f32_u32(vshlq_n_u32(lo, 16)), vreinterpretq_f32_u32(vshlq_n_u32(hi, 16)));
        }
        return of(vcvt_f32_f16(vreinterpret_f16_u16(vmovn_u32(lo))), vcvt_f32_f16(vreinterpret_f16_u16(vmovn_u32(hi))));
    }
    KAI_INLINE bool all_finite() const {
        return vminvq_u32(vceqq_f32(multiplier - multiplier, vdupq_n_f32(0.0f))) != 0;
    }
};

// ---- Quants

/// Adds zero points and saturates.
KAI_INLINE int8x16_t finish(int16x8_t a, int16x8_t zero_a, int16x8_t b, int16x8_t zero_b) {
    return vqmovn_high_s16(vqmovn_s16(vaddq_s16(a, zero_a)), vaddq_s16(b, zero_b));
}

/// Four rows to consecutive slots of a panel, or one row to elements that are stored together.
struct RowsToPanel {
    FourRows src;
    float multiplier[4];
    int16_t zero[4];
    uint8_t* dst;
    size_t group_step;  // from 8 (4) elements of a row to the next ones
};

/// Four rows, a step of 8 elements of each at a time.
template <size_t group>
struct FourRowsStep {
    static constexpr size_t kElements = 8;

    FourRows rows;
    float32x4_t multiplier;
    int16x8_t zero[4];  // of Quants32
    uint8_t* dst;
    size_t group_step;

    KAI_INLINE explicit FourRowsStep(const RowsToPanel& p)
        : rows(p.src), multiplier(load<float32x4_t>(p.multiplier)), dst(p.dst), group_step(p.group_step) {
        for (size_t r = 0; r < 4; ++r) {
            zero[r] = group == 8 ? vdupq_n_s16(p.zero[r])
                                 : vcombine_s16(vdup_n_s16(p.zero[r % 2 * 2]), vdup_n_s16(p.zero[r % 2 * 2 + 1]));
        }
    }

    template <typename Source>
    KAI_INLINE Loaded32<Source> loaded(size_t j) const {
        return load_8_of_four_rows<Source>(rows, j);
    }
    template <typename Source, Ties ties>
    KAI_INLINE Quants32 quants(const Loaded32<Source>& x) const {
        return quantise_four_rows<group, Source, ties>(x, multiplier);
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

/// One row, 32 elements at a time, which are stored together.
struct RowStep {
    static constexpr size_t kElements = 32;

    const uint8_t* row;
    float multiplier;
    int16x8_t zero;
    uint8_t* dst;

    KAI_INLINE explicit RowStep(const RowsToPanel& p)
        : row(p.src.at[0]), multiplier(p.multiplier[0]), zero(vdupq_n_s16(p.zero[0])), dst(p.dst) {
    }

    template <typename Source>
    KAI_INLINE Loaded32<Source> loaded(size_t j) const {
        return load_32_of_row<Source>(row + j * Source::size);
    }
    template <typename Source, Ties ties>
    KAI_INLINE Quants32 quants(const Loaded32<Source>& x) const {
        return quantise_row<Source, ties>(x, multiplier);
    }
    KAI_INLINE void put(size_t j, const Quants32& q) const {
        store(dst + j, finish(q.v[0], zero, q.v[1], zero));
        store(dst + j + 16, finish(q.v[2], zero, q.v[3], zero));
    }
    template <typename Source, Ties ties>
    KAI_INLINE void put_8(size_t j) const {
        const int16x8_t q = quantise_8_of_row<Source, ties>(Source::load8(row + j * Source::size), multiplier);
        store(dst + j, vqmovn_s16(vaddq_s16(q, zero)));
    }
};

/// Elements 0 ... `to` - 1, at least a step of them, and if `last_8_away` 8 more, which are rounded away from zero.
/// Those of a step are finished and stored while the next ones are computed: in-order cores always have
/// something to do.
template <typename Step, typename Source, Ties ties, bool has_last_8_away>
[[gnu::noinline]] void quantise_span(const RowsToPanel& p, size_t to, [[maybe_unused]] bool last_8_away) {
    const Step rows(p);
    const size_t last = to - Step::kElements;
    Quants32 q = rows.template quants<Source, ties>(rows.template loaded<Source>(0));
    size_t j = 0;
    while (j < last) {
        const size_t next_j = j + Step::kElements < last ? j + Step::kElements : last;
        const Loaded32<Source> next = rows.template loaded<Source>(next_j);  // before the store, which may alias
        rows.put(j, q);
        q = rows.template quants<Source, ties>(next);
        j = next_j;
    }
    rows.put(j, q);
    if (has_last_8_away && last_8_away) {
        rows.template put_8<Source, Ties::away>(to);
    }
}

using QuantiseSpanFn = void(const RowsToPanel& p, size_t to, bool last_8_away);

/// The loops of a packer.
struct RowLoops {
    QuantiseSpanFn *four_rows_8, *four_rows_4, *row;
};

template <const LhsRowKind& kind>
constexpr RowLoops row_loops() {
    using Source = Elements<kind.source>;
    constexpr Ties ties = kind.rounding == Rounding::away ? Ties::away : Ties::to_even;
    constexpr bool last_8 = kind.rounding == Rounding::all_but_8_to_even;
    return {
        quantise_span<FourRowsStep<8>, Source, ties, last_8>, quantise_span<FourRowsStep<4>, Source, ties, last_8>,
        quantise_span<RowStep, Source, ties, last_8>};
}

// ---- All

/// Constants of a call, for all rows.
struct RowsCall {
    const LhsRowKind& kind;
    const RowLoops& loops;
    size_t span;        // elements that the loops take: complete groups that round in one way
    size_t whole;       // elements in complete groups
    size_t group;       // elements that are stored together; 0: the row is alone in its panel
    size_t group_step;  // from a group of a row to its next one
};

/// Finds the range of row i, or of it and the next three, writes the fields to the packed panel and the quantisation
/// parameters to `panel`. Returns whether all are finite.
KAI_INLINE bool prepare_rows(
    SourceType source, const LhsRows& p, size_t i, size_t count, const RowPlace& to, RowsToPanel& panel) {
    const auto range_of =
        source == SourceType::f32 ? range_of_row<uint32x4_t, uint32_t> : range_of_row<uint16x8_t, uint16_t>;
    uint8_t* fields = to.panel + qai8dxp.panel_end(p.tile, p.k) + 4 * to.slot;
    panel.src.at[0] = p.row(i);
    const RangeInRegisters first = range_of(p.row(i), p.k);
    if (count == 1) {
        const RowQuant q = quant_of(source, load<uint32_t>(&first.lo), load<uint32_t>(&first.hi));
        store(fields, -q.zero_point);
        store(fields + 4 * p.tile.rows, q.scale);
        panel.multiplier[0] = q.multiplier;
        panel.zero[0] = static_cast<int16_t>(q.zero_point);
        return q.finite();
    }
    float32x4_t lo = vdupq_n_f32(first.lo), hi = vdupq_n_f32(first.hi);
    KAI_UNROLL(3)
    for (size_t r = 1; r < 4; ++r) {
        panel.src.at[r] = p.row(i + r);
        const RangeInRegisters range = range_of(p.row(i + r), p.k);
        lo[r] = range.lo;
        hi[r] = range.hi;
    }
    const FourRowQuants q = FourRowQuants::of(source, vreinterpretq_u32_f32(lo), vreinterpretq_u32_f32(hi));
    store(fields, vnegq_s32(q.zero_point));
    store(fields + 4 * p.tile.rows, q.scale);
    store(panel.multiplier, q.multiplier);
    store(panel.zero, vmovn_s32(q.zero_point));
    return q.all_finite();
}

/// The complete groups of a row (at least 32 elements in the loop) to its slot, in a panel of several rows.
[[gnu::noinline]] void quantise_groups_of_row(const RowsCall& c, RowsToPanel row, uint8_t* dst) {
    uint8_t together[512 + 8];
    const uint8_t* src = row.src.at[0];
    row.dst = together;
    for (size_t j = 0, count; j < c.span; j += count) {
        count = c.span - j < 512 ? c.span - j : 512;
        if (count < 32) {  // a step that overlaps the one before it
            j = c.span - 32;
            count = 32;
        }
        row.src.at[0] = src + j * size_of(c.kind.source);
        const bool last = j + count == c.span && c.span < c.whole;
        c.loops.row(row, count, last);
        spread_groups(together, last ? count + 8 : count, dst + j / c.group * c.group_step, c.group, c.group_step);
    }
}

void pack_lhs_rows(const LhsRowKind& kind, const RowLoops& loops, const LhsRows& p) {
    const bool alone = p.tile.rows == 1;
    const size_t group = qai8dxp.group_size(p.tile), whole = p.k - p.k % group;
    const bool in_steps = alone || group == 8 || group == 4;
    const RowsCall c = {
        kind,
        loops,
        kind.rounding == Rounding::away ? whole : even_until(kind.rounding, whole),
        whole,
        alone ? 0 : group,
        group * p.tile.rows};
    RowPlace to = RowPlace::of_first(p);
    for (size_t i = 0, count; i < p.m; i += count) {
        count = in_steps && !alone && i + 4 <= p.m && to.slot + 4 <= p.tile.rows ? 4 : 1;
        RowsToPanel panel;
        const bool finite = prepare_rows(kind.source, p, i, count, to, panel);
        size_t done = 0;
        if (in_steps && finite && c.span >= (count == 4 ? 8 : 32)) {
            uint8_t* dst = to.panel + c.group * to.slot;
            panel.dst = dst;
            panel.group_step = c.group_step;
            if (count == 1 && !alone) {
                quantise_groups_of_row(c, panel, dst);
            } else {
                (alone ? loops.row : group == 8 ? loops.four_rows_8 : loops.four_rows_4)(panel, c.span, c.span < whole);
            }
            done = whole;
        }
        for (size_t r = 0; r < count && done < qai8dxp.padded(p.tile, p.k); ++r) {
            quantise_rest_of_row(
                kind, p, {panel.multiplier[r], panel.zero[r], 0.0f}, p.row(i + r), done, {to.panel, to.slot + r});
        }
        to.advance(p, count, qai8dxp.stride(p.tile, p.k));
    }
}

}  // namespace
}  // namespace kai

#endif
