// f32 <- qsi8d32p x qsi4c32p with SMMLA.
//
//     dst[m][n] = clamp(sum over blocks of lhs_scale * rhs_scale * S),     S = sum over the block of lhs * rhs
//
// A register holds 2 rows x 2 columns. Blocks of 32, the usual length, run in blocks_neon_i8mm_qsi4c32p.S, few rows in
// tiles of 2, 4 or 6; longer blocks in blocks_neon_tiles.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"

extern "C" {
kai::TileFn kai_tile_qsi8d32p4x8_qsi4c32p4x8_4x4_neon_i8mm, kai_tile_qsi8d32p4x8_qsi4c32p4x8_8x4_neon_i8mm,
    kai_tile_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm, kai_tile_qsi8d32p4x8_qsi4c32p4x8_6x4_neon_i8mm,
    kai_tile_qsi8d32p4x8_qsi4c32p4x8_2x16_neon_i8mm, kai_tile_qsi8d32p4x8_qsi4c32p4x8_4x8_neon_i8mm;
}

namespace kai {
namespace {

/// A block of a panel: scales of rows 01, rows 23 in the order of a tile, then -C times them.
template <bool BOTH>
KAI_INLINE void pairs_of_scales(const RowScalesArgs& args) {
    for (size_t p = 0; p < args.panels; ++p) {
        uint32x4_t largest = vld1q_u32(args.largest[p]);
        prepare_row_scales<16>(args, p, load_f16x4, [&](float* out, float32x4_t x) {
            const float32x4_t rows01 = vzip1q_f32(x, x), rows23 = vzip2q_f32(x, x);
            largest = vmaxq_u32(largest, vreinterpretq_u32_f32(x));
            vst1q_f32(out, rows01);
            vst1q_f32(out + 8, vmulq_n_f32(rows01, -ShortSum<4>::kStart));
            if (BOTH) {
                vst1q_f32(out + 4, rows23);
                vst1q_f32(out + 12, vmulq_n_f32(rows23, -ShortSum<4>::kStart));
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
template <size_t MAX_ROWS>
constexpr BlockTiles kTiles{
    {kai_tile_qsi8d32p4x8_qsi4c32p4x8_4x4_neon_i8mm, kai_tile_qsi8d32p4x8_qsi4c32p4x8_8x4_neon_i8mm,
     MAX_ROWS == 16 ? kai_tile_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm : nullptr},
    ShortSum<4>::kStart,
    row_scales,
    kChunk,
    long_tile<Symmetric, Mmla8, 1>,
    true,
    {kai_tile_qsi8d32p4x8_qsi4c32p4x8_2x16_neon_i8mm, kai_tile_qsi8d32p4x8_qsi4c32p4x8_2x16_neon_i8mm,
     kai_tile_qsi8d32p4x8_qsi4c32p4x8_4x8_neon_i8mm, kai_tile_qsi8d32p4x8_qsi4c32p4x8_4x8_neon_i8mm,
     kai_tile_qsi8d32p4x8_qsi4c32p4x8_6x4_neon_i8mm, kai_tile_qsi8d32p4x8_qsi4c32p4x8_6x4_neon_i8mm}};

template <size_t, size_t, size_t M_STEP, class T>
KAI_INLINE void run(size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, Dst<T> dst) {
    matmul_blocks<Symmetric, Mmla8>(kTiles<M_STEP>, kLongTiles<Symmetric, Mmla8>, m, n, k, bl, lhs, rhs, dst);
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, __VA_ARGS__)

#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
