// f32 <- qsi8d32p x qsi4c32p with SDOT.
//
//     dst[m][n] = clamp(sum over blocks of lhs_scale * rhs_scale * S),     S = sum over the block of lhs * rhs
//
// Blocks of 32, the usual length, run in blocks_neon_dotprod_qsi4c32p.S (8 x 4, fewer rows as many as there are; a
// register holds 4 columns of a row) and blocks_neon_dotprod_qsi4c32p_row.S (16 columns of a row); longer blocks in
// blocks_neon_tiles.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"

extern "C" {
KAI_DECLARE_DOT_TILES(qsi4c32p);
}

namespace kai {
namespace {

/// A block of a panel: scales of the rows.
void row_scales(const RowScalesArgs* args) {
    for (size_t p = 0; p < args->panels; ++p) {
        prepare_row_scales<4>(*args, p, load_f16x4, [](float* out, float32x4_t x) { vst1q_f32(out, x); });
    }
}
constexpr size_t kChunk = 64;

/// Tiles of up to 8 rows: more rows would leave too few sums for in-order cores.
constexpr BlockTiles kTiles = KAI_DOT_TILES(qsi4c32p, ShortSum<4>::kStart, row_scales, kChunk);

template <size_t MR, size_t KR, size_t, class T>
KAI_INLINE void run(size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, Dst<T> dst) {
    matmul_dot<Symmetric, MR, KR>(
        kTiles, kai_row_qsi8d32p1x4_qsi4c32p4x4_neon_dotprod, kai_row_qsi8d32p1x8_qsi4c32p4x8_neon_dotprod, m, n, k, bl,
        lhs, rhs, dst);
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, __VA_ARGS__)

#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
