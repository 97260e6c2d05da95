// f32 <- int8 in blocks of 256 x weights in super-blocks on NEON (formula: superblocks.hpp). Tiles of 2 to 16 rows and
// 4 columns (superblocks_neon_tile.inc) and one row of 16 columns (superblocks_neon_row.inc) are assembly; the loops
// around them are those of the engine of blocks: blocks_neon.cpp, blocks_neon_rows.cpp.
//
// A source has, for its ISA and each format, KAI_SUPER_TILES, and KAI_SUPER_ROW for the groups of k that have a kernel
// for one row.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/blocks/blocks_neon.hpp"
#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

constexpr size_t kSuperBlock = 256;

static_assert(
    qsi8d256p.block_bytes({4, 8, 2}, kSuperBlock) == 1104 && qsi8d256p.block_bytes({1, 8, 2}, kSuperBlock) == 276 &&
        qau4c32x256p.block_bytes({4, 8, 2}, kSuperBlock) == 592 &&
        qau5c32x256p.block_bytes({4, 8, 2}, kSuperBlock) == 720 &&
        qsi6c16x256p.block_bytes({4, 8, 2}, kSuperBlock) == 840 &&
        qlu4c32x256p.block_bytes({4, 8, 2}, kSuperBlock) == 552 && qlu4c32x256p.panel_head * 4 == 16,
    "LHS_BLOCK, RHS_BLOCK of the assembly");

/// The functions of the source's ISA for a format of the RHS: tiles; one row with groups of KR / 2 k.
template <const Format& RHS>
constexpr BlockTiles kTiles = {};
template <const Format& RHS, size_t KR>
constexpr RowFn* kRow = nullptr;

/// Panels of MR rows and groups of KR / 2 k.
template <const Format& RHS, size_t MR, size_t KR>
constexpr auto kernel() {
    constexpr BlockOperands operands = {{qsi8d256p, MR}, {RHS, 4}, sizeof(float)};
    if constexpr (MR == 1) {
        static_assert(kRow<RHS, KR> != nullptr);
        return BlockRowsKernel{operands, kRow<RHS, KR>, nullptr};
    } else {
        return BlocksKernel{
            operands, &kTiles<RHS>, nullptr, kTiles<RHS>.rules.pairs ? kai_store_pairs_neon : kai_store_rows_neon};
    }
}

}  // namespace
}  // namespace kai

/// A micro-kernel of the catalogue and its getters.
#define KAI_DEFINE_MATMUL_SUPERBLOCKS_NEON(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                          \
    KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(256, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float))          \
    KAI_RUN_MATMUL(NAME, float) {                                                                                   \
        static_assert((NR) == 4 && (SR) == 2);                                                                      \
        kai::check_depth(k, kai::kSuperBlock);                                                                      \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                                     \
        static constexpr auto kernel = kai::kernel<kai::RHS, MR, KR>();                                             \
        kai::matmul_blocks(kernel, m, n, k, kai::kSuperBlock, lhs, rhs, dst, dst_stride_row, clamp_min, clamp_max); \
    }

/// kTiles of a format, panels with groups of GROUP k; PAIRS as in TileRules.
#define KAI_SUPER_TILE(RHS, GROUP, ROWS, ISA) kai_tile_qsi8d256p4x##GROUP##_##RHS##4x##GROUP##_##ROWS##x4_##ISA
#define KAI_SUPER_TILES(RHS, GROUP, ISA, PAIRS)                                                                        \
    extern "C" kai::TileFn KAI_SUPER_TILE(RHS, GROUP, 2, ISA), KAI_SUPER_TILE(RHS, GROUP, 4, ISA),                     \
        KAI_SUPER_TILE(RHS, GROUP, 6, ISA), KAI_SUPER_TILE(RHS, GROUP, 8, ISA), KAI_SUPER_TILE(RHS, GROUP, 16, ISA);   \
    namespace kai {                                                                                                    \
    namespace {                                                                                                        \
    template <>                                                                                                        \
    constexpr BlockTiles kTiles<RHS> = {                                                                               \
        {KAI_SUPER_TILE(RHS, GROUP, 4, ISA), KAI_SUPER_TILE(RHS, GROUP, 8, ISA), nullptr,                              \
         KAI_SUPER_TILE(RHS, GROUP, 16, ISA)},                                                                         \
        {0, nullptr, 0, false, PAIRS},                                                                                 \
        {KAI_SUPER_TILE(RHS, GROUP, 2, ISA), KAI_SUPER_TILE(RHS, GROUP, 2, ISA), KAI_SUPER_TILE(RHS, GROUP, 4, ISA),   \
         KAI_SUPER_TILE(RHS, GROUP, 4, ISA), KAI_SUPER_TILE(RHS, GROUP, 6, ISA), KAI_SUPER_TILE(RHS, GROUP, 6, ISA)}}; \
    }                                                                                                                  \
    }

/// kRow of a format and groups of GROUP k.
#define KAI_SUPER_ROW_OF(RHS, GROUP, ISA) kai_row_qsi8d256p1x##GROUP##_##RHS##4x##GROUP##_##ISA
#define KAI_SUPER_ROW(RHS, GROUP, ISA)                                         \
    extern "C" kai::RowFn KAI_SUPER_ROW_OF(RHS, GROUP, ISA);                   \
    namespace kai {                                                            \
    namespace {                                                                \
    template <>                                                                \
    constexpr RowFn* kRow<RHS, 2 * GROUP> = KAI_SUPER_ROW_OF(RHS, GROUP, ISA); \
    }                                                                          \
    }
