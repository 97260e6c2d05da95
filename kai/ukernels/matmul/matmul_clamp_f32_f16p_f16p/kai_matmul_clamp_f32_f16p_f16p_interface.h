// f32 <- f16p x f16p: both sides packed, f16 bias inside the packed RHS. The operands are those of
// matmul_clamp_f16_f16p_f16p.
//
//     dst[m][n] = clamp(bias[n] + sum over pairs of k of (lhs[m][k] * rhs[k][n] + lhs[m][k + 1] * rhs[k + 1][n]))
//
// Sums are f32 and start at the bias; the sum of a pair is rounded once.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS + bias). k = 0: clamp(bias).
typedef kai_run_matmul_fn kai_matmul_clamp_f32_f16p_f16p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_f16p_f16p_ukernel.
KAI_DECLARE_TABLE(MATMUL, matmul_clamp_f32_f16p_f16p, run_matmul, kai_matmul_clamp_f32_f16p_f16p_run_fn)

/// FMOPA on four ZA tiles: SVL / 16 rows x SVL / 16 columns per step.
kai_matmul_clamp_f32_f16p_f16p_run_fn kai_run_matmul_clamp_f32_f16p2vlx2_f16p2vlx2b_2vlx2vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_f16p2vlx2_f16p2vlx2b_2vlx2vl_sme2_mopa)

/// SME without SME2: the same.
kai_matmul_clamp_f32_f16p_f16p_run_fn kai_run_matmul_clamp_f32_f16p2vlx2_f16p2vlx2b_2vlx2vl_sme_mopa;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_f16p2vlx2_f16p2vlx2b_2vlx2vl_sme_mopa)

KAI_END_DECLARATIONS
