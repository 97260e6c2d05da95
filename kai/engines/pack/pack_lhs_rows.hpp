// LHS packers that quantise each row as a whole, to int8 with a zero point (format qai8dxp): scalar. The scalar packer
// is the specification: it runs on every host, and pack_neon_lhs_rows.hpp gives the same bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_lhs_source.hpp"
#include "kai/engines/core/quantise.hpp"

namespace kai {
namespace {

/// Which elements of a row round ties to even; the others, and the padding, round them away from zero. Groups are the
/// elements that are stored together in a panel.
///
/// The bytes are public, so that the differences between packers are part of the format.
enum class Rounding {
    away,               // none
    groups_to_even,     // those in complete groups
    all_but_8_to_even,  // those in complete groups but the last 8 of them
};

/// Elements 0 ... this - 1 round ties to even. `whole`: the number of elements in complete groups.
KAI_INLINE constexpr size_t even_until(Rounding rounding, size_t whole) {
    return rounding == Rounding::away ? 0 : rounding == Rounding::groups_to_even ? whole : (whole > 8 ? whole - 8 : 0);
}

/// How a packer quantises a row.
struct LhsRowKind {
    SourceType source;
    Rounding rounding;
};

/// The minimum and maximum of 0 and some values, as bit patterns: among negative numbers the smallest is the
/// largest unsigned pattern, and all others are less than that of -0; among positive ones the largest is the largest
/// signed pattern. NaN is beyond the infinities.
template <typename Bits>
struct Range {
    static constexpr auto sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));

    Bits lo = sign, hi = 0;

    KAI_INLINE void include(Bits x) {
        lo = x > lo ? x : lo;
        hi = (x ^ sign) > (hi ^ sign) ? x : hi;  // signed numbers
    }
};

template <typename Bits>
KAI_INLINE Range<Bits> range_of_row_scalar(const uint8_t* row, size_t k) {
    Range<Bits> range;
    for (size_t j = 0; j < k; ++j) {
        range.include(load<Bits>(row + j * sizeof(Bits)));
    }
    return range;
}

/// Of the bit patterns of a range.
KAI_INLINE RowQuant quant_of(SourceType source, uint32_t lo, uint32_t hi) {
    return RowQuant::of(value_of(source, lo), value_of(source, hi));
}

/// Elements `from` ... of a row, and its padding. `from`: the first of a group.
[[gnu::noinline]] void quantise_rest_of_row(
    const LhsRowKind& kind, const LhsRows& p, const RowQuant& q, const uint8_t* row, size_t from, const RowPlace& to) {
    const size_t group = qai8dxp.group_size(p.tile), even = even_until(kind.rounding, p.k - p.k % group);
    const size_t end = qai8dxp.padded(p.tile, p.k);
    for (size_t first = from, next; first < end; first = next) {
        next = group != 0 && end - first > group ? first + group : end;
        uint8_t* dst = to.panel + qai8dxp.at(p.tile, 0, to.slot, first).byte;
        for (size_t j = first; j < next; ++j) {  // padding: the last element again; it meets zeros of the RHS
            const float x = value_at(kind.source, row, j < p.k ? j : p.k - 1);
            *dst++ = static_cast<uint8_t>(q.quant(j < even ? Ties::to_even : Ties::away, x));
        }
    }
}

#if !defined(__aarch64__)

/// Minus the zero point, and the scale.
KAI_INLINE void put_row_fields(const LhsRows& p, const RowQuant& q, const RowPlace& to) {
    uint8_t* fields = to.panel + qai8dxp.panel_end(p.tile, p.k) + 4 * to.slot;
    store<int32_t>(fields, -q.zero_point);
    store<float>(fields + 4 * p.tile.rows, q.scale);
}

void pack_lhs_rows(const LhsRowKind& kind, const LhsRows& p) {
    RowPlace to = RowPlace::of_first(p);
    for (size_t i = 0; i < p.m; ++i, to.advance(p, 1, qai8dxp.stride(p.tile, p.k))) {
        const auto wide = range_of_row_scalar<uint32_t>(p.row(i), kind.source == SourceType::f32 ? p.k : 0);
        const auto half = range_of_row_scalar<uint16_t>(p.row(i), kind.source == SourceType::f32 ? 0 : p.k);
        const RowQuant q = kind.source == SourceType::f32 ? quant_of(kind.source, wide.lo, wide.hi)
                                                          : quant_of(kind.source, half.lo, half.hi);
        quantise_rest_of_row(kind, p, q, p.row(i), 0, to);
        put_row_fields(p, q, to);
    }
}

#endif

}  // namespace
}  // namespace kai
