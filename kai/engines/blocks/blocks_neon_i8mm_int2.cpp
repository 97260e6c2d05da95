// f32 <- qsi8d32p x weights of 2 bits with SMMLA, blocks of any length: tiles of 16, 8, 4 and 2 rows x 4 columns
// (blocks_neon_i8mm_int2_tiles.S).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"
#include "kai/engines/core/catalogue.hpp"

#define KAI_TILE(TILE) kai_tile_qsi8d32p4x8_qsi2c32p4x8_##TILE##_neon_i8mm

extern "C" kai::TileFn KAI_TILE(2x4), KAI_TILE(4x4), KAI_TILE(8x4), KAI_TILE(16x4);

namespace kai {
namespace {

template <>
constexpr BlockTiles kTiles<qsi2c32p> = {
    {KAI_TILE(4x4), KAI_TILE(8x4), nullptr, KAI_TILE(16x4)},
    {0, nullptr, 0, false, true},
    {KAI_TILE(2x4), KAI_TILE(2x4)},
    true};

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi2c32p/ukernels.def"
