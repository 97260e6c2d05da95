// f32 <- qsi8d256p x weights in super-blocks with SMMLA (superblocks_neon.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/superblocks/superblocks_neon.hpp"

extern "C" {
KAI_DECLARE_SUPER_TILES(qsi8d256p4x8, qsi6c16x256p4x8, neon_i8mm);
}

namespace kai {
namespace {

constexpr BlockTiles kTiles = KAI_SUPER_TILES(qsi8d256p4x8, qsi6c16x256p4x8, neon_i8mm, true);

template <const Format& RHS, size_t MR, size_t KR>
KAI_INLINE void run(size_t m, size_t n, size_t k, const void* lhs, const void* rhs, Dst<float> dst) {
    matmul_superblocks<RHS, Mmla8>(kTiles, m, n, k, lhs, rhs, dst);
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_MATMUL_SUPERBLOCKS)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qsi6c16x256p/ukernels.def"

}  // extern "C"
