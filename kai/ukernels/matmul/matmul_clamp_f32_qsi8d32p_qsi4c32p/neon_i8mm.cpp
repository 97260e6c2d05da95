// f32 <- qsi8d32p x qsi4c32p with SMMLA.
//
//     dst[m][n] = clamp(sum over blocks of lhs_scale * rhs_scale * S),     S = sum over the block of lhs * rhs
//
// A register holds 2 rows x 2 columns. Blocks of 32, the usual length, run in neon_i8mm.S, longer ones in
// matmul_int_neon_blocks.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/matmul_int_neon_blocks.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_interface.h"

extern "C" {
kai::TileFn kai_tile_qsi8d32p4x8_qsi4c32p4x8_4x4_neon_i8mm, kai_tile_qsi8d32p4x8_qsi4c32p4x8_8x4_neon_i8mm,
    kai_tile_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;
}

namespace kai {
namespace {

/// Tiles of up to 16 rows.
struct MmlaTiles {
    using Acc = Mmla8;
    using Pair = Symmetric;
    static constexpr size_t kChunk = 32;
    static constexpr bool kFiniteOnly = true;

    template <int PANELS>
    struct RowScales {
        float values[kChunk][PANELS][4][4];  // rows 01, rows 23 in the order of a tile, then -C times them
        uint32x4_t largest[PANELS] = {};     // of each row, as bits

        KAI_INLINE const float* start() const {
            return values[0][0][0];
        }
        KAI_INLINE void fill(const uint8_t* lhs, size_t lhs_stride, size_t blocks) {
            KAI_UNROLL_2
            for (size_t b = 0; b < blocks; ++b, lhs += qsi8d32p.block_bytes(Acc::kLhs, 32)) {
                KAI_UNROLL
                for (int p = 0; p < PANELS; ++p) {
                    const float32x4_t x = load_f16x4(lhs + p * lhs_stride);
                    const float32x4_t rows01 = vzip1q_f32(x, x), rows23 = vzip2q_f32(x, x);
                    largest[p] = vmaxq_u32(largest[p], vreinterpretq_u32_f32(x));
                    vst1q_f32(values[b][p][0], rows01);
                    vst1q_f32(values[b][p][1], rows23);
                    vst1q_f32(values[b][p][2], vmulq_n_f32(rows01, -ShortSum<4>::kStart));
                    vst1q_f32(values[b][p][3], vmulq_n_f32(rows23, -ShortSum<4>::kStart));
                }
            }
        }
        /// Which of the first `rows` rows have a scale that is not a finite positive number. True if any has.
        KAI_INLINE bool odd_rows(size_t rows, uint32x4_t odd[PANELS]) const {
            static constexpr uint32_t kRows[4] = {0, 1, 2, 3};
            uint32x4_t row = vld1q_u32(kRows), any = vdupq_n_u32(0);
            KAI_UNROLL
            for (int p = 0; p < PANELS; ++p, row = vaddq_u32(row, vdupq_n_u32(4))) {
                const uint32x4_t exists = vcltq_u32(row, vdupq_n_u32(static_cast<uint32_t>(rows)));
                odd[p] = vandq_u32(exists, vcgeq_u32(largest[p], vdupq_n_u32(0x7F800000)));
                any = vorrq_u32(any, odd[p]);
            }
            return vmaxvq_u32(any) != 0;
        }
    };

    template <int PANELS>
    KAI_INLINE static void run(const TileArgs* args) {
        constexpr TileFn* kRun = PANELS == 1   ? kai_tile_qsi8d32p4x8_qsi4c32p4x8_4x4_neon_i8mm
                                 : PANELS == 2 ? kai_tile_qsi8d32p4x8_qsi4c32p4x8_8x4_neon_i8mm
                                               : kai_tile_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;
        kRun(args);
    }
};

template <size_t MR, size_t, size_t M_STEP, class T>
KAI_INLINE void run(size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, Dst<T> dst) {
    matmul_blocks<MmlaTiles, M_STEP / MR>(m, n, k, bl, lhs, rhs, dst);
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_i8mm(...) KAI_DEFINE_MATMUL_BLOCKS(float, __VA_ARGS__)
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)

#include "kai/src/other_isas.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
