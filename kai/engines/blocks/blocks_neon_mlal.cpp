// f32 <- qsi8d32p x qsi4c32p on Armv8.0: the micro-kernels with SMULL and SMLAL (blocks_neon_mlal.S).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/getters.hpp"
#include "kai/engines/int_neon/int_neon_mlal.hpp"

extern "C" {
KAI_DECLARE_MLAL(qsi8d32p_qsi4c32p);
}

namespace kai {
namespace {

constexpr MlalTiles kTiles = KAI_MLAL_TILES(qsi8d32p_qsi4c32p);

/// Panels of `mr` rows and of 4 columns, groups of 8 k.
void matmul_neon(
    size_t mr, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, float* dst, size_t dst_stride,
    float lo, float hi) {
    const size_t lhs_stride = qsi8d32p.stride({mr, 16, 2}, k, bl), rhs_stride = qsi4c32p.stride({4, 16, 2}, k, bl);
    MlalArgs args;
    args.steps = bl / 32;
    args.blocks = k / bl;
    mlal_loops({m, n, mr, bytes(lhs), lhs_stride, bytes(rhs), rhs_stride, dst, dst_stride, lo, hi}, kTiles, args);
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_NEON(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                                    \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float))                   \
    void kai_run_##NAME(                                                                                          \
        size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, float* dst, size_t stride_row, \
        size_t stride_col, float lo, float hi) {                                                                  \
        kai::check_blocks(k, bl);                                                                                 \
        kai::check_output(stride_col, sizeof(float), lo, hi);                                                     \
        kai::matmul_neon(MR, m, n, k, bl, lhs, rhs, dst, stride_row, lo, hi);                                     \
    }
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_MATMUL_NEON)
#define KAI_UKERNEL KAI_LINE

#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
