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

/// A panel. Source: of its first column.
struct FloatPanel {
    const uint8_t* rhs;
    size_t rhs_stride;    // bytes, of a row (K x N) or of a column (N x K)
    const uint8_t* bias;  // or NULL
    uint8_t* packed;
    size_t n;  // columns that exist: 1 - nr
};

/// Places [first, end) of columns [first_column, end_column) of a K x N source (in units of Element) or an N x K one.
template <class Element, size_t nr, bool kxn>
void pack_elements(const FloatPanel& p, size_t first, size_t end, size_t first_column, size_t end_column) {
    for (size_t x = first; x < end; ++x) {
        for (size_t c = first_column; c < end_column; ++c) {
            const size_t at = kxn ? x * p.rhs_stride + c * sizeof(Element) : c * p.rhs_stride + x * sizeof(Element);
            store(p.packed + ((1 + x) * nr + c) * sizeof(Element), c < p.n ? load<Element>(p.rhs + at) : Element{0});
        }
    }
}

}  // namespace
}  // namespace kai
