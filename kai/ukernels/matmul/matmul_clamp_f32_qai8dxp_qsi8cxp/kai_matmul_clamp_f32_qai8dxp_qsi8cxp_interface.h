// f32 <- qai8dxp x qsi8cxp: int8 LHS quantised at run time, an offset and a scale per row,
// int8 RHS with a scale per column.
//
//     dst[m][n] = clamp(bias[n] + float(S + lhs_offset[m] * rhs_sum[n]) * (rhs_scale[n] * lhs_scale[m]))
//     S = sum over k of lhs[m][k] * rhs[n][k]
//
// lhs_offset is minus the zero point of the row, rhs_sum the sum of the column, S + lhs_offset * rhs_sum an int32 (the
// low 32 bits of the sum); the products and the sum with the bias are rounded individually.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS + bias). k = 0: clamp(bias). Any m; where m_step is 1, row by row.
typedef kai_run_matmul_f32_fn kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_qai8dxp_qsi8cxp_ukernel.
KAI_DECLARE_TABLE(MATMUL, matmul_clamp_f32_qai8dxp_qsi8cxp, run_matmul, kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn)

/// SMOPA, SME, 1 VL rows x 4 VL columns per step (VL = SVL / 32).
kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1vlx4_qsi8cxp4vlx4_1vlx4vl_sme_mopa;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1vlx4_qsi8cxp4vlx4_1vlx4vl_sme_mopa)

/// SDOT, SME without SME2, one row; shares its RHS with the SME GEMM. Product and sum with the bias are rounded once
/// (fma).
kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_sme_dot;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_sme_dot)

/// SMOPA, SME2, 1 VL rows x 4 VL columns per step (VL = SVL / 32).
kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1vlx4_qsi8cxp4vlx4_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1vlx4_qsi8cxp4vlx4_1vlx4vl_sme2_mopa)

/// SME2: SDOT, one row, panels of 4 VL columns. Product and sum with the bias are rounded once (fma).
kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_sme2_dot;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_sme2_dot)

/// SMMLA, 16 rows x 4 columns per step.
kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp4x8_qsi8cxp4x8_16x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp4x8_qsi8cxp4x8_16x4_neon_i8mm)

/// SDOT, 16 rows x 4 columns per step.
kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp4x4_qsi8cxp4x4_16x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp4x4_qsi8cxp4x4_16x4_neon_dotprod)

/// SDOT, one row; shares its RHS with the SMMLA kernel.
kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1x8_qsi8cxp4x8_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1x8_qsi8cxp4x8_1x4_neon_dotprod)

/// SDOT, one row; shares its RHS with the 16 x 4 SDOT kernel.
kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1x4_qsi8cxp4x4_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1x4_qsi8cxp4x4_1x4_neon_dotprod)

/// SMULL and SMLSL, 4 rows x 4 columns per step: Armv8.0. Shares its RHS with the SMMLA GEMM.
kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp4x8_qsi8cxp4x8_4x4_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp4x8_qsi8cxp4x8_4x4_neon_mlal)

/// SMULL and SMLSL, one row: Armv8.0.
kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1x8_qsi8cxp4x8_1x4_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1x8_qsi8cxp4x8_1x4_neon_mlal)

/// C++ without extensions; shares its RHS with the NEON kernels of 4 columns.
kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1x8_qsi8cxp4x8_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1x8_qsi8cxp4x8_1x4_portable)

/// SDOT, any number of rows, panels of 4 VL columns: shares its RHS with the SME kernels, and has the bits of their
/// GEMM. Needs no SME unit, only its vector length.
kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp4x4_qsi8cxp4vlx4_4x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp4x4_qsi8cxp4vlx4_4x4vl_neon_dotprod)

/// The same for one row, with the bits of the SME kernels for one row: product and sum with the bias are rounded once
/// (fma).
kai_matmul_clamp_f32_qai8dxp_qsi8cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_neon_dotprod)

KAI_END_DECLARATIONS
