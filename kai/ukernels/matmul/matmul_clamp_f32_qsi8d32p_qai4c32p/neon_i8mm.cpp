// f32 and f16 <- qsi8d32p x qai4c32p with SMMLA.
//
//     dst[m][n] = clamp(bias + sum over blocks of (rhs_zero * lhs_sum + lhs_scale * rhs_scale * S)),
//     S = sum over the block of lhs * rhs
//
// A register holds 2 rows x 2 columns. Blocks of 32, the usual length, run in neon_i8mm.S, longer ones in
// matmul_int_neon_blocks.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/matmul_int_neon_blocks.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f16_qsi8d32p_qai4c32p/kai_matmul_clamp_f16_qsi8d32p_qai4c32p_interface.h"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/kai_matmul_clamp_f32_qsi8d32p_qai4c32p_interface.h"

extern "C" {
kai::TileFn kai_tile_qsi8d32p4x8_qai4c32p4x8_4x4_neon_i8mm, kai_tile_qsi8d32p4x8_qai4c32p4x8_8x4_neon_i8mm;
}

namespace kai {
namespace {

/// Tiles of 8 rows: 16 would be 8 % faster on wide cores, but leave too few sums for cores that issue in order.
struct MmlaTiles {
    using Acc = Mmla8;
    using Pair = Asymmetric;
    static constexpr size_t kChunk = 32;
    static constexpr bool kFiniteOnly = false;

    template <int PANELS>
    struct RowScales {
        float values[kChunk][PANELS][4][4];  // sums of rows 01, rows 23 in the order of a tile, then scales

        KAI_INLINE const float* start() const {
            return values[0][0][0];
        }
        KAI_INLINE void fill(const uint8_t* lhs, size_t lhs_stride, size_t blocks) {
            lhs += Pair::kLhs.tail(Acc::kLhs, 32, 0);
            KAI_UNROLL_2
            for (size_t b = 0; b < blocks; ++b, lhs += Pair::kLhs.block_bytes(Acc::kLhs, 32)) {
                KAI_UNROLL
                for (int p = 0; p < PANELS; ++p) {
                    const float32x4_t sums = load_f32x4(lhs + p * lhs_stride);
                    const float32x4_t scales = load_f32x4(lhs + p * lhs_stride + 16);
                    vst1q_f32(values[b][p][0], vzip1q_f32(sums, sums));
                    vst1q_f32(values[b][p][1], vzip2q_f32(sums, sums));
                    vst1q_f32(values[b][p][2], vzip1q_f32(scales, scales));
                    vst1q_f32(values[b][p][3], vzip2q_f32(scales, scales));
                }
            }
        }
    };

    template <int PANELS>
    KAI_INLINE static void run(const TileArgs* args) {
        constexpr TileFn* kRun = PANELS == 1 ? kai_tile_qsi8d32p4x8_qai4c32p4x8_4x4_neon_i8mm
                                             : kai_tile_qsi8d32p4x8_qai4c32p4x8_8x4_neon_i8mm;
        kRun(args);
    }
};

template <size_t MR, size_t, size_t M_STEP, class T>
KAI_INLINE void run(size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, Dst<T> dst) {
    matmul_blocks<MmlaTiles, M_STEP / MR>(m, n, k, bl, lhs, rhs, dst);
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_i8mm(...) KAI_DEFINE_MATMUL_BLOCKS(__VA_ARGS__)

#include "kai/src/other_isas.hpp"
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/ukernels.def"
#undef KAI_UKERNEL

#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(kai::F16, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_qsi8d32p_qai4c32p/ukernels.def"
