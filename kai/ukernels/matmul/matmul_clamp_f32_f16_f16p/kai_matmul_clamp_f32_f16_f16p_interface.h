// f32 <- f16 x f16p: LHS not packed, f16 bias inside the packed RHS. The operands are those of
// matmul_clamp_f16_f16_f16p.
//
//     dst[m][n] = clamp(bias[n] + sum over k of lhs[m][k] * rhs[k][n])
//
// One chain of fused f32 multiply-adds that starts at the bias, k ascending: all micro-kernels of the family give the
// same bits, but for the one of SME2, which adds two k a step: acc + round(l0 * r0 + l1 * r1), and for those of NEON
// with panels of SVL / 16, which have two chains, of even k from the bias on and of odd k, and add them at the end.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS + bias). k = 0: clamp(bias).
/// @pre m <= 1 for the kernels whose name has 1x and vl: they ignore the strides of LHS rows and dst rows.
typedef kai_run_matmul_rows_fn kai_matmul_clamp_f32_f16_f16p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_f16_f16p_ukernel.
KAI_DECLARE_TABLE(MATMUL_ROWS, matmul_clamp_f32_f16_f16p, run_matmul, kai_matmul_clamp_f32_f16_f16p_run_fn)

/// FDOT into ZA, vectors by element, 1 row x SVL / 2 columns; panels of SVL / 16.
kai_matmul_clamp_f32_f16_f16p_run_fn kai_run_matmul_clamp_f32_f16_f16p2vlx2b_1x16vl_sme2_dot;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f16_f16p2vlx2b_1x16vl_sme2_dot)

/// SME without SME2: FMLALB and FMLALT, 1 row x SVL / 4 columns; panels of SVL / 16.
kai_matmul_clamp_f32_f16_f16p_run_fn kai_run_matmul_clamp_f32_f16_f16p2vlx2b_1x8vl_sme_mla;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f16_f16p2vlx2b_1x8vl_sme_mla)

/// FMLAL and FMLAL2 by element, tiles of 3 rows x 32 columns, 1 x 64 for one row.
kai_matmul_clamp_f32_f16_f16p_run_fn kai_run_matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fmlal;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fmlal)

/// Every AArch64 CPU: FCVTL, then FMLA by element, tiles of 3 rows x 32 columns; many rows: both operands widened to
/// the stack first, tiles of 6 rows x 16 columns.
kai_matmul_clamp_f32_f16_f16p_run_fn kai_run_matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fcvtl;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fcvtl)

/// The same, scheduled for Cortex-A55: operands are loaded to general registers.
kai_matmul_clamp_f32_f16_f16p_run_fn kai_run_matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fcvtl_cortexa55;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fcvtl_cortexa55)

/// FMLAL and FMLAL2, tiles of 3 rows x 16 columns; panels of SVL / 16, those of the SME kernels: for cores without an
/// SME unit at hand.
kai_matmul_clamp_f32_f16_f16p_run_fn kai_run_matmul_clamp_f32_f16_f16p2vlx2b_3x2vl_neon_fmlal;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f16_f16p2vlx2b_3x2vl_neon_fmlal)

/// The same for one row, 32 columns at a time.
kai_matmul_clamp_f32_f16_f16p_run_fn kai_run_matmul_clamp_f32_f16_f16p2vlx2b_1x2vl_neon_fmlal;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f16_f16p2vlx2b_1x2vl_neon_fmlal)

/// C++ without extensions.
kai_matmul_clamp_f32_f16_f16p_run_fn kai_run_matmul_clamp_f32_f16_f16p32x1b_1x32_portable;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f32_f16_f16p32x1b_1x32_portable)

KAI_END_DECLARATIONS
