// f32 <- f16p x qsi4c32p: LHS rounded to f16, symmetric int4 RHS with an f16 scale per block.
//
//     weight[k][n] = f16(rhs[k][n] * rhs_scale[n][k / bl])
//     dst[m][n] = clamp(sum over pairs of k of (lhs[m][k] * weight[k][n] + lhs[m][k + 1] * weight[k + 1][n]))
//
// Sums are f32, k ascending; the sum of a pair is rounded once.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS). k = 0: clamp(0).
/// @pre bl is a multiple of 32, k a multiple of bl.
typedef kai_run_matmul_bl_f32_fn kai_matmul_clamp_f32_f16p_qsi4c32p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_f16p_qsi4c32p_ukernel.
KAI_DECLARE_TABLE(MATMUL_BL, matmul_clamp_f32_f16p_qsi4c32p, run_matmul, kai_matmul_clamp_f32_f16p_qsi4c32p_run_fn)

/// FMOPA on four ZA tiles: SVL / 32 rows x SVL / 8 columns per step.
kai_matmul_clamp_f32_f16p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa)

KAI_END_DECLARATIONS
