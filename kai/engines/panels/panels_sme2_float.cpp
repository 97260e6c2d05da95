// Floating-point matmuls of two packed sides with SME2: the formulas are in the interface headers, the work in
// panels_sme2.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/panels/panels_sme.hpp"
#include "kai/engines/core/unified.hpp"

extern "C" {

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_PANELS)
#include "kai/engines/panels/panels_float_families.inc"

kai::SmePanelsFn kai_kernel_split_panels_f32_sme2;
kai::SmePanelsFn kai_kernel_split_panels_f16_sme2;

}  // extern "C"

// The unified API: panels of V rows (columns), at any stride.

namespace kai {
namespace {

constexpr float kInfinity = __builtin_inff();

/// Elements of `bytes` in the output as in the operands.
template <SmePanelsFn* kernel, size_t bytes>
void run_split(const kai_matmul_uker_args* args, const char* function) {
    check_args(args, function);
    if (is_empty(args)) {
        return;
    }
    const auto clamp = clamp_or<float>(args, -kInfinity, kInfinity, function);
    const auto& lhs = args->operand.lhs;
    const auto& rhs = args->operand.rhs;
    const auto& dst = args->operand.dst;
    run_panels(
        kernel, {args->shape.m, args->shape.n, (args->shape.k * bytes + 3) / 4, lhs.ptr, lhs.stride.m, rhs.ptr,
                 rhs.stride.n, dst.ptr, dst.stride.m, bound(clamp.lo, bytes), bound(clamp.hi, bytes)});
}

}  // namespace
}  // namespace kai

KAI_DEFINE_MATMUL_API(
    matmul_clamp_f32_f32p4vsx1_f32p4vsx1bf32_8vsx8vs_sme2_mopa, (kai::run_split<kai_kernel_split_panels_f32_sme2, 4>),
    kai::packed(kai::f32p, VL(1), 1), kai::packed(kai::f32pbiasf32, VL(1), 1), VL(1), VL(1), 4)

KAI_DEFINE_MATMUL_API(
    matmul_clamp_f16_f16p4vsx2_f16p4vsx2bf16_8vsx8vs_sme2_mopa, (kai::run_split<kai_kernel_split_panels_f16_sme2, 2>),
    kai::packed(kai::f16p, VL(1), 2), kai::packed(kai::f16pbiasf16, VL(1), 2), VL(1), VL(1), 2)
