// f32 <- int8 in blocks of 256 x super-blocks of 2 and 3 bits on Armv8.0: the micro-kernels with SMULL and SMLAL
// (superblocks_neon_mlal.S).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/catalogue.hpp"
#include "kai/engines/core/getters.hpp"
#include "kai/engines/int_neon/int_neon_mlal.hpp"
#include "kai/engines/superblocks/superblocks_neon.hpp"

extern "C" {
KAI_DECLARE_MLAL(qsi8d256p_qsi3c16x256p);
KAI_DECLARE_MLAL(qsi8d16x256p_qau2c16x256p);
}

namespace kai {
namespace {

template <const Format& RHS>
constexpr MlalTiles tiles = KAI_MLAL_TILES(qsi8d256p_qsi3c16x256p);
template <>
constexpr MlalTiles tiles<qau2c16x256p> = KAI_MLAL_TILES(qsi8d16x256p_qau2c16x256p);

void matmul_neon(const MlalTiles& kernel, const MlalProblem& problem, size_t k) {
    MlalArgs args;
    args.blocks = k / kSuperBlock;
    mlal_loops(problem, kernel, args);
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_NEON(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                                     \
    KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(256, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float))         \
    KAI_RUN_MATMUL(NAME, float) {                                                                                  \
        static_assert((NR) == 4 && (KR) == 16 && (SR) == 2);                                                       \
        kai::check_depth(k, kai::kSuperBlock);                                                                     \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                                    \
        const size_t lhs_stride = kai::LHS.stride({MR, KR, SR}, k), rhs_stride = kai::RHS.stride({NR, KR, SR}, k); \
        kai::matmul_neon(                                                                                          \
            kai::tiles<kai::RHS>,                                                                                  \
            {m, n, MR, kai::bytes(lhs), lhs_stride, kai::bytes(rhs), rhs_stride, dst, dst_stride_row, clamp_min,   \
             clamp_max},                                                                                           \
            k);                                                                                                    \
    }

extern "C" {
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_MATMUL_NEON)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qsi3c16x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d16x256p_qau2c16x256p/ukernels.def"
}
