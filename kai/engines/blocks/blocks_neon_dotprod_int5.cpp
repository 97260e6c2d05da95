// f32 <- qsi8d32p x weights of 5 bits with SDOT, blocks of 32: tiles of 1 to 8 rows x 4 columns
// (blocks_neon_dotprod_qau5c32p_tiles.S), one row (blocks_neon_dotprod_qau5c32p_rows.S).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"
#include "kai/engines/core/catalogue.hpp"

#define KAI_TILE(TILE) kai_tile_qsi8d32p4x4_qau5c32p4x4_##TILE##_neon_dotprod
#define KAI_A55_TILE(TILE) kai_tile_qsi8d32p4x4_qau5c32p4x4_##TILE##_neon_dotprod_cortexa55

extern "C" {
kai::TileFn KAI_TILE(1x4), KAI_TILE(2x4), KAI_TILE(3x4), KAI_TILE(4x4), KAI_TILE(5x4), KAI_TILE(6x4), KAI_TILE(7x4),
    KAI_TILE(8x4), KAI_A55_TILE(4x4), KAI_A55_TILE(5x4), KAI_A55_TILE(6x4), KAI_A55_TILE(7x4), KAI_A55_TILE(8x4);
kai::RowFn kai_row_qsi8d32p1x4_qau5c32p4x4_neon_dotprod, kai_row_qsi8d32p1x8_qau5c32p4x8_neon_dotprod;
}

namespace kai {
namespace {

static_assert(qau5c32p.block_bytes({4, 8, 2}, 32) == 96, "RHS_BLOCK of the assembly");

constexpr TileRules kRules = {ShortSum<0>::kStart, nullptr, 0, false, false};

template <>
constexpr BlockTiles kTiles<qau5c32p> = {
    {KAI_TILE(4x4), KAI_TILE(8x4)},
    kRules,
    {KAI_TILE(1x4), KAI_TILE(2x4), KAI_TILE(3x4), nullptr, KAI_TILE(5x4), KAI_TILE(6x4), KAI_TILE(7x4)},
    true};
template <>
constexpr BlockTiles kTiles<qau5c32p, true> = {
    {KAI_A55_TILE(4x4), KAI_A55_TILE(8x4)},
    kRules,
    {KAI_TILE(1x4), KAI_TILE(2x4), KAI_TILE(3x4), nullptr, KAI_A55_TILE(5x4), KAI_A55_TILE(6x4), KAI_A55_TILE(7x4)},
    true};
template <>
constexpr RowFn* kRow<qau5c32p, 8> = kai_row_qsi8d32p1x4_qau5c32p4x4_neon_dotprod;
template <>
constexpr RowFn* kRow<qau5c32p, 16> = kai_row_qsi8d32p1x8_qau5c32p4x8_neon_dotprod;

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qau5c32p/ukernels.def"
