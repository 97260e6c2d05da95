// f32 and f16 <- both operands in blocks with SDOT (blocks_neon_tiles.hpp). A register holds 4 columns of a row.
//
// Blocks of 32, the usual length, run in blocks_neon_dotprod_*_tiles.S (8 x 4, or the 5 to 7 rows that are left),
// *_few.S (up to 4 rows), *_row*.S (16 columns of a row); longer blocks in blocks_neon_dotprod_long*.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"
#include "kai/engines/core/catalogue.hpp"

namespace kai {
namespace {

/// A block of a panel: scales of the rows.
void row_scales(const RowScalesArgs* args) {
    for (size_t p = 0; p < args->panels; ++p) {
        prepare_row_scales<4>(*args, p, load_f16x4, [](float* out, float32x4_t x) { vst1q_f32(out, x); });
    }
}

/// A block of a panel: scales of the rows, then -C times the scale of each row, repeated four times.
void row_scales_and_starts(const RowScalesArgs* args) {
    for (size_t p = 0; p < args->panels; ++p) {
        uint32x4_t largest = vld1q_u32(args->largest[p]);
        prepare_row_scales<20>(*args, p, load_f16x4, [&](float* out, float32x4_t x) {
            const float32x4_t starts = vmulq_n_f32(x, -ShortSum<0>::kStart);
            largest = vmaxq_u32(largest, vreinterpretq_u32_f32(x));
            vst1q_f32(out, x);
            vst1q_f32(out + 4, vdupq_laneq_f32(starts, 0));
            vst1q_f32(out + 8, vdupq_laneq_f32(starts, 1));
            vst1q_f32(out + 12, vdupq_laneq_f32(starts, 2));
            vst1q_f32(out + 16, vdupq_laneq_f32(starts, 3));
        });
        vst1q_u32(args->largest[p], largest);
    }
}

constexpr size_t kChunk = BlocksLimits::kChunkDotprod;

}  // namespace
}  // namespace kai

#define KAI_DOT_TILE(RHS, TILE, CORE) kai_tile_qsi8d32p4x4_##RHS##4x4_##TILE##_neon_dotprod##CORE
#define KAI_FEW_TILES(RHS) \
    KAI_DOT_TILE(RHS, 1x16, ), KAI_DOT_TILE(RHS, 2x16, ), KAI_DOT_TILE(RHS, 3x8, ), KAI_DOT_TILE(RHS, 4x8, )
#define KAI_REST_TILES(RHS, CORE) \
    KAI_DOT_TILE(RHS, 5x4, CORE), KAI_DOT_TILE(RHS, 6x4, CORE), KAI_DOT_TILE(RHS, 7x4, CORE)
#define KAI_DOT_ROW(RHS, GROUP) kai_row_qsi8d32p1x##GROUP##_##RHS##4x##GROUP##_neon_dotprod
/// kTiles of a format. CORE: nothing, or _cortexa55. Then TileRules: start, row_scales, chunk, redo.
#define KAI_DOT_TILES(RHS, FOR_A55, CORE, ...)                        \
    template <>                                                       \
    constexpr BlockTiles kTiles<RHS, FOR_A55> = {                     \
        {KAI_DOT_TILE(RHS, 4x4, CORE), KAI_DOT_TILE(RHS, 8x4, CORE)}, \
        {__VA_ARGS__, false},                                         \
        {KAI_FEW_TILES(RHS), KAI_REST_TILES(RHS, CORE)}};
/// kTiles, also for Cortex-A55, and kRow of a format.
#define KAI_DOT_FORMAT(RHS, ...)                                                                                 \
    extern "C" {                                                                                                 \
    kai::TileFn KAI_FEW_TILES(RHS), KAI_REST_TILES(RHS, ), KAI_DOT_TILE(RHS, 4x4, ), KAI_DOT_TILE(RHS, 8x4, ),   \
        KAI_REST_TILES(RHS, _cortexa55), KAI_DOT_TILE(RHS, 4x4, _cortexa55), KAI_DOT_TILE(RHS, 8x4, _cortexa55); \
    kai::RowFn KAI_DOT_ROW(RHS, 4), KAI_DOT_ROW(RHS, 8);                                                         \
    }                                                                                                            \
    namespace kai {                                                                                              \
    namespace {                                                                                                  \
    KAI_DOT_TILES(RHS, false, , __VA_ARGS__)                                                                     \
    KAI_DOT_TILES(RHS, true, _cortexa55, __VA_ARGS__)                                                            \
    template <>                                                                                                  \
    constexpr RowFn* kRow<RHS, 8> = KAI_DOT_ROW(RHS, 4);                                                         \
    template <>                                                                                                  \
    constexpr RowFn* kRow<RHS, 16> = KAI_DOT_ROW(RHS, 8);                                                        \
    }                                                                                                            \
    }

// Tiles of up to 8 rows: with more, there would be too few registers for sums in turn on in-order cores. Those of
// qai4c32p read the fields of rows in place.
KAI_DOT_FORMAT(qsi4c32p, ShortSum<4>::kStart, row_scales, BlocksLimits::kChunkDotprodInt4, false)
KAI_DOT_FORMAT(qsi8c32p, ShortSum<0>::kStart, row_scales_and_starts, kChunk, true)
KAI_DOT_FORMAT(qlu4c32p, ShortSum<0>::kStart, row_scales_and_starts, kChunk, true)
KAI_DOT_FORMAT(qlu4c16p, ShortSum<0>::kStart, row_scales_and_starts, kChunk, true)
KAI_DOT_FORMAT(qai4c32p, ShortSum<0>::kStart, nullptr, 0, false)

#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi8c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qlu4c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, uint16_t, void, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_qsi8d32p_qai4c32p/ukernels.def"
