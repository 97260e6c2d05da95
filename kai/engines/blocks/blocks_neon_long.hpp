// GEMM with both operands quantised in blocks: blocks of any length. Blocks of 32, the usual length, come here only for
// rows whose scale is not finite.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/blocks/blocks_neon.hpp"

namespace kai {

struct LongArgs;  // blocks_long_args.h
using LongFn = void(const LongArgs*);

/// Functions of an ISA: tiles of one and two panels. group: consecutive k stored together.
struct LongTiles {
    LongFn* run[2];
    size_t group;
};
/// As LongTiles, for one row x 16 columns.
struct LongRow {
    LongFn* run;
    size_t group;
};

}  // namespace kai

extern "C" {
/// Named by rows x columns, or by the group of a row.
kai::LongFn kai_long_4x4_neon_dotprod, kai_long_8x4_neon_dotprod, kai_long_4x4_neon_i8mm, kai_long_8x4_neon_i8mm,
    kai_long_row_4_neon_dotprod, kai_long_row_8_neon_dotprod;

/// Tiles, where `args` has them, which do not resume.
[[gnu::visibility("hidden")]] void kai_long_tiles_neon(
    const kai::TileArgs* args, const kai::BlockOperands* of, size_t panels, const kai::LongTiles* tiles);

/// Recomputes the rows of tiles whose scale is not finite: with an infinite scale, scale * (C + S) - scale * C is NaN.
/// Whether a row is redone depends on that row alone, so results do not depend on how M is split. `args` locates the
/// tiles; `largest` has the scales of their panels.
[[gnu::visibility("hidden"), gnu::cold]] void kai_redo_odd_rows_neon(
    const kai::BlocksProblem& p, kai::TileArgs args, size_t panels, const uint32_t largest[][4]);

/// One row, as RowFn.
[[gnu::visibility("hidden")]] void kai_long_row_neon(
    const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride, void* dst, size_t quads, size_t blocks, float lo,
    float hi, size_t bl, const kai::BlockOperands* of, const kai::LongRow* row);
}

namespace kai {
namespace {

constexpr uint32_t kInfinity = 0x7F800000;  // its bits

constexpr LongTiles kLongDot{{kai_long_4x4_neon_dotprod, kai_long_8x4_neon_dotprod}, 4};
constexpr LongTiles kLongMmla{{kai_long_4x4_neon_i8mm, kai_long_8x4_neon_i8mm}, 8};
constexpr LongRow kLongRow4{kai_long_row_4_neon_dotprod, 4}, kLongRow8{kai_long_row_8_neon_dotprod, 8};

}  // namespace
}  // namespace kai
