// f32 <- qsi8d32p x weights of 5 bits with SMMLA, blocks of 32: tiles of 8, 6, 4 and 2 rows x 4 columns
// (blocks_neon_i8mm_qau5c32p_tiles.S).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"
#include "kai/engines/core/catalogue.hpp"

#define KAI_TILE(TILE) kai_tile_qsi8d32p4x8_qau5c32p4x8_##TILE##_neon_i8mm

extern "C" {
kai::TileFn KAI_TILE(2x4), KAI_TILE(4x4), KAI_TILE(6x4), KAI_TILE(8x4);
[[gnu::visibility("hidden")]] kai::RowScalesFn kai_row_fields_neon_i8mm;  // blocks_neon_i8mm.cpp
}

namespace kai {
namespace {

static_assert(qau5c32p.block_bytes({4, 8, 2}, 32) == 96, "RHS_BLOCK of the assembly");

template <>
constexpr BlockTiles kTiles<qau5c32p> = {
    {KAI_TILE(4x4), KAI_TILE(8x4)},
    {ShortSum<0>::kStart, kai_row_fields_neon_i8mm, BlocksLimits::kChunkI8mm, false, true},
    {KAI_TILE(2x4), KAI_TILE(2x4), nullptr, nullptr, KAI_TILE(6x4), KAI_TILE(6x4)},
    true};

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qau5c32p/ukernels.def"
