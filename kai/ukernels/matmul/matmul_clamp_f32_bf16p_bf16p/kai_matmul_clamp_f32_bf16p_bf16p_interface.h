// f32 <- bf16p x bf16p: both sides packed, f32 bias inside the packed RHS.
//
//     dst[m][n] = clamp(bias[n] + sum over pairs of k of (lhs[m][k] * rhs[k][n] + lhs[m][k + 1] * rhs[k + 1][n]))
//
// The arithmetic of BFMMLA, BFDOT, BFMOPA: f32 sums that start at the bias, k ascending.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS + bias). k = 0: clamp(bias).
/// @pre m <= 1 for the kernel whose name has 1x.
typedef kai_run_matmul_fn kai_matmul_clamp_f32_bf16p_bf16p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_bf16p_bf16p_ukernel.
KAI_DECLARE_TABLE(MATMUL, matmul_clamp_f32_bf16p_bf16p, run_matmul, kai_matmul_clamp_f32_bf16p_bf16p_run_fn)

/// BFMOPA on four ZA tiles: SVL / 16 rows x SVL / 16 columns per step.
kai_matmul_clamp_f32_bf16p_bf16p_run_fn kai_run_matmul_clamp_f32_bf16p2vlx2_bf16p2vlx2_2vlx2vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_bf16p2vlx2_bf16p2vlx2_2vlx2vl_sme2_mopa)

/// SME without SME2: the same.
kai_matmul_clamp_f32_bf16p_bf16p_run_fn kai_run_matmul_clamp_f32_bf16p2vlx2_bf16p2vlx2_2vlx2vl_sme_mopa;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_bf16p2vlx2_bf16p2vlx2_2vlx2vl_sme_mopa)

/// BFMMLA, 8 rows x 12 columns per step.
kai_matmul_clamp_f32_bf16p_bf16p_run_fn kai_run_matmul_clamp_f32_bf16p8x4_bf16p12x4b_8x12_neon_mmla;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_bf16p8x4_bf16p12x4b_8x12_neon_mmla)

/// BFDOT, 1 row x 36 columns per step. Two chains, of the even and of the odd pairs, that are added at the end.
kai_matmul_clamp_f32_bf16p_bf16p_run_fn kai_run_matmul_clamp_f32_bf16p1x4_bf16p12x4b_1x36_neon_dot;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_bf16p1x4_bf16p12x4b_1x36_neon_dot)

/// BFMMLA, 8 rows x 8 columns per step, for an RHS whose columns are a multiple of 8 but not of 12. The bits of 8 x 12.
kai_matmul_clamp_f32_bf16p_bf16p_run_fn kai_run_matmul_clamp_f32_bf16p8x4_bf16p8x4b_8x8_neon_mmla;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_bf16p8x4_bf16p8x4b_8x8_neon_mmla)

/// BFMMLA with panels of the SME kernels, both sides: their bits without an SME unit.
kai_matmul_clamp_f32_bf16p_bf16p_run_fn kai_run_matmul_clamp_f32_bf16p2vlx2_bf16p2vlx2_8x2vl_neon_mmla;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_bf16p2vlx2_bf16p2vlx2_8x2vl_neon_mmla)

KAI_END_DECLARATIONS
