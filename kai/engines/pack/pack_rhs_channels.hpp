// RHS packers of formats without blocks, of weights of 2, 4 and 8 bits: scalar. What a packer does is data: one
// function serves all of them. The scalar packer is the specification; pack_neon_rhs_channels.hpp gives the same bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_rhs_tile.hpp"

namespace kai {
namespace {

/// What is in the places of missing columns of the last panel.
enum class Missing : uint8_t {
    repeat_last,          ///< weights, scale and bias of column n - 1
    repeat_last_byte,     ///< scale and bias of column n - 1; weights: see source_column
    repeat_last_weights,  ///< weights of column n - 1; scale and bias are 0
    zero,                 ///< zeros
    index_two,            ///< index 2 of the table; the sum, scale and bias are 0
};

/// What a packer does.
struct ChannelsKind {
    /// Where weights and fields go. After a panel: the sum of the weights of a column, its scale, its bias. Or before
    /// it: the bias and the sum, added up; after it: the scale, if there is one.
    const Format& format;
    bool kxn;  ///< a line of the source is one weight of each column; otherwise it is a column
    Missing missing;
    bool inverted = false;     ///< of 16 weights of a column, the bits of the last 8
    uint8_t flip = 0;          ///< makes weights signed, without params
    bool is_unsigned = false;  ///< weights are uint8, and stay so
};

/// n columns of k weights, in lines of a whole number of bytes. The lowest bits are the first weight.
struct RhsChannels {
    ChannelsKind kind;
    size_t n, k;
    Tile tile;
    const uint8_t* rhs;
    const uint8_t* scale;  // f32 [n]
    const uint8_t* bias;   // f32 [n] or NULL
    uint8_t* packed;
    size_t rhs_stride;     // bytes, from a line to the next one; 0: they are dense
    const int32_t* table;  // 2 bits: the weights that the indices stand for

    uint8_t flip = kind.flip;  // XOR that makes two's complement of a byte of the source
    uint32_t factor = 1;       // sums are stored times this
    float multiplier = 1;      // and scales times this
    size_t bits = kind.format.bits;
    size_t width = ((kind.kxn ? n : k) * bits + 7) / 8;  // bytes of a line
    size_t line = rhs_stride != 0 ? rhs_stride : width;
    size_t group = kind.format.group_size(tile);
    size_t places = (n + tile.rows - 1) / tile.rows * tile.rows;
    size_t padded = kind.format.padded(tile, k);
    bool has_scale = kind.format.panel_tail != 0 && kind.format.panel_head + kind.format.panel_tail > 4;
    // Positions in a panel.
    size_t elements = kind.format.panel_head * tile.rows;
    size_t end = elements + kind.format.element_bytes(tile, padded);
    size_t sums = elements != 0 ? 0 : end;
    size_t scales = elements != 0 ? end : end + 4 * tile.rows;
    size_t biases = !has_scale ? sums : elements != 0 ? 0 : end + 8 * tile.rows;
    size_t stride = end + kind.format.panel_tail * tile.rows;

    KAI_INLINE unsigned mask() const {
        return (1U << bits) - 1;
    }
    KAI_INLINE bool repeats() const {
        return kind.missing <= Missing::repeat_last_weights;
    }
    /// A byte of a column that does not exist and repeats none.
    KAI_INLINE uint8_t absent() const {
        return kind.missing == Missing::index_two ? 0xAA : flip;
    }
    /// The panel that holds column `at`.
    KAI_INLINE uint8_t* panel(size_t at) const {
        return packed + at / tile.rows * stride;
    }
};

/// The column whose weights are at column `at` of the panels. Only for columns that exist or repeat one. Of the byte
/// that holds the nibble of column n - 1, the nibble that an even or odd `at` has in its byte: after an odd n this is
/// the one that belongs to no column.
KAI_INLINE size_t source_column(const RhsChannels& p, size_t at) {
    return at < p.n ? at : p.kind.missing == Missing::repeat_last_byte ? (p.n - 1) / 2 * 2 + at % 2 : p.n - 1;
}

/// A weight of column `at` as the source keeps it, or would keep it.
KAI_INLINE unsigned source_weight(const RhsChannels& p, size_t at, size_t k) {
    if (at >= p.n && !p.repeats()) {
        return p.absent() & p.mask();
    }
    const size_t column = source_column(p, at), line = p.kind.kxn ? k : column,
                 bit = (p.kind.kxn ? column : k) * p.bits;
    return p.rhs[line * p.line + bit / 8] >> bit % 8 & p.mask();
}

/// The number that a stored weight stands for.
KAI_INLINE int32_t weight_value(const RhsChannels& p, unsigned stored) {
    return p.bits == 2          ? p.table[stored]
           : p.bits == 4        ? static_cast<int32_t>(stored ^ 8U) - 8
           : p.kind.is_unsigned ? static_cast<int32_t>(stored)
                                : static_cast<int8_t>(stored);
}

/// Writes the fields of column `at`, with a sum of 0.
KAI_INLINE void pack_fields(const RhsChannels& p, size_t at, uint8_t* panel) {
    uint8_t* to = panel + at % p.tile.rows * 4;
    const bool none = at >= p.n && p.kind.missing >= Missing::repeat_last_weights;
    const size_t column = at < p.n ? at : p.n - 1;
    store(to + p.sums, 0U);
    store(to + p.biases, none || p.bias == nullptr ? 0U : load<uint32_t>(p.bias + 4 * column));
    if (p.has_scale) {  // where it is stored as it is, it keeps its bits, also those of a NaN
        const float scale = none ? 0.0F : load<float>(p.scale + 4 * column);
        store(to + p.scales, p.multiplier == 1 ? scale : scale * p.multiplier);
    }
}

[[gnu::noinline]] void pack_rhs_channels_scalar(const RhsChannels& p) {
    for (size_t at = 0; at < p.places; ++at) {
        uint8_t *panel = p.panel(at), *sum_of_column = panel + p.sums + at % p.tile.rows * 4;
        pack_fields(p, at, panel);
        uint32_t sum = load<uint32_t>(sum_of_column);
        for (size_t k = 0; k < p.padded; ++k) {
            unsigned stored = 0;
            if (k < p.k) {
                stored = source_weight(p, at, k) ^ (p.flip & p.mask());
                sum += static_cast<uint32_t>(weight_value(p, stored)) * p.factor;
            }
            if (p.kind.inverted && k % 16 >= 8) {
                stored ^= p.mask();
            }
            const auto to = p.kind.format.at(p.tile, 0, at % p.tile.rows, k);
            uint8_t* byte = panel + p.elements + to.byte;
            // The lowest bits of a byte belong to the smallest k and so come first.
            *byte = static_cast<uint8_t>(to.shift == 0 ? stored : *byte | stored << to.shift);
        }
        store(sum_of_column, at < p.n || p.repeats() ? sum : 0);
    }
}

}  // namespace
}  // namespace kai
