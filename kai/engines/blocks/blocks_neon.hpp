// GEMM with both operands quantised in blocks along K: one engine for every pair of formats and every output. What an
// ISA does for a pair of formats is a BlockTiles.
//
//     for groups of up to 16 rows
//         for batches of quads                       a quad: 4 columns
//             for chunks of k                        row scales, where tiles want them prepared
//                 tile function                      tiles += lhs x rhs, quad by quad
//             quad by quad, panel by panel           bias, clamp, convert, store
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/int_neon/int_neon_args.h"
#include "kai/engines/core/base.hpp"

namespace kai {
namespace {

constexpr size_t kMaxPanels = 4, kMaxQuads = 16;
constexpr size_t kMaxRowScales = 2048;

KAI_STRUCT(TileArgs, KAI_TILE_ARGS);
using TileFn = void(const TileArgs*);

/// Some blocks of panels whose row scales are to be prepared.
struct RowScalesArgs {
    const uint8_t* lhs;
    size_t lhs_stride, lhs_block, panels, blocks;
    float* row_scales;       // out
    uint32_t (*largest)[4];  // of each row, as bits: the largest scale so far
    size_t rows;             // rows after the first two of a panel need not be prepared if there are not more
};
using RowScalesFn = void(const RowScalesArgs*);

/// How many quads are side by side in a tile of 1 to 7 rows.
constexpr size_t few_quads(size_t rows) {
    return rows > 4 ? 1 : rows > 2 ? 2 : 4;
}

/// The tiles of an ISA for a pair of formats.
struct BlockTiles {
    TileFn* run[3];           // of 1, 2 and 4 panels; the last one may be missing
    float start;              // of integer sums: ShortSum
    RowScalesFn* row_scales;  // may be missing
    size_t chunk;             // how many blocks it prepares
    TileFn* redo;             // of 1 panel, not null: rows with a scale that is not finite are done again with it
    bool pairs;               // order of a panel: r0c0 r0c1 r1c0 r1c1, the same for c2 c3, then of r2 r3; or row by row
    TileFn* few[7] = {};      // of 1 to 7 rows; all may be missing, or those of more than 4
};

/// Tiles to be stored: `rows` rows and `columns` columns of them.
struct StoreArgs {
    const float* tiles;
    size_t rows, columns;
    const uint8_t* rhs_end;  // of the panel of the first quad
    size_t rhs_stride;       // from panel to panel
    uint8_t* dst;
    size_t dst_stride;
    float lo, hi;
};
/// Adds the bias, clamps, converts, stores.
using StoreFn = void(const StoreArgs*);

/// dst = clamp(LHS x RHS). Strides are in bytes.
struct BlocksProblem {
    size_t m, n, blocks, bl;
    const uint8_t *lhs, *rhs;
    size_t lhs_stride, rhs_stride, lhs_block, rhs_block;  // from panel to panel, from block to block
    size_t nr;                                            // columns of a panel of the RHS
    const uint8_t* table;                                 // of an RHS of indices; else null
    bool bf16;                                            // scales of an RHS of indices
    void* dst;
    size_t dst_stride, element_bytes;
    float lo, hi;
    const BlockTiles* tiles;
    StoreFn* store;
};

}  // namespace
}  // namespace kai

extern "C" [[gnu::visibility("hidden")]] void kai_matmul_blocks_neon(const kai::BlocksProblem*);
