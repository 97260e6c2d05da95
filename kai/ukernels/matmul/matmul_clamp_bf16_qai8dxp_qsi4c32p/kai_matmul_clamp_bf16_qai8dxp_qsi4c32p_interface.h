// bf16 <- qai8dxp x qsi4c32p: int8 LHS quantised at run time, an offset and a scale per row,
// int4 RHS with a bf16 scale per block of a column.
//
//     dst[m][n] = clamp(bias[n] + lhs_scale[m] * (sum over blocks b of rhs_scale[n][b] * S
//                       + rhs_sum[n] * lhs_offset[m]))
//     S = sum over i of lhs[m][b][i] * rhs[n][b][i]
//
// S is exact in int32; the sum over blocks (parts of blocks longer than 256) is f32 with b ascending.
// lhs_offset is minus the zero point of the row, rhs_sum the sum of the dequantised column.
// The clamped f32 result is rounded to bf16, to nearest, ties to even.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (bf16) = clamp(LHS x RHS + bias). k = 0: clamp(bias). Any m; where m_step is 1, row by row.
/// @pre bl is a multiple of 32, k a multiple of bl.
typedef kai_run_matmul_bl_fn kai_matmul_clamp_bf16_qai8dxp_qsi4c32p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_bf16_qai8dxp_qsi4c32p_ukernel.
KAI_DECLARE_TABLE(
    MATMUL_RHS_BL, matmul_clamp_bf16_qai8dxp_qsi4c32p, run_matmul, kai_matmul_clamp_bf16_qai8dxp_qsi4c32p_run_fn)

/// SMMLA, 16 rows x 4 columns per step.
kai_matmul_clamp_bf16_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_bf16_qai8dxp4x8_qsi4c32p4x8_16x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_bf16_qai8dxp4x8_qsi4c32p4x8_16x4_neon_i8mm)

/// SDOT, one row; shares its RHS with the SMMLA kernel.
kai_matmul_clamp_bf16_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_bf16_qai8dxp1x8_qsi4c32p4x8_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_bf16_qai8dxp1x8_qsi4c32p4x8_1x4_neon_dotprod)

/// C++ without extensions; shares its RHS with the NEON kernels of 4 columns.
kai_matmul_clamp_bf16_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_bf16_qai8dxp1x8_qsi4c32p4x8_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_bf16_qai8dxp1x8_qsi4c32p4x8_1x4_portable)

KAI_END_DECLARATIONS
