// The packed formats, written from their description and not from kai/src/layout.hpp: where each number of a panel
// stands. A format that the library names and this table lacks fails its tests.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace reference {

/// One side of a product as numbers. A row is a row of the LHS or a column of the RHS; k runs along it.
struct Side {
    size_t rows = 0, k = 0, bl = 0;  // bl = 0: no blocks

    // A format uses either values, or q and scale, and perhaps offset and bias.
    std::vector<float> values;      // [rows][k]
    std::vector<int8_t> q;          // [rows][k]
    std::vector<float> scale;       // [rows][k / bl]
    std::vector<float> offset;      // [rows][k / bl]; LHS: scale * sum of q; RHS: the zero that is added to each weight
    std::vector<float> bias;        // [rows]; empty: zeros
    std::vector<bool> unspecified;  // [rows][k / bl]: a packer may write what it likes; empty: nowhere

    // Quantised without blocks: one for a whole row.
    std::vector<int32_t> row_offset;  // [rows]; LHS: minus the zero point; RHS: what the format stores of the sum of q
    std::vector<float> row_scale;     // [rows]
    std::vector<int8_t> k_padding;    // [rows]; fills k up to the multiple that the format stores; empty: zeros

    size_t blocks() const {
        return bl == 0 ? 0 : k / bl;
    }
    /// Rows first to first + count - 1.
    Side part(size_t first, size_t count) const;
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

/// A byte of a panel, and for 4-bit elements how far they are shifted left in it.
struct Place {
    size_t byte;
    unsigned shift = 0;
};

struct Format {
    enum Element { i8, i4, u4, f32 };  // u4: 8 more than the value
    /// What a packer writes into the slots of rows that do not exist.
    enum Padding { untouched, zeros, last_row, last_row_and_bias };

    const char* name;
    bool lhs;
    Element element;
    unsigned scale_bytes;  // 2: f16
    Padding padding;
    float stored_scale;  // of a scale of 1

    // All are offsets from the start of a panel; r is a row of the panel, b a block. NULL: the format has no such
    // field.
    size_t (*stride)(const Shape&);
    Place (*place)(const Shape&, size_t r, size_t kk);
    size_t (*scale)(const Shape&, size_t r, size_t b);
    size_t (*offset)(const Shape&, size_t r, size_t b);
    size_t (*bias)(const Shape&, size_t r);

    /// @name Quantised without blocks
    /// @{
    size_t k_multiple = 1;  // depth is stored up to a multiple of this
    size_t (*row_offset)(const Shape&, size_t r) = nullptr;
    size_t (*row_scale)(const Shape&, size_t r) = nullptr;
    /// @}
};

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
