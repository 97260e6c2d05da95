// RHS packers of floating-point formats with kr = 1 and a bias of the type of the elements: scalar.
//
//     | bias: nr | k = 0: nr elements | k = 1: nr elements | ...      a panel of nr columns
//
// Bits are moved, never converted. Columns that the last panel lacks become zero, and so do their bias and a bias that
// is not given. The scalar packer is the specification; pack_rhs_float_neon.hpp gives the same bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/pack_getters.hpp"
#include "kai/src/pack_rhs_rules.hpp"

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

/// Place x, column c of a K x N source.
struct SourceKxNFloat {
    template <class Element>
    KAI_INLINE static const uint8_t* at(const FloatPanel& p, size_t x, size_t c) {
        return p.rhs + x * p.rhs_stride + c * sizeof(Element);
    }
};

/// The same of an N x K source.
struct SourceNxKFloat {
    template <class Element>
    KAI_INLINE static const uint8_t* at(const FloatPanel& p, size_t x, size_t c) {
        return p.rhs + c * p.rhs_stride + x * sizeof(Element);
    }
};

template <class Element, size_t nr>
KAI_INLINE void pack_bias(const FloatPanel& p) {
    for (size_t c = 0; c < nr; ++c) {
        const Element bias = c < p.n && p.bias != nullptr ? load<Element>(p.bias + c * sizeof(Element)) : 0;
        store(p.packed + c * sizeof(Element), bias);
    }
}

/// Elements of places [first, end) of columns [first_column, end_column).
template <class Element, size_t nr, class Source>
KAI_INLINE void pack_elements(const FloatPanel& p, size_t first, size_t end, size_t first_column, size_t end_column) {
    for (size_t x = first; x < end; ++x) {
        for (size_t c = first_column; c < end_column; ++c) {
            const Element element = c < p.n ? load<Element>(Source::template at<Element>(p, x, c)) : 0;
            store(p.packed + ((1 + x) * nr + c) * sizeof(Element), element);
        }
    }
}

}  // namespace
}  // namespace kai
