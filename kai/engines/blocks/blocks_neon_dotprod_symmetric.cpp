// f32 <- qsi8d32p x qsi4c32p, qsi8c32p or qlu4c32p with SDOT.
//
//     dst[m][n] = clamp(sum over blocks of lhs_scale * rhs_scale * S),     S = sum over the block of lhs * rhs
//
// Blocks of 32, the usual length, run in blocks_neon_dotprod_symmetric_tiles.S (8 x 4, fewer rows as many as there are;
// a register holds 4 columns of a row) and blocks_neon_dotprod_symmetric_rows.S (16 columns of a row); longer blocks in
// blocks_neon_dotprod_long*.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"

namespace kai {
namespace {

/// A block of a panel: scales of the rows.
void row_scales(const RowScalesArgs* args) {
    for (size_t p = 0; p < args->panels; ++p) {
        prepare_row_scales<4>(*args, p, load_f16x4, [](float* out, float32x4_t x) { vst1q_f32(out, x); });
    }
}

/// A block of a panel: scales of the rows, then for each row -C times its scale, four times.
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

constexpr size_t kChunk = kMaxRowScales / (20 * 2);

}  // namespace
}  // namespace kai

// Tiles of up to 8 rows: more rows would leave too few sums for in-order cores.
KAI_DOT_TILES(qsi4c32p, ShortSum<4>::kStart, row_scales, 64, false)
KAI_DOT_TILES(qsi8c32p, ShortSum<0>::kStart, row_scales_and_starts, kChunk, true)
KAI_DOT_TILES(qlu4c32p, ShortSum<0>::kStart, row_scales_and_starts, kChunk, true)
KAI_DOT_TILES(qlu4c16p, ShortSum<0>::kStart, row_scales_and_starts, kChunk, true)

namespace kai {
namespace {

template <const Format& RHS, size_t MR, size_t KR, size_t, class T>
constexpr auto kernel() {
    return dot_kernel<qsi8d32p, RHS, MR, KR, T>();
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
#undef KAI_UKERNEL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi8c32p/ukernels.def"
#undef KAI_UKERNEL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qlu4c32p/ukernels.def"
