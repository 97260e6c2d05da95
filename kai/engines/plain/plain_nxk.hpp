// What the N x K kernels on NEON share: where rows of a tile start, and which tiles cover a result.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

namespace kai {
namespace {

/// Where the rows of a tile start; those from `count` on are the last one again.
template <size_t rows>
KAI_INLINE void row_starts(const uint8_t* (&starts)[rows], const uint8_t* first, size_t stride, size_t count) {
    KAI_UNROLL(16)
    for (size_t i = 0; i < rows; ++i) {
        starts[i] = i == 0 || i < count ? first + i * stride : starts[i - 1];
    }
}

/// A number that is a constant where it is a parameter.
template <size_t n>
struct Constant {
    constexpr operator size_t() const {
        return n;
    }
};

/// tile(p, rows, columns, i, j) for the m x n results of p: 6 x 4 of them from row i, column j on; 4, 2 or 1 rows at
/// the end; of a single row 8 columns. rows, columns: Constant.
template <class Call, class Tile>
KAI_INLINE void nxk_tiles(const Call& p, Tile tile) {
    size_t j = 0;
    for (; p.m == 1 && p.n - j > 4; j += p.n - j < 8 ? p.n - j : 8) {
        tile(p, Constant<1>{}, Constant<8>{}, size_t{0}, j);
    }
    for (; j < p.n; j += 4) {
        size_t i = 0;
        for (; p.m - i > 4; i += p.m - i < 6 ? p.m - i : 6) {
            tile(p, Constant<6>{}, Constant<4>{}, i, j);
        }
        if (p.m - i > 2) {
            tile(p, Constant<4>{}, Constant<4>{}, i, j);
        } else if (p.m - i == 2) {
            tile(p, Constant<2>{}, Constant<4>{}, i, j);
        } else if (p.m - i == 1) {
            tile(p, Constant<1>{}, Constant<4>{}, i, j);
        }
    }
}

}  // namespace
}  // namespace kai
