// One row that is not packed, with SME2: the formulas are in the interface headers and kai_matmul.h, the work in
// row_sme2.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/row/row_sme.hpp"
#include "kai/engines/core/requantise.hpp"
#include "kai/engines/core/unified.hpp"

namespace kai {
namespace {

/// Not called if there is nothing to compute: params may be missing then.
[[gnu::noinline]] void run_qai8_row(
    size_t n, size_t k, const void* lhs, const void* rhs, void* dst, const RowKernel& kernel,
    const kai_matmul_requantize32_params& params, const char* function) {
    const auto r = before_zero_point(params, function);
    const auto lo = load<float>(&r.min_value), hi = load<float>(&r.max_value);  // bit by bit
    run_row(1, n, k, lhs, rhs, dst, kernel, r.output_zero_point, lo, hi);
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_ROW_FLOAT)
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, true, 4, 4, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32p/ukernels.def"
#undef KAI_UKERNEL_ROWS
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, true, 2, 2, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p/ukernels.def"
#undef KAI_UKERNEL_ROWS
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, true, 2, 4, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16_bf16p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_f16_f16p/ukernels.def"
#undef KAI_UKERNEL_ROWS
#undef KAI_ISA_sme2

#define KAI_DEFINE_MATMUL_ROW_QAI8(NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER) \
    KAI_DEFINE_MATMUL_ROW_GETTERS(1, NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER)    \
    KAI_RUN_MATMUL_QAI8(NAME) {                                                            \
        kai::check_element(dst_stride_col, 1);                                             \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                    \
        KAI_ROW_KERNEL(NAME, RHS, NR, KR, SR, 1, true)                                     \
        if (m > 0 && n > 0) {                                                              \
            kai::run_qai8_row(n, k, lhs, rhs, dst, kernel, *params, __func__);             \
        }                                                                                  \
    }
#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_ROW_QAI8)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8_qsi8cxp/ukernels.def"

}  // extern "C"

// The unified API: panels are contiguous; strides are ignored.

namespace kai {
namespace {

using Args = const kai_matmul_uker_args*;

KAI_INLINE void check_row(Args args, const char* function) {
    check_args(args, function);
    KAI_REQUIRE(function, args->shape.m <= 1, many_rows, args->shape.m);
}

[[gnu::noinline]] void run_float(Args args, const char* function, const RowKernel& kernel) {
    check_row(args, function);
    if (is_empty(args)) {
        return;
    }
    const auto& operand = args->operand;
    const auto clamp = clamp_or<float>(args, -__builtin_inff(), __builtin_inff(), function);
    run_row(
        1, args->shape.n, args->shape.k, operand.lhs.ptr, operand.rhs.ptr, operand.dst.ptr, kernel, 0, clamp.lo,
        clamp.hi);
}

[[gnu::noinline]] void run_qai8(Args args, const char* function, const RowKernel& kernel) {
    check_row(args, function);
    if (is_empty(args)) {
        return;
    }
    const auto& operand = args->operand;
    const auto clamp = clamp_or<int32_t>(args, INT8_MIN, INT8_MAX, function);
    const auto zero = value_or_zero<int32_t>(operand.bias.scale_bias_global.ptr);
    run_qai8_row(
        args->shape.n, args->shape.k, operand.lhs.ptr, operand.rhs.ptr, operand.dst.ptr, kernel,
        {clamp.lo, clamp.hi, zero}, function);
}

}  // namespace
}  // namespace kai

/// RUN: run_float or run_qai8. RHS: panels of NR words per vector.
#define KAI_DEFINE_ROW_API(NAME, RUN, LHS_FORMAT, LHS_KR, RHS_FORMAT, NR, KR, N_STEP, BYTES)                         \
    extern "C" kai::SmeRowFn kai_kernel_##NAME;                                                                      \
    namespace kai {                                                                                                  \
    namespace {                                                                                                      \
    void run_##NAME(Args args, const char* function) {                                                               \
        static constexpr RowKernel kernel = {kai_kernel_##NAME, RHS_FORMAT, VL(NR), KR, 1, BYTES};                   \
        RUN(args, function, kernel);                                                                                 \
    }                                                                                                                \
    }                                                                                                                \
    }                                                                                                                \
    KAI_DEFINE_MATMUL_API(                                                                                           \
        NAME, kai::run_##NAME, kai::packed(kai::LHS_FORMAT, 1, LHS_KR), kai::packed(kai::RHS_FORMAT, VL(NR), KR), 1, \
        VL(N_STEP), BYTES)

KAI_DEFINE_ROW_API(matmul_clamp_f32_f32_f32p4vsx1bf32_1x32vs_sme2_mla, run_float, f32p, 1, f32pbiasf32, 1, 1, 1, 4)
KAI_DEFINE_ROW_API(matmul_clamp_f16_f16_f16p4vsx2bf16_1x32vs_sme2_dot, run_float, f16p, 2, f16pbiasf16, 1, 2, 1, 2)
KAI_DEFINE_ROW_API(
    matmul_clamp_qai8_qai8_qsi8cxp4vsx4bi32sf32_1x32vs_sme2_dot, run_qai8, x8p, 4, qsi8cxpbi32sf32, 1, 4, 1, 1)
KAI_DEFINE_ROW_API(
    matmul_clamp_qai8_qai8_qsi4cxp8vsx4sf32bi32_1x64vs_sme2_dot, run_qai8, x8p, 1, qsi4cxpbi32sf32, 2, 4, 16, 1)
KAI_DEFINE_ROW_API(
    matmul_clamp_qai8_qai8_qsu2cxp16vsx4sf32bi32_1x64vs_sme2_dot, run_qai8, x8p, 1, qsu2cxpbi32sf32, 4, 4, 16, 1)
