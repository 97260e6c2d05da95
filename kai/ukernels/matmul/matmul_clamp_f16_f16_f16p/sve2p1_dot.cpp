// f16 <- f16 x f16p with SVE2.1, in the unified API: the formula is in kai_matmul.h, the work in sve2p1_dot.S. Panels
// of the RHS lie one after the other, whatever the stride says.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/matmul_tiles_sve.hpp"
#include "kai/src/unified.hpp"

extern "C" {
kai::SveTileFn kai_tile_f16_f16_f16p16vsx2_6x16vs_sve2p1_dot;
}

namespace kai {
namespace {

UnifiedOperand rhs() {
    return packed(f16pbiasf16, SVE(4), 2);
}

/// A bound as the output can hold it.
KAI_INLINE float rounded_to_f16(float x) {
    return kai_cast_f32_f16(kai_cast_f16_f32(x));
}

void run_f16(const kai_matmul_uker_config*, const kai_matmul_uker_args* args) {
    check_args(args);
    const auto clamp = clamp_or<float>(args, -__builtin_inff(), __builtin_inff());
    const auto& shape = args->shape;
    const auto& operand = args->operand;
    run_sve_tiles<uint16_t>(
        kai_tile_f16_f16_f16p16vsx2_6x16vs_sve2p1_dot,
        {operand.dst.ptr, operand.dst.stride.m, rounded_to_f16(clamp.lo), rounded_to_f16(clamp.hi)}, shape.m, shape.n,
        shape.k, operand.lhs.ptr, operand.lhs.stride.m, operand.rhs.ptr, rhs().stride(shape.k));
}

}  // namespace
}  // namespace kai

KAI_DEFINE_MATMUL_API(
    matmul_clamp_f16_f16_f16p16vsx2bf16_6x16vs_sve2p1_dot, kai::run_f16, kai::packed(kai::f16p, 1, 1), kai::rhs(), 1,
    SVE(4), sizeof(uint16_t))
