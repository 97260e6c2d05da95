// f16 <- f16 x f16p with SVE2.1, in the unified API: the formula is in kai_matmul.h, the work in float_sve2p1.S. Panels
// of the RHS are contiguous; the stride is ignored.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_sve.hpp"
#include "kai/engines/core/unified.hpp"

extern "C" {
kai::SvePanelFn kai_panel_f16_f16_f16p16vsx2_6x16vs_sve2p1_dot;
}

namespace kai {
namespace {

constexpr UnifiedOperand rhs = packed(f16pbiasf16, SVE(4), 2);

void run_f16(const kai_matmul_uker_args* args, const char* function) {
    check_args(args, function);
    if (is_empty(args)) {
        return;
    }
    const auto clamp = clamp_or<float>(args, -__builtin_inff(), __builtin_inff(), function);
    const auto& shape = args->shape;
    const auto& operand = args->operand;
    run_sve_panels<uint16_t>(
        kai_panel_f16_f16_f16p16vsx2_6x16vs_sve2p1_dot,
        {plain_rows(shape.k, operand.lhs.stride.m), operand.dst.stride.m, kai_cast_f16_f32(clamp.lo),
         kai_cast_f16_f32(clamp.hi), is_bounded(clamp.lo, clamp.hi)},
        shape.m, shape.n, operand.lhs.ptr, operand.rhs.ptr, rhs.stride(shape.k), operand.dst.ptr);
}

}  // namespace
}  // namespace kai

KAI_DEFINE_MATMUL_API(
    matmul_clamp_f16_f16_f16p16vsx2bf16_6x16vs_sve2p1_dot, kai::run_f16, kai::packed(kai::f16p, 1, 1), kai::rhs, 1,
    SVE(4), sizeof(uint16_t))
