// f32 <- qsi8d32p x weights of 2 bits with SDOT, blocks of any length: tiles of 16, 8, 4 and 2 rows x 4 columns
// (blocks_neon_dotprod_int2_tiles.S), one row (blocks_neon_dotprod_int2_rows.S).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"
#include "kai/engines/core/catalogue.hpp"

#define KAI_TILE(TILE) kai_tile_qsi8d32p4x4_qsi2c32p4x4_##TILE##_neon_dotprod

extern "C" {
kai::TileFn KAI_TILE(2x4), KAI_TILE(4x4), KAI_TILE(8x4), KAI_TILE(16x4);
kai::RowFn kai_row_qsi8d32p1x4_qsi2c32p4x4_neon_dotprod, kai_row_qsi8d32p1x8_qsi2c32p4x8_neon_dotprod;
}

namespace kai {
namespace {

template <>
constexpr BlockTiles kTiles<qsi2c32p> = {
    {KAI_TILE(4x4), KAI_TILE(8x4), nullptr, KAI_TILE(16x4)},
    {0, nullptr, 0, false, false},
    {KAI_TILE(2x4), KAI_TILE(2x4)},
    true};
template <>
constexpr RowFn* kRow<qsi2c32p, 8> = kai_row_qsi8d32p1x4_qsi2c32p4x4_neon_dotprod;
template <>
constexpr RowFn* kRow<qsi2c32p, 16> = kai_row_qsi8d32p1x8_qsi2c32p4x8_neon_dotprod;

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi2c32p/ukernels.def"
