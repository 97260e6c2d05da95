// f16 <- f16 x f16, neither side packed: the RHS is K x N, k rows of n elements. For small problems, and for an RHS
// that is used once: packing it would cost more than multiplying (docs/performance.md).
//
//     dst[m][n] = clamp(sum over k of lhs[m][k] * rhs[k][n])
//
// One chain of fused multiply-adds that starts at +0, k ascending, rounded to f16 at every step: the bits of
// matmul_clamp_f16_f16_f16p on NEON with a bias of +0. The bounds of the clamp are converted to f16 first.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f16) = clamp(LHS x RHS). k = 0: clamp(0).
typedef kai_run_matmul_plain_fn kai_matmul_clamp_f16_f16_f16kxn_run_fn;

/// FMLA by element, 6 rows x 4 SVE vectors of columns; twice as many for two rows, 4 times for one.
kai_matmul_clamp_f16_f16_f16kxn_run_fn kai_run_matmul_clamp_f16_f16_f16kxn_6x8vl_sve_mla;
KAI_DECLARE_GETTERS(MATMUL_PLAIN, matmul_clamp_f16_f16_f16kxn_6x8vl_sve_mla)

/// FMLA by element, 6 rows x 32 columns; 4 times as many columns for a single row.
kai_matmul_clamp_f16_f16_f16kxn_run_fn kai_run_matmul_clamp_f16_f16_f16kxn_6x32_neon_mla;
KAI_DECLARE_GETTERS(MATMUL_PLAIN, matmul_clamp_f16_f16_f16kxn_6x32_neon_mla)

KAI_END_DECLARATIONS
