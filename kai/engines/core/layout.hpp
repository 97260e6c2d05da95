// The packed formats: one constexpr description each, used by the getters, the packers, the kernels and the tests.
// docs/formats.md draws them.
//
// A packed matrix is a sequence of panels of `rows` rows (mr rows of the LHS, nr columns of the RHS):
//
//     | panel head | block 0 | block 1 | ... | panel tail |
//     block: | block head | elements | block tail |
//
// Each head and tail is a fixed number of bytes per row. The elements of a block are interleaved: `group` consecutive
// ones of row 0, then of row 1, and so on. Where `fields_last` is set, the elements of all blocks come first and the
// block heads of all blocks follow them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

namespace kai {
namespace {

/// Blocking of a packed side: panel height, and kr and sr as the kernel's getters return them.
struct Tile {
    size_t rows, kr, sr;
};

/// The depth of an indirect matmul.
struct Chunks {
    size_t count, length;
};

struct Format {
    // How many consecutive elements (bits >= 8) or bytes (bits < 8) of a row are stored together.
    enum Group { kr_over_sr, kr, half_kr, two, one };

    const char* name;
    unsigned bits;  // of an element
    Group group;
    unsigned nibble_distance = 0;  // bits < 8: a byte holds elements i (lowest), i + this, ...; 0 means half a block
    unsigned block_head = 0, block_tail = 0, panel_head = 0, panel_tail = 0;  // bytes per row
    bool fields_last = false;
    unsigned k_multiple = 0;   // formats without blocks pad k to a multiple of this; 0 means the group
    unsigned block = 0;        // the only length of a block, which functions do not ask for; k is a multiple of it
    bool table = false;        // nibbles are indices of a table of 16 int8 at the start of every panel
    bool bf16_scales = false;  // of such formats: scales of blocks are bf16, not f16
    bool wide_planes = false;  // of such elements: a plane has all columns of the panel, not four (superblocks.hpp)

    /// @name The same format with another field
    /// @{
#define KAI_WITH(NAME, FIELD)                     \
    constexpr Format NAME(unsigned value) const { \
        Format f = *this;                         \
        f.FIELD = value;                          \
        return f;                                 \
    }
    KAI_WITH(nibbles_apart, nibble_distance)
    KAI_WITH(before_block, block_head)
    KAI_WITH(after_block, block_tail)
    KAI_WITH(before_panel, panel_head)
    KAI_WITH(after_panel, panel_tail)
    KAI_WITH(k_up_to_multiple_of, k_multiple)
    KAI_WITH(in_blocks_of, block)
#undef KAI_WITH
    /// The heads of all blocks follow the elements of all blocks.
    constexpr Format after_all_blocks(unsigned bytes_per_row) const {
        Format f = before_block(bytes_per_row);
        f.fields_last = true;
        return f;
    }
    /// The nibbles of 32 elements are in 16 bytes, those of the first half the low ones. A panel starts with the table,
    /// then zeros: 4 bytes a column.
    constexpr Format by_table() const {
        Format f = nibbles_apart(16).before_panel(4);
        f.table = true;
        return f;
    }
    constexpr Format with_bf16_scales() const {
        Format f = *this;
        f.bf16_scales = true;
        return f;
    }
    constexpr Format in_wide_planes() const {
        Format f = *this;
        f.wide_planes = true;
        return f;
    }
    /// @}

    KAI_INLINE constexpr size_t group_size(Tile t) const {
        return group == one ? 1 : group == two ? 2 : group == half_kr ? t.kr / 2 : group == kr ? t.kr : t.kr / t.sr;
    }
    /// Depth as stored, of formats whose functions take no bl.
    KAI_INLINE constexpr size_t padded(Tile t, size_t k) const {
        if (block != 0) {
            return k;
        }
        const bool no_group = group == kr_over_sr && t.sr == 0;
        const size_t multiple = k_multiple != 0 ? k_multiple : no_group ? 0 : group_size(t);
        return multiple == 0 ? k : (k + multiple - 1) / multiple * multiple;
    }
    KAI_INLINE constexpr size_t element_bytes(Tile t, size_t count) const {
        return t.rows * (count * bits / 8);
    }
    KAI_INLINE constexpr size_t block_bytes(Tile t, size_t bl) const {
        return element_bytes(t, bl) + t.rows * (block_head + block_tail);
    }

    /// @name Safe for any argument, 0 included: no division by zero
    /// @{
    KAI_INLINE static constexpr size_t panels_before(Tile t, size_t row) {
        return t.rows == 0 ? 0 : row / t.rows;
    }
    KAI_INLINE static constexpr size_t panels_of(Tile t, size_t count) {
        return t.rows == 0 ? 0 : (count + t.rows - 1) / t.rows;
    }
    /// A partial block counts as one.
    KAI_INLINE static constexpr size_t blocks_of(size_t k, size_t bl) {
        return bl == 0 ? 0 : (k + bl - 1) / bl;
    }
    /// @}

    /// @name With blocks of bl. Formats whose blocks have no fields do not depend on it.
    /// @{
    KAI_INLINE constexpr size_t stride(Tile t, size_t k, size_t bl) const {
        return t.rows * (panel_head + panel_tail) +
               (block_head + block_tail == 0 ? element_bytes(t, k) : blocks_of(k, bl) * block_bytes(t, bl));
    }
    constexpr size_t offset(Tile t, size_t row, size_t k, size_t bl) const {
        return panels_before(t, row) * stride(t, k, bl);
    }
    constexpr size_t size(Tile t, size_t count, size_t k, size_t bl) const {
        return panels_of(t, count) * stride(t, k, bl);
    }
    /// @}

    /// @name Without blocks, or with blocks of one length
    /// @{
    KAI_INLINE constexpr size_t stride(Tile t, size_t k) const {
        if (block != 0) {
            return stride(t, k, block);
        }
        return t.rows * (panel_head + panel_tail) + element_bytes(t, padded(t, k));
    }
    constexpr size_t offset(Tile t, size_t row, size_t k) const {
        return panels_before(t, row) * stride(t, k);
    }
    constexpr size_t size(Tile t, size_t count, size_t k) const {
        return panels_of(t, count) * stride(t, k);
    }
    /// @}

    /// Without blocks, k in `count` chunks of `length`, each padded on its own (indirect matmul).
    KAI_INLINE constexpr size_t stride(Tile t, Chunks c) const {
        return stride(t, c.count * padded(t, c.length));
    }

    /// @name Positions in a panel, in bytes from its start. b is the index of a block.
    /// @{
    constexpr size_t elements(Tile t, size_t bl, size_t b) const {
        return t.rows * panel_head +
               (fields_last ? b * element_bytes(t, bl) : b * block_bytes(t, bl) + t.rows * block_head);
    }
    /// The head of block b.
    constexpr size_t head(Tile t, size_t k, size_t bl, size_t b) const {
        return t.rows * panel_head +
               (fields_last ? element_bytes(t, k) + b * t.rows * block_head : b * block_bytes(t, bl));
    }
    /// The tail of block b. (No format has both fields_last and block tails.)
    constexpr size_t tail(Tile t, size_t bl, size_t b) const {
        return elements(t, bl, b) + element_bytes(t, bl);
    }
    /// The panel tail, with and without blocks.
    constexpr size_t panel_end(Tile t, size_t k, size_t bl) const {
        return stride(t, k, bl) - t.rows * panel_tail;
    }
    constexpr size_t panel_end(Tile t, size_t k) const {
        return stride(t, k) - t.rows * panel_tail;
    }
    /// @}

    /// Where element i of row r is in the elements of its block of bl: byte, and the shift within that byte. Not of
    /// elements in parts (bits is no divisor of 8).
    struct At {
        size_t byte;
        unsigned shift;
    };
    constexpr At at(Tile t, size_t bl, size_t r, size_t i) const {
        const size_t g = group_size(t);
        if (bits >= 8) {
            return {((i / g * t.rows + r) * g + i % g) * (bits / 8), 0};
        }
        const size_t d = nibble_distance ? nibble_distance : bl / 2;
        const size_t per_byte = 8 / bits;
        const size_t j = i / (per_byte * d) * d + i % d;  // byte of the row
        return {(j / g * t.rows + r) * g + j % g, bits * static_cast<unsigned>(i / d % per_byte)};
    }
};

/// Whether both are the same format: names are unique.
constexpr bool operator==(const Format& a, const Format& b) {
    const char *x = a.name, *y = b.name;
    while (*x == *y && *x != '\0') {
        ++x, ++y;
    }
    return *x == *y;
}

/// The largest k for which int32 sums over all of k cannot overflow: rows quantised as qai8dxp (|q - zero point| < 256)
/// times weights with a scale per channel. Formats with nibbles 16 apart sum 16 * weight. (qsu2: the table decides.)
constexpr size_t most_depth(const Format& f) {
    const size_t weight = f.bits == 8 || f.nibble_distance == 16 ? 128 : f.bits == 4 ? 8 : 1;
    return size_t{0x7FFFFFFF} / (255 * weight);
}

/// The weights of 2-bit formats unless the caller gives others.
inline constexpr int32_t kDefaultTable[4] = {-2, -1, 0, 1};

/// Whether blocks are of 32 k, though functions ask for their length.
constexpr bool has_blocks_of_32(const Format& f) {
    return f.table || (f.bits == 5 && f.block == 0);
}

/// @name The formats
/// @{
/// Before a block: f16 scale.
inline constexpr Format qsi8d32p = Format{"qsi8d32p", 8, Format::kr_over_sr}.before_block(2);
/// Before a block: f16 scale.
inline constexpr Format qsi8d32p_last = Format{"qsi8d32p_last", 8, Format::kr}.after_all_blocks(2);
/// After a block: f32 sums, f32 scales.
inline constexpr Format qsi8d32pscalef32 = Format{"qsi8d32pscalef32", 8, Format::kr_over_sr}.after_block(8);
/// After a block of 32: f16 sum of the quants times the scale, f16 scale.
inline constexpr Format qsi8d32psumf16 =
    Format{"qsi8d32psumf16", 8, Format::kr_over_sr}.in_blocks_of(32).after_block(4);
/// Before a block: f32 scale; sums of 32 elements each, 128 * high + low: 8 bytes high, 8 bytes low.
inline constexpr Format qsi8d256p = Format{"qsi8d256p", 8, Format::kr_over_sr}.in_blocks_of(256).before_block(20);
/// The same with sums of 16 elements each: 8 bytes high of the first eight sums, of the other eight; bytes low alike.
inline constexpr Format qsi8d16x256p = Format{"qsi8d16x256p", 8, Format::kr_over_sr}.in_blocks_of(256).before_block(36);
/// Before a block: f16 scale.
inline constexpr Format qsi8c32p = Format{"qsi8c32p", 8, Format::kr_over_sr}.before_block(2);
/// Before a super-block: f16 scale, 16 int8 scales of sub-blocks, [sub-block][column]. Elements: superblocks.hpp.
inline constexpr Format qsi6c16x256p = Format{"qsi6c16x256p", 6, Format::kr_over_sr}.in_blocks_of(256).before_block(18);
/// The same; a plane of elements has all columns of the panel, not four.
inline constexpr Format qsi6c16x256pnrx4 =
    Format{"qsi6c16x256pnrx4", 6, Format::kr_over_sr}.in_blocks_of(256).before_block(18).in_wide_planes();
/// Before a block: as qsi6c16x256p. Elements: superblocks.hpp.
inline constexpr Format qsi3c16x256p = Format{"qsi3c16x256p", 3, Format::kr_over_sr}.in_blocks_of(256).before_block(18);
/// The same; a plane of elements has all columns of the panel, not four.
inline constexpr Format qsi3c16x256pnrx4 =
    Format{"qsi3c16x256pnrx4", 3, Format::kr_over_sr}.in_blocks_of(256).before_block(18).in_wide_planes();
/// Before a block: f16 scale; signed nibbles.
inline constexpr Format qsi4c32p = Format{"qsi4c32p", 4, Format::kr_over_sr}.before_block(2);
/// Before a block: f16 scale; 2 bits: the weight + 1, for weights from -1 to 2.
inline constexpr Format qsi2c32p = Format{"qsi2c32p", 2, Format::kr_over_sr}.nibbles_apart(8).before_block(2);
/// Before a block: f16 scale; a bit: set for the weight 1, else -1.
inline constexpr Format qsi1c32p = Format{"qsi1c32p", 1, Format::one}.nibbles_apart(1).before_block(2);
/// Before the panel: 16 int8, the table, then zeros; before a block: f16 scale; indices of the table. Blocks of 32.
inline constexpr Format qlu4c32p = Format{"qlu4c32p", 4, Format::kr_over_sr}.by_table().before_block(2);
/// The same; before a block: bf16 scale.
inline constexpr Format qlu4c32pscalebf16 =
    Format{"qlu4c32pscalebf16", 4, Format::kr_over_sr}.by_table().before_block(2).with_bf16_scales();
/// The same; before a block: f16 scale of its first half, f16 scale of its second half.
inline constexpr Format qlu4c16p = Format{"qlu4c16p", 4, Format::kr_over_sr}.by_table().before_block(4);
/// Before a block: f16 d, f16 dmin, 8 minima of 32 elements each, 8 scales of them (by column: the first scale of all
/// columns, then the second).
inline constexpr Format qau4c32x256p =
    Format{"qau4c32x256p", 4, Format::kr_over_sr}.nibbles_apart(32).in_blocks_of(256).before_block(20);
/// The same; elements are 32 bytes of fifth bits per row, then nibbles as there.
inline constexpr Format qau5c32x256p = Format{"qau5c32x256p", 5, Format::kr_over_sr}.in_blocks_of(256).before_block(20);
/// Before a block: f16 d, f16 dmin, 16 bytes: in low nibbles scales of 16 elements each, [sub-block][column], in high
/// ones minima, ordered as those of qau4c32x256p.
inline constexpr Format qau2c16x256p =
    Format{"qau2c16x256p", 2, Format::kr_over_sr}.nibbles_apart(32).in_blocks_of(256).before_block(20);
/// Before the panel: as qlu4c32p; before a block: f16 d, 8 int8 scales of 32 elements each (as qau4c32x256p has them);
/// indices of the table.
inline constexpr Format qlu4c32x256p =
    Format{"qlu4c32x256p", 4, Format::kr_over_sr}.by_table().in_blocks_of(256).before_block(10);
/// The same; indices of neighbours along k share a byte.
inline constexpr Format qlu4c32x256ps1s0 =
    Format{"qlu4c32x256ps1s0", 4, Format::two}.by_table().nibbles_apart(1).in_blocks_of(256).before_block(10);
/// Before the panel: 16 int8, the table, then zeros; before a block: f16 scale; indices of the table. Blocks of 32.
inline constexpr Format qlu4c32ps1s0scalef16 =
    Format{"qlu4c32ps1s0scalef16", 4, Format::two}.by_table().nibbles_apart(1).after_all_blocks(2);
/// The same; before a block: bf16 scale.
inline constexpr Format qlu4c32ps1s0scalebf16 =
    Format{"qlu4c32ps1s0scalebf16", 4, Format::two}.by_table().nibbles_apart(1).after_all_blocks(2).with_bf16_scales();
/// The same; before a block: f16 scale of its first half, f16 scale of its second half.
inline constexpr Format qlu4c16ps1s0scalef16 =
    Format{"qlu4c16ps1s0scalef16", 4, Format::two}.by_table().nibbles_apart(1).after_all_blocks(4);
/// After a block: f32 zeros, f32 scales / 16; after the panel: f32 bias; signed nibbles.
inline constexpr Format qai4c32p =
    Format{"qai4c32p", 4, Format::kr_over_sr}.nibbles_apart(16).after_block(8).after_panel(4);
/// After a block of 32: f16 minima, f16 scales. Elements: five_bits.hpp.
inline constexpr Format qau5c32p = Format{"qau5c32p", 5, Format::kr_over_sr}.after_block(4);
/// After a block: f32 zeros, f32 scales; after the panel: f32 bias.
inline constexpr Format qai4c32ps1s0nrx4 =
    Format{"qai4c32ps1s0nrx4", 4, Format::two}.nibbles_apart(1).after_block(8).after_panel(4);
/// After a block of 32: f16 minima, f16 scales, each of the panel's left and right half in turn.
inline constexpr Format qai4c32ps1s0sf16 =
    Format{"qai4c32ps1s0sf16", 4, Format::two}.nibbles_apart(1).in_blocks_of(32).after_block(4);
/// After a block: bf16 scale; after the panel: f32 sum of the weights, f32 bias; signed nibbles.
inline constexpr Format qsi4c32pbf16 =
    Format{"qsi4c32pbf16", 4, Format::kr_over_sr}.nibbles_apart(16).after_block(2).after_panel(8);
/// After a block: bf16 scale; after the panel: f32 sum of the weights, f32 bias; signed nibbles.
inline constexpr Format qsi4c32ps1s0 =
    Format{"qsi4c32ps1s0", 4, Format::two}.nibbles_apart(1).after_block(2).after_panel(8);
/// After a block: bf16 scale / 16; after the panel: f32 sum of the weights, f32 bias; signed nibbles.
inline constexpr Format qsi4c32ps4s0sbf16 =
    Format{"qsi4c32ps4s0sbf16", 4, Format::kr_over_sr}.nibbles_apart(4).after_block(2).after_panel(8);
/// After the panel: int32 minus the zero point, f32 scale.
inline constexpr Format qai8dxp = Format{"qai8dxp", 8, Format::kr_over_sr}.after_panel(8).k_up_to_multiple_of(32);
/// After the panel: int32 16 * sum, f32 scale / 16, f32 bias; signed nibbles.
inline constexpr Format qsi4cxp =
    Format{"qsi4cxp", 4, Format::kr_over_sr}.nibbles_apart(16).after_panel(12).k_up_to_multiple_of(32);
/// After the panel: int32 sum, f32 scale, f32 bias; signed nibbles.
inline constexpr Format qsi4cxps1s0 =
    Format{"qsi4cxps1s0", 4, Format::half_kr}.nibbles_apart(1).after_panel(12).k_up_to_multiple_of(32);
/// After the panel: int32 sum, f32 scale, f32 bias.
inline constexpr Format qsi8cxp = Format{"qsi8cxp", 8, Format::kr}.after_panel(12).k_up_to_multiple_of(32);
/// After the panel: int32 sum of the table's values, f32 scale, f32 bias; indices of a table.
inline constexpr Format qsu2cxp4x4 =
    Format{"qsu2cxp4x4", 2, Format::kr_over_sr}.nibbles_apart(4).after_panel(12).k_up_to_multiple_of(32);
/// After the panel: int32 sum of the table's values, f32 scale, f32 bias; indices of a table.
inline constexpr Format qsu2cxp4vlx4 =
    Format{"qsu2cxp4vlx4", 2, Format::one}.nibbles_apart(1).after_panel(12).k_up_to_multiple_of(32);
/// Before a block: f16 scale; nibbles 8 more than the value.
inline constexpr Format qsi4c32ps1s0scalef16 =
    Format{"qsi4c32ps1s0scalef16", 4, Format::two}.nibbles_apart(1).after_all_blocks(2);
/// Before a block: f16 scale / 16; signed nibbles.
inline constexpr Format qsi4c32ps4s0sf16 =
    Format{"qsi4c32ps4s0sf16", 4, Format::kr}.nibbles_apart(4).after_all_blocks(2);
/// Before a block: f16 scale; 2 bits: the weight + 1, for weights from -1 to 2.
inline constexpr Format qsi2c32pscalef16 =
    Format{"qsi2c32pscalef16", 2, Format::one}.nibbles_apart(1).after_all_blocks(2);
/// Before a block: f16 scale.
inline constexpr Format qsi8c32pscalef16 = Format{"qsi8c32pscalef16", 8, Format::kr}.after_all_blocks(2);
/// After a block: f32 scale.
inline constexpr Format f8e4m3d32p = Format{"f8e4m3d32p", 8, Format::kr}.after_block(4);
/// After a block: f32 scale; after the panel: f32 bias. Bytes of a code each (f8.hpp).
inline constexpr Format f8e4m3c32p = Format{"f8e4m3c32p", 8, Format::kr}.after_block(4).after_panel(4);
inline constexpr Format f8e5m2c32p = Format{"f8e5m2c32p", 8, Format::kr}.after_block(4).after_panel(4);
inline constexpr Format f32p = Format{"f32p", 32, Format::kr};
inline constexpr Format f16p = Format{"f16p", 16, Format::kr_over_sr};
inline constexpr Format bf16p = Format{"bf16p", 16, Format::kr_over_sr};
/// Int8 or uint8.
inline constexpr Format x8p = Format{"x8p", 8, Format::kr_over_sr};
/// Before the panel: f32 bias.
inline constexpr Format f32pbiasf32 = Format{"f32pbiasf32", 32, Format::kr}.before_panel(4);
/// Before the panel: f16 bias.
inline constexpr Format f16pbiasf16 = Format{"f16pbiasf16", 16, Format::kr_over_sr}.before_panel(2);
/// Before the panel: f32 bias.
inline constexpr Format bf16pbiasf32 = Format{"bf16pbiasf32", 16, Format::kr_over_sr}.before_panel(4);
/// Before the panel: f16 bias.
inline constexpr Format bf16pbiasf16 = Format{"bf16pbiasf16", 16, Format::kr_over_sr}.before_panel(2);
/// Before the panel: int32 bias, with the zero point's term; after the panel: f32 scale.
inline constexpr Format qsi8cxpbi32sf32 =
    Format{"qsi8cxpbi32sf32", 8, Format::kr_over_sr}.before_panel(4).after_panel(4);
/// Before the panel: int32 bias, with the zero point's term; after the panel: f32 scale; signed nibbles.
inline constexpr Format qsi4cxpbi32sf32 =
    Format{"qsi4cxpbi32sf32", 4, Format::two}.nibbles_apart(1).before_panel(4).after_panel(4).k_up_to_multiple_of(32);
/// Before the panel: int32 bias, with the zero point's term; after the panel: f32 scale. 2 bits: the weight + 2.
inline constexpr Format qsu2cxpbi32sf32 =
    Format{"qsu2cxpbi32sf32", 2, Format::one}.nibbles_apart(1).before_panel(4).after_panel(4).k_up_to_multiple_of(32);
/// Before the panel: int32 sum of the signed weights. 16 k of a column: 8 weights made signed, then 8 more, inverted.
inline constexpr Format qau8p = Format{"qau8p", 8, Format::kr}.before_panel(4);
inline constexpr Format qsi8p = Format{"qsi8p", 8, Format::kr}.before_panel(4);
/// After the panel: int32 sum of the weights, which are as they are, uint8 or int8.
inline constexpr Format qau8psumi32 = Format{"qau8psumi32", 8, Format::kr}.after_panel(4);
inline constexpr Format qsi8psumi32 = Format{"qsi8psumi32", 8, Format::kr}.after_panel(4);
/// @}

/// An RHS that is not packed: rows of n elements (K x N) or of k (N x K), `stride` bytes apart.
struct Plain {
    unsigned bits;  // of an element
    bool kxn;

    /// Of column n_idx.
    constexpr size_t offset(size_t n_idx, size_t stride) const {
        return n_idx * (kxn ? bits / 8 : stride);
    }
};
inline constexpr Plain f32_kxn = {32, true}, f32_nxk = {32, false}, f16_kxn = {16, true}, f16_nxk = {16, false};
inline constexpr Plain qau8_nxk = {8, false}, qsi8_nxk = {8, false};

/// Rows of a GGUF file as an RHS that is not packed: blocks, one after another.
struct FileRows {
    unsigned block, block_bytes;  // weights of a block
};
inline constexpr FileRows ggq4_0 = {32, 18}, ggq8_0 = {32, 34}, ggq4_k = {256, 144}, ggq6_k = {256, 210};

}  // namespace
}  // namespace kai
