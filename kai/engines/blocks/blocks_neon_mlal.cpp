// Both operands quantised in blocks, on Armv8.0: the micro-kernels with SMULL and SMLAL (blocks_neon_mlal.S, of 2 bits
// blocks_neon_mlal_int2.S, of 5 blocks_neon_mlal_int5.S).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/catalogue.hpp"
#include "kai/engines/core/getters.hpp"
#include "kai/engines/int_neon/int_neon_mlal.hpp"

extern "C" {
KAI_DECLARE_MLAL(qsi8d32p_qsi2c32p);
KAI_DECLARE_MLAL(qsi8d32p_qsi4c32p);
KAI_DECLARE_MLAL(qsi8d32p_qai4c32p);
KAI_DECLARE_MLAL(qsi8d32p_qau5c32p);
}

namespace kai {
namespace {

template <const Format& RHS>
constexpr MlalTiles tiles = KAI_MLAL_TILES(qsi8d32p_qsi4c32p);
template <>
constexpr MlalTiles tiles<qsi2c32p> = KAI_MLAL_TILES(qsi8d32p_qsi2c32p);
template <>
constexpr MlalTiles tiles<qai4c32p> = KAI_MLAL_TILES(qsi8d32p_qai4c32p);
template <>
constexpr MlalTiles tiles<qau5c32p> = KAI_MLAL_TILES(qsi8d32p_qau5c32p);

void matmul_neon(const MlalTiles& kernel, const MlalProblem& problem, size_t k, size_t bl) {
    MlalArgs args;
    args.steps = bl / 32;
    args.blocks = k / bl;
    mlal_loops(problem, kernel, args);
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_NEON(T, DST, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                           \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float))                  \
    KAI_RUN_MATMUL_BL(NAME, float) {                                                                             \
        kai::check_blocks(kai::RHS, k, bl);                                                                      \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                                  \
        const size_t lhs_stride = kai::LHS.stride({MR, KR, SR}, k, bl);                                          \
        const size_t rhs_stride = kai::RHS.stride({NR, KR, SR}, k, bl);                                          \
        kai::matmul_neon(                                                                                        \
            kai::tiles<kai::RHS>,                                                                                \
            {m, n, MR, kai::bytes(lhs), lhs_stride, kai::bytes(rhs), rhs_stride, dst, dst_stride_row, clamp_min, \
             clamp_max},                                                                                         \
            k, bl);                                                                                              \
    }
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_MATMUL_NEON)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qau5c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi2c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
