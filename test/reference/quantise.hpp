// Quantisation of the LHS, block by block or row by row, and the sources that RHS packers read.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test/reference/formats.hpp"

namespace reference {

/// Where a packer rounds ties: away from zero, to even, or to even up to some element of a row and then away. With L
/// elements together in a panel, that is L * floor(k / L), or 8 before it.
enum class Ties { away, even, even_in_whole_groups, even_until_8_before };

/// `values` in the type that a packer reads ("f32", "f16", "bf16"), as floats again; "x8": some of their bits as int8.
std::vector<float> as_source(const std::string& source_format, std::vector<float> values);

/// Quantises `rows` rows of k floats (dense) for an LHS format, or takes them as they are if the format does not
/// quantise. L = kr / sr. bl: unless the format has one length of blocks.
Side lhs_side(
    const Format& format, const std::vector<float>& values, size_t rows, size_t k, size_t bl, Ties ties, size_t L);

/// The rounding of ties of a packer: to be known by its name, since a format allows both.
Ties ties_of(const Format& format, const std::string& packer);

/// @name Sources of RHS packers
/// @{

/// Row by row, block by block: f16 scale, then bl / 2 bytes; byte j holds j (low nibble) and j + bl / 2 (high), plus 8.
/// 8 bits: bl bytes of int8.
std::vector<uint8_t> encode_records(const Side& side, unsigned bits);

/// Row by row k / 2 bytes of two neighbours, plus 8; the even one in the high nibble (s0s1) or in the low one (s1s0).
std::vector<uint8_t> encode_qau4(const Side& side, bool even_is_high);

/// Lines of elements of `bits`, the first one in the lowest bits, each plus `added`. A line is a row (a column of the
/// product) or, with `k_lines`, one element of each row. The unused bits at the end of a line are unused_bits(line).
std::vector<uint8_t> encode_lines(const Side& side, unsigned bits, int added, bool k_lines);
int unused_bits(size_t line);

/// `side` with the columns that a K x N packer of nibbles puts into the places of those that the last panel of
/// `panel_rows` lacks: of the byte of the last column, the low nibble at even positions, the high one at odd positions.
Side with_nibbles_of_last_byte(const Side& side, size_t panel_rows);

/// As above, but the elements are zero; scales and bias are those of the last column.
Side with_columns_of_zeros(const Side& side, size_t panel_rows);
/// @}

/// @name The sum of the dequantised elements of each row, as packers compute it
/// Groups of elements are added as integers, times the scale, and then added to the sum in f32.
/// @{

/// Groups of `count` neighbours.
std::vector<float> sums_of_neighbours(const Side& side, size_t count);

/// Of every 32 elements: sL to sL + L - 1 and 16 + sL to 16 + sL + L - 1, for ascending s.
std::vector<float> sums_of_halves(const Side& side, size_t L);
/// @}

}  // namespace reference
