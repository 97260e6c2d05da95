// f32 <- f32 x f32, neither side packed: the RHS is N x K, n rows of k elements. For small problems, and for an RHS
// that is used once: packing it would cost more than multiplying (docs/performance.md).
//
//     dst[m][n] = clamp(sum over k of lhs[m][k] * rhs[n][k])
//
// NEON: four chains of fused multiply-adds that start at +0, chain l for k = l, l + 4, ...; the last k % 4 products are
// added 2, then 1 at a time, to the chains from 0 on. Neighbouring chains are added up until one is left. SVE: as many
// chains as a vector has lanes (docs/arithmetic.md).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS). k = 0: clamp(0).
typedef kai_run_matmul_plain_fn kai_matmul_clamp_f32_f32_f32nxk_run_fn;

/// FMLA along k, 6 rows x 4 columns; 8 columns for a single row.
kai_matmul_clamp_f32_f32_f32nxk_run_fn kai_run_matmul_clamp_f32_f32_f32nxk_6x4_neon_mla;
KAI_DECLARE_GETTERS(MATMUL_PLAIN, matmul_clamp_f32_f32_f32nxk_6x4_neon_mla)

/// FMLA along k with SVE, 6 rows x 4 columns; 8 columns for a single row. The bits depend on the vector length.
kai_matmul_clamp_f32_f32_f32nxk_run_fn kai_run_matmul_clamp_f32_f32_f32nxk_6x4_sve_mla;
KAI_DECLARE_GETTERS(MATMUL_PLAIN, matmul_clamp_f32_f32_f32nxk_6x4_sve_mla)

KAI_END_DECLARATIONS
