// Tiles of blocks of any length, for their own loops (blocks_neon_long.cpp) and for rows of blocks of 32 whose scale is
// not finite (blocks_neon_long_redo.cpp).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/blocks/blocks_neon.hpp"

namespace kai {

/// Some panels x `quads` quads.
struct LongBatch {
    const uint8_t *lhs, *rhs;       // the first block of the first panel
    size_t lhs_stride, rhs_stride;  // bytes, from panel to panel
    size_t blocks, bl, quads;       // at least one block
    float* tiles;                   // out, 16 floats per panel
};

}  // namespace kai

extern "C" {
/// The sums of one or two panels. The RHS has no table.
[[gnu::visibility("hidden")]] void kai_long_tiles_neon(
    const kai::LongBatch& batch, const kai::BlockOperands& of, size_t panels, const kai::LongTiles& tiles);

/// Blocks of 32: recomputes the rows of tiles whose scale is not finite: with an infinite scale, scale * (C + S) -
/// scale * C is NaN. Whether a row is redone depends on that row alone, so results do not depend on how M is split.
/// `args` locates the tiles; `largest` has the scales of their panels.
[[gnu::visibility("hidden"), gnu::cold]] void kai_redo_odd_rows_neon(
    const kai::BlocksProblem& p, kai::TileArgs args, size_t panels, const uint32_t largest[][4]);
}

namespace kai {
namespace {

constexpr uint32_t kInfinity = 0x7F800000;  // its bits

}  // namespace
}  // namespace kai
