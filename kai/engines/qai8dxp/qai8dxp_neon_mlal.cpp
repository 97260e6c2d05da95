// qai8dxp on Armv8.0: tiles with SMULL, SMLAL and SMLSL (qai8dxp_neon_mlal.S) per kind of RHS, and the micro-kernels.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/int_neon/int_neon_mlal.hpp"
#include "kai/engines/qai8dxp/qai8dxp.hpp"

extern "C" {
#define KAI_DECLARE_MLAL(KIND)                                                                              \
    kai::MlalFn kai_mlal_##KIND##_4x1, kai_mlal_##KIND##_4x2, kai_mlal_##KIND##_4x3, kai_mlal_##KIND##_4x4, \
        kai_mlal_##KIND##_1x1
KAI_DECLARE_MLAL(int8);
}

namespace kai {
namespace {

#define KAI_MLAL_TILES(KIND)                                                                          \
    {                                                                                                 \
        {kai_mlal_##KIND##_4x1, kai_mlal_##KIND##_4x2, kai_mlal_##KIND##_4x3, kai_mlal_##KIND##_4x4}, \
            kai_mlal_##KIND##_1x1                                                                     \
    }

constexpr MlalTiles kInt8 = KAI_MLAL_TILES(int8);

template <size_t MR>
void matmul_neon(const Problem* problem) {
    const Problem& p = *problem;
    MlalArgs args;
    args.steps = (p.k + 31) / 32;
    mlal_loops({p.m, p.n, MR, p.lhs, p.lhs_stride, p.rhs, p.rhs_stride, p.dst, p.dst_stride, p.lo, p.hi}, kInt8, args);
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_NEON(KIND, T, OUT, NAME, LHS, RHS, MR, ...) \
    KAI_DEFINE_MATMUL_QAI8DXP_##KIND(kai::matmul_neon<MR>, T, OUT, NAME, LHS, RHS, MR, __VA_ARGS__)
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_MATMUL_NEON)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"
