// f32 <- f16 x f16 with sums in f32, neither side packed: the RHS is N x K, n rows of k elements. For an RHS that is
// used once: packing it would cost more than multiplying (docs/performance.md).
//
//     dst[m][n] = clamp(sum over k of lhs[m][k] * rhs[k][n])
//
// In 4 sums of f32, sum l of k = l, 4 + l, 8 + l, ..., which are added in pairs at the end (docs/arithmetic.md). All
// micro-kernels of the family give the same bits.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS). k = 0: clamp(0).
typedef kai_run_matmul_plain_fn kai_matmul_clamp_f32_f16_f16nxk_run_fn;

/// FMLAL and FMLAL2, 6 rows x 4 columns, 1 x 8 for one row.
kai_matmul_clamp_f32_f16_f16nxk_run_fn kai_run_matmul_clamp_f32_f16_f16nxk_6x4_neon_fmlal;
KAI_DECLARE_GETTERS(MATMUL_PLAIN, matmul_clamp_f32_f16_f16nxk_6x4_neon_fmlal)

/// Every AArch64 CPU: FCVTL, then FMLA, 6 rows x 4 columns, 1 x 8 for one row.
kai_matmul_clamp_f32_f16_f16nxk_run_fn kai_run_matmul_clamp_f32_f16_f16nxk_6x4_neon_fcvtl;
KAI_DECLARE_GETTERS(MATMUL_PLAIN, matmul_clamp_f32_f16_f16nxk_6x4_neon_fcvtl)

KAI_END_DECLARATIONS
