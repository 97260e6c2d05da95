// LHS packers that quantise each row as a whole, to int8 with a zero point (format qai8dxp): scalar. A packer is a
// combination of
//
//   Source     type of the elements of a row (lhs_source.hpp)
//   Rounding   which elements round ties to even; the others, and the padding, round them away from zero
//
// The scalar packer is the specification: it runs on every host, and pack_lhs_rows_neon.hpp gives the same bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/layout.hpp"
#include "kai/src/lhs_source.hpp"
#include "kai/src/quantize.hpp"

namespace kai {
namespace {

/// @name Rounding: elements 0 ... even_until - 1 of a row round ties to even. `whole` is the number of elements in
/// whole groups, which lie together in a panel.
///
/// The bytes are public, so that the differences between packers are part of the format.
/// @{
struct RoundAway {
    static constexpr size_t even_until(size_t) {
        return 0;
    }
};

/// Whole groups.
struct RoundGroupsToEven {
    static constexpr size_t even_until(size_t whole) {
        return whole;
    }
};

/// Whole groups but the last 8 elements of them.
struct RoundAllBut8ToEven {
    static constexpr size_t even_until(size_t whole) {
        return whole > 8 ? whole - 8 : 0;
    }
};
/// @}

/// m rows, and the panel that the first one goes to.
struct LhsRows {
    size_t m, k;
    Tile tile;
    size_t first_slot;  // of the panel
    const void* lhs;    // the first row
    size_t lhs_stride;  // bytes
    void* packed;

    KAI_INLINE const uint8_t* row(size_t i) const {
        return bytes(lhs, i * lhs_stride);
    }
    /// Elements of a row in groups of `group` that are complete.
    KAI_INLINE size_t whole_groups(size_t group) const {
        return k - k % group;
    }
};

/// The place of a row: a slot of a panel.
struct RowPlace {
    uint8_t* panel;
    size_t slot;

    KAI_INLINE static RowPlace of_first(const LhsRows& p) {
        return {bytes(p.packed), p.first_slot};
    }
    /// Of the row `rows` further on, which is in this panel or the first of the next one.
    KAI_INLINE void advance(const LhsRows& p, size_t rows) {
        slot += rows;
        if (slot == p.tile.rows) {
            slot = 0;
            panel += qai8dxp.stride(p.tile, p.k);
        }
    }
};

/// The smallest and the largest of 0 and some values, as bit patterns: among negative numbers the smallest is the
/// largest unsigned pattern, and all others are less than that of -0; among positive ones the largest is the largest
/// signed pattern. NaN is beyond the infinities.
template <typename Source>
struct Range {
    using Bits = typename Source::Bits;
    using SignedBits = typename Source::SignedBits;
    static constexpr Bits kMinusZero = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));

    Bits lo = kMinusZero, hi = 0;

    KAI_INLINE void include(Bits x) {
        lo = x > lo ? x : lo;
        hi = static_cast<SignedBits>(x) > static_cast<SignedBits>(hi) ? x : hi;
    }
    KAI_INLINE RowQuant quant() const {
        return RowQuant::of(Source::value(lo), Source::value(hi));
    }
};

template <typename Source>
[[gnu::noinline]] Range<Source> range_of_row_scalar(const uint8_t* row, size_t k) {
    Range<Source> range;
    for (size_t j = 0; j < k; ++j) {
        range.include(bits_at<Source>(row, j));
    }
    return range;
}

/// Elements `from` ... of a row, and its padding.
template <typename Source, typename Rounding>
[[gnu::noinline]] void quantize_rest_of_row(
    const LhsRows& p, const RowQuant& q, const uint8_t* row, size_t from, const RowPlace& to) {
    const size_t group = qai8dxp.group_size(p.tile), even_until = Rounding::even_until(p.whole_groups(group));
    const auto put = [&](size_t j, int8_t quant) {
        to.panel[qai8dxp.at(p.tile, 0, to.slot, j).byte] = static_cast<uint8_t>(quant);
    };
    for (size_t j = from; j < p.k; ++j) {
        const float x = value_at<Source>(row, j);
        put(j, j < even_until ? q.quant<Ties::to_even>(x) : q.quant<Ties::away>(x));
    }
    const size_t end = qai8dxp.padded(p.tile, p.k);
    if (p.k < end) {  // the last element again; it meets zeros of the RHS
        const int8_t last = q.quant<Ties::away>(value_at<Source>(row, p.k - 1));
        for (size_t j = p.k; j < end; ++j) {
            put(j, last);
        }
    }
}

/// Minus the zero point, and the scale.
KAI_INLINE void put_row_fields(const LhsRows& p, const RowQuant& q, const RowPlace& to) {
    uint8_t* fields = to.panel + qai8dxp.panel_end(p.tile, p.k) + 4 * to.slot;
    store<int32_t>(fields, -q.zero_point);
    store<float>(fields + 4 * p.tile.rows, q.scale);
}

template <typename Source, typename Rounding>
void pack_lhs_rows_scalar(const LhsRows& p) {
    RowPlace to = RowPlace::of_first(p);
    for (size_t i = 0; i < p.m; ++i, to.advance(p, 1)) {
        const RowQuant q = range_of_row_scalar<Source>(p.row(i), p.k).quant();
        quantize_rest_of_row<Source, Rounding>(p, q, p.row(i), 0, to);
        put_row_fields(p, q, to);
    }
}

}  // namespace
}  // namespace kai
