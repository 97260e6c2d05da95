// f32 <- qsi8d32p x qsi4c32p, qsi8c32p or qlu4c32p with SMMLA.
//
//     dst[m][n] = clamp(sum over blocks of lhs_scale * rhs_scale * S),     S = sum over the block of lhs * rhs
//
// A register holds 2 rows x 2 columns. Blocks of 32, the usual length, run in blocks_neon_i8mm_symmetric_tiles.S, few
// rows in tiles of 2, 4 or 6; longer blocks in blocks_neon_i8mm_long.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"

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

}  // namespace
}  // namespace kai

KAI_MMLA_TILES(qsi4c32p, ShortSum<4>::kStart, row_scales, kChunk, true, KAI_MMLA_TILE(qsi4c32p, 16x4))
KAI_MMLA_TILES(qsi8c32p, ShortSum<0>::kStart, row_scales, kChunk, true, KAI_MMLA_TILE(qsi8c32p, 16x4))
KAI_MMLA_TILES(qlu4c32p, ShortSum<0>::kStart, row_scales, kChunk, true, KAI_MMLA_TILE(qlu4c32p, 16x4))
KAI_MMLA_TILES(qlu4c16p, ShortSum<0>::kStart, row_scales, kChunk, true, KAI_MMLA_TILE(qlu4c16p, 16x4))

namespace kai {
namespace {

template <const Format& RHS, size_t MR, size_t, size_t M_STEP, class T>
constexpr BlocksKernel kernel() {
    return mmla_kernel<qsi8d32p, RHS, MR, 4, M_STEP, T>();
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
