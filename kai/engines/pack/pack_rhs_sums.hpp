// RHS packers of 4-bit sources with blocks, bf16 scales in an array of their own, and the sum of each column: scalar.
// A packer is a combination of
//
//   source  N x K or K x N, and what missing columns are
//   groups  which weights are added as integers before they go into the f32 sum: that decides its last bits
//   format  where elements and fields go (layout.hpp): scales in the block tail, sums and bias in the panel tail
//
//     sum = fma(float(sum of the weights of a group), scale of the block, sum)    blocks ascending, groups ascending
//
// The product is exact (8 bits of a bf16 times a small integer): only the sum is rounded.
// The scalar packer is the specification; pack_neon_rhs_sums.hpp gives the same bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_rhs_blocks.hpp"

namespace kai {
namespace {

/// Members in addition to those of RhsPack.
struct RhsSums {
    size_t rhs_stride;     // bytes, of a column (N x K) or of a row of the source (K x N)
    const uint8_t* scale;  // bf16: blocks of a column side by side,
    size_t scale_stride;   // columns this many bytes apart
    const uint8_t* bias;   // f32 [n] or NULL
};

/// What a packer does.
struct SumsKind {
    const Format& format;
    bool kxn;
    bool zeros;  // K x N: weights of missing columns are zero
    /// Groups of weights that are stored together in the panel: the low nibbles of a group of bytes, then the high
    /// nibbles. Otherwise 32 consecutive weights.
    bool packed_groups;
};

/// Element i of the column at place `at`, counted from the first panel's first. 8 more than the value.
///
/// N x K: byte j of a column: elements 2j (low) and 2j + 1. Missing columns repeat column n - 1.
/// K x N: byte j of row i: columns 2j (low) and 2j + 1. Missing columns take the byte of column n - 1, and of its
/// nibbles the one of their own parity, or are zero.
KAI_INLINE unsigned source_nibble(const SumsKind& kind, const RhsPack& p, const RhsSums& s, size_t at, size_t i) {
    const size_t column = at < p.n ? at : p.n - 1;
    if (!kind.kxn) {
        return NibblesEvenLow::get(p.rhs + column * s.rhs_stride, 0, i);
    }
    if (kind.zeros && at >= p.n) {
        return 8;
    }
    const unsigned byte = p.rhs[i * s.rhs_stride + column / 2];
    return at % 2 == 0 ? byte & 15u : byte >> 4;
}

/// Element e of group g of a block.
KAI_INLINE size_t element_of_group(const SumsKind& kind, size_t group, size_t g, size_t e) {
    if (!kind.packed_groups) {
        return g * 32 + e;
    }
    const size_t d = kind.format.nibble_distance, byte = g * group + e % group;
    return byte / d * (2 * d) + byte % d + e / group * d;
}

/// sum + weights * scale, rounded once on every host: a double holds the product exactly, and 53 bits are enough for
/// the second rounding to be innocuous.
KAI_INLINE float add_scaled(float sum, int weights, float scale) {
    return static_cast<float>(static_cast<double>(sum) + static_cast<double>(weights) * static_cast<double>(scale));
}

/// The sums (zero, so far) and the bias at the end of a panel, whose first column is `first`.
KAI_INLINE void start_sums(const RhsPack& p, const RhsSums& s, size_t first, uint8_t* sums) {
    uint8_t* bias = sums + 4 * p.tile.rows;
    for (size_t c = 0; c < p.tile.rows; ++c) {
        const size_t column = first + c < p.n ? first + c : p.n - 1;
        store(sums + 4 * c, 0u);
        store(bias + 4 * c, s.bias ? load<uint32_t>(s.bias + 4 * column) : 0u);
    }
}

[[gnu::noinline]] void pack_rhs_sums_scalar(const RhsPack& p, const RhsSums& s, const SumsKind& kind) {
    const Format& format = kind.format;
    const size_t group = format.group_size(p.tile), weights = kind.packed_groups ? 2 * group : 32;
    for (size_t i = 0; i < p.panels; ++i) {
        uint8_t* panel = bytes(p.packed, i * format.stride(p.tile, p.k, p.bl));
        uint8_t* sums = panel + format.panel_end(p.tile, p.k, p.bl);
        start_sums(p, s, i * p.tile.rows, sums);
        for (size_t c = 0; c < p.tile.rows; ++c) {
            const auto nibble = [&](size_t element) { return source_nibble(kind, p, s, i * p.tile.rows + c, element); };
            const uint8_t* scales = s.scale + p.column(i, c) * s.scale_stride;
            float sum = 0.0F;
            for (size_t b = 0; b < p.blocks; ++b) {
                uint8_t* to = panel + format.elements(p.tile, p.bl, b);
                for (size_t e = 0; e < p.bl; ++e) {
                    const auto at = format.at(p.tile, p.bl, c, e);
                    const unsigned value = nibble(b * p.bl + e) ^ 8u;
                    // The low nibble of a byte belongs to the smaller element and so comes first.
                    to[at.byte] = static_cast<uint8_t>(at.shift == 0 ? value : to[at.byte] | value << 4);
                }
                const uint16_t scale = load<uint16_t>(scales + 2 * b);
                store(panel + format.tail(p.tile, p.bl, b) + 2 * c, scale);
                for (size_t g = 0; g * weights < p.bl; ++g) {
                    int total = 0;
                    for (size_t e = 0; e < weights; ++e) {
                        const size_t element = element_of_group(kind, group, g, e);
                        total += static_cast<int>(nibble(b * p.bl + element)) - 8;
                    }
                    sum = add_scaled(sum, total, kai_cast_f32_bf16(scale));
                }
            }
            store(sums + 4 * c, sum);
        }
    }
}

}  // namespace
}  // namespace kai
