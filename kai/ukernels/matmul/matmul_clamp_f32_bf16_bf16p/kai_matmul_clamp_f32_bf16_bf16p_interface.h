// f32 <- bf16 x bf16p: one row that is not packed, f32 bias inside the packed RHS. The RHS is that of
// matmul_clamp_f32_bf16p_bf16p, and the results have the same bits as those of its SME kernels.
//
//     dst[n] = clamp(bias[n] + sum over pairs of k of (lhs[k] * rhs[k][n] + lhs[k + 1] * rhs[k + 1][n]))
//
// The arithmetic of BFDOT: f32 sums that start at the bias, k ascending.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS + bias). k = 0: clamp(bias).
/// @pre m <= 1: the strides of LHS rows and dst rows are ignored.
typedef kai_run_matmul_rows_fn kai_matmul_clamp_f32_bf16_bf16p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_bf16_bf16p_ukernel.
KAI_DECLARE_TABLE(MATMUL_ROWS, matmul_clamp_f32_bf16_bf16p, run_matmul, kai_matmul_clamp_f32_bf16_bf16p_run_fn)

/// BFDOT into ZA, vectors by element, 1 row x SVL / 2 columns; panels of SVL / 16.
kai_matmul_clamp_f32_bf16_bf16p_run_fn kai_run_matmul_clamp_f32_bf16_bf16p2vlx2_1x16vl_sme2_dot;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_bf16_bf16p2vlx2_1x16vl_sme2_dot)

/// BFDOT, 1 row x 32 columns of such panels, without an SME unit: the same bits.
kai_matmul_clamp_f32_bf16_bf16p_run_fn kai_run_matmul_clamp_f32_bf16_bf16p2vlx2_1x2vl_neon_dot;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_bf16_bf16p2vlx2_1x2vl_neon_dot)

KAI_END_DECLARATIONS
