// f32 <- int8 in blocks of 256 x weights in super-blocks on NEON (formula: superblocks.hpp). Tiles of 2 to 16 rows and
// 4 columns (superblocks_neon_tile.inc) and one row of 16 columns (superblocks_neon_row.inc) are assembly; the loops
// around them are in superblocks_neon.cpp and superblocks_neon_rows.cpp.
//
// A source has, for its ISA and each format, KAI_SUPER_TILES, and KAI_SUPER_ROW for the groups of k that have a kernel
// for one row.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/blocks/blocks_neon_results.hpp"
#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

constexpr size_t kSuperBlock = 256;

static_assert(
    qsi8d256p.block_bytes({4, 8, 2}, kSuperBlock) == 1104 && qsi8d256p.block_bytes({1, 8, 2}, kSuperBlock) == 276 &&
        qau4c32x256p.block_bytes({4, 8, 2}, kSuperBlock) == 592 &&
        qau5c32x256p.block_bytes({4, 8, 2}, kSuperBlock) == 720 &&
        qsi6c16x256p.block_bytes({4, 8, 2}, kSuperBlock) == 840 &&
        qsi3c16x256p.block_bytes({4, 8, 2}, kSuperBlock) == 456 &&
        qau2c16x256p.block_bytes({4, 8, 2}, kSuperBlock) == 336 &&
        qsi8d16x256p.block_bytes({4, 8, 2}, kSuperBlock) == 1168 &&
        qlu4c32x256p.block_bytes({4, 8, 2}, kSuperBlock) == 552 && qlu4c32x256p.panel_head * 4 == 16,
    "LHS_BLOCK, RHS_BLOCK of the assembly");

}  // namespace

// Types in the declarations of functions that other sources define: in an unnamed namespace they would be other types
// there.

struct TileArgs;  // blocks_args.h
using TileFn = void(const TileArgs*);

/// One row x `quads` * 4 columns: superblocks_neon_*_rows.S. rhs_stride: from panel to panel.
using SuperRowFn = void(
    const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride, void* dst, size_t quads, size_t blocks, float lo,
    float hi);

/// The tiles of an ISA for a format of the RHS, by rows, and what stores their sums.
struct SuperTiles {
    TileFn *of_2, *of_4, *of_6, *of_8, *of_16;
    StoreFn* store;
};

/// A micro-kernel with panels of 4 rows. Bytes of a super-block of a panel, and of the table in front of them.
struct SuperTilesKernel {
    size_t lhs_block, rhs_block, rhs_head;
    SuperTiles tiles;
};
/// The same for rows one after another.
struct SuperRowsKernel {
    size_t lhs_block, rhs_block, rhs_head;
    SuperRowFn* run;
};

}  // namespace kai

extern "C" {
/// dst = clamp(LHS x RHS).
/// @{
[[gnu::visibility("hidden")]] void kai_matmul_super_tiles_neon(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, float* dst, size_t dst_stride,
    const kai::SuperTilesKernel* kernel, float lo, float hi);
[[gnu::visibility("hidden")]] void kai_matmul_super_rows_neon(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, float* dst, size_t dst_stride,
    const kai::SuperRowsKernel* kernel, float lo, float hi);
/// @}
}

namespace kai {
namespace {

/// The functions of the source's ISA for a format of the RHS: tiles; one row with groups of KR / 2 k.
template <const Format& RHS>
constexpr SuperTiles kTiles = {};
template <const Format& RHS, size_t KR>
constexpr SuperRowFn* kRow = nullptr;

/// A tile for the rows that are left, and how many of them it has.
struct RowsOfTile {
    TileFn* run;
    size_t rows;
};
KAI_INLINE RowsOfTile next_tile(const SuperTiles& tiles, size_t left) {
    return left > 12  ? RowsOfTile{tiles.of_16, left < 16 ? left : 16}
           : left > 6 ? RowsOfTile{tiles.of_8, left < 8 ? left : 8}
           : left > 4 ? RowsOfTile{tiles.of_6, left}
           : left > 2 ? RowsOfTile{tiles.of_4, left}
                      : RowsOfTile{tiles.of_2, left};
}

/// The LHS of an RHS.
template <const Format& RHS>
constexpr const Format& kLhs = RHS.bits == 2 ? qsi8d16x256p : qsi8d256p;

/// A micro-kernel with panels of MR rows and groups of KR / 2 k.
template <const Format& RHS, size_t MR, size_t KR>
struct SuperKernel {
    static constexpr size_t kLhsBlock = kLhs<RHS>.block_bytes({MR, KR, 2}, kSuperBlock);
    static constexpr size_t kRhsBlock = RHS.block_bytes({4, KR, 2}, kSuperBlock), kRhsHead = 4 * RHS.panel_head;
    static constexpr SuperTilesKernel kernel = {kLhsBlock, kRhsBlock, kRhsHead, kTiles<RHS>};
    static constexpr auto kMatmul = kai_matmul_super_tiles_neon;
};
template <const Format& RHS, size_t KR>
struct SuperKernel<RHS, 1, KR> {
    static_assert(kRow<RHS, KR> != nullptr);
    using Tiles = SuperKernel<RHS, 4, KR>;
    static constexpr size_t kLhsBlock = kLhs<RHS>.block_bytes({1, KR, 2}, kSuperBlock);
    static constexpr SuperRowsKernel kernel = {kLhsBlock, Tiles::kRhsBlock, Tiles::kRhsHead, kRow<RHS, KR>};
    static constexpr auto kMatmul = kai_matmul_super_rows_neon;
};

}  // namespace
}  // namespace kai

/// A micro-kernel of the catalogue and its getters. Panels of SME: superblocks_neon_panels.hpp.
#define KAI_DEFINE_MATMUL_SUPERBLOCKS_NEON(NAME, LHS, RHS, MR, NR, ...) \
    KAI_OF_NEON(NR, KAI_DEFINE_MATMUL_SUPERBLOCKS_OF_4, NAME, LHS, RHS, MR, NR, __VA_ARGS__)
#define KAI_DEFINE_MATMUL_SUPERBLOCKS_OF_4(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                 \
    KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(256, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float)) \
    KAI_RUN_MATMUL(NAME, float) {                                                                          \
        static_assert((NR) == 4 && (SR) == 2);                                                             \
        kai::check_depth(k, kai::kSuperBlock);                                                             \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                            \
        using Kernel = kai::SuperKernel<kai::RHS, MR, KR>;                                                 \
        Kernel::kMatmul(m, n, k, lhs, rhs, dst, dst_stride_row, &Kernel::kernel, clamp_min, clamp_max);    \
    }

/// kTiles of a format, panels with groups of GROUP k; PAIRS: sums are in the order of kai_store_pairs_neon.
#define KAI_SUPER_TILE(RHS, GROUP, ROWS, ISA) kai_tile_qsi8d256p4x##GROUP##_##RHS##4x##GROUP##_##ROWS##x4_##ISA
#define KAI_SUPER_TILES(RHS, GROUP, ISA, PAIRS)                                                                      \
    extern "C" kai::TileFn KAI_SUPER_TILE(RHS, GROUP, 2, ISA), KAI_SUPER_TILE(RHS, GROUP, 4, ISA),                   \
        KAI_SUPER_TILE(RHS, GROUP, 6, ISA), KAI_SUPER_TILE(RHS, GROUP, 8, ISA), KAI_SUPER_TILE(RHS, GROUP, 16, ISA); \
    namespace kai {                                                                                                  \
    namespace {                                                                                                      \
    template <>                                                                                                      \
    constexpr SuperTiles kTiles<RHS> = {                                                                             \
        KAI_SUPER_TILE(RHS, GROUP, 2, ISA),  KAI_SUPER_TILE(RHS, GROUP, 4, ISA),                                     \
        KAI_SUPER_TILE(RHS, GROUP, 6, ISA),  KAI_SUPER_TILE(RHS, GROUP, 8, ISA),                                     \
        KAI_SUPER_TILE(RHS, GROUP, 16, ISA), (PAIRS) ? kai_store_pairs_neon : kai_store_rows_neon};                  \
    }                                                                                                                \
    }

/// kRow of a format and groups of GROUP k.
#define KAI_SUPER_ROW_OF(RHS, GROUP, ISA) kai_row_qsi8d256p1x##GROUP##_##RHS##4x##GROUP##_##ISA
#define KAI_SUPER_ROW(RHS, GROUP, ISA)                                              \
    extern "C" kai::SuperRowFn KAI_SUPER_ROW_OF(RHS, GROUP, ISA);                   \
    namespace kai {                                                                 \
    namespace {                                                                     \
    template <>                                                                     \
    constexpr SuperRowFn* kRow<RHS, 2 * GROUP> = KAI_SUPER_ROW_OF(RHS, GROUP, ISA); \
    }                                                                               \
    }
