// f32 <- int8 in blocks of 256 x weights in super-blocks on NEON: the parts of the micro-kernels. Tiles of 2 to 16 rows
// x 4 columns (superblocks_neon_tile.inc) and one row x 16 columns (superblocks_neon_row.inc) are assembly; the loops around
// tiles are those of the engine of blocks (blocks_neon.cpp).
//
// A source has, for its ISA and each format, KAI_SUPER_TILES, and KAI_SUPER_ROW for the groups of k that have a kernel
// for one row.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/blocks/blocks_neon_tiles.hpp"
#include "kai/engines/superblocks/superblocks.hpp"

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

template <const Format& RHS, size_t MR, size_t NR, size_t KR, size_t SR>
KAI_INLINE void run_superblocks(
    size_t m, size_t n, size_t k, const uint8_t* lhs, const uint8_t* rhs, uint8_t* dst, size_t dst_stride, float lo,
    float hi) {
    static_assert(NR == 4 && SR == 2);
    static constexpr auto kKernel = kernel<RHS, MR, KR>();
    matmul_blocks(kKernel, m, n, k, kSuperBlock, lhs, rhs, dst, dst_stride, lo, hi);
}

}  // namespace
}  // namespace kai

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
