// Matmul with rows quantised at run time (qai8dxp) in streaming mode: panels of 4 VL columns.
//
// A kernel is assembly that does all rows and columns: GEMM, mr = 1 VL: qai8dxp_sme_mopa.inc. GEMV, mr = 1:
// qai8dxp_sme2_row.S, qai8dxp_sme_row.S.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/sme_args.h"
#include "kai/engines/qai8dxp/qai8dxp.hpp"
#include "kai/engines/core/nibble_tables.hpp"

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

/// m, n >= 1. In `steps` of 32 k.
using SmeKernelFn = void(const Problem*, const Table*, size_t steps);

/// The same, RHS in blocks of `parts` times `part` steps.
using SmeKernelBlocksFn = void(const Problem*, const Table*, size_t steps, size_t part, size_t parts);

/// @name Engines: RHS per channel, RHS in blocks
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

/// S of a part is within +-2^22, of which the kernel makes an f32: int8 x int4 over 128 steps.
template <SmeKernelBlocksFn* KERNEL>
KAI_INLINE void run_qai8dxp_blocks_sme(const Problem* p) {
    if (p->m == 0 || p->n == 0) {
        return;
    }
    kai_commit_za();
    const size_t steps = p->bl / 32;
    size_t parts = (steps + 127) / 128;
    while (steps % parts != 0) {
        ++parts;
    }
    KERNEL(p, &kSignedNibbles, p->k / 32, steps / parts, parts);
}
/// @}

}  // namespace
}  // namespace kai
