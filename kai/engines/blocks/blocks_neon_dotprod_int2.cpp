// f32 <- qsi8d32p x weights of 2 bits with SDOT, blocks of any length: tiles of 16 rows x 4 columns
// (blocks_neon_dotprod_int2_tiles.S), of 8, 4 and 2 rows (blocks_neon_dotprod_int2_few.S), one row
// (blocks_neon_dotprod_int2_rows.S).
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

/// A block of a panel, for tiles of few rows: scales of the rows, then -sum of each row, repeated four times.
void few_row_fields(const RowScalesArgs* args) {
    constexpr size_t kPanels = 2, kHead = 8, kFloats = 20;  // of the largest tile; scales of 4 rows; what is kept
    const int8x16_t minus_ones = vdupq_n_s8(-1);
    const auto keep = [](float* to, int32x4_t sums) { vst1q_f32(to, vreinterpretq_f32_s32(sums)); };
    for (size_t p = 0; p < args->panels && args->panels <= kPanels; ++p) {
        const uint8_t* lhs = args->lhs + p * args->lhs_stride;
        float* out = args->row_scales + p * kFloats;
        for (size_t b = 0; b < args->blocks; ++b, lhs += args->lhs_block, out += args->panels * kFloats) {
            int32x4_t sums[4] = {};
            for (size_t i = kHead; i < args->lhs_block; i += 64) {
                KAI_UNROLL(4)
                for (size_t j = 0; j < 4; ++j) {
                    sums[j] = vdotq_s32(sums[j], load_s8x16(lhs + i + 16 * j), minus_ones);
                }
            }
            const int32x4_t sum = vaddq_s32(vaddq_s32(sums[0], sums[1]), vaddq_s32(sums[2], sums[3]));
            vst1q_f32(out, load_f16x4(lhs));
            keep(out + 4, vdupq_laneq_s32(sum, 0));
            keep(out + 8, vdupq_laneq_s32(sum, 1));
            keep(out + 12, vdupq_laneq_s32(sum, 2));
            keep(out + 16, vdupq_laneq_s32(sum, 3));
        }
    }
}

template <>
constexpr BlockTiles kTiles<qsi2c32p> = {
    {KAI_TILE(4x4), KAI_TILE(8x4), nullptr, KAI_TILE(16x4)},
    {0, few_row_fields, BlocksLimits::kChunkDotprod, false, false},
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
