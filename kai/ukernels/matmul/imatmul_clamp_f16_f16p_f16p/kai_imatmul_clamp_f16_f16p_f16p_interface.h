// Indirect matmul, f16 <- f16p x f16p: the packed LHS was gathered from chunks of k (kai_lhs_pack.h), bias inside the
// packed RHS.
//
//     dst[m][n] = clamp(bias[n] + sum over chunks c, over k of lhs[m][c][k] * rhs[c][k][n])
//
// Arithmetic as matmul_clamp_f16_f16p_f16p, chunks and pairs of k ascending; a chunk of odd length is padded with a
// zero.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f16) = clamp(LHS x RHS + bias). Depth 0: clamp(bias).
typedef kai_run_imatmul_fn kai_imatmul_clamp_f16_f16p_f16p_run_fn;

/// The functions of one micro-kernel: struct kai_imatmul_clamp_f16_f16p_f16p_ukernel.
KAI_DECLARE_TABLE(IMATMUL, imatmul_clamp_f16_f16p_f16p, run_imatmul, kai_imatmul_clamp_f16_f16p_f16p_run_fn)

/// FMOPA on four ZA tiles: SVL / 16 rows x SVL / 16 columns per step.
kai_imatmul_clamp_f16_f16p_f16p_run_fn kai_run_imatmul_clamp_f16_f16p2vlx2_f16p2vlx2_2vlx2vl_sme2_mopa;
KAI_DECLARE_GETTERS(IMATMUL, imatmul_clamp_f16_f16p2vlx2_f16p2vlx2_2vlx2vl_sme2_mopa)

/// SME without SME2: the same.
kai_imatmul_clamp_f16_f16p_f16p_run_fn kai_run_imatmul_clamp_f16_f16p2vlx2_f16p2vlx2b_2vlx2vl_sme_mopa;
KAI_DECLARE_GETTERS(IMATMUL, imatmul_clamp_f16_f16p2vlx2_f16p2vlx2b_2vlx2vl_sme_mopa)

KAI_END_DECLARATIONS
