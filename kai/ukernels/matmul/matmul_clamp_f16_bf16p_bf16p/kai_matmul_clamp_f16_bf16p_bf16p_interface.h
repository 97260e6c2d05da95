// f16 <- bf16p x bf16p: both sides packed, f16 bias inside the packed RHS.
//
//     dst[m][n] = f16(clamp(bias[n] + sum over pairs of k of (lhs[m][k] * rhs[k][n] + lhs[m][k + 1] * rhs[k + 1][n])))
//
// The arithmetic of BFMMLA: f32 sums that start at the bias, k ascending. The clamp is in f32, before the conversion.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f16) = f16(clamp(LHS x RHS + bias)). k = 0: f16(clamp(bias)).
typedef kai_run_matmul_fn kai_matmul_clamp_f16_bf16p_bf16p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f16_bf16p_bf16p_ukernel.
KAI_DECLARE_TABLE(MATMUL, matmul_clamp_f16_bf16p_bf16p, run_matmul, kai_matmul_clamp_f16_bf16p_bf16p_run_fn)

/// BFMMLA, 8 rows x 12 columns per step.
kai_matmul_clamp_f16_bf16p_bf16p_run_fn kai_run_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla)

KAI_END_DECLARATIONS
