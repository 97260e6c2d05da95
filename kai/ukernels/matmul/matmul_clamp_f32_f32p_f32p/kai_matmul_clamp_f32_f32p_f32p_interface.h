// f32 <- f32p x f32p: both sides packed, bias inside the packed RHS.
//
//     dst[m][n] = clamp(bias[n] + sum over k of lhs[m][k] * rhs[k][n])
//
// One chain of fused multiply-adds that starts at the bias, k ascending.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS + bias). k = 0: clamp(bias).
typedef kai_run_matmul_fn kai_matmul_clamp_f32_f32p_f32p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_f32p_f32p_ukernel.
KAI_DECLARE_TABLE(MATMUL, matmul_clamp_f32_f32p_f32p, run_matmul, kai_matmul_clamp_f32_f32p_f32p_run_fn)

/// FMOPA on four ZA tiles: SVL / 16 rows x SVL / 16 columns per step.
kai_matmul_clamp_f32_f32p_f32p_run_fn kai_run_matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa)

/// The same with SME, without SME2.
kai_matmul_clamp_f32_f32p_f32p_run_fn kai_run_matmul_clamp_f32_f32p2vlx1_f32p2vlx1b_2vlx2vl_sme_mopa;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_f32p2vlx1_f32p2vlx1b_2vlx2vl_sme_mopa)

KAI_END_DECLARATIONS
