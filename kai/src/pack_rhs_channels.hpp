// RHS packers of formats with one scale per column (channel): scalar. A packer is a combination of
//
//   format   where weights and fields go (layout.hpp); the fields are behind the weights of a panel
//   Source   where the source keeps the weight of a column at depth k
//   Weights  what a weight of the source means: the stored bits, and the number that the sum takes
//   Missing  what stands in the places of columns that the last panel lacks
//
// The scalar packer is the specification; pack_rhs_channels_neon.hpp gives the same bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/pack_rhs_rules.hpp"

namespace kai {
namespace {

/// n columns of k weights.
struct RhsChannels {
    size_t n, k;
    Tile tile;
    const uint8_t* rhs;
    const uint8_t* scale;  // f32 [n]
    const uint8_t* bias;   // f32 [n] or NULL
    void* packed;

    size_t panels = (n + tile.rows - 1) / tile.rows;
};

KAI_INLINE RhsChannels rhs_channels(const kai_rhs_call& c) {
    return {c.n, c.k, {c.nr, c.kr, c.sr}, bytes(c.rhs), bytes(c.scale), bytes(c.bias), c.packed};
}

/// The rules that all of them have.
constexpr kai_rhs_rules channels_rules(const char* name, const Format& format) {
    kai_rhs_rules rules = rhs_rules(name, format, false);
    rules.bias = rules.scale = true;
    return rules;
}

/// @name Source: weight (column, k) as the source keeps it. Bytes hold the first weight in the lowest bits.
///
/// `line_bytes` is the distance of the dense lines of the source, each of a whole number of bytes.
/// @{

/// A line is a column.
template <unsigned bits>
struct LinesOfK {
    static constexpr bool columns = true;
    KAI_INLINE static size_t line_bytes(const RhsChannels& p) {
        return (p.k * bits + 7) / 8;
    }
    KAI_INLINE static unsigned get(const RhsChannels& p, size_t column, size_t k) {
        return p.rhs[column * line_bytes(p) + k * bits / 8] >> k * bits % 8 & ((1U << bits) - 1);
    }
};

/// A line is one weight of each column.
template <unsigned bits>
struct LinesOfN {
    static constexpr bool columns = false;
    KAI_INLINE static size_t line_bytes(const RhsChannels& p) {
        return (p.n * bits + 7) / 8;
    }
    KAI_INLINE static unsigned get(const RhsChannels& p, size_t column, size_t k) {
        return p.rhs[k * line_bytes(p) + column * bits / 8] >> column * bits % 8 & ((1U << bits) - 1);
    }
};
/// @}

/// @name Weights
///
/// `stored` and `value` are the bits and the number of a weight of the source; `zero` is a byte of the source that
/// holds zeros only; sums are stored times `factor`, scales times `unit`.
/// @{

/// Two's complement or 8 more than the value. The kernel multiplies with `times` the weights.
template <unsigned times>
struct WeightsInt4 {
    uint8_t flip;  // XOR that makes two's complement of a byte of the source: 0x88 or 0
    static constexpr uint32_t factor = times;
    static constexpr float unit = 1.0F / times;

    KAI_INLINE uint8_t zero() const {
        return flip;
    }
    KAI_INLINE unsigned stored(unsigned nibble) const {
        return nibble ^ (flip & 15U);
    }
    KAI_INLINE int32_t value(unsigned nibble) const {
        return static_cast<int32_t>(stored(nibble) ^ 8U) - 8;
    }
};

struct WeightsInt8 {
    uint32_t factor;
    static constexpr float unit = 1.0F;

    KAI_INLINE uint8_t zero() const {
        return 0;
    }
    KAI_INLINE unsigned stored(unsigned byte) const {
        return byte;
    }
    KAI_INLINE int32_t value(unsigned byte) const {
        return static_cast<int8_t>(byte);
    }
};

/// Indices of a table, which the kernel gets, too. k is a multiple of 32: no place is without a weight.
struct WeightsTable {
    const int32_t* table;  // [4]
    static constexpr uint32_t factor = 1;
    static constexpr float unit = 1.0F;

    KAI_INLINE uint8_t zero() const {
        return 0;
    }
    KAI_INLINE unsigned stored(unsigned index) const {
        return index;
    }
    KAI_INLINE int32_t value(unsigned index) const {
        return table[index];
    }
};
/// @}

/// @name Missing: what column `at` >= n holds
///
/// repeats: weights, and their sum, of `column`. Otherwise every byte of the source is `byte`, and the sum is 0.
/// fields: scale and bias of column n - 1. Otherwise zeros.
/// @{
struct MissingRepeatLast {
    static constexpr bool repeats = true, fields = true;
    KAI_INLINE static size_t column(size_t n, size_t) {
        return n - 1;
    }
};

/// Of the byte that holds the nibble of column n - 1, the nibble that an even or odd `at` has in its byte. After an odd
/// n this is the one that belongs to no column.
struct MissingRepeatLastByte {
    static constexpr bool repeats = true, fields = true;
    KAI_INLINE static size_t column(size_t n, size_t at) {
        return (n - 1) / 2 * 2 + at % 2;
    }
};

struct MissingRepeatLastWeights {
    static constexpr bool repeats = true, fields = false;
    KAI_INLINE static size_t column(size_t n, size_t) {
        return n - 1;
    }
};

struct MissingZero {
    static constexpr bool repeats = false, fields = false;
    template <class Weights>
    KAI_INLINE static uint8_t byte(const Weights& weights) {
        return weights.zero();
    }
};

/// Index 2 of the table everywhere.
struct MissingIndexTwo {
    static constexpr bool repeats = false, fields = false;
    template <class Weights>
    KAI_INLINE static uint8_t byte(const Weights&) {
        return 0xAA;
    }
};
/// @}

/// The column whose weights stand at column `at` of the panels. Only for columns that exist or repeat one.
template <class Missing>
KAI_INLINE size_t source_column(const RhsChannels& p, size_t at) {
    if constexpr (Missing::repeats) {
        return at < p.n ? at : Missing::column(p.n, at);
    } else {
        return at;
    }
}

/// A weight of column `at` as the source keeps it, or would keep it.
template <const Format& format, class Source, class Missing, class Weights>
KAI_INLINE unsigned source_weight(const RhsChannels& p, const Weights& weights, size_t at, size_t k) {
    if constexpr (!Missing::repeats) {
        if (at >= p.n) {
            return Missing::byte(weights) & ((1U << format.bits) - 1);
        }
    }
    return Source::get(p, source_column<Missing>(p, at), k);
}

/// The weights of place c of a panel. Returns their sum.
template <const Format& format, class Source, class Missing, class Weights>
KAI_INLINE int32_t pack_channel(const RhsChannels& p, const Weights& weights, size_t at, uint8_t* panel) {
    const size_t c = at % p.tile.rows;
    int32_t sum = 0;
    for (size_t k = 0; k < format.padded(p.tile, p.k); ++k) {
        unsigned stored = 0;
        if (k < p.k) {
            const unsigned weight = source_weight<format, Source, Missing>(p, weights, at, k);
            stored = weights.stored(weight);
            sum += weights.value(weight);
        }
        const auto to = format.at(p.tile, 0, c, k);
        // The lowest bits of a byte belong to the smallest k and so come first.
        panel[to.byte] = static_cast<uint8_t>(to.shift == 0 ? stored : panel[to.byte] | stored << to.shift);
    }
    return Missing::repeats || at < p.n ? sum : 0;
}

/// Scale and bias of place c of a panel whose sums are at `sums`.
template <class Weights, class Missing>
KAI_INLINE void pack_scale_and_bias(const RhsChannels& p, size_t at, uint8_t* sums) {
    uint8_t* to = sums + at % p.tile.rows * 4;
    const bool none = !Missing::fields && at >= p.n;
    const size_t column = at < p.n ? at : p.n - 1;
    float scale = none ? 0.0F : load<float>(p.scale + 4 * column);
    if constexpr (Weights::unit != 1.0F) {
        scale *= Weights::unit;
    }
    store(to + 4 * p.tile.rows, scale);
    store(to + 8 * p.tile.rows, none || p.bias == nullptr ? 0U : load<uint32_t>(p.bias + 4 * column));
}

template <const Format& format, class Source, class Missing, class Weights>
void pack_rhs_channels_scalar(const RhsChannels& p, const Weights& weights) {
    for (size_t at = 0; at < p.panels * p.tile.rows; ++at) {
        uint8_t* panel = bytes(p.packed, format.offset(p.tile, at, p.k));
        uint8_t* sums = panel + format.panel_end(p.tile, p.k);
        const int32_t sum = pack_channel<format, Source, Missing>(p, weights, at, panel);
        store(sums + at % p.tile.rows * 4, static_cast<uint32_t>(sum) * weights.factor);
        pack_scale_and_bias<Weights, Missing>(p, at, sums);
    }
}

}  // namespace
}  // namespace kai
