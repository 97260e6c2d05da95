// GEMM with rows quantised at run time (qai8dxp, panels of 4 rows) on NEON: one engine for every RHS and every output.
//
// The RHS of 4 columns, a quad, becomes int8 in a small buffer, some hundred k at a time, and up to 64 rows are
// multiplied by it: unpacking costs little, and the hot loop is a tile of int8 x int8 whatever the RHS is. Tiles are
// assembly (matmul_qai8dxp_neon_*.S): up to 16 rows x 4 columns whose sums stay in registers. Sums then become results
// here (Channels, Blocks), which are stored in the order of rows.
//
//     for groups of up to 64 rows                   as many as stay in the first-level cache
//         for quads of columns
//             for chunks of k                       decode; sums += lhs x rhs, tile by tile
//             finish                                zero points, scales, bias, clamp, store
//
// What an instruction set adds is a policy, Isa: Acc (matmul_int_neon.hpp), which tells the order of a tile's vectors,
// and the tile functions.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/matmul_int_neon.hpp"
#include "kai/src/matmul_qai8dxp.hpp"

namespace kai {
namespace {

/// @name Tile functions
///
/// A tile is 1, 2 or 4 panels of the LHS x a quad. Its LHS starts behind the one of the tile before, its sums too:
/// four vectors per panel in the order of Acc. The decoded quad has `group` k of column 0, of column 1, 2, 3, then the
/// next ones: 8 k for SMMLA, 4 for SDOT; 128 bytes per step of 32 k. At least one tile and one step. Functions may read
/// 32 bytes past the last k of a panel and of the quad.
/// @{

/// sums = (resume ? sums : 0) + lhs x rhs over `steps` steps.
struct SumsArgs {
    const uint8_t* lhs;
    size_t panel_stride;
    const int8_t* rhs;
    size_t steps;
    int32_t* sums;
    size_t tiles, resume;
};
static_assert(
    offsetof(SumsArgs, lhs) == 0 && offsetof(SumsArgs, panel_stride) == 8 && offsetof(SumsArgs, rhs) == 16 &&
        offsetof(SumsArgs, steps) == 24 && offsetof(SumsArgs, sums) == 32 && offsetof(SumsArgs, tiles) == 40 &&
        offsetof(SumsArgs, resume) == 48,
    "matmul_qai8dxp_neon.inc");

/// The same in blocks of 1 to 8 steps: sums = (resume ? sums : 0), then for each block fma(f32(S / 16), scale, sums).
/// Integer sums start at the bits of `start` and lose it as floats (ShortSum). Scales per block are in the order of a
/// tile's vectors: c0 c1 c0 c1, c2 c3 c2 c3 for SMMLA, c0 c1 c2 c3 for SDOT.
struct BlockSumsArgs {
    float start[4];
    const uint8_t* lhs;
    size_t panel_stride;
    const int8_t* rhs;
    size_t steps;  // per block
    float* sums;
    size_t tiles, resume;
    const float* scales;
    size_t blocks;
};
static_assert(
    offsetof(BlockSumsArgs, start) == 0 && offsetof(BlockSumsArgs, lhs) == 16 &&
        offsetof(BlockSumsArgs, panel_stride) == 24 && offsetof(BlockSumsArgs, rhs) == 32 &&
        offsetof(BlockSumsArgs, steps) == 40 && offsetof(BlockSumsArgs, sums) == 48 &&
        offsetof(BlockSumsArgs, tiles) == 56 && offsetof(BlockSumsArgs, resume) == 64 &&
        offsetof(BlockSumsArgs, scales) == 72 && offsetof(BlockSumsArgs, blocks) == 80,
    "matmul_qai8dxp_neon.inc");

using SumsFn = void(const SumsArgs*);
using BlockSumsFn = void(const BlockSumsArgs*);
/// @}

}  // namespace
}  // namespace kai
