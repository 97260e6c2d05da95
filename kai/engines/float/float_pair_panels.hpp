// Panels of SME with two k of a row or column side by side: f16 and bf16.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

namespace kai {
namespace {

/// A matrix in panels of SME. strip(i): the pairs of k of row (column) i and those after it, in a word each.
struct PairPanels {
    const uint8_t* first;
    size_t width, head, panel;  // rows; bytes in front of the pairs; bytes from a panel to the next

    PairPanels(const void* packed, size_t rows, size_t head_of_row, size_t words)
        : first(bytes(packed)), width(rows), head(rows * head_of_row), panel(rows * (head_of_row + words * 4)) {
    }
    KAI_INLINE const uint8_t* panel_of(size_t i) const {
        return first + i / width * panel;
    }
    KAI_INLINE const uint8_t* strip(size_t i) const {
        return panel_of(i) + head + i % width * sizeof(uint32_t);
    }
    /// Bytes from a pair of k to the next.
    KAI_INLINE size_t stride() const {
        return width * sizeof(uint32_t);
    }
};

}  // namespace
}  // namespace kai
