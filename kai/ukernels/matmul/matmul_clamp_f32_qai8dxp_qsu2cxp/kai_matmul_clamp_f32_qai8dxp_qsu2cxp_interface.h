// f32 <- qai8dxp x qsu2cxp: int8 LHS quantised at run time, an offset and a scale per row,
// RHS of 2-bit indices into a table, with a scale per column.
//
//     dst[m][n] = clamp(bias[n] + float(S + lhs_offset[m] * rhs_sum[n]) * (rhs_scale[n] * lhs_scale[m]))
//     S = sum over k of lhs[m][k] * table[rhs[n][k]]
//
// lhs_offset is minus the zero point of the row, rhs_sum the sum of the column, S + lhs_offset * rhs_sum an int32 (the
// low 32 bits of the sum); the products and the sum with the bias are rounded individually.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS + bias). k = 0: clamp(bias). Any m; where m_step is 1, row by row.
/// @pre k is a multiple of 32; the table is the one that the RHS was packed with.
typedef kai_run_matmul_lut_f32_fn kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_qai8dxp_qsu2cxp_ukernel.
KAI_DECLARE_TABLE(MATMUL, matmul_clamp_f32_qai8dxp_qsu2cxp, run_matmul, kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn)

/// LUTI2 and SMOPA, SME2, 1 VL rows x 4 VL columns per step (VL = SVL / 32).
kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa)

/// SME2: SDOT, one row, panels of 4 VL columns. Product and sum with the bias are rounded once (fma).
kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4vlx4_1x4vl_sme2_dot;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1x4_qsu2cxp4vlx4_1x4vl_sme2_dot)

/// SDOT, 8 rows x 4 columns per step.
kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod)

/// LUTI2 and SDOT, one row; shares its RHS with the 8 x 4 kernel.
kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_lut;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_lut)

/// SDOT, one row; shares its RHS with the 8 x 4 kernel.
kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod)

/// SDOT, any number of rows, panels of 4 VL columns: shares its RHS with the SME2 kernels, and has the bits of their
/// GEMM. Needs no SME unit, only its vector length.
kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp4x4_qsu2cxp4vlx4_4x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp4x4_qsu2cxp4vlx4_4x4vl_neon_dotprod)

/// The same for one row, with the bits of the SME2 kernel for one row.
kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4vlx4_1x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1x4_qsu2cxp4vlx4_1x4vl_neon_dotprod)

/// C++ without extensions; shares its RHS with the NEON kernels of 4 columns.
kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_portable)

KAI_END_DECLARATIONS
