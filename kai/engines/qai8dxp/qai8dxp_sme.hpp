// Matmul with rows quantised at run time (qai8dxp) in streaming mode: panels of 4 VL columns.
//
// A kernel is assembly that does all rows and columns: GEMM, mr = 1 VL: qai8dxp_sme_mopa.inc. GEMV, mr = 1:
// qai8dxp_sme2_row.S, qai8dxp_sme_row.S.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/qai8dxp/qai8dxp.hpp"
#include "kai/engines/core/nibble_tables.hpp"

namespace kai {
namespace {

/// m, n >= 1. In `steps` of 32 k.
template <RhsKind>
struct SmeKernel {
    using Fn = void(const Problem*, const Table*, size_t steps);
};
/// The RHS in blocks of `parts` times `part` steps.
template <>
struct SmeKernel<RhsKind::int4_blocks> {
    using Fn = void(const Problem*, const Table*, size_t steps, size_t part, size_t parts);
};

template <RhsKind KIND, typename SmeKernel<KIND>::Fn* KERNEL>
KAI_INLINE void run_qai8dxp_sme(const Problem* p) {
    if (p->m == 0 || p->n == 0) {
        return;
    }
    kai_commit_za();
    const size_t steps = (p->k + 31) / 32;
    if constexpr (KIND == RhsKind::int4_blocks) {
        // S of a part is within +-2^22, of which the kernel makes an f32: int8 x int4 over 128 steps.
        const size_t block = p->bl / 32;
        size_t parts = (block + 127) / 128;
        while (block % parts != 0) {
            ++parts;
        }
        return KERNEL(p, &kSignedNibbles, steps, block / parts, parts);
    } else if constexpr (KIND == RhsKind::int2) {
        const Table weights = {{p->lut[0], p->lut[1], p->lut[2], p->lut[3]}};
        return KERNEL(p, &weights, steps);
    } else {
        return KERNEL(p, &kSignedNibbles, steps);
    }
}

}  // namespace
}  // namespace kai

/// The functions of a line of the catalogues. The assembly is kai_kernel_<name>.
#define KAI_DEFINE_MATMUL_QAI8DXP_SME(KIND, T, OUT, NAME, LHS, RHS, ...)      \
    extern "C" kai::SmeKernel<kai::rhs_kind(kai::RHS)>::Fn kai_kernel_##NAME; \
    KAI_DEFINE_MATMUL_QAI8DXP_##KIND(                                         \
        (kai::run_qai8dxp_sme<kai::rhs_kind(kai::RHS), kai_kernel_##NAME>), T, OUT, NAME, LHS, RHS, __VA_ARGS__)
