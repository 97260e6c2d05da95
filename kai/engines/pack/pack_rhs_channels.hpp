// RHS packers of formats with one scale per column (channel): scalar. What a packer does is data: one function serves
// all of them. The scalar packer is the specification; pack_neon_rhs_channels.hpp gives the same bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_rhs_rules.hpp"

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
    const Format& format;  ///< where weights and fields go; the fields are after the weights of a panel
    bool kxn;              ///< a line of the source is one weight of each column; otherwise it is a column
    Missing missing;
    bool sixteenths;  ///< the kernel multiplies with 16 times the weights: sums are stored times 16, scales / 16
};

/// n columns of k weights, in dense lines, each of a whole number of bytes. The lowest bits are the first weight.
struct RhsChannels {
    ChannelsKind kind;
    size_t n, k;
    Tile tile;
    const uint8_t* rhs;
    const uint8_t* scale;  // f32 [n]
    const uint8_t* bias;   // f32 [n] or NULL
    uint8_t* packed;
    uint8_t flip;          // int4: XOR that makes two's complement of a byte of the source: 0x88 or 0. Otherwise 0
    uint32_t factor;       // sums are stored times this
    const int32_t* table;  // 2 bits: the weights that the indices stand for

    size_t bits = kind.format.bits;
    size_t line = ((kind.kxn ? n : k) * bits + 7) / 8;
    size_t group = kind.format.group_size(tile);
    size_t places = (n + tile.rows - 1) / tile.rows * tile.rows;
    size_t stride = kind.format.stride(tile, k), panel_end = kind.format.panel_end(tile, k);

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

/// The rules that they share.
constexpr kai_rhs_rules channels_rules(const char* name, const Format& format) {
    kai_rhs_rules rules = rhs_rules(name, format, false);
    rules.bias = rules.scale = true;
    return rules;
}

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
    return p.bits == 2   ? p.table[stored]
           : p.bits == 4 ? static_cast<int32_t>(stored ^ 8U) - 8
                         : static_cast<int8_t>(stored);
}

/// Scale and bias of place c of a panel whose sums are at `sums`.
KAI_INLINE void pack_scale_and_bias(const RhsChannels& p, size_t at, uint8_t* sums) {
    uint8_t* to = sums + at % p.tile.rows * 4;
    const bool none = at >= p.n && p.kind.missing >= Missing::repeat_last_weights;
    const size_t column = at < p.n ? at : p.n - 1;
    float scale = none ? 0.0F : load<float>(p.scale + 4 * column);
    if (p.kind.sixteenths) {
        scale *= 0.0625F;
    }
    store(to + 4 * p.tile.rows, scale);
    store(to + 8 * p.tile.rows, none || p.bias == nullptr ? 0U : load<uint32_t>(p.bias + 4 * column));
}

[[gnu::noinline]] void pack_rhs_channels_scalar(const RhsChannels& p) {
    for (size_t at = 0; at < p.places; ++at) {
        uint8_t *panel = p.panel(at), *sums = panel + p.panel_end;
        int32_t sum = 0;
        for (size_t k = 0; k < p.kind.format.padded(p.tile, p.k); ++k) {
            unsigned stored = 0;
            if (k < p.k) {
                stored = source_weight(p, at, k) ^ (p.flip & p.mask());
                sum += weight_value(p, stored);
            }
            const auto to = p.kind.format.at(p.tile, 0, at % p.tile.rows, k);
            // The lowest bits of a byte belong to the smallest k and so come first.
            panel[to.byte] = static_cast<uint8_t>(to.shift == 0 ? stored : panel[to.byte] | stored << to.shift);
        }
        const uint32_t stored_sum = at < p.n || p.repeats() ? static_cast<uint32_t>(sum) * p.factor : 0;
        store(sums + at % p.tile.rows * 4, stored_sum);
        pack_scale_and_bias(p, at, sums);
    }
}

}  // namespace
}  // namespace kai
