// f32 <- qsi8d32p x qsi4c32p with SDOT.
//
//     dst[m][n] = clamp(sum over blocks of lhs_scale * rhs_scale * S),     S = sum over the block of lhs * rhs
//
// Blocks of 32, the usual length, run in neon_dotprod.S (16 x 4; a register holds 4 columns of a row) and
// neon_dotprod_row.S (16 columns of a row); longer blocks in matmul_int_neon_blocks.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/matmul_int_neon_blocks.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_interface.h"

extern "C" {
kai::TileFn kai_tile_qsi8d32p4x4_qsi4c32p4x4_4x4_neon_dotprod, kai_tile_qsi8d32p4x4_qsi4c32p4x4_8x4_neon_dotprod;
kai::RowFn kai_row_qsi8d32p1x4_qsi4c32p4x4_f32_neon_dotprod, kai_row_qsi8d32p1x8_qsi4c32p4x8_f32_neon_dotprod;
}

namespace kai {
namespace {

/// Tiles of up to 8 rows: more rows would leave too few sums for cores that issue in order.
struct DotTiles {
    using Acc = Dot4;
    using Pair = Symmetric;
    static constexpr size_t kChunk = 64;
    static constexpr bool kFiniteOnly = false;

    template <int PANELS>
    struct RowScales {
        float values[kChunk][PANELS][4];

        KAI_INLINE const float* start() const {
            return values[0][0];
        }
        KAI_INLINE void fill(const uint8_t* lhs, size_t lhs_stride, size_t blocks) {
            for (size_t b = 0; b < blocks; ++b, lhs += qsi8d32p.block_bytes(Acc::kLhs, 32)) {
                KAI_UNROLL
                for (int p = 0; p < PANELS; ++p) {
                    vst1q_f32(values[b][p], load_f16x4(lhs + p * lhs_stride));
                }
            }
        }
    };

    template <int PANELS>
    KAI_INLINE static void run(const TileArgs* args) {
        constexpr TileFn* kRun = PANELS == 1 ? kai_tile_qsi8d32p4x4_qsi4c32p4x4_4x4_neon_dotprod
                                             : kai_tile_qsi8d32p4x4_qsi4c32p4x4_8x4_neon_dotprod;
        kRun(args);
    }
};

/// The kernel for panels of MR rows and groups of KR / 2 k.
template <size_t MR, size_t KR, size_t, class T>
KAI_INLINE void run(size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, Dst<T> dst) {
    if constexpr (MR == 4) {
        static_assert(KR == 8);
        matmul_blocks<DotTiles, 2>(m, n, k, bl, lhs, rhs, dst);
    } else if constexpr (KR == 8) {
        matmul_rows<Symmetric, Dot4Row, Int4>(
            kai_row_qsi8d32p1x4_qsi4c32p4x4_f32_neon_dotprod, m, n, k, bl, lhs, rhs, dst);
    } else {
        static_assert(KR == 16);
        matmul_rows<Symmetric, Dot8Row, Int4>(
            kai_row_qsi8d32p1x8_qsi4c32p4x8_f32_neon_dotprod, m, n, k, bl, lhs, rhs, dst);
    }
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_dotprod(...) KAI_DEFINE_MATMUL_BLOCKS(float, __VA_ARGS__)
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)

#include "kai/src/other_isas.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
