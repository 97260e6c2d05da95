// Few rows of the kernels with two packed sides by quarter-tile outer products, where the CPU has them:
// panels_sme_mop4.S. They have the bits of the other rows, so nobody else needs to know.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/panels/panels_sme.hpp"
#include "kai/kai_cpu.h"

extern "C" kai::SmePanelsFn kai_kernel_panels_few_sme_mop4;

namespace kai {
namespace {

/// The parts of a kernel that few rows have of their own.
struct FewRows {
    SmePanelsPart *start, *multiply;
};

/// The rows after the last whole V are few if there are V / 2 or less, and V is at least 8; `many` takes all others.
/// lower: bytes from the upper to the lower half of a step in the LHS.
[[gnu::noinline]] void run_with_few_rows(
    const PanelArgs& args, SmePanelsFn* run_many, const FewRows& parts, size_t lower) {
    const size_t vl = kai_get_sme_vector_length_u32(), rest = args.m % vl;
    if (vl < 8 || rest == 0 || rest > vl / 2) {
        return run_many(&args);
    }
    PanelArgs many = args, few = args;
    many.m = args.m - rest, few.m = rest;
    few.start = parts.start, few.multiply = parts.multiply;
    few.lhs = bytes(args.lhs, many.m / (2 * vl) * args.lhs_step + many.m / vl % 2 * lower);
    few.dst = bytes(args.dst, many.m * args.dst_stride);
    // Both in turn: columns of the RHS come from memory once.
    const size_t width = many.m == 0 ? args.n : 4 * vl;
    for (size_t left = args.n; left != 0; left -= few.n) {
        many.n = few.n = KAI_MIN(left, width);
        if (many.m != 0) {
            run_many(&many);
        }
        kai_kernel_panels_few_sme_mop4(&few);
        many.rhs = few.rhs = bytes(few.rhs, 2 * args.rhs_step);
        many.dst = bytes(many.dst, 2 * args.dst_step);
        few.dst = bytes(few.dst, 2 * args.dst_step);
    }
}

/// What a kernel runs if few rows have parts of their own.
template <const PanelsKernel& MANY, const FewRows& FEW>
void run_many_and_few(const PanelArgs* args) {
    if (!kai_cpu_query(KAI_CPU_SME_MOP4).present) {
        return MANY.run(args);
    }
    const size_t lower = MANY.split ? args->lhs_half : kai_get_sme_vector_length_u8();
    run_with_few_rows(*args, MANY.run, FEW, lower);
}

/// MANY with FEW.
template <const PanelsKernel& MANY, const FewRows& FEW>
constexpr PanelsKernel with_few_rows() {
    PanelsKernel kernel = MANY;
    kernel.run = run_many_and_few<MANY, FEW>;
    return kernel;
}

}  // namespace
}  // namespace kai

/// The kernel kai::k<KERNEL>Few: kai::k<KERNEL> with the parts START and MULTIPLY of panels_sme_mop4.S.
#define KAI_PANELS_FEW(KERNEL, START, MULTIPLY)                                                                      \
    extern "C" kai::SmePanelsPart kai_part_panels_start_quarters_##START##_sme_mop4,                                 \
        kai_part_panels_multiply_quarters_##MULTIPLY##_sme_mop4;                                                     \
    namespace kai {                                                                                                  \
    namespace {                                                                                                      \
    constexpr FewRows kFewOf##KERNEL = {                                                                             \
        kai_part_panels_start_quarters_##START##_sme_mop4, kai_part_panels_multiply_quarters_##MULTIPLY##_sme_mop4}; \
    constexpr PanelsKernel k##KERNEL##Few = with_few_rows<k##KERNEL, kFewOf##KERNEL>();                              \
    }                                                                                                                \
    }
