// RHS packers of 4-bit and 8-bit sources with blocks: scalar. What a packer does is data (BlocksKind); where elements
// and fields go follows from the format (layout.hpp), and so does what the fields are:
//
//     block head of 2 bytes   f16 scale. The source is N x K, of records: a scale, then the elements of a block
//     block tail of 8 bytes   f32 zero, f32 scale, from arrays; after the panel the bias
//     block tail of 2 bytes   bf16 scale (or a 16th of it, cut off), from an array; after the panel the sum of a
//                             column's weights and the bias
//
//     sum = fma(float(sum of the weights of a group), scale of the block, sum)    blocks ascending, groups ascending
//
// The product is exact (8 bits of a bf16 times a small integer): only the sum is rounded.
// The scalar packer is the specification; the NEON packers give the same bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/pack_rhs_rules.hpp"

namespace kai {
namespace {

/// Where an N x K source has element i of a block of bl.
enum class Order : uint8_t {
    bytes,      ///< a byte is an element
    halves,     ///< byte j: elements j (low nibble) and j + bl / 2 (high)
    even_low,   ///< byte j: elements 2j (low) and 2j + 1
    even_high,  ///< byte j: elements 2j (high) and 2j + 1
};

/// What a block has besides its elements.
enum class Fields : uint8_t { scale_in_record, zero_and_scale, scale_and_sum };

/// What a packer does.
struct BlocksKind {
    const Format& format;
    Order order;
    uint8_t flip;             ///< XOR of every element: 8 makes an unsigned nibble a signed one
    bool zeros = false;       ///< missing columns of the last panel are zero, and not what column n - 1 is
    bool sixteenths = false;  ///< scales are stored / 16, for kernels that multiply with 16 times the weights
    bool no_bias = false;     ///< missing columns have none
    /// A row of the source is an element of each column, columns 2j (low nibble) and 2j + 1 in a byte.
    bool kxn = false;
    /// Sums are of groups that are stored together: the low nibbles of a group of bytes, then the high ones; else of 32
    /// consecutive weights.
    bool packed_groups = false;
    bool repeats = false;  ///< K x N: missing columns are what column n - 1 is, also where that is an odd number

    constexpr Fields fields() const {
        return format.block_head != 0   ? Fields::scale_in_record
               : format.block_tail == 8 ? Fields::zero_and_scale
                                        : Fields::scale_and_sum;
    }
};

/// n columns of k / bl blocks.
struct RhsBlocks {
    const BlocksKind& kind;
    Fields fields_are;
    size_t n, k, bl;
    Tile tile;
    const uint8_t* rhs;
    size_t rhs_stride;            // bytes, of a column (N x K) or of a row of the source (K x N)
    size_t block_step;            // N x K: from a block of a column to the next one
    const uint8_t *zero, *scale;  // arrays: of the blocks of a column side by side,
    size_t scale_stride;          // columns this many bytes apart,
    size_t scale_step;            // bf16: blocks this many
    const uint8_t* bias;          // f32 [n] or NULL
    uint8_t* packed;

    size_t blocks = k == 0 ? 0 : k / bl;
    size_t places = (n + tile.rows - 1) / tile.rows * tile.rows;
    size_t group = kind.format.group_size(tile);
    // Positions in a panel, and distances from block to block.
    size_t element_bytes = kind.format.element_bytes(tile, bl), block_bytes = kind.format.block_bytes(tile, bl);
    bool apart = kind.format.fields_last;
    size_t elements = apart ? 0 : tile.rows * kind.format.block_head;
    size_t fields = apart ? blocks * element_bytes : records() ? 0 : element_bytes;
    size_t step = apart ? element_bytes : block_bytes;
    size_t field_step = apart ? block_bytes - element_bytes : block_bytes;
    size_t end = blocks * block_bytes, stride = end + tile.rows * kind.format.panel_tail;

    KAI_INLINE bool records() const {
        return fields_are == Fields::scale_in_record;
    }
    KAI_INLINE bool sums() const {
        return fields_are == Fields::scale_and_sum;
    }
    /// The column that is at place `at`, counted from the first panel's first: missing ones repeat column n - 1.
    KAI_INLINE size_t column(size_t at) const {
        return at < n ? at : n - 1;
    }
};

/// fields: those of the kind; a constant where the compiler can know it.
KAI_INLINE RhsBlocks rhs_blocks(const BlocksKind& kind, Fields fields, const kai_rhs_call& c) {
    const size_t blocks = c.k == 0 ? 0 : c.k / c.bl;
    const size_t block = (fields == Fields::scale_in_record ? 2 : 0) + c.bl * kind.format.bits / 8;
    const bool sums = fields == Fields::scale_and_sum;
    RhsBlocks p = {
        kind,
        fields,
        c.n,
        c.k,
        c.bl,
        {c.nr, c.kr, c.sr},
        bytes(c.rhs),
        sums ? c.rhs_stride : blocks * block,
        block,
        bytes(c.zero),
        bytes(c.scale),
        sums ? c.scale_stride : 4 * blocks,
        c.scale_step,
        bytes(c.bias),
        bytes(c.packed)};
    p.stride = c.panel_stride != 0 ? c.panel_stride : p.stride;
    return p;
}

/// Element i of block b of the column at place `at`.
KAI_INLINE unsigned source_element(const RhsBlocks& p, size_t at, size_t b, size_t i) {
    const BlocksKind& kind = p.kind;
    if (kind.kxn) {
        // Missing columns take the byte of column n - 1, and of its nibbles the one of their own parity (or its own).
        const unsigned byte = p.rhs[(b * p.bl + i) * p.rhs_stride + p.column(at) / 2];
        const size_t parity = (kind.repeats ? p.column(at) : at) % 2;
        return kind.zeros && at >= p.n ? 8 : parity == 0 ? byte & 15U : byte >> 4;
    }
    const uint8_t* src = p.rhs + p.column(at) * p.rhs_stride + b * p.block_step + (p.records() ? 2 : 0);
    if (kind.order == Order::bytes) {
        return src[i];
    }
    const size_t half = p.bl / 2;
    const bool second = kind.order == Order::halves ? i >= half : i % 2 != 0;
    const unsigned byte = src[kind.order == Order::halves ? i % half : i / 2];
    return second != (kind.order == Order::even_high) ? byte >> 4 : byte & 15U;
}

/// Element e of group g of a block, of those that are added as integers.
KAI_INLINE size_t element_of_group(const RhsBlocks& p, size_t g, size_t e) {
    if (!p.kind.packed_groups) {
        return g * 32 + e;
    }
    const size_t d = p.kind.format.nibble_distance, byte = g * p.group + e % p.group;
    return byte / d * (2 * d) + byte % d + e / p.group * d;
}

/// sum + weights * scale, rounded once on every host: a double holds the product exactly, and 53 bits are enough for
/// the second rounding to be innocuous.
KAI_INLINE float add_scaled(float sum, int weights, float scale) {
    return static_cast<float>(static_cast<double>(sum) + static_cast<double>(weights) * static_cast<double>(scale));
}

/// The bits of an f32, or of a 16th of it.
KAI_INLINE uint32_t scale_bits(bool sixteenths, const uint8_t* src) {
    const float sixteenth = load<float>(src) * 0.0625F;
    return sixteenths ? load<uint32_t>(&sixteenth) : load<uint32_t>(src);
}

/// What is after the last block of each panel: sums (zero, so far), the bias.
[[gnu::noinline, maybe_unused]] void pack_panel_ends(const BlocksKind& kind, const kai_rhs_call& c) {
    const RhsBlocks p = rhs_blocks(kind, kind.fields(), c);
    struct Four {
        uint32_t v[4];
    };
    uint8_t* to = p.packed + p.end;
    for (size_t first = 0; first < p.places; first += p.tile.rows, to += p.stride) {
        const size_t exist = p.n - first < p.tile.rows ? p.n - first : p.tile.rows;
        uint8_t* bias = p.sums() ? to + 4 * p.tile.rows : to;
        size_t c = 0;
        for (; c + 4 <= exist && p.bias != nullptr; c = opaque(c + 4)) {  // not for the compiler to vectorise
            store(to + 4 * c, Four{});
            store(bias + 4 * c, load<Four>(p.bias + 4 * (first + c)));
        }
        for (; c < p.tile.rows; c = opaque(c + 1)) {
            store(to + 4 * c, 0U);
            const bool none = p.bias == nullptr || (kind.no_bias && c >= exist);
            store(bias + 4 * c, none ? 0U : load<uint32_t>(p.bias + 4 * (first + (c < exist ? c : exist - 1))));
        }
    }
}

/// Adds the weights of a block to a sum.
KAI_INLINE float add_block(const RhsBlocks& p, size_t at, size_t b, float scale, float sum) {
    const size_t weights = p.kind.packed_groups ? 2 * p.group : 32;
    for (size_t g = 0; g * weights < p.bl; ++g) {
        int total = 0;
        for (size_t e = 0; e < weights; ++e) {
            total += static_cast<int>(source_element(p, at, b, element_of_group(p, g, e))) - 8;
        }
        sum = add_scaled(sum, total, scale);
    }
    return sum;
}

[[gnu::noinline, maybe_unused]] void pack_rhs_blocks_scalar(const BlocksKind& kind, const kai_rhs_call& call) {
    const RhsBlocks p = rhs_blocks(kind, kind.fields(), call);
    const Format& format = p.kind.format;
    uint8_t* panel = p.packed;
    for (size_t first = 0; first < p.places; first += p.tile.rows, panel += p.stride) {
        for (size_t c = 0; c < p.tile.rows; ++c) {
            float sum = 0.0F;
            for (size_t b = 0; b < p.blocks; ++b) {
                uint8_t *to = panel + p.elements + b * p.step, *fields = panel + p.fields + b * p.field_step;
                for (size_t i = 0; i < p.bl; ++i) {
                    const unsigned element = source_element(p, first + c, b, i) ^ p.kind.flip;
                    const auto at = format.at(p.tile, p.bl, c, i);
                    // The low nibble of a byte belongs to the smaller i and so comes first. A whole byte has no shift.
                    to[at.byte] = static_cast<uint8_t>(at.shift == 0 ? element : to[at.byte] | element << 4);
                }
                const size_t column = p.column(first + c);
                if (p.records()) {
                    uint16_t bits = load<uint16_t>(p.rhs + column * p.rhs_stride + b * p.block_step);
                    if (p.kind.sixteenths) {
                        bits = kai_cast_f16_f32(kai_cast_f32_f16(bits) * 0.0625F);
                    }
                    store(fields + 2 * c, bits);
                } else if (p.sums()) {
                    const uint16_t bits = load<uint16_t>(p.scale + column * p.scale_stride + b * p.scale_step);
                    const float scale = kai_cast_f32_bf16(bits), sixteenth = scale * 0.0625F;
                    const auto cut_off = static_cast<uint16_t>(load<uint32_t>(&sixteenth) >> 16);
                    store(fields + 2 * c, p.kind.sixteenths ? cut_off : bits);
                    sum = add_block(p, first + c, b, scale, sum);
                } else {
                    const size_t from = column * p.scale_stride + 4 * b;
                    store(fields + 4 * c, load<uint32_t>(p.zero + from));
                    store(fields + 4 * (p.tile.rows + c), scale_bits(p.kind.sixteenths, p.scale + from));
                }
            }
            if (p.sums()) {
                store(panel + p.end + 4 * c, sum);
            }
        }
    }
}

constexpr kai_rhs_rules blocks_rules(const char* name, const BlocksKind& kind) {
    kai_rhs_rules rules = rhs_rules(name, kind.format, true);
    rules.bias = rules.scale = kind.fields() != Fields::scale_in_record;
    rules.zero = kind.fields() == Fields::zero_and_scale;
    rules.params = KAI_RHS_PARAMS_1_8;
    if (kind.fields() == Fields::scale_and_sum) {
        rules.block_scale = sizeof(uint16_t);
        rules.stride_bits = 4;
        rules.kxn = kind.kxn;
        rules.params = KAI_RHS_PARAMS_1_8_BF16;
    }
    return rules;
}

/// For NEON and SVE.
constexpr kai_rhs_rules up_to_8_rules(const char* name, const BlocksKind& kind) {
    kai_rhs_rules rules = blocks_rules(name, kind);
    rules.sr = 2;
    rules.kr_multiple = 2;
    rules.kr_max = 16;
    return rules;
}

/// For kernels with one kr / sr, `group`, or any.
constexpr kai_rhs_rules group_rules(
    const char* name, const BlocksKind& kind, uint8_t min, uint8_t max, uint8_t group = 0, uint8_t kr = 0,
    uint16_t bl_max = 0) {
    kai_rhs_rules rules = blocks_rules(name, kind);
    rules.nr_multiple = kind.fields() == Fields::scale_in_record ? 0 : 4;
    set_groups(rules, min, max, group);
    rules.kr = kr;
    rules.bl_max = bl_max;
    return rules;
}

/// A packer. Where panels have a multiple of four columns, it has a walk over panels, and loops for groups of 2, 4 and
/// 8 bytes, on AArch64. All are pointers, so that a program links only those of its packers.
template <class Pack>
struct BlocksPacker {
    const BlocksKind& kind;
    void (*walk)(const BlocksKind&, const kai_rhs_call&, Pack*) = nullptr;
    Pack *by_2 = nullptr, *by_4 = nullptr, *by_8 = nullptr;

    /// Whether there was a loop for the call.
    KAI_INLINE bool pack_by_loop(const kai_rhs_call& c) const {
        const size_t group = kind.format.group_size({c.nr, c.kr, c.sr});
        Pack* loop = group == 2 ? by_2 : group == 4 ? by_4 : group == 8 ? by_8 : nullptr;
        if (c.nr % 4 != 0 || c.bl % 32 != 0 || loop == nullptr) {
            return false;
        }
        walk(kind, c, loop);
        return true;
    }
};

template <class Pack>
[[gnu::noinline]] void pack_checked(const BlocksPacker<Pack>& packer, const kai_rhs_call& c) {
    if (packer.kind.format.panel_tail != 0) {
        pack_panel_ends(packer.kind, c);
    }
    if (!packer.pack_by_loop(c)) {
        pack_rhs_blocks_scalar(packer.kind, c);
    }
}

template <class Pack>
void check_and_pack(const kai_rhs_rules& rules, const BlocksPacker<Pack>& packer, const kai_rhs_call& c) {
    kai_check_rhs_call(&rules, &c);
    pack_checked(packer, c);
}

}  // namespace
}  // namespace kai
