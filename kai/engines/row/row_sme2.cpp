// One row that is not packed, with SME2: the formulas are in the interface headers and kai_matmul.h, the work in
// row_sme2.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/row/row_sme.hpp"
#include "kai/engines/core/requantise.hpp"
#include "kai/engines/core/unified.hpp"

namespace kai {
namespace {

KAI_INLINE RowOutput<int32_t> int8_output(const kai_matmul_requantize32_params& params, const char* function) {
    const auto r = before_zero_point(params, function);
    return {r.min_value, r.max_value, r.output_zero_point};
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_ROW_FLOAT)
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, true, 4, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32p/ukernels.def"
#undef KAI_UKERNEL_ROWS
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, true, 2, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p/ukernels.def"
#undef KAI_UKERNEL_ROWS
#undef KAI_ISA_sme2

#define KAI_DEFINE_MATMUL_ROW_QAI8(NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER)        \
    KAI_DEFINE_MATMUL_ROW_GETTERS(1, NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER)           \
    void kai_run_##NAME(                                                                          \
        size_t m, size_t n, size_t k, const void* lhs, const void* rhs_packed, void* dst, size_t, \
        size_t dst_stride_col, const kai_matmul_requantize32_params* params) {                    \
        kai::check_element(dst_stride_col, 1);                                                    \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                           \
        if (m == 0 || n == 0) {                                                                   \
            return;                                                                               \
        }                                                                                         \
        kai::run_row_sme<int32_t>(                                                                \
            kai_kernel_##NAME, true, n, k, lhs, rhs_packed, dst, kai::RHS, {NR, KR, SR}, 1,       \
            kai::int8_output(*params, __func__));                                                 \
    }
#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_ROW_QAI8)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8_qsi8cxp/ukernels.def"

kai::SmeRowFn kai_kernel_matmul_clamp_f32_f32_f32p4vsx1bf32_1x32vs_sme2_mla;
kai::SmeRowFn kai_kernel_matmul_clamp_f16_f16_f16p4vsx2bf16_1x32vs_sme2_dot;
kai::SmeRowFn kai_kernel_matmul_clamp_qai8_qai8_qsi8cxp4vsx4bi32sf32_1x32vs_sme2_dot;
kai::SmeRowFn kai_kernel_matmul_clamp_qai8_qai8_qsi4cxp8vsx4sf32bi32_1x64vs_sme2_dot;

}  // extern "C"

// The unified API: panels one after the other, whatever the strides say.

namespace kai {
namespace {

UnifiedOperand rhs_f32(Getter kai_getter) {
    return packed(f32pbiasf32, VL(1), 1);
}
UnifiedOperand rhs_f16(Getter kai_getter) {
    return packed(f16pbiasf16, VL(1), 2);
}
UnifiedOperand rhs_qsi8(Getter kai_getter) {
    return packed(qsi8cxpbi32sf32, VL(1), 4);
}
UnifiedOperand rhs_qsi4(Getter kai_getter) {
    return packed(qsi4cxpbi32sf32, VL(2), 4);
}

template <typename T>
KAI_INLINE void run_row_unified(
    SmeRowFn* kernel, UnifiedOperand rhs, size_t element_bytes, const kai_matmul_uker_args* args, RowOutput<T> output) {
    const auto& operand = args->operand;
    run_row_sme(
        kernel, true, args->shape.n, args->shape.k, operand.lhs.ptr, operand.rhs.ptr, operand.dst.ptr, rhs.format,
        rhs.tile, element_bytes, output);
}

KAI_INLINE void check_row(const kai_matmul_uker_args* args, const char* function) {
    KAI_REQUIRE(function, args->shape.m <= 1, "m = %zu is neither 0 nor 1", args->shape.m);
}

template <SmeRowFn* KERNEL, UnifiedOperand (*RHS)(Getter), size_t ELEMENT_BYTES>
void run_row_float(const kai_matmul_uker_args* args, const char* function) {
    check_args(args, function);
    check_row(args, function);
    if (is_empty(args)) {
        return;
    }
    const auto clamp = clamp_or<float>(args, -__builtin_inff(), __builtin_inff(), function);
    run_row_unified<float>(KERNEL, RHS({}), ELEMENT_BYTES, args, {clamp.lo, clamp.hi, 0});
}

template <SmeRowFn* KERNEL, UnifiedOperand (*RHS)(Getter)>
void run_row_qai8(const kai_matmul_uker_args* args, const char* function) {
    check_args(args, function);
    check_row(args, function);
    if (is_empty(args)) {
        return;
    }
    const auto clamp = clamp_or<int32_t>(args, INT8_MIN, INT8_MAX, function);
    const auto zero = value_or_zero<int32_t>(args->operand.bias.scale_bias_global.ptr);
    run_row_unified<int32_t>(KERNEL, RHS({}), 1, args, int8_output({clamp.lo, clamp.hi, zero}, function));
}

}  // namespace
}  // namespace kai

#define KAI_KERNEL kai_kernel_matmul_clamp_f32_f32_f32p4vsx1bf32_1x32vs_sme2_mla
KAI_DEFINE_MATMUL_API(
    matmul_clamp_f32_f32_f32p4vsx1bf32_1x32vs_sme2_mla, (kai::run_row_float<KAI_KERNEL, kai::rhs_f32, 4>),
    kai::packed(kai::f32p, 1, 1), kai::rhs_f32(kai_getter), 1, VL(1), 4)
#undef KAI_KERNEL

#define KAI_KERNEL kai_kernel_matmul_clamp_f16_f16_f16p4vsx2bf16_1x32vs_sme2_dot
KAI_DEFINE_MATMUL_API(
    matmul_clamp_f16_f16_f16p4vsx2bf16_1x32vs_sme2_dot, (kai::run_row_float<KAI_KERNEL, kai::rhs_f16, 2>),
    kai::packed(kai::f16p, 1, 2), kai::rhs_f16(kai_getter), 1, VL(1), 2)
#undef KAI_KERNEL

#define KAI_KERNEL kai_kernel_matmul_clamp_qai8_qai8_qsi8cxp4vsx4bi32sf32_1x32vs_sme2_dot
KAI_DEFINE_MATMUL_API(
    matmul_clamp_qai8_qai8_qsi8cxp4vsx4bi32sf32_1x32vs_sme2_dot, (kai::run_row_qai8<KAI_KERNEL, kai::rhs_qsi8>),
    kai::packed(kai::x8p, 1, 4), kai::rhs_qsi8(kai_getter), 1, VL(1), 1)
#undef KAI_KERNEL

#define KAI_KERNEL kai_kernel_matmul_clamp_qai8_qai8_qsi4cxp8vsx4sf32bi32_1x64vs_sme2_dot
KAI_DEFINE_MATMUL_API(
    matmul_clamp_qai8_qai8_qsi4cxp8vsx4sf32bi32_1x64vs_sme2_dot, (kai::run_row_qai8<KAI_KERNEL, kai::rhs_qsi4>),
    kai::packed(kai::x8p, 1, 1), kai::rhs_qsi4(kai_getter), 1, VL(16), 1)
#undef KAI_KERNEL
