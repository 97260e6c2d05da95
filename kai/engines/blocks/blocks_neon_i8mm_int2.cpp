// f32 <- qsi8d32p x weights of 2 bits with SMMLA, blocks of any length: tiles of 16 rows x 4 columns
// (blocks_neon_i8mm_int2_tiles.S), of 8, 4 and 2 rows (blocks_neon_i8mm_int2_few.S).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"
#include "kai/engines/core/catalogue.hpp"

#define KAI_TILE(TILE) kai_tile_qsi8d32p4x8_qsi2c32p4x8_##TILE##_neon_i8mm

extern "C" kai::TileFn KAI_TILE(2x4), KAI_TILE(4x4), KAI_TILE(8x4), KAI_TILE(16x4);

namespace kai {
namespace {

/// A block of a panel, for tiles of few rows: -sums of rows 0 and 1, of rows 2 and 3, each twice, then their scales.
void few_row_fields(const RowScalesArgs* args) {
    constexpr size_t kPanels = 2, kHead = 8, kFloats = 16;  // of the largest tile; scales of 4 rows; what is kept
    const int8x16_t minus_ones = vdupq_n_s8(-1);
    const auto keep = [](float* to, int32x4_t sums) { vst1q_f32(to, vreinterpretq_f32_s32(sums)); };
    for (size_t p = 0; p < args->panels && args->panels <= kPanels; ++p) {
        const uint8_t* lhs = args->lhs + p * args->lhs_stride;
        float* out = args->row_scales + p * kFloats;
        for (size_t b = 0; b < args->blocks; ++b, lhs += args->lhs_block, out += args->panels * kFloats) {
            int32x4_t sums[4] = {};  // rows 0 1 0 1, rows 2 3 2 3, and so on
            for (size_t i = kHead; i < args->lhs_block; i += 64) {
                KAI_UNROLL(4)
                for (size_t j = 0; j < 4; ++j) {
                    sums[j] = vmmlaq_s32(sums[j], load_s8x16(lhs + i + 16 * j), minus_ones);
                }
            }
            const float32x4_t scales = load_f16x4(lhs);
            keep(out, vaddq_s32(sums[0], sums[2]));
            keep(out + 4, vaddq_s32(sums[1], sums[3]));
            vst1q_f32(out + 8, vzip1q_f32(scales, scales));
            vst1q_f32(out + 12, vzip2q_f32(scales, scales));
        }
    }
}

template <>
constexpr BlockTiles kTiles<qsi2c32p> = {
    {KAI_TILE(4x4), KAI_TILE(8x4), nullptr, KAI_TILE(16x4)},
    {0, few_row_fields, BlocksLimits::kChunkI8mm, false, true},
    {KAI_TILE(2x4), KAI_TILE(2x4)},
    true};

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi2c32p/ukernels.def"
