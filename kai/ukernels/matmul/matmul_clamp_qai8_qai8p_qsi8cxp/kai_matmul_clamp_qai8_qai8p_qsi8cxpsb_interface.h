// int8 <- int8 x int8, quantised statically: LHS asymmetric with one zero point, RHS symmetric with a scale per
// channel.
//
//     acc = bias[n] + sum over k of lhs[m][k] * rhs[k][n]
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

/// dst (int8) = requantised(LHS x RHS + bias). k = 0: the bias only.
typedef kai_run_matmul_qai8_fn kai_matmul_clamp_qai8_qai8p_qsi8cxp_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_qai8_qai8p_qsi8cxpsb_ukernel.
KAI_DECLARE_TABLE(MATMUL, matmul_clamp_qai8_qai8p_qsi8cxpsb, run_matmul, kai_matmul_clamp_qai8_qai8p_qsi8cxp_run_fn)

/// SMOPA on four ZA tiles: SVL / 16 rows x SVL / 16 columns per step.
kai_matmul_clamp_qai8_qai8p_qsi8cxp_run_fn kai_run_matmul_clamp_qai8_qai8p2vlx4_qsi8cxpsb2vlx4_2vlx2vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_qai8_qai8p2vlx4_qsi8cxpsb2vlx4_2vlx2vl_sme2_mopa)

/// SME without SME2: the same.
kai_matmul_clamp_qai8_qai8p_qsi8cxp_run_fn kai_run_matmul_clamp_qai8_qai8p2vlx4_qsi8cxp2vlx4sb_2vlx2vl_sme_mopa;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_qai8_qai8p2vlx4_qsi8cxp2vlx4sb_2vlx2vl_sme_mopa)

/// SMMLA, 4 rows x SVL / 16 columns; panels of SVL / 16, those of SME, for workers beside an SME unit; same results.
/// LHS packer: kai_lhs_pack_x8p1x4_x8.
kai_matmul_clamp_qai8_qai8p_qsi8cxp_run_fn kai_run_matmul_clamp_qai8_qai8p1x4_qsi8cxp2vlx4sb_4x2vl_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_qai8_qai8p1x4_qsi8cxp2vlx4sb_4x2vl_neon_i8mm)

/// C++ without extensions.
kai_matmul_clamp_qai8_qai8p_qsi8cxp_run_fn kai_run_matmul_clamp_qai8_qai8p1x4_qsi8cxp16x4sb_1x16_portable;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_qai8_qai8p1x4_qsi8cxp16x4sb_1x16_portable)

KAI_END_DECLARATIONS
