// f32 <- f16 x f16 with sums in f32, neither side packed: the RHS is K x N, k rows of n elements. For an RHS that is
// used once: packing it would cost more than multiplying (docs/performance.md).
//
//     dst[m][n] = clamp(sum over k of lhs[m][k] * rhs[k][n])
//
// One chain of fused f32 multiply-adds that starts at +0, k ascending: the bits of matmul_clamp_f32_f16_f16p with a
// bias of +0.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS). k = 0: clamp(0).
typedef kai_run_matmul_plain_fn kai_matmul_clamp_f32_f16_f16kxn_run_fn;

/// FMLAL and FMLAL2 by element, tiles of 3 rows x 32 columns, 1 x 64 for one row.
kai_matmul_clamp_f32_f16_f16kxn_run_fn kai_run_matmul_clamp_f32_f16_f16kxn_6x32_neon_fmlal;
KAI_DECLARE_GETTERS(MATMUL_PLAIN, matmul_clamp_f32_f16_f16kxn_6x32_neon_fmlal)

/// Every AArch64 CPU: FCVTL, then FMLA by element, tiles of 3 rows x 32 columns.
kai_matmul_clamp_f32_f16_f16kxn_run_fn kai_run_matmul_clamp_f32_f16_f16kxn_6x32_neon_fcvtl;
KAI_DECLARE_GETTERS(MATMUL_PLAIN, matmul_clamp_f32_f16_f16kxn_6x32_neon_fcvtl)

KAI_END_DECLARATIONS
