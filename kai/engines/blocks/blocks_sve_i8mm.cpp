// f32 <- qsi8d32p x qsi4c32p with SVE SMMLA, panels of 8 columns.
//
//     dst[m][n] = clamp(sum over blocks of lhs_scale * rhs_scale * S),     S = sum over the block of lhs * rhs
//
// A tile is 2, 4, 6, 8 or 16 rows x the columns of one vector: 4, or 2 where vectors have 128 bits. Every 128 bits of a
// sum hold 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1. Blocks of 32, the usual length, run in blocks_sve_i8mm.S, longer
// ones in blocks_neon_i8mm_long.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_args.h"
#include "kai/engines/blocks/blocks_sve.hpp"
#include "kai/engines/blocks/blocks_sve_args.h"
#include "kai/engines/core/catalogue.hpp"

namespace kai {
namespace {

constexpr Tile kLhsTile{4, 16, 2}, kRhsTile{8, 16, 2};
static_assert(
    qsi8d32p.block_bytes(kLhsTile, 32) == 136 && qsi8d32p.elements(kLhsTile, 32, 0) == 8 &&
        qsi4c32p.block_bytes(kRhsTile, 32) == 144,
    "LHS_BLOCK, LHS_ELEMENTS, RHS_BLOCK of the assembly");

KAI_STRUCT(SveTileArgs, KAI_SVE_TILE_ARGS);
using SveTileFn = void(const SveTileArgs*);

}  // namespace
}  // namespace kai

extern "C" {
#define KAI_SVE_TILE(ROWS) kai_tile_qsi8d32p4x8_qsi4c32p8x8_##ROWS##_sve_i8mm
kai::SveTileFn KAI_SVE_TILE(2), KAI_SVE_TILE(4), KAI_SVE_TILE(6), KAI_SVE_TILE(8), KAI_SVE_TILE(16);
}

namespace kai {
namespace {

/// A block of a panel: scales of rows 01, rows 23 in the order of a sum.
void row_scales(const RowScalesArgs* args) {
    for (size_t p = 0; p < args->panels; ++p) {
        prepare_row_scales<8>(*args, p, load_f16x4, [](float* out, float32x4_t x) {
            vst1q_f32(out, vzip1q_f32(x, x));
            vst1q_f32(out + 4, vzip2q_f32(x, x));
        });
    }
}
constexpr size_t kChunk = BlocksLimits::kChunkSve;

/// A tile function: quad by quad, in one vector or two.
[[gnu::noinline]] void sve_tile(const TileArgs* args, size_t panels, SveTileFn* run) {
    SveTileArgs a;
    vst1q_f32(a.start, vld1q_f32(args->start));
    a.lhs = args->lhs;
    a.lhs_stride = args->lhs_stride;
    a.row_scales = args->row_scales;
    a.blocks = args->blocks;
    a.width = width();
    float* tile = args->tiles;
    for (size_t q = 0; q < args->quads; ++q, tile += 16 * panels) {
        const uint8_t* panel = args->rhs + q / 2 * args->rhs_stride;
        for (size_t p = 0; args->resume == 0 && p < panels; ++p) {
            KAI_UNROLL(4)
            for (size_t v = 0; v < 4; ++v) {
                vst1q_f32(tile + 16 * p + 4 * v, vdupq_n_f32(0));
            }
        }
        for (size_t c = 0; c < 4; c += a.width / 8) {
            const size_t column = q % 2 * 4 + c;
            a.scales = panel + 2 * column;
            a.elements = panel + qsi4c32p.elements(kRhsTile, 32, 0) + 8 * column;
            a.sums = tile + 2 * c;
            run(&a);
        }
    }
}
template <size_t PANELS, SveTileFn* RUN>
void sve_tile(const TileArgs* args) {
    sve_tile(args, PANELS, opaque(RUN));  // one function, not one for each RUN
}

constexpr TileFn *kTwo = sve_tile<1, KAI_SVE_TILE(2)>, *kFour = sve_tile<1, KAI_SVE_TILE(4)>,
                 *kSix = sve_tile<2, KAI_SVE_TILE(6)>;
template <>
constexpr BlockTiles kTiles<qsi4c32p>{
    {kFour, sve_tile<2, KAI_SVE_TILE(8)>, nullptr, sve_tile<4, KAI_SVE_TILE(16)>},
    {ShortSum<4>::kStart, row_scales, kChunk, false, true},
    {kTwo, kTwo, kFour, kFour, kSix, kSix},
    true};

}  // namespace
}  // namespace kai

#define KAI_ISA_sve_i8mm KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
