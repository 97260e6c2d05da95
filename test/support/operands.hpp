// Operands of a micro-kernel as numbers, made for its formats.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_registry.h"
#include "test/reference/formats.hpp"
#include "test/support/random.hpp"

namespace test {

enum class Data {
    random,   // everything anywhere in its range
    exact,    // small integers: every intermediate result is exact in f32, so results must be right to the last bit
    large,    // quants and offsets whose integer sums are the largest, or nearly cancel
    extreme,  // the largest quants and nibbles, rows of zeros, constant rows, subnormal scales and values
};

/// A side of `rows` rows in `format`; blocks of bl (0 for formats without blocks, or with one length of blocks).
reference::Side make_side(const reference::Format& format, Data data, size_t rows, size_t k, size_t bl, Random& random);

/// What kernels read: reference::pack_for_kernel.
std::vector<uint8_t> packed(const reference::Format& format, const reference::Side& side, reference::Tile tile);

/// Rows of floats for LHS packers: random values, and where `special` is set also ties, zeros, subnormals, tiny and
/// huge rows, infinities and NaN.
std::vector<float> make_floats(size_t rows, size_t k, bool special, Random& random);

/// Whether the kernel adds products of f16 in f16 (docs/arithmetic.md).
bool sums_in_f16(const kai_ukernel& u);
/// Whether it is a kernel of uint8 of the unified API, which has biases, scales and offsets of its own.
bool is_unified_unsigned(const kai_ukernel& u);

}  // namespace test
