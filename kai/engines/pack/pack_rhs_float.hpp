// RHS packers of floating-point formats with kr = 1 and a bias of the type of the elements: scalar.
//
//     | bias: nr | k = 0: nr elements | k = 1: nr elements | ...      a panel of nr columns
//
// Bits are copied, never converted. Missing columns of the last panel become zero, and so do their bias and a bias that
// is not given. The scalar packer is the specification; pack_neon_rhs_float.hpp gives the same bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_rhs_rules.hpp"

namespace kai {
namespace {

/// Places of a chunk: what is read (K x N: lines far from each other, by every panel) and written (N x K: lines in
/// several parts) stays in the nearest cache.
constexpr size_t kChunk = 128;

/// A panel. Columns are counted in bytes, `unit` for each.
struct FloatPanel {
    size_t unit, line;               // bytes of an element, of nr elements
    size_t place_step, column_step;  // of the source, from k to k + 1 and from a column to the next one
    const uint8_t *rhs, *bias;       // of the first column; bias: or NULL
    uint8_t* packed;
    size_t exist;  // columns that do: unit - line
};

/// Places [first, end).
[[gnu::noinline]] void pack_elements(const FloatPanel& p, size_t first, size_t end) {
    for (size_t x = first; x < end; ++x) {
        const uint8_t* from = p.rhs + x * p.place_step;
        for (size_t c = 0; c < p.line; c += p.unit, from += p.column_step) {
            uint8_t* to = p.packed + (1 + x) * p.line + c;
            if (p.unit == 2) {
                store(to, c < p.exist ? load<uint16_t>(from) : uint16_t{0});
            } else {
                store(to, c < p.exist ? load<uint32_t>(from) : 0U);
            }
        }
    }
}

}  // namespace
}  // namespace kai
