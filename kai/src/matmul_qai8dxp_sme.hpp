// Matmul with rows quantised at run time (qai8dxp) in streaming mode: panels of 4 VL columns.
//
// A kernel is assembly that does all rows and columns: GEMM, mr = 1 VL: sme_mopa_qai8dxp.inc. GEMV, mr = 1:
// matmul_qai8dxp_row_sme2.S.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/asm/sme_args.h"
#include "kai/src/matmul_qai8dxp.hpp"

namespace kai {
namespace {

static_assert(offsetof(Problem, m) == KAI_PROBLEM_M);
static_assert(offsetof(Problem, n) == KAI_PROBLEM_N);
static_assert(offsetof(Problem, lhs) == KAI_PROBLEM_LHS);
static_assert(offsetof(Problem, rhs) == KAI_PROBLEM_RHS);
static_assert(offsetof(Problem, dst) == KAI_PROBLEM_DST);
static_assert(offsetof(Problem, dst_stride) == KAI_PROBLEM_DST_STRIDE);
static_assert(offsetof(Problem, lo) == KAI_PROBLEM_LO);
static_assert(offsetof(Problem, hi) == KAI_PROBLEM_HI);
static_assert(offsetof(Problem, lhs_stride) == KAI_PROBLEM_LHS_STRIDE);
static_assert(offsetof(Problem, rhs_stride) == KAI_PROBLEM_RHS_STRIDE);

/// What ZT0 holds: the value of each index in the low byte of its word.
struct Table {
    int32_t values[16];
};

constexpr Table kSignedNibbles = {{0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1}};

/// m, n >= 1. In `steps` of 32 k.
using SmeKernelFn = void(const Problem*, const Table*, size_t steps);

/// @name Engines: RHS per channel
/// @{
template <SmeKernelFn* KERNEL>
KAI_INLINE void run_qai8dxp_sme(const Problem* p) {
    if (p->m == 0 || p->n == 0) {
        return;
    }
    kai_commit_za();
    const size_t steps = (p->k + 31) / 32;
    if (p->rhs_kind == RhsKind::int2) {
        const Table weights = {{p->lut[0], p->lut[1], p->lut[2], p->lut[3]}};
        return KERNEL(p, &weights, steps);
    }
    KERNEL(p, &kSignedNibbles, steps);
}
/// @}

}  // namespace
}  // namespace kai
