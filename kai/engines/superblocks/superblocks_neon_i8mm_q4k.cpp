// f32 <- qsi8d256p x super-blocks of 4 or 5 bits with SMMLA, one row with USMMLA (superblocks_neon_i8mm_q4k*.inc).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/superblocks/superblocks_neon_q4k.hpp"

#define KAI_TILE(RHS, TILE) kai_tile_qsi8d256p4x8_##RHS##4x8_##TILE##_neon_i8mm
#define KAI_ROW(RHS) kai_row_qsi8d256p1x8_##RHS##4x8_neon_i8mm
#define KAI_DECLARE(RHS)                                                                                             \
    kai::TileFn KAI_TILE(RHS, 2x4), KAI_TILE(RHS, 4x4), KAI_TILE(RHS, 6x4), KAI_TILE(RHS, 8x4), KAI_TILE(RHS, 16x4); \
    kai::RowFn KAI_ROW(RHS)

extern "C" {
KAI_DECLARE(qau4c32x256p);
KAI_DECLARE(qau5c32x256p);
}

namespace kai {
namespace {

template <const Format& RHS>
struct Kernels;

#define KAI_KERNELS(RHS)                                                                                         \
    template <>                                                                                                  \
    struct Kernels<RHS> {                                                                                        \
        static constexpr BlockTiles tiles = {                                                                    \
            {KAI_TILE(RHS, 4x4), KAI_TILE(RHS, 8x4), KAI_TILE(RHS, 16x4)},                                       \
            0,                                                                                                   \
            nullptr,                                                                                             \
            0,                                                                                                   \
            nullptr,                                                                                             \
            true,                                                                                                \
            {KAI_TILE(RHS, 2x4), KAI_TILE(RHS, 2x4), KAI_TILE(RHS, 4x4), KAI_TILE(RHS, 4x4), KAI_TILE(RHS, 6x4), \
             KAI_TILE(RHS, 6x4)}};                                                                               \
        static constexpr RowFn* row = KAI_ROW(RHS);                                                              \
    };
KAI_KERNELS(qau4c32x256p)
KAI_KERNELS(qau5c32x256p)

template <const Format& RHS, size_t MR, size_t KR>
KAI_INLINE void run(size_t m, size_t n, size_t k, const void* lhs, const void* rhs, Dst<float> dst) {
    static_assert(KR == 16);
    matmul_superblocks<RHS, true, MR, KR>(Kernels<RHS>::tiles, Kernels<RHS>::row, m, n, k, lhs, rhs, dst);
}

}  // namespace
}  // namespace kai

extern "C" {
#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_MATMUL_SUPERBLOCKS)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qau4c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qau5c32x256p/ukernels.def"
}
