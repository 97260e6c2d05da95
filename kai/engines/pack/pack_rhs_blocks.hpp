// RHS packers of 4-bit and 8-bit sources with blocks (N x K: a row of the source is a column of the product): scalar.
// A packer is a combination of
//
//   Nibbles  where the source keeps element i of a block
//   flip     XOR of every nibble: 8 makes an unsigned nibble a signed one
//   format   where elements and fields go (layout.hpp)
//
// and of one of two families of sources: records (scale and nibbles of a block together) and arrays (nibbles, zeros,
// scales and bias apart). The scalar packer is the specification; pack_neon_rhs_blocks.hpp gives the same bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_rhs_rules.hpp"

namespace kai {
namespace {

/// @name Nibbles: element i of a block of bl
///
/// `swap`: a byte of the format holds the two elements of a byte of the source the other way round.
/// @{

/// No nibbles: a byte is an element.
struct WholeBytes {
    static constexpr bool swap = false, halves = false;
    static unsigned get(const uint8_t* src, size_t, size_t i) {
        return src[i];
    }
};

/// Byte j: element j (low) and j + bl / 2 (high).
struct NibblesHalves {
    static constexpr bool swap = false, halves = true;
    static unsigned get(const uint8_t* src, size_t bl, size_t i) {
        return i < bl / 2 ? src[i] & 15u : src[i - bl / 2] >> 4;
    }
};

/// Byte j: element 2j (low) and 2j + 1 (high).
struct NibblesEvenLow {
    static constexpr bool swap = false, halves = false;
    static unsigned get(const uint8_t* src, size_t, size_t i) {
        return i % 2 == 0 ? src[i / 2] & 15u : src[i / 2] >> 4;
    }
};

/// Byte j: element 2j (high) and 2j + 1 (low).
struct NibblesEvenHigh {
    static constexpr bool swap = true, halves = false;
    static unsigned get(const uint8_t* src, size_t, size_t i) {
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

    /// The column that is at position c of a panel: those that the last panel lacks repeat column n - 1.
    KAI_INLINE size_t column(size_t panel, size_t c) const {
        const size_t at = panel * tile.rows + c;
        return at < n ? at : n - 1;
    }
};

KAI_INLINE RhsPack rhs_pack(const kai_rhs_call& c) {
    return {c.n, c.k, c.bl, {c.nr, c.kr, c.sr}, bytes(c.rhs), c.packed};
}

/// What is stored with the nibbles in the arrays family.
struct RhsArrays {
    const uint8_t *zero, *scale;  // f32 [n][k / bl]
    const uint8_t* bias;          // f32 [n] or NULL
};

/// @name How the arrays family stores zeros, scales and bias
/// @{

/// Zeros, scales and bias unchanged; missing columns have no bias.
struct PlainArrays {
    static constexpr bool sixteenths = false, repeat_bias = false;
};

/// Scales / 16, for kernels that multiply with 16 times the weights; missing columns repeat the last one.
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

/// @name How the records family stores scales, and what missing columns become
/// @{

/// Scales unchanged; missing columns repeat the last one.
struct PlainRecords {
    static constexpr bool sixteenths = false, zero_missing = false;
};

/// Scales unchanged; missing columns are zero.
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

/// The elements of one block of one column. `get`: of a struct of Nibbles.
using GetNibble = unsigned(const uint8_t* src, size_t bl, size_t i);
KAI_INLINE void pack_elements_scalar(
    const Format& format, GetNibble* get, unsigned flip, const RhsPack& p, size_t c, const uint8_t* src, uint8_t* dst) {
    for (size_t i = 0; i < p.bl; ++i) {
        const unsigned element = get(src, p.bl, i) ^ flip;
        const auto at = format.at(p.tile, p.bl, c, i);
        // The low nibble of a byte belongs to the smaller i and so comes first. A whole byte has no shift.
        dst[at.byte] = static_cast<uint8_t>(at.shift == 0 ? element : dst[at.byte] | element << 4);
    }
}

/// Zeros for the places of the last panel that have no column.
[[gnu::noinline, maybe_unused]] void zero_missing_columns(const Format& format, const RhsPack& p) {
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

/// Source: records of an f16 scale and the elements of a block. The scale goes to the block head.
[[gnu::noinline, maybe_unused]] void pack_rhs_records_scalar(
    const Format& format, GetNibble* get, unsigned flip, bool sixteenths, const RhsPack& p) {
    const size_t record = 2 + p.bl * format.bits / 8;
    for (size_t i = 0; i < p.panels; ++i) {
        uint8_t* panel = bytes(p.packed, i * format.stride(p.tile, p.k, p.bl));
        for (size_t c = 0; c < p.tile.rows; ++c) {
            const uint8_t* src = p.rhs + p.column(i, c) * p.blocks * record;
            for (size_t b = 0; b < p.blocks; ++b, src += record) {
                const uint16_t scale = sixteenths ? f16_scale_bits<true>(src) : f16_scale_bits<false>(src);
                store(panel + format.head(p.tile, p.k, p.bl, b) + 2 * c, scale);
                pack_elements_scalar(format, get, flip, p, c, src + 2, panel + format.elements(p.tile, p.bl, b));
            }
        }
    }
}

/// The bias of the panel whose first column is `first`. repeat: missing columns have that of column n - 1.
KAI_INLINE void pack_bias(const RhsPack& p, const uint8_t* bias, bool repeat, size_t first, uint8_t* dst) {
    for (size_t at = first; at < first + p.tile.rows; ++at, dst += 4) {
        const size_t column = repeat && at >= p.n ? p.n - 1 : at;
        store(dst, bias != nullptr && column < p.n ? load<uint32_t>(bias + 4 * column) : 0u);
    }
}

/// Source: bl / 2 bytes a block; zeros, scales and bias in arrays.
[[gnu::noinline, maybe_unused]] void pack_rhs_arrays_scalar(
    const Format& format, GetNibble* get, unsigned flip, bool sixteenths, bool repeat_bias, const RhsPack& p,
    const RhsArrays& arrays) {
    for (size_t i = 0; i < p.panels; ++i) {
        uint8_t* panel = bytes(p.packed, i * format.stride(p.tile, p.k, p.bl));
        for (size_t c = 0; c < p.tile.rows; ++c) {
            for (size_t b = 0; b < p.blocks; ++b) {
                const size_t block = p.column(i, c) * p.blocks + b;
                const uint8_t *src = p.rhs + block * (p.bl / 2), *scale = arrays.scale + 4 * block;
                uint8_t* tail = panel + format.tail(p.tile, p.bl, b) + 4 * c;
                pack_elements_scalar(format, get, flip, p, c, src, panel + format.elements(p.tile, p.bl, b));
                store(tail, load<uint32_t>(arrays.zero + 4 * block));
                store(tail + 4 * p.tile.rows, sixteenths ? scale_bits<true>(scale) : scale_bits<false>(scale));
            }
        }
        pack_bias(p, arrays.bias, repeat_bias, i * p.tile.rows, panel + format.panel_end(p.tile, p.k, p.bl));
    }
}

}  // namespace
}  // namespace kai
