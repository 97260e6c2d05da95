// qai8dxp with SME: the micro-kernels. The work is in qai8dxp_sme_mopa.S; one row at a time: qai8dxp_sme_row.S. Those
// of the unified API, int4 in blocks: blocks_sme_mopa_qai8dxp.S, blocks_sme_dot_qai8dxp.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_sme.hpp"

#include "kai/engines/core/unified.hpp"

#define KAI_ISA_sme KAI_LINES(KAI_DEFINE_MATMUL_QAI8DXP_SME)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"

namespace kai {
namespace {

using Args = const kai_matmul_uker_args*;

/// One row, if so: LHS and dst have no stride.
[[gnu::noinline]] void run_unified(
    Qai8dxpSmeFn* kernel, bool one_row, const kai_matmul_uker_config* config, Args args, const char* function) {
    check_args(args, function);
    const size_t bl = block_length(config, args, function);
    KAI_REQUIRE(function, !one_row || args->shape.m <= 1, many_rows, args->shape.m);
    if (is_empty(args)) {
        return;
    }
    const auto bounds = clamp_or<float>(args, -__builtin_inff(), __builtin_inff(), function);
    const auto& operand = args->operand;
    Problem p;  // what assembly reads of it
    p.m = args->shape.m, p.n = args->shape.n;
    p.lhs = bytes(operand.lhs.ptr), p.lhs_stride = operand.lhs.stride.m;
    p.rhs = bytes(operand.rhs.ptr), p.rhs_stride = operand.rhs.stride.n;
    p.dst = operand.dst.ptr, p.dst_stride = operand.dst.stride.m, p.out = OutKind::f32;
    p.lo = bounds.lo, p.hi = bounds.hi;
    kai_commit_za();
    kernel(&p, nullptr, args->shape.k / 32, bl / 32, 1);
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_QAI8DXP_SME_API(NAME, MR, M_STEP, ONE)                                                       \
    extern "C" kai::Qai8dxpSmeFn kai_kernel_##NAME;                                                             \
    namespace kai {                                                                                             \
    namespace {                                                                                                 \
    void run_##NAME(const kai_matmul_uker_config* config, Args args, const char* function) {                    \
        run_unified(kai_kernel_##NAME, ONE, config, args, function);                                            \
    }                                                                                                           \
    }                                                                                                           \
    }                                                                                                           \
    KAI_DEFINE_MATMUL_API_BL(                                                                                   \
        NAME, kai::run_##NAME, kai::packed(kai::qai8dxp, MR, 4), kai::packed(kai::qsi4c32ps4s0sbf16, VL(4), 4), \
        M_STEP, VL(4), sizeof(float))

KAI_DEFINE_QAI8DXP_SME_API(matmul_clamp_f32_qai8dxp4vsx4_qsi4c32p16vsx4_4vsx16vs_sme_mopa, VL(1), VL(1), false)
KAI_DEFINE_QAI8DXP_SME_API(matmul_clamp_f32_qai8dxp1x4_qsi4c32p16vsx4_1x16vs_sme_dot, 1, 1, true)
