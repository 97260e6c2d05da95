// The packed formats, written from their description and not from kai/engines/core/layout.hpp: where each number of a
// panel is. A format that the library names and this table lacks fails its tests.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "test/reference/float16.hpp"

namespace reference {

/// One side of a product as numbers. A row is a row of the LHS or a column of the RHS; k runs along it.
struct Side {
    size_t rows = 0, k = 0, bl = 0;  // bl = 0: no blocks

    // A format uses either values, or q and scale, and perhaps others. Scales, offsets and marks of formats with
    // blocks: [rows][k / bl], or several per block; of formats without: [rows].
    std::vector<float> values;  // [rows][k]
    std::vector<int8_t> q;      // [rows][k]; with a table: an index of it
    std::vector<float> scale;
    std::vector<float> offset;         // LHS: scale * sum of q; RHS: the zero that is added to each weight
    std::vector<bool> unspecified;     // a packer may write what it likes; empty: nowhere
    std::vector<int32_t> row_offset;   // [rows]; LHS: minus the zero point
    std::vector<int8_t> k_padding;     // [rows]; LHS: what is stored from k on; empty: the last element once more
    std::vector<float> sum;            // [rows]; RHS with blocks: sum of the dequantised elements
    std::vector<int32_t> table;        // 4 or 16 values
    std::vector<float> bias;           // [rows]; empty: zeros; integers in formats with int32 biases
    std::vector<int32_t> multiplier;   // [rows]; RHS of low precision: the kernel gets them
    std::vector<int32_t> shift;        // [rows]
    std::vector<uint32_t> bias_added;  // [rows]; what a packer adds to int32 biases, and wraps; empty: zeros
    bool is_unsigned = false;          // q holds uint8
    std::optional<F8> f8;              // q holds codes of 8-bit floating point
    size_t sub = 0;                    // RHS in super-blocks: length of their sub-blocks, which have integers
    std::vector<int> sub_scale;        // [rows][k / sub]: an element is scale * sub_scale * q,
    std::vector<int> sub_min;          // [rows][k / sub]: less min_scale * sub_min; empty: there are none
    std::vector<float> min_scale;      // of blocks
    std::vector<uint8_t> source;       // [rows]: blocks of a file that all this was read from

    size_t blocks() const {
        return bl == 0 ? 0 : k / bl;
    }
    size_t scales_per_row() const {
        return rows == 0 ? 0 : scale.size() / rows;
    }
    /// Element kk of a row, without its scale.
    int element(size_t row, size_t kk) const {
        const int x = q[row * k + kk];
        return is_unsigned ? x & 0xFF : table.empty() ? x : table[x];
    }
    int32_t sum_of_elements(size_t row) const;
    /// Rows first to first + count - 1.
    Side part(size_t first, size_t count) const;
    /// Every number has the same bits.
    bool is_same(const Side& other) const;
    /// Of some of the numbers: the same for sides that are the same.
    uint64_t fingerprint() const;
};

/// Blocking of a panel.
struct Tile {
    size_t rows, kr, sr;
};

struct Shape {
    size_t rows, kr, sr, k, bl;
    size_t blocks() const {
        return bl == 0 ? 0 : k / bl;
    }
};

/// Depth in chunks, each padded on its own with zeros to a multiple of `group` (indirect matmul): the same product.
Side with_padded_chunks(const Side& side, size_t count, size_t group);

/// Some bits of an element, from bit `from` on, and where they are.
struct Part {
    size_t byte;
    unsigned shift, bits, from;
};

/// The parts of an element: no vector, as an allocation for each element takes long under emulation.
class PartList {
public:
    PartList(std::initializer_list<Part> parts) : size_(parts.size()) {
        std::copy(parts.begin(), parts.end(), parts_.begin());
    }
    const Part* begin() const {
        return parts_.data();
    }
    const Part* end() const {
        return parts_.data() + size_;
    }

private:
    std::array<Part, 3> parts_;
    size_t size_;
};

/// A byte of a panel, and for elements of 4 or 2 bits how far they are shifted left in it.
struct Place {
    size_t byte;
    unsigned shift = 0;
};

/// Where elements of a row r of a panel are: element kk, or all from 0 on, without a call for each, which takes long
/// under emulation.
struct Places {
    Place (*element)(const Shape&, size_t r, size_t kk);
    void (*row)(const Shape&, size_t r, std::vector<Place>& all);
    Place operator()(const Shape& s, size_t r, size_t kk) const {
        return element(s, r, kk);
    }
};
template <Place (*at)(const Shape&, size_t, size_t)>
constexpr Places kAt = {at, [](const Shape& s, size_t r, std::vector<Place>& all) {
                            for (size_t kk = 0; kk < all.size(); ++kk) {
                                all[kk] = at(s, r, kk);
                            }
                        }};

struct Format {
    // u4, u6: 8, 32 more than the value; u2, l4: an index of the table; n2, n4, n5: values from 0 on
    // s2: 2 more than the value; t2: 1 more than the value; b1: 1 for the value 1, 0 for -1
    enum Element { i8, i6, i3, u6, i4, u4, u2, s2, t2, b1, l4, n2, n4, n5, f8e4m3, f8e5m2, f32, f16, bf16 };
    enum Bias { f32_bias, f16_bias, i32_bias };
    enum Scale { no_scale, f16_scale, bf16_scale, f32_scale };
    /// What a packer writes into the slots of missing rows. zeros: also zero scales, sums and biases, but
    /// index 2 of a table. last_row: a bias of zero; last_row_unscaled: scales of zero as well.
    enum Padding { untouched, zeros, last_row, last_row_unscaled, last_row_and_bias };

    const char* name;
    bool lhs;
    Element element;

    // All are offsets from the start of a panel; r is a row of the panel, b a block. NULL: the format has no such
    // field.
    using Stride = size_t(const Shape&);
    using At = size_t(const Shape&, size_t r);
    using AtBlock = size_t(const Shape&, size_t r, size_t b);
    using AtPart = size_t(const Shape&, size_t r, size_t b, size_t j);
    using Parts = PartList(const Shape&, size_t r, size_t b, size_t j);
    Stride* stride;
    Places place;
    AtBlock* scale = nullptr;
    AtBlock* offset = nullptr;
    At* bias = nullptr;
    At* row_offset = nullptr;                                        // LHS, int32
    At* sum = nullptr;                                               // RHS, int32, with blocks f32
    AtPart *high = nullptr, *low = nullptr;                          // LHS: bytes of sum j of a block
    size_t sums_of = 0;                                              // its length
    Parts *sub_scale = nullptr, *sub_min = nullptr;                  // RHS: of sub-block j of a block
    AtBlock* min_scale = nullptr;                                    // RHS, of the type of scale
    PartList (*parts)(const Shape&, size_t r, size_t kk) = nullptr;  // elements that are in several bytes
    Place (*fifth)(const Shape&, size_t r, size_t kk) = nullptr;     // n5: bit 4

    bool blocks = false;
    size_t block = 0;                 // the only length of blocks, which no function asks for
    size_t sub = 0;                   // length of sub-blocks with integer scales
    int sub_least = 0, sub_most = 0;  // what these can be
    Scale scale_type = no_scale;
    Scale offset_type = f32_scale;
    float stored_scale = 1;  // of a scale of 1; stored int32 sums are in units of it
    Bias bias_type = f32_bias;
    Padding padding = untouched;
    size_t k_multiple = 1;      // depth is stored up to a multiple of this; elements of an RHS from k on are 0
    bool plain = false;         // not quantised here: k is stored up to a multiple of the group kr / sr, with zeros
    bool packed = true;         // rows as they are, otherwise
    bool has_unsigned = false;  // i8: the values are unsigned
    bool inverts = false;       // i8: signed, and what is at k % 16 >= 8 with every bit inverted
    bool kxn = false;           // not packed, and k x n: one panel of all columns
    size_t scales_per_block = 1;
    size_t only_bl = 0;  // blocks of another length do not exist; 0: they do

    /// @name The same format, with
    /// @{
    Format with_blocks() const {
        return with([](Format& f) { f.blocks = true; });
    }
    Format with_blocks_of(size_t length) const {
        return with([=](Format& f) { f.blocks = true, f.block = length; });
    }
    /// The only length that there is: functions ask for it nevertheless.
    Format with_told_length() const {
        return with([](Format& f) { f.only_bl = f.block; });
    }
    /// 128 * high + low, low from -64 to 63.
    Format with_sums_of(size_t length, AtPart* high_at, AtPart* low_at) const {
        return with([=](Format& f) { f.sums_of = length, f.high = high_at, f.low = low_at; });
    }
    /// Sub-blocks with integer scales.
    Format with_sub_scales(size_t length, int least, int most, Parts* at) const {
        return with([=](Format& f) { f.sub = length, f.sub_least = least, f.sub_most = most, f.sub_scale = at; });
    }
    Format with_sub_minima(Parts* at, AtBlock* scale_at) const {
        return with([=](Format& f) { f.sub_min = at, f.min_scale = scale_at; });
    }
    /// Elements that `place` does not tell.
    Format with_parts(PartList (*function)(const Shape&, size_t r, size_t kk)) const {
        return with([=](Format& f) { f.parts = function; });
    }
    Format with_fifth_bits(Place (*at)(const Shape&, size_t, size_t)) const {
        return with([=](Format& f) { f.fifth = at; });
    }
    Format with_scale(Scale type, AtBlock* at, float stored = 1) const {
        return with([=](Format& f) { f.scale_type = type, f.scale = at, f.stored_scale = stored; });
    }
    /// Indices of a table of 16, which each panel starts with, in blocks of 32.
    Format with_table(size_t scales_in_block) const {
        return with([=](Format& f) { f.only_bl = 32, f.scales_per_block = scales_in_block; });
    }
    Format with_offset(AtBlock* at, Scale type = f32_scale) const {
        return with([=](Format& f) { f.offset = at, f.offset_type = type; });
    }
    Format with_bias(At* at, Bias type = f32_bias) const {
        return with([=](Format& f) { f.bias = at, f.bias_type = type; });
    }
    Format with_row_offset(At* at) const {
        return with([=](Format& f) { f.row_offset = at; });
    }
    Format with_sum(At* at) const {
        return with([=](Format& f) { f.sum = at; });
    }
    Format with_padding(Padding what) const {
        return with([=](Format& f) { f.padding = what; });
    }
    Format with_k_multiple(size_t multiple) const {
        return with([=](Format& f) { f.k_multiple = multiple; });
    }
    /// Numbers that are not quantised here.
    Format with_plain_numbers() const {
        return with([](Format& f) { f.plain = true, f.padding = zeros; });
    }
    Format with_unsigned_values() const {
        return with([](Format& f) { f.has_unsigned = true; });
    }
    /// Signed, also where the values are not (less 128), and the upper halves of 16 inverted.
    Format with_inverted_halves() const {
        return with([](Format& f) { f.inverts = true; });
    }
    /// Rows as they are.
    Format with_rows() const {
        return with([](Format& f) { f.packed = false; });
    }
    /// Rows of all columns as they are.
    Format with_rows_of_columns() const {
        return with([](Format& f) { f.packed = false, f.kxn = true; });
    }
    template <class Change>
    Format with(Change change) const {
        Format copy = *this;
        change(copy);
        return copy;
    }
    /// @}

    unsigned bits() const {
        const bool two = element == u2 || element == s2 || element == t2 || element == n2;
        return element == f32                   ? 32
               : is_float()                     ? 16
               : element == i8 || is_f8()       ? 8
               : element == i6 || element == u6 ? 6
               : element == i3                  ? 3
               : two                            ? 2
               : element == b1                  ? 1
                                                : 4;
    }
    bool is_f8() const {
        return element == f8e4m3 || element == f8e5m2;
    }
    bool is_float() const {
        return element == f32 || element == f16 || element == bf16;
    }
    /// The panels in which `count` rows (columns) are stored.
    Tile stored(Tile tile, size_t count) const {
        return kxn ? Tile{count, 1, 1} : tile;
    }
    /// Bytes from one row to the next of a matrix that is not packed, without gaps.
    size_t line(size_t count, size_t k) const {
        return blocks ? stride({1, 1, 1, k, block}) : (kxn ? count : k) * bits() / 8;
    }
    /// Depth as stored.
    size_t stored_k(const Shape& s) const {
        const size_t multiple = plain ? std::max(k_multiple, s.kr / s.sr) : k_multiple;
        return (s.k + multiple - 1) / multiple * multiple;
    }
};

/// A scale as a format stores it.
float as_stored(Format::Scale type, float scale);

const std::vector<Format>& formats();
/// NULL if the table lacks it.
const Format* find_format(const std::string& name);

/// The bytes of packed panels, and which of them a packer must write.
struct Packed {
    enum State : uint8_t { untouched, exact, any };
    std::vector<uint8_t> bytes;
    std::vector<State> state;
};

/// Packs `side` as a packer does that was given these rows and writes them from slot `first_slot` of the first panel
/// on.
Packed pack(const Format& format, const Side& side, Tile tile, size_t first_slot = 0);

/// What a kernel reads: the bytes of `pack`, with 0xFF (NaN scales, NaN values) wherever rows do not exist.
std::vector<uint8_t> pack_for_kernel(const Format& format, const Side& side, Tile tile);

}  // namespace reference
