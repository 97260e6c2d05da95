// f32 <- qai8dxp x qsi4c32p: int8 LHS quantised at run time, an offset and a scale per row,
// int4 RHS with a bf16 scale per block of a column.
//
//     dst[m][n] = clamp(bias[n] + lhs_scale[m] * (sum over blocks b of rhs_scale[n][b] * S
//                       + rhs_sum[n] * lhs_offset[m]))
//     S = sum over i of lhs[m][b][i] * rhs[n][b][i]
//
// S is exact in int32; the sum over blocks (parts of blocks longer than 256) is f32 with b ascending.
// lhs_offset is minus the zero point of the row, rhs_sum the sum of the dequantised column.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS + bias). k = 0: clamp(bias). Any m; where m_step is 1, row by row.
/// @pre bl is a multiple of 32, k a multiple of bl.
typedef kai_run_matmul_bl_f32_fn kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_qai8dxp_qsi4c32p_ukernel.
KAI_DECLARE_TABLE(
    MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp_qsi4c32p, run_matmul, kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn)

/// LUTI4 and SMOPA, SME2, 1 VL rows x 4 VL columns per step (VL = SVL / 32).
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa)

/// SME2: SDOT, one row, panels of 4 VL columns. The term of the offset comes before the blocks (parts of blocks longer
/// than 4096); product and sum with the bias are rounded once (fma).
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp1x4_qsi4c32p4vlx4_1x4vl_sme2_dot;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp1x4_qsi4c32p4vlx4_1x4vl_sme2_dot)

/// SMMLA, 16 rows x 4 columns per step, panels of 4 columns.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp4x8_qsi4c32p4x8_16x4x32_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp4x8_qsi4c32p4x8_16x4x32_neon_i8mm)

/// SMMLA, 8 rows x 4 columns per step, panels of 4 columns.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp4x8_qsi4c32p4x8_8x4x32_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp4x8_qsi4c32p4x8_8x4x32_neon_i8mm)

/// SMMLA, 4 rows x 8 columns per step, panels of 8 columns.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp4x8_qsi4c32p8x8_4x8x32_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp4x8_qsi4c32p8x8_4x8x32_neon_i8mm)

/// SMMLA, 4 rows x 8 columns per step, panels of 8 columns: another name for the previous kernel.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp4x8_qsi4c32p8x8_4x8_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp4x8_qsi4c32p8x8_4x8_neon_i8mm)

/// SDOT, 16 rows x 4 columns per step, panels of 4 columns.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp4x4_qsi4c32p4x4_16x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp4x4_qsi4c32p4x4_16x4_neon_dotprod)

/// SDOT, 4 rows x 8 columns per step, panels of 8 columns.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp4x4_qsi4c32p8x4_4x8_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp4x4_qsi4c32p8x4_4x8_neon_dotprod)

/// SDOT, one row; shares its RHS with the SMMLA kernels of 4 columns.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp1x8_qsi4c32p4x8_1x4x32_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp1x8_qsi4c32p4x8_1x4x32_neon_dotprod)

/// SDOT, one row; shares its RHS with the SMMLA kernels of 8 columns.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp1x8_qsi4c32p8x8_1x8x32_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp1x8_qsi4c32p8x8_1x8x32_neon_dotprod)

/// SDOT, one row: another name for the previous kernel.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp1x8_qsi4c32p8x8_1x8_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp1x8_qsi4c32p8x8_1x8_neon_dotprod)

/// SDOT, one row; shares its RHS with the SDOT kernel of 4 columns.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp1x4_qsi4c32p4x4_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp1x4_qsi4c32p4x4_1x4_neon_dotprod)

/// SDOT, one row; shares its RHS with the SDOT kernel of 8 columns.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp1x4_qsi4c32p8x4_1x8_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp1x4_qsi4c32p8x4_1x8_neon_dotprod)

/// SMULL and SMLAL, 4 rows x 4 columns per step: Armv8.0. Shares its RHS with SMMLA GEMMs.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp4x8_qsi4c32p4x8_4x4_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp4x8_qsi4c32p4x8_4x4_neon_mlal)

/// SMULL and SMLAL, one row: Armv8.0.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp1x8_qsi4c32p4x8_1x4_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp1x8_qsi4c32p4x8_1x4_neon_mlal)

/// C++ without extensions; shares its RHS with the NEON kernels of 4 columns.
kai_matmul_clamp_f32_qai8dxp_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qai8dxp1x8_qsi4c32p4x8_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_qai8dxp1x8_qsi4c32p4x8_1x4_portable)

KAI_END_DECLARATIONS
