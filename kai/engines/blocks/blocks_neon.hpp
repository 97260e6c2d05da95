// GEMM with both operands quantised in blocks along K: one engine for every pair of formats and every output. A
// micro-kernel is data: a BlocksKernel, and what an ISA does for a pair of formats is a BlockTiles.
//
//     for groups of up to 16 rows
//         for batches of quads                       a quad: 4 columns
//             for chunks of k                        row scales, where tiles want them prepared
//                 tile function                      tiles += lhs x rhs, quad by quad
//             quad by quad, panel by panel           bias, clamp, convert, store
//
// Blocks of 32 are the usual length. For blocks of any length there are functions of their own, named `long`, with
// loops of their own; with blocks of 32 they only compute rows again whose scale is not finite.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/blocks/blocks_neon_results.hpp"
#include "kai/engines/core/layout.hpp"
#include "kai/engines/core/limits.hpp"

namespace kai {
namespace {

constexpr size_t kMaxPanels = BlocksLimits::kPanels, kMaxQuads = BlocksLimits::kQuads;
constexpr size_t kMaxRowScales = BlocksLimits::kRowScales;

/// Quads side by side in a tile of 1 to 7 rows.
constexpr size_t few_quads(size_t rows) {
    return rows > 4 ? 1 : rows > 2 ? 2 : 4;
}

/// k / bl: a division takes long.
KAI_INLINE size_t blocks_of(size_t k, size_t bl) {
    return bl == 32 ? k / 32 : k / bl;
}

}  // namespace

// Types in the declarations of functions that other sources define: in an unnamed namespace they would be other types
// there.

struct TileArgs;  // blocks_args.h
using TileFn = void(const TileArgs*);

/// Blocks of panels whose row scales are to be prepared.
struct RowScalesArgs {
    const uint8_t* lhs;
    size_t lhs_stride, lhs_block, panels, blocks;
    float* row_scales;       // out
    uint32_t (*largest)[4];  // of each row, as bits: the largest scale so far
    size_t rows;             // of a panel; with 2 or fewer, only the first two need to be prepared
    float start;             // TileRules::start
};
using RowScalesFn = void(const RowScalesArgs*);

/// What tiles need besides the operands, and the layout of their results.
struct TileRules {
    float start;              // of integer sums: ShortSum
    RowScalesFn* row_scales;  // may be null
    size_t chunk;             // number of blocks it prepares
    bool redo;                // rows with a non-finite scale are recomputed by the code for long blocks
    bool pairs;               // order of a panel: r0c0 r0c1 r1c0 r1c1, the same for c2 c3, then of r2 r3; or row by row
};

/// The tiles of an ISA for a pair of formats.
struct BlockTiles {
    TileFn* run[kMaxPanels];  // by number of panels; null: no such tile (only 3 and 4)
    TileRules rules;
    TileFn* few[7] = {};     // by number of rows; all may be null, or those above 4
    bool any_quads = false;  // they take any number of quads, not only multiples of few_quads
};

/// A packed operand: rows of a panel; bytes of 8 k, of the fields of a block, and of what is around the blocks.
struct BlockOperand {
    size_t rows, bytes_of_8, fields, panel_head, panel_tail;

    KAI_INLINE constexpr BlockOperand(const Format& f, size_t rows_)
        : rows(rows_),
          bytes_of_8(rows * f.bits),
          fields(rows * (f.block_head + f.block_tail)),
          panel_head(rows * f.panel_head),
          panel_tail(rows * f.panel_tail) {
    }
    /// Format::block_bytes.
    KAI_INLINE constexpr size_t block_bytes(size_t bl) const {
        return bl / 8 * bytes_of_8 + fields;
    }
    KAI_INLINE constexpr size_t stride(size_t blocks, size_t bl) const {
        return panel_head + blocks * block_bytes(bl) + panel_tail;
    }
};

/// How sums S of a block become part of a result: blocks_neon_tiles.hpp.
enum class BlockScales : uint8_t {
    product,  // S * (scale of the row * scale of the column)
    row,      // (S * scale of the row) * scale of the column
    halves,   // the same for each half of a block
    zeros,    // product, f32; zero of the column * sum of the row. These fields follow the elements
};

/// The operands of a micro-kernel. An RHS of indices has the table in its panel's head.
struct BlockOperands {
    BlockOperand lhs, rhs;
    size_t element_bytes;      // of the output, f32 or f16
    bool bf16_scales = false;  // of an RHS of indices
    bool is_int8 = false;      // the RHS
    BlockScales scales = {};
    size_t nibble_distance = 0;  // Format::nibble_distance
};

/// Functions of an ISA for blocks of any length: tiles of one and two panels. group: consecutive k stored together.
struct LongArgs;  // blocks_long_args.h
using LongFn = void(const LongArgs*);
struct LongTiles {
    LongFn* run[2];
    size_t group;
};
/// The same for one row x 16 columns.
struct LongRow {
    LongFn* run;
    size_t group;
};

/// A call. Strides are in bytes.
struct BlocksProblem {
    size_t n, blocks, bl;
    const uint8_t* rhs;                                   // the first block
    size_t lhs_stride, rhs_stride, lhs_block, rhs_block;  // from panel to panel, from block to block
    size_t dst_stride;
    float lo, hi;
    const BlockOperands& of;
    const BlockTiles& tiles;
    const LongTiles* long_tiles;
    StoreFn* store;
};

/// A micro-kernel.
struct BlocksKernel {
    BlockOperands operands;
    const BlockTiles* tiles;
    const LongTiles* long_tiles;
    StoreFn* store;         // kai_store_pairs_neon or kai_store_rows_neon, as TileRules::pairs says
    size_t max_panels = 4;  // of a tile
};

/// One row x `quads` * 4 columns of f32 or f16, blocks of 32: blocks_neon_dotprod_*_row*.S. Of an RHS of indices: f32,
/// and `f16` says whether its scales are bf16.
using RowFn = void(
    const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride, void* dst, size_t quads, size_t blocks, float lo,
    float hi, size_t bl, size_t f16);

/// A micro-kernel for rows one after another.
struct BlockRowsKernel {
    BlockOperands operands;
    RowFn* run;
    const LongRow* long_row;                                         // of blocks that are not of 32
    bool f16 = operands.bf16_scales || operands.element_bytes == 2;  // of RowFn
};

}  // namespace kai

extern "C" {
/// Named by rows x columns, or by the group of a row.
kai::LongFn kai_long_4x4_neon_dotprod, kai_long_8x4_neon_dotprod, kai_long_4x4_neon_i8mm, kai_long_8x4_neon_i8mm,
    kai_long_row_4_neon_dotprod, kai_long_row_8_neon_dotprod;

/// dst = clamp(LHS x RHS): tiles or rows, of blocks of 32 or of any length.
/// @{
[[gnu::visibility("hidden")]] void kai_matmul_blocks_neon(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const kai::BlocksKernel* kernel, float lo, float hi);
[[gnu::visibility("hidden")]] void kai_matmul_long_blocks_neon(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const kai::BlocksKernel* kernel, float lo, float hi);
[[gnu::visibility("hidden")]] void kai_matmul_block_rows_neon(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const kai::BlockRowsKernel* kernel, float lo, float hi);
[[gnu::visibility("hidden")]] void kai_matmul_long_block_rows_neon(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const kai::BlockRowsKernel* kernel, float lo, float hi);
/// @}
}

namespace kai {
namespace {

constexpr LongTiles kLongDot{{kai_long_4x4_neon_dotprod, kai_long_8x4_neon_dotprod}, 4};
constexpr LongTiles kLongMmla{{kai_long_4x4_neon_i8mm, kai_long_8x4_neon_i8mm}, 8};
constexpr LongRow kLongRow4{kai_long_row_4_neon_dotprod, 4}, kLongRow8{kai_long_row_8_neon_dotprod, 8};

/// Either of them, as the kernel is one for tiles or for rows.
KAI_INLINE void matmul_blocks(
    const BlocksKernel& kernel, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst,
    size_t dst_stride, float lo, float hi) {
    const auto matmul = bl == 32 || kernel.long_tiles == nullptr ? kai_matmul_blocks_neon : kai_matmul_long_blocks_neon;
    matmul(m, n, k, bl, lhs, rhs, dst, dst_stride, &kernel, lo, hi);
}
KAI_INLINE void matmul_blocks(
    const BlockRowsKernel& kernel, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst,
    size_t dst_stride, float lo, float hi) {
    const auto matmul =
        bl == 32 || kernel.long_row == nullptr ? kai_matmul_block_rows_neon : kai_matmul_long_block_rows_neon;
    matmul(m, n, k, bl, lhs, rhs, dst, dst_stride, &kernel, lo, hi);
}

}  // namespace
}  // namespace kai
