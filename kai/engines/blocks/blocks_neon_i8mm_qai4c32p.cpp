// f32 and f16 <- qsi8d32p x qai4c32p with SMMLA.
//
//     dst[m][n] = clamp(bias + sum over blocks of (rhs_zero * lhs_sum + lhs_scale * rhs_scale * S)),
//     S = sum over the block of lhs * rhs
//
// A register holds 2 rows x 2 columns. Blocks of 32, the usual length, run in blocks_neon_i8mm_qai4c32p.S, few rows in
// tiles of 2, 4 or 6; longer blocks in blocks_neon_i8mm_long.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"

namespace kai {
namespace {

/// A block of a panel: sums of rows 01, rows 23 in the order of a tile, then scales.
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
void row_scales(const RowScalesArgs* args) {
    args->rows > 2 ? pairs_of_fields<true>(*args) : pairs_of_fields<false>(*args);
}
constexpr size_t kChunk = kMaxRowScales / (16 * kMaxPanels);

}  // namespace
}  // namespace kai

// Tiles of 8 rows: 16 would be 8 % faster on wide cores, but leave too few sums for in-order cores.
KAI_MMLA_TILES(qai4c32p, ShortSum<0>::kStart, row_scales, kChunk, false, nullptr)

namespace kai {
namespace {

template <const Format& RHS, size_t MR, size_t, size_t M_STEP, class T>
constexpr BlocksKernel kernel() {
    return mmla_kernel<qsi8d32pscalef32, RHS, MR, 4, M_STEP, T>();
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/ukernels.def"
#undef KAI_UKERNEL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::F16, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_qsi8d32p_qai4c32p/ukernels.def"
