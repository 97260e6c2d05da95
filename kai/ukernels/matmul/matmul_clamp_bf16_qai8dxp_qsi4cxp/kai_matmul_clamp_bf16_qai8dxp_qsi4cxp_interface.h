// bf16 <- qai8dxp x qsi4cxp: int8 LHS quantised at run time, an offset and a scale per row,
// int4 RHS with a scale per column.
//
//     dst[m][n] = clamp(bias[n] + float(S + lhs_offset[m] * rhs_sum[n]) * (rhs_scale[n] * lhs_scale[m]))
//     S = sum over k of lhs[m][k] * rhs[n][k]
//
// lhs_offset is minus the zero point of the row, rhs_sum the sum of the column, S + lhs_offset * rhs_sum an int32 (the
// low 32 bits of the sum); the products and the sum with the bias are rounded individually. The clamped f32 result is
// rounded to bf16, to nearest, ties to even.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (bf16) = clamp(LHS x RHS + bias). k = 0: clamp(bias). Any m; where m_step is 1, row by row.
typedef kai_run_matmul_fn kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_ukernel.
KAI_DECLARE_TABLE(MATMUL, matmul_clamp_bf16_qai8dxp_qsi4cxp, run_matmul, kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_run_fn)

/// SMMLA, 8 rows x 8 columns per step.
kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_run_fn kai_run_matmul_clamp_bf16_qai8dxp4x8_qsi4cxp8x8_8x8_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_bf16_qai8dxp4x8_qsi4cxp8x8_8x8_neon_i8mm)

/// SDOT, one row; shares its RHS with the SMMLA kernel.
kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_run_fn kai_run_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_neon_dotprod)

/// C++ without extensions; shares its RHS with the NEON kernels of 8 columns.
kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_run_fn kai_run_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_portable;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_portable)

KAI_END_DECLARATIONS
