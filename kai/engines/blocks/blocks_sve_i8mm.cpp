// f32 <- qsi8d32p x qsi4c32p with SVE SMMLA, panels of 8 columns.
//
//     dst[m][n] = clamp(sum over blocks of lhs_scale * rhs_scale * S),     S = sum over the block of lhs * rhs
//
// A tile is 2, 4, 6, 8 or 16 rows x the columns of one vector: 4, or 2 where vectors have 128 bits. Every 128 bits of a
// sum hold 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1. Blocks of 32, the usual length, run in blocks_sve_i8mm.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_args.h"
#include "kai/engines/blocks/blocks_sve.hpp"

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
constexpr size_t kChunk = kMaxRowScales / (8 * kMaxPanels);

/// Blocks of other lengths: one panel; the row scales of the next block are `next` floats on.
[[gnu::noinline]] void long_panel(
    const SveTileArgs& a, size_t bl, const uint8_t* lhs, const float* scales, size_t next, float* sums) {
    const svbool_t some = first_bytes(a.width), words = first_words(a.width / 4);
    const size_t lhs_block = qsi8d32p.block_bytes(kLhsTile, bl), rhs_block = qsi4c32p.block_bytes(kRhsTile, bl);
    const uint8_t *columns = a.scales, *elements = a.elements;
    svfloat32_t acc01 = svld1_f32(words, sums), acc23 = svld1_f32(words, sums + 8);
    lhs += qsi8d32p.elements(kLhsTile, bl, 0);
    for (size_t b = a.blocks; b > 0;
         --b, lhs += lhs_block, columns += rhs_block, elements += rhs_block, scales += next) {
        svint32_t sum01 = SveLong::start(), sum23 = sum01;
        const uint8_t *low_lhs = lhs, *rhs = elements;
        for (size_t j = 0; j < bl / 2; j += 8, low_lhs += 32, rhs += 64) {
            const svint8_t packed = load_bytes(some, rhs);
            const svint8_t low = SveLong::low(packed), high = SveLong::high(packed);
            const uint8_t* high_lhs = low_lhs + bl / 2 * 4;
            sum01 = svmmla_s32(sum01, load_quad(low_lhs), low);
            sum23 = svmmla_s32(sum23, load_quad(low_lhs + 16), low);
            sum01 = svmmla_s32(sum01, load_quad(high_lhs), high);
            sum23 = svmmla_s32(sum23, load_quad(high_lhs + 16), high);
        }
        const svfloat64_t x = svreinterpret_f64_f32(halves_to_float(load_halves(first_words(a.width / 8), columns)));
        const svfloat32_t column_scales = svreinterpret_f32_f64(svzip1_f64(x, x));  // c0 c1 c0 c1, ...
        const svfloat32_t rows01 = svld1rq_f32(all_words(), scales), rows23 = svld1rq_f32(all_words(), scales + 4);
        acc01 =
            svmla_f32_x(all_words(), acc01, SveLong::to_float(sum01), svmul_f32_x(all_words(), rows01, column_scales));
        acc23 =
            svmla_f32_x(all_words(), acc23, SveLong::to_float(sum23), svmul_f32_x(all_words(), rows23, column_scales));
    }
    svst1_f32(words, sums, acc01);
    svst1_f32(words, sums + 8, acc23);
}

/// A tile function: quad by quad, in one vector or two. RUN: assembly for blocks of 32, null for others.
template <int PANELS, SveTileFn* RUN>
void sve_tile(const TileArgs* args) {
    SveTileArgs a;
    vst1q_f32(a.start, vld1q_f32(args->start));
    a.lhs = args->lhs;
    a.lhs_stride = args->lhs_stride;
    a.row_scales = args->row_scales;
    a.blocks = args->blocks;
    a.width = width();
    float* tile = args->tiles;
    for (size_t q = 0; q < args->quads; ++q, tile += 16 * PANELS) {
        const uint8_t* panel = args->rhs + q / 2 * args->rhs_stride;
        if (args->resume == 0) {
            KAI_UNROLL(16)
            for (int v = 0; v < 4 * PANELS; ++v) {
                vst1q_f32(tile + 4 * v, vdupq_n_f32(0));
            }
        }
        for (size_t c = 0; c < 4; c += a.width / 8) {
            const size_t column = q % 2 * 4 + c;
            a.scales = panel + 2 * column;
            a.elements = panel + qsi4c32p.elements(kRhsTile, 32, 0) + 8 * column;
            a.sums = tile + 2 * c;
            if constexpr (RUN != nullptr) {
                RUN(&a);
            } else {
                for (size_t p = 0; p < PANELS; ++p) {
                    long_panel(
                        a, args->bl, a.lhs + p * a.lhs_stride, a.row_scales + 8 * p, 8 * PANELS, a.sums + 16 * p);
                }
            }
        }
    }
}

constexpr TileFn *kTwo = sve_tile<1, KAI_SVE_TILE(2)>, *kFour = sve_tile<1, KAI_SVE_TILE(4)>,
                 *kSix = sve_tile<2, KAI_SVE_TILE(6)>;
constexpr BlockTiles kTiles{
    {kFour, sve_tile<2, KAI_SVE_TILE(8)>, sve_tile<4, KAI_SVE_TILE(16)>},
    ShortSum<4>::kStart,
    row_scales,
    kChunk,
    nullptr,
    true,
    {kTwo, kTwo, kFour, kFour, kSix, kSix},
    true};
constexpr BlockTiles kLongSveTiles{
    {sve_tile<1, nullptr>, sve_tile<2, nullptr>, nullptr}, 0, row_scales, kChunk, nullptr, true};

struct SveMmla8 {
    static constexpr Tile kLhs = kLhsTile, kRhs = kRhsTile;
};

template <const Format& RHS, size_t MR, size_t KR, size_t, class T>
constexpr BlocksKernel kernel() {
    static_assert(MR == 4 && KR == 16);
    return {block_operands<qsi8d32p, RHS, SveMmla8, T>(), &kTiles, &kLongSveTiles, kai_store_pairs_neon};
}

}  // namespace
}  // namespace kai

#define KAI_ISA_sve_i8mm KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, __VA_ARGS__)

#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
