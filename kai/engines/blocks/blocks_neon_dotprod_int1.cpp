// f32 <- qsi8d32p x weights of 1 bit with SDOT, blocks of any length: tiles of 16, 8, 4 and 2 rows x 4 columns
// (blocks_neon_dotprod_int1_tiles.S); few rows are looked up.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_int1.hpp"

#define KAI_TILE(TILE) kai_tile_qsi8d32p4x8_qsi1c32p16x8_##TILE##_neon_dotprod

extern "C" kai::TileFn KAI_TILE(2x4), KAI_TILE(4x4), KAI_TILE(8x4), KAI_TILE(16x4);

namespace kai {
namespace {

template <>
constexpr BlockTiles kTiles<qsi1c32p> = {
    {KAI_TILE(4x4), KAI_TILE(8x4), nullptr, KAI_TILE(16x4)},
    {0, nullptr, 0, false, false},
    {KAI_TILE(2x4), KAI_TILE(2x4)},
    true};

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_INT1)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::BlocksLimits::kTableRowsDotprod, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi1c32p/ukernels.def"
