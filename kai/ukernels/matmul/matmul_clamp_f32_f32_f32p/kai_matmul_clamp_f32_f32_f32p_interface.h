// f32 <- f32 x f32p: LHS not packed, bias inside the packed RHS.
//
//     dst[m][n] = clamp(bias[n] + sum over k of lhs[m][k] * rhs[k][n])
//
// One chain of fused multiply-adds that starts at the bias, k ascending: all micro-kernels of the family give the same
// bits.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS + bias). k = 0: clamp(bias).
/// @pre m <= 1 for the kernels whose name has 1x: they ignore the strides of LHS rows and dst rows. 6x4vl and 6x2vl
/// take any m, six rows at a time, although their m_step is 1.
typedef kai_run_matmul_rows_fn kai_matmul_clamp_f32_f32_f32p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_f32_f32p_ukernel.
KAI_DECLARE_TABLE(MATMUL_ROWS, matmul_clamp_f32_f32_f32p, run_matmul, kai_matmul_clamp_f32_f32_f32p_run_fn)

/// FMLA into ZA, vectors by element, 1 row x SVL / 2 columns; panels of the same width.
kai_matmul_clamp_f32_f32_f32p_run_fn kai_run_matmul_clamp_f32_f32_f32p16vlx1b_1x16vl_sme2_mla;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f32_f32p16vlx1b_1x16vl_sme2_mla)

/// FMLA into ZA, vectors by element, 1 row x SVL / 2 columns; panels of SVL / 16, those of the MOPA kernels.
kai_matmul_clamp_f32_f32_f32p_run_fn kai_run_matmul_clamp_f32_f32_f32p2vlx1b_1x16vl_sme2_mla;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f32_f32p2vlx1b_1x16vl_sme2_mla)

/// SME without SME2: 1 row x SVL / 4 columns; panels of SVL / 16.
kai_matmul_clamp_f32_f32_f32p_run_fn kai_run_matmul_clamp_f32_f32_f32p2vlx1b_1x8vl_sme_mla;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f32_f32p2vlx1b_1x8vl_sme_mla)

/// SVE, FMLA by element, 6 rows x 4 vectors at a time; any vector length.
kai_matmul_clamp_f32_f32_f32p_run_fn kai_run_matmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla)

/// FMLA by element, 6 rows x 16 columns.
kai_matmul_clamp_f32_f32_f32p_run_fn kai_run_matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla)

/// The same, scheduled for the in-order Cortex-A55.
kai_matmul_clamp_f32_f32_f32p_run_fn kai_run_matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla_cortexa55;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla_cortexa55)

/// FMLA by element, 6 rows x 8 columns.
kai_matmul_clamp_f32_f32_f32p_run_fn kai_run_matmul_clamp_f32_f32_f32p8x1biasf32_6x8x4_neon_mla;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f32_f32p8x1biasf32_6x8x4_neon_mla)

/// FMLA by element, 6 rows x 16 columns of panels of SVL / 16, those of the SME kernels, with their bits.
kai_matmul_clamp_f32_f32_f32p_run_fn kai_run_matmul_clamp_f32_f32_f32p2vlx1b_6x2vl_neon_mla;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f32_f32p2vlx1b_6x2vl_neon_mla)

/// The same for one row, 32 columns at a time.
kai_matmul_clamp_f32_f32_f32p_run_fn kai_run_matmul_clamp_f32_f32_f32p2vlx1b_1x2vl_neon_mla;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f32_f32p2vlx1b_1x2vl_neon_mla)

/// The same; panels of SVL / 2.
kai_matmul_clamp_f32_f32_f32p_run_fn kai_run_matmul_clamp_f32_f32_f32p16vlx1b_1x16vl_neon_mla;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f32_f32p16vlx1b_1x16vl_neon_mla)

/// C++ without extensions; shares its RHS with the NEON kernels of 16 columns.
kai_matmul_clamp_f32_f32_f32p_run_fn kai_run_matmul_clamp_f32_f32_f32p16x1b_1x16_portable;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f32_f32p16x1b_1x16_portable)

KAI_END_DECLARATIONS
