// f32 and f16 <- both operands in blocks with SMMLA (blocks_neon_tiles.hpp). A register holds 2 rows x 2 columns.
//
// Blocks of 32 run in *_tiles.S, few rows in tiles of 6, or of 2 and 4 in *_few.S; longer blocks in *_long.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"
#include "kai/engines/core/catalogue.hpp"

namespace kai {
namespace {

/// A block of a panel, in the order of a tile: scales of rows 0 and 1, of rows 2 and 3, then -C times each.
template <bool BOTH>
KAI_INLINE void pairs_of_scales(const RowScalesArgs& args) {
    const float start = args.start;
    for (size_t p = 0; p < args.panels; ++p) {
        uint32x4_t largest = vld1q_u32(args.largest[p]);
        prepare_row_scales<16>(args, p, load_f16x4, [&](float* out, float32x4_t x) {
            const float32x4_t rows01 = vzip1q_f32(x, x), rows23 = vzip2q_f32(x, x);
            largest = vmaxq_u32(largest, vreinterpretq_u32_f32(x));
            vst1q_f32(out, rows01);
            vst1q_f32(out + 8, vmulq_n_f32(rows01, -start));
            if (BOTH) {
                vst1q_f32(out + 4, rows23);
                vst1q_f32(out + 12, vmulq_n_f32(rows23, -start));
            }
        });
        vst1q_u32(args.largest[p], largest);
    }
}
void row_scales(const RowScalesArgs* args) {
    args->rows > 2 ? pairs_of_scales<true>(*args) : pairs_of_scales<false>(*args);
}

/// A block of a panel, in the order of a tile: sums of rows 0 and 1, of rows 2 and 3, then their scales.
template <bool BOTH>
KAI_INLINE void pairs_of_fields(const RowScalesArgs& args) {
    struct Fields {
        float32x4_t sums, scales;
    };
    const auto load = [](const uint8_t* lhs) {
        lhs += qsi8d32pscalef32.tail({4, 16, 2}, 32, 0);
        return Fields{load_f32x4(lhs), load_f32x4(lhs + 16)};
    };
    for (size_t p = 0; p < args.panels; ++p) {
        prepare_row_scales<16>(args, p, load, [](float* out, Fields x) {
            vst1q_f32(out, vzip1q_f32(x.sums, x.sums));
            vst1q_f32(out + 8, vzip1q_f32(x.scales, x.scales));
            if (BOTH) {
                vst1q_f32(out + 4, vzip2q_f32(x.sums, x.sums));
                vst1q_f32(out + 12, vzip2q_f32(x.scales, x.scales));
            }
        });
    }
}
constexpr size_t kChunk = BlocksLimits::kChunkI8mm;

}  // namespace
}  // namespace kai

extern "C" [[gnu::visibility("hidden")]] void kai_row_fields_neon_i8mm(const kai::RowScalesArgs* args) {
    args->rows > 2 ? kai::pairs_of_fields<true>(*args) : kai::pairs_of_fields<false>(*args);
}

/// kTiles of a format: START of sums, how scales of rows are prepared, REDO of TileRules; SIXTEEN: tiles of 16 rows, if
/// there are any.
#define KAI_MMLA_TILE(RHS, TILE) kai_tile_qsi8d32p4x8_##RHS##4x8_##TILE##_neon_i8mm
#define KAI_MMLA_TILES(RHS, START, ROW_SCALES, REDO, SIXTEEN)                                                  \
    extern "C" kai::TileFn KAI_MMLA_TILE(RHS, 2x16), KAI_MMLA_TILE(RHS, 4x8), KAI_MMLA_TILE(RHS, 4x4),         \
        KAI_MMLA_TILE(RHS, 6x4), KAI_MMLA_TILE(RHS, 8x4), KAI_MMLA_TILE(RHS, 16x4);                            \
    namespace kai {                                                                                            \
    namespace {                                                                                                \
    template <>                                                                                                \
    constexpr BlockTiles kTiles<RHS> = {                                                                       \
        {KAI_MMLA_TILE(RHS, 4x4), KAI_MMLA_TILE(RHS, 8x4), nullptr, SIXTEEN},                                  \
        {START, ROW_SCALES, kChunk, REDO, true},                                                               \
        {KAI_MMLA_TILE(RHS, 2x16), KAI_MMLA_TILE(RHS, 2x16), KAI_MMLA_TILE(RHS, 4x8), KAI_MMLA_TILE(RHS, 4x8), \
         KAI_MMLA_TILE(RHS, 6x4), KAI_MMLA_TILE(RHS, 6x4)}};                                                   \
    }                                                                                                          \
    }

KAI_MMLA_TILES(qsi4c32p, ShortSum<4>::kStart, row_scales, true, KAI_MMLA_TILE(qsi4c32p, 16x4))
KAI_MMLA_TILES(qsi8c32p, ShortSum<0>::kStart, row_scales, true, KAI_MMLA_TILE(qsi8c32p, 16x4))
KAI_MMLA_TILES(qlu4c32p, ShortSum<0>::kStart, row_scales, true, KAI_MMLA_TILE(qlu4c32p, 16x4))
KAI_MMLA_TILES(qlu4c16p, ShortSum<0>::kStart, row_scales, true, KAI_MMLA_TILE(qlu4c16p, 16x4))
// Tiles of 8 rows: 16 would be 8 % faster on wide cores, but leave too few sums for in-order cores.
KAI_MMLA_TILES(qai4c32p, ShortSum<0>::kStart, kai_row_fields_neon_i8mm, false, nullptr)

#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi8c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qlu4c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, uint16_t, void, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_qsi8d32p_qai4c32p/ukernels.def"
