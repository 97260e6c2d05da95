// Indirect matmul, int8 <- int8 x int8, quantised statically: the packed LHS was gathered from chunks of k
// (kai_lhs_pack.h).
//
//     acc = bias[n] + sum over chunks c, over k of lhs[m][c][k] * rhs[c][k][n]
//     t = round(f32(acc) * scale[n]), to nearest, ties to even
//     dst[m][n] = clamp(saturate32(t) + output_zero_point)
//
// acc is int32 and wraps around, the sum with the zero point saturates; NaN becomes 0. The packed bias[n] includes the
// term of the LHS zero point (kai_rhs_pack.h).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (int8) = requantised(LHS x RHS + bias). Depth 0: the bias only.
typedef kai_run_imatmul_qai8_fn kai_imatmul_clamp_qai8_qai8p_qsi8cxp_run_fn;

/// The functions of one micro-kernel: struct kai_imatmul_clamp_qai8_qai8p_qsi8cxp_ukernel.
KAI_DECLARE_TABLE(IMATMUL, imatmul_clamp_qai8_qai8p_qsi8cxp, run_imatmul, kai_imatmul_clamp_qai8_qai8p_qsi8cxp_run_fn)

/// SMOPA on four ZA tiles: SVL / 16 rows x SVL / 16 columns per step.
kai_imatmul_clamp_qai8_qai8p_qsi8cxp_run_fn kai_run_imatmul_clamp_qai8_qai8p2vlx4_qsi8cxpsb2vlx4_2vlx2vl_sme2_mopa;
KAI_DECLARE_GETTERS(IMATMUL, imatmul_clamp_qai8_qai8p2vlx4_qsi8cxpsb2vlx4_2vlx2vl_sme2_mopa)

/// SME without SME2: the same.
kai_imatmul_clamp_qai8_qai8p_qsi8cxp_run_fn kai_run_imatmul_clamp_qai8_qai8p2vlx4_qsi8cxp2vlx4sb_2vlx2vl_sme_mopa;
KAI_DECLARE_GETTERS(IMATMUL, imatmul_clamp_qai8_qai8p2vlx4_qsi8cxp2vlx4sb_2vlx2vl_sme_mopa)

KAI_END_DECLARATIONS
