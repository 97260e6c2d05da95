// Columns that the last panel of an RHS with blocks lacks.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/layout.hpp"

namespace kai {
namespace {

/// Zeros for the elements and scales of the places of the last panel that have no column. Formats with block heads.
[[gnu::noinline, maybe_unused]] void zero_missing_columns(
    const Format& format, Tile tile, size_t n, size_t k, size_t bl, void* packed) {
    const size_t group = format.group_size(tile), first = n % tile.rows;
    if (first == 0) {
        return;
    }
    uint8_t* panel = bytes(packed, n / tile.rows * format.stride(tile, k, bl));
    for (size_t b = 0; b * bl < k; ++b) {
        uint8_t *to = panel + format.elements(tile, bl, b), *head = panel + format.head(tile, k, bl, b);
        for (size_t c = first; c < tile.rows; ++c) {
            store(head + 2 * c, uint16_t{0});
        }
        for (size_t at = 0; at < format.element_bytes(tile, bl); at += tile.rows * group) {
            for (size_t i = first * group; i < tile.rows * group; ++i) {
                to[at + i] = 0;
            }
        }
    }
}

}  // namespace
}  // namespace kai
