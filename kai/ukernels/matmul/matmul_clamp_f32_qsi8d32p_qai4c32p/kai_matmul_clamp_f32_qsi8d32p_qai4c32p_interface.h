// f32 <- qsi8d32p x qai4c32p: int8 LHS quantised at run time per block of a row, asymmetric int4 RHS per block.
//
//     dst[m][n] = clamp(bias[n] + sum over blocks b of (rhs_zero[n][b] * lhs_sum[m][b]
//                       + rhs_scale[n][b] * lhs_scale[m][b] * sum over i of lhs[m][b][i] * rhs[n][b][i]))
//
// lhs_sum is the sum of the dequantised block, rhs values are -8 to 7, scales and zeros are f32; the inner sum is exact
// in int32, the outer one is f32 with b ascending.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS + bias). k = 0: clamp(bias).
/// @pre bl is a multiple of 32, k a multiple of bl; m <= 1 for the SME2 kernel whose name has 1x. The other
/// kernels whose m_step is 1 take any m, row by row.
typedef kai_run_matmul_bl_f32_fn kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_qsi8d32p_qai4c32p_ukernel.
KAI_DECLARE_TABLE(
    MATMUL_BL, matmul_clamp_f32_qsi8d32p_qai4c32p, run_matmul, kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn)

/// SMOPA on four ZA tiles, LUTI4 decode: SVL / 32 rows x SVL / 8 columns per step.
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa)

/// SDOT into ZA vectors, LUTI4 decode: one row; shares its RHS with the SMOPA kernel.
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot)

/// SMMLA.
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qai4c32p4x8_8x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qai4c32p4x8_8x4_neon_i8mm)

/// SDOT.
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qai4c32p4x4_8x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qai4c32p4x4_8x4_neon_dotprod)

/// The same, scheduled for Cortex-A55: rows are loaded in halves of vectors.
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p4x4_qai4c32p4x4_8x4_neon_dotprod_cortexa55;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qai4c32p4x4_8x4_neon_dotprod_cortexa55)

/// SDOT: one row; shares its RHS with the SMMLA kernel.
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qai4c32p4x8_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qai4c32p4x8_1x4_neon_dotprod)

/// SDOT: one row; shares its RHS with the 8 x 4 SDOT kernel.
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4x4_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qai4c32p4x4_1x4_neon_dotprod)

/// SMULL and SMLAL, 4 rows x 4 columns per step: Armv8.0. Shares its RHS with SMMLA GEMMs.
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qai4c32p4x8_4x4_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qai4c32p4x8_4x4_neon_mlal)

/// SMULL and SMLAL, one row: Armv8.0.
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qai4c32p4x8_1x4_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qai4c32p4x8_1x4_neon_mlal)

/// C++ without extensions; shares its RHS with the NEON kernels of 4 columns.
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qai4c32p4x8_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qai4c32p4x8_1x4_portable)

/// SDOT, any number of rows. The RHS of SME2, for workers without an SME unit: the same bits. Any m.
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qai4c32p4vlx4_4x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qai4c32p4vlx4_4x4vl_neon_dotprod)

/// USDOT, one row. The RHS of SME2, for workers without an SME unit: the same bits. Any m.
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_neon_i8mm)

KAI_END_DECLARATIONS
