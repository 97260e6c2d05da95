// Matmul with rows quantised at run time (qai8dxp) on SVE, in the unified API: what a micro-kernel hands to assembly,
// which does all rows and columns, of panels at any stride.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/qai8dxp/qai8dxp_args.h"
#include "kai/engines/core/unified.hpp"

namespace kai {
namespace {

/// m, n >= 1.
using Qai8dxpSveFn = void(const Problem*);

/// Minimum strides, from panel to panel.
struct Strides {
    size_t lhs, rhs;
};

/// bl: 0 if there are no blocks.
[[gnu::noinline, maybe_unused]] void run_qai8dxp_sve(
    Qai8dxpSveFn* kernel, const kai_matmul_uker_args* args, const char* function, size_t bl = 0, Strides least = {}) {
    check_args(args, function);
    if (is_empty(args)) {
        return;
    }
    const auto bounds = clamp_or<float>(args, -__builtin_inff(), __builtin_inff(), function);
    const auto& [m, n, k] = args->shape;
    const auto& operand = args->operand;
    Problem p;  // what assembly reads of it
    p.m = m, p.n = n, p.k = k, p.bl = bl;
    p.lhs = bytes(operand.lhs.ptr), p.lhs_stride = KAI_MAX(operand.lhs.stride.m, least.lhs);
    p.rhs = bytes(operand.rhs.ptr), p.rhs_stride = KAI_MAX(operand.rhs.stride.n, least.rhs);
    p.dst = operand.dst.ptr, p.dst_stride = operand.dst.stride.m;
    p.lo = bounds.lo, p.hi = bounds.hi;
    kernel(&p);
}

/// Per channel.
template <Qai8dxpSveFn* KERNEL>
void run_channels(const kai_matmul_uker_args* args, const char* function) {
    run_qai8dxp_sve(KERNEL, args, function);
}

}  // namespace
}  // namespace kai

/// The function kai_<NAME> of a micro-kernel whose RHS is per channel. The assembly is kai_kernel_<NAME>.
#define KAI_DEFINE_QAI8DXP_SVE_CHANNELS(NAME, MR, NR, KR, M_STEP, N_STEP)              \
    extern "C" kai::Qai8dxpSveFn kai_kernel_##NAME;                                    \
    KAI_DEFINE_MATMUL_API(                                                             \
        NAME, kai::run_channels<kai_kernel_##NAME>, kai::packed(kai::qai8dxp, MR, KR), \
        kai::packed(kai::qsi8cxp, NR, KR), M_STEP, N_STEP, sizeof(float))
