// RHS packers of 4-bit sources with blocks (N x K: a row of the source is a column of the product): scalar.
// A packer is a combination of
//
//   Nibbles  where the source keeps element i of a block
//   flip     XOR of every nibble: 8 makes an unsigned nibble a signed one
//   format   where elements and fields go (layout.hpp)
//
// and of one of two families of sources: records (scale and nibbles of a block together) and arrays (nibbles, zeros,
// scales and bias apart). The scalar packer is the specification; pack_rhs_blocks_neon.hpp gives the same bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/pack_rhs_rules.hpp"

namespace kai {
namespace {

/// @name Nibbles: element i of a block of bl
///
/// `swap`: a byte of the format holds the two elements of a byte of the source the other way round.
/// @{

/// Byte j: element j (low) and j + bl / 2 (high).
struct NibblesHalves {
    static constexpr bool swap = false, halves = true;
    KAI_INLINE static unsigned get(const uint8_t* src, size_t bl, size_t i) {
        return i < bl / 2 ? src[i] & 15u : src[i - bl / 2] >> 4;
    }
};

/// Byte j: element 2j (low) and 2j + 1 (high).
struct NibblesEvenLow {
    static constexpr bool swap = false, halves = false;
    KAI_INLINE static unsigned get(const uint8_t* src, size_t, size_t i) {
        return i % 2 == 0 ? src[i / 2] & 15u : src[i / 2] >> 4;
    }
};

/// Byte j: element 2j (high) and 2j + 1 (low).
struct NibblesEvenHigh {
    static constexpr bool swap = true, halves = false;
    KAI_INLINE static unsigned get(const uint8_t* src, size_t, size_t i) {
        return i % 2 == 0 ? src[i / 2] >> 4 : src[i / 2] & 15u;
    }
};
/// @}

/// n columns of k / bl blocks.
struct RhsPack {
    size_t n, k, bl;
    Tile tile;
    const uint8_t* rhs;  // columns are dense: k / bl blocks, one after another
    void* packed;

    size_t blocks = k == 0 ? 0 : k / bl;
    size_t panels = (n + tile.rows - 1) / tile.rows;

    /// The column that stands at place c of a panel: those that the last panel lacks repeat column n - 1.
    KAI_INLINE size_t column(size_t panel, size_t c) const {
        const size_t at = panel * tile.rows + c;
        return at < n ? at : n - 1;
    }
};

KAI_INLINE RhsPack rhs_pack(const kai_rhs_call& c) {
    return {c.n, c.k, c.bl, {c.nr, c.kr, c.sr}, bytes(c.rhs), c.packed};
}

/// What stands beside the nibbles in the arrays family.
struct RhsArrays {
    const uint8_t *zero, *scale;  // f32 [n][k / bl]
    const uint8_t* bias;          // f32 [n] or NULL
};

/// @name How the arrays family stores what stands beside the nibbles
/// @{

/// Zeros, scales and bias as they are; columns that do not exist have no bias.
struct PlainArrays {
    static constexpr bool sixteenths = false, repeat_bias = false;
};

/// Scales / 16, for kernels that multiply with 16 times the weights; columns that do not exist repeat the last one.
struct SixteenthArrays {
    static constexpr bool sixteenths = true, repeat_bias = true;
};

/// The bits of an f32, copied or divided by 16.
template <bool sixteenth>
KAI_INLINE uint32_t scale_bits(const uint8_t* src) {
    if constexpr (sixteenth) {
        const float sixteenth_of_it = load<float>(src) * 0.0625F;
        return load<uint32_t>(&sixteenth_of_it);
    } else {
        return load<uint32_t>(src);
    }
}
/// @}

/// @name How the records family stores scales, and what columns that do not exist become
/// @{

/// Scales as they are; missing columns repeat the last one.
struct PlainRecords {
    static constexpr bool sixteenths = false, zero_missing = false;
};

/// Scales as they are; missing columns are zero.
struct ZeroPaddedRecords {
    static constexpr bool sixteenths = false, zero_missing = true;
};

/// Scales / 16, for kernels that multiply with 16 times the weights; missing columns are zero.
struct SixteenthRecords {
    static constexpr bool sixteenths = true, zero_missing = true;
};

/// The bits of an f16, copied or divided by 16 (rounded to nearest even).
template <bool sixteenth>
KAI_INLINE uint16_t f16_scale_bits(const uint8_t* src) {
    const uint16_t bits = load<uint16_t>(src);
    return sixteenth ? kai_cast_f16_f32(kai_cast_f32_f16(bits) * 0.0625F) : bits;
}
/// @}

/// The nibbles of one block of one column.
template <const Format& format, typename Nibbles, unsigned flip>
KAI_INLINE void pack_nibbles_scalar(Tile t, size_t bl, size_t c, const uint8_t* src, uint8_t* dst) {
    for (size_t i = 0; i < bl; ++i) {
        const unsigned nibble = Nibbles::get(src, bl, i) ^ flip;
        const auto at = format.at(t, bl, c, i);
        // The low nibble of a byte belongs to the smaller i and so comes first.
        dst[at.byte] = static_cast<uint8_t>(at.shift == 0 ? nibble : dst[at.byte] | nibble << 4);
    }
}

/// Zeros for the places of the last panel that have no column.
template <const Format& format>
void zero_missing_columns(const RhsPack& p) {
    const size_t group = format.group_size(p.tile), first = p.n % p.tile.rows;
    if (first == 0) {
        return;
    }
    uint8_t* panel = bytes(p.packed, (p.panels - 1) * format.stride(p.tile, p.k, p.bl));
    for (size_t b = 0; b < p.blocks; ++b) {
        uint8_t *to = panel + format.elements(p.tile, p.bl, b), *head = panel + format.head(p.tile, p.k, p.bl, b);
        for (size_t c = first; c < p.tile.rows; ++c) {
            store(head + 2 * c, uint16_t{0});
        }
        for (size_t at = 0; at < format.element_bytes(p.tile, p.bl); at += p.tile.rows * group) {
            for (size_t i = first * group; i < p.tile.rows * group; ++i) {
                to[at + i] = 0;
            }
        }
    }
}

/// Source: records of an f16 scale and bl / 2 bytes. The scale goes to the block head.
template <const Format& format, typename Nibbles, unsigned flip, class Records>
void pack_rhs_records_scalar(const RhsPack& p) {
    const size_t record = 2 + p.bl / 2;
    for (size_t i = 0; i < p.panels; ++i) {
        uint8_t* panel = bytes(p.packed, i * format.stride(p.tile, p.k, p.bl));
        for (size_t c = 0; c < p.tile.rows; ++c) {
            const uint8_t* src = p.rhs + p.column(i, c) * p.blocks * record;
            for (size_t b = 0; b < p.blocks; ++b, src += record) {
                store(panel + format.head(p.tile, p.k, p.bl, b) + 2 * c, f16_scale_bits<Records::sixteenths>(src));
                pack_nibbles_scalar<format, Nibbles, flip>(
                    p.tile, p.bl, c, src + 2, panel + format.elements(p.tile, p.bl, b));
            }
        }
    }
    if constexpr (Records::zero_missing) {
        zero_missing_columns<format>(p);
    }
}

/// The bias at the end of panel i.
template <const Format& format, class Arrays>
KAI_INLINE void pack_bias(const RhsPack& p, const RhsArrays& arrays, size_t i, uint8_t* panel) {
    uint8_t* dst = panel + format.panel_end(p.tile, p.k, p.bl);
    for (size_t c = 0; c < p.tile.rows; ++c) {
        const size_t column = Arrays::repeat_bias ? p.column(i, c) : i * p.tile.rows + c;
        store(dst + 4 * c, arrays.bias && column < p.n ? load<uint32_t>(arrays.bias + 4 * column) : 0u);
    }
}

/// Zero and scale of block b of a column to place c of the block's tail.
template <const Format& format, class Arrays>
KAI_INLINE void pack_zero_scale(
    const RhsPack& p, const RhsArrays& arrays, size_t column, size_t b, size_t c, uint8_t* panel) {
    uint8_t* tail = panel + format.tail(p.tile, p.bl, b) + 4 * c;
    const size_t at = 4 * (column * p.blocks + b);
    store(tail, load<uint32_t>(arrays.zero + at));
    store(tail + 4 * p.tile.rows, scale_bits<Arrays::sixteenths>(arrays.scale + at));
}

/// Source: bl / 2 bytes a block; zeros, scales and bias in arrays.
template <const Format& format, typename Nibbles, unsigned flip, class Arrays>
void pack_rhs_arrays_scalar(const RhsPack& p, const RhsArrays& arrays) {
    for (size_t i = 0; i < p.panels; ++i) {
        uint8_t* panel = bytes(p.packed, i * format.stride(p.tile, p.k, p.bl));
        for (size_t c = 0; c < p.tile.rows; ++c) {
            const size_t column = p.column(i, c);
            for (size_t b = 0; b < p.blocks; ++b) {
                pack_nibbles_scalar<format, Nibbles, flip>(
                    p.tile, p.bl, c, p.rhs + (column * p.blocks + b) * (p.bl / 2),
                    panel + format.elements(p.tile, p.bl, b));
                pack_zero_scale<format, Arrays>(p, arrays, column, b, c, panel);
            }
        }
        pack_bias<format, Arrays>(p, arrays, i, panel);
    }
}

}  // namespace
}  // namespace kai
