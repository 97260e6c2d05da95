// Matmuls of a row-major LHS, or a table of pointers to its rows, with SVE: the loops over tiles of 6 rows x 4 vectors.
// A tile is the work of kai/asm/sve_tile_6x4vl.inc.
//
// Columns outside, rows inside: a panel of the RHS comes from memory once and stays near while the rows pass by.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/getters.hpp"

namespace kai {
namespace {

/// Rows of a tile, and of a block of a pointer table.
constexpr size_t kSveTileRows = 6;

/// How the rows of the LHS are found.
struct SveChunks {
    size_t length, count;  // elements of a chunk of a row; count 0: the result is the bias
    const void* pad;       // row pointers equal to this one stay where they are,
    size_t offset;         // others are moved by this, in bytes
};

struct SveOutput {
    void* dst;
    size_t stride;
    float lo, hi;
};

/// What all tiles of a call share.
struct SveTile {
    SveChunks chunks;
    SveOutput output;
};
static_assert(
    offsetof(SveTile, chunks.length) == 0 && offsetof(SveTile, chunks.count) == 8 &&
        offsetof(SveTile, chunks.pad) == 16 && offsetof(SveTile, chunks.offset) == 24 &&
        offsetof(SveTile, output.stride) == 40 && offsetof(SveTile, output.lo) == 48 &&
        offsetof(SveTile, output.hi) == 52,
    "TILE_... of sve_tile_6x4vl.inc");

/// rows: kSveTileRows entries per chunk, those of the first m rows are read. m, n >= 1; what exceeds the tile is
/// ignored.
using SveTileFn = void(const SveTile*, const void* const* rows, const void* rhs, void* dst, size_t m, size_t n);

/// The output, a panel of the RHS at a time. rows_of(i): the table of the block that starts with row i.
template <typename Element, typename RowsOf>
KAI_INLINE void run_sve_table_tiles(
    SveTileFn tile, const SveOutput& output, size_t m, size_t n, const SveChunks& chunks, RowsOf rows_of,
    const void* rhs, size_t rhs_stride) {
    const SveTile args{chunks, output};
    const size_t nr = SVE(4);
    for (size_t n0 = 0; n0 < n; n0 += nr) {
        for (size_t m0 = 0; m0 < m; m0 += kSveTileRows) {
            tile(
                &args, rows_of(m0), bytes(rhs, n0 / nr * rhs_stride),
                bytes(output.dst, m0 * output.stride + n0 * sizeof(Element)), m - m0, n - n0);
        }
    }
}

/// The same with rows of k elements that lie lhs_stride bytes apart.
template <typename Element>
KAI_INLINE void run_sve_tiles(
    SveTileFn tile, const SveOutput& output, size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride,
    const void* rhs, size_t rhs_stride) {
    const void* rows[kSveTileRows];
    const auto rows_of = [&](size_t m0) {
        for (size_t i = 0; i < kSveTileRows; ++i) {
            rows[i] = m0 + i < m ? bytes(lhs, (m0 + i) * lhs_stride) : lhs;
        }
        return rows;
    };
    const SveChunks one{k, k > 0 ? size_t{1} : 0, nullptr, 0};
    run_sve_table_tiles<Element>(tile, output, m, n, one, rows_of, rhs, rhs_stride);
}

}  // namespace
}  // namespace kai
