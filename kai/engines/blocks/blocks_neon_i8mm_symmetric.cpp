// f32 <- qsi8d32p x qsi4c32p, qsi8c32p or qlu4c32p with SMMLA.
//
//     dst[m][n] = clamp(sum over blocks of lhs_scale * rhs_scale * S),     S = sum over the block of lhs * rhs
//
// A register holds 2 rows x 2 columns. Blocks of 32, the usual length, run in blocks_neon_i8mm_symmetric_tiles.S, few
// rows in tiles of 2, 4 or 6; longer blocks in blocks_neon_tiles.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"

#define KAI_MMLA_TILE(RHS, TILE) kai_tile_qsi8d32p4x8_##RHS##4x8_##TILE##_neon_i8mm
#define KAI_DECLARE_MMLA_TILES(RHS)                                                                                  \
    kai::TileFn KAI_MMLA_TILE(RHS, 4x4), KAI_MMLA_TILE(RHS, 8x4), KAI_MMLA_TILE(RHS, 16x4), KAI_MMLA_TILE(RHS, 6x4), \
        KAI_MMLA_TILE(RHS, 2x16), KAI_MMLA_TILE(RHS, 4x8)

extern "C" {
KAI_DECLARE_MMLA_TILES(qsi4c32p);
KAI_DECLARE_MMLA_TILES(qsi8c32p);
KAI_DECLARE_MMLA_TILES(qlu4c32p);
KAI_DECLARE_MMLA_TILES(qlu4c16p);
}

namespace kai {
namespace {

/// A block of a panel: scales of rows 01, rows 23 in the order of a tile, then -C times them.
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
constexpr size_t kChunk = kMaxRowScales / (16 * kMaxPanels);

/// Tiles of up to MAX_ROWS rows.
#define KAI_MMLA_TILES(PAIR, RHS, MAX_ROWS, REDO)                                                                 \
    {                                                                                                             \
        {KAI_MMLA_TILE(RHS, 4x4), KAI_MMLA_TILE(RHS, 8x4), MAX_ROWS == 16 ? KAI_MMLA_TILE(RHS, 16x4) : nullptr},  \
            ShortSum<PAIR::kFraction>::kStart, row_scales, kChunk, REDO, true, {                                  \
            KAI_MMLA_TILE(RHS, 2x16), KAI_MMLA_TILE(RHS, 2x16), KAI_MMLA_TILE(RHS, 4x8), KAI_MMLA_TILE(RHS, 4x8), \
                KAI_MMLA_TILE(RHS, 6x4), KAI_MMLA_TILE(RHS, 6x4)                                                  \
        }                                                                                                         \
    }
template <size_t MAX_ROWS>
constexpr BlockTiles kInt4Tiles = KAI_MMLA_TILES(Symmetric, qsi4c32p, MAX_ROWS, (long_tile<Symmetric, Mmla8, 1>));
template <size_t MAX_ROWS>
constexpr BlockTiles kInt8Tiles =
    KAI_MMLA_TILES(SymmetricInt8, qsi8c32p, MAX_ROWS, (long_tile<SymmetricInt8, Mmla8, 1>));
template <size_t MAX_ROWS>
constexpr BlockTiles kTableTiles = KAI_MMLA_TILES(SymmetricInt8, qlu4c32p, MAX_ROWS, (table_tile<qlu4c32p, Mmla8>));
constexpr BlockTiles kHalvesTiles = KAI_MMLA_TILES(SymmetricInt8, qlu4c16p, 16, (table_tile<qlu4c16p, Mmla8>));

template <const Format& RHS, size_t, size_t, size_t M_STEP, class T>
constexpr BlocksKernel kernel() {
    constexpr BlockOperands operands = block_operands<qsi8d32p, RHS, Mmla8, T>();
    if constexpr (RHS.table) {
        return {operands, &RHS == &qlu4c16p ? &kHalvesTiles : &kTableTiles<M_STEP>, nullptr, kai_store_pairs_neon};
    } else if constexpr (RHS.bits == 4) {
        return {operands, &kInt4Tiles<M_STEP>, &kLongTiles<Symmetric, Mmla8>, kai_store_pairs_neon};
    } else {
        return {operands, &kInt8Tiles<M_STEP>, &kLongTiles<SymmetricInt8, Mmla8>, kai_store_pairs_neon};
    }
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
#undef KAI_UKERNEL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi8c32p/ukernels.def"
#undef KAI_UKERNEL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qlu4c32p/ukernels.def"
