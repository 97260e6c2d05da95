// f32 <- qsi8d32p x qsi8c32p: int8 LHS quantised at run time per block of a row, int8 RHS with a scale per block, Q8_0
// of GGUF files.
//
//     dst[m][n] = clamp(sum over blocks b of lhs_scale[m][b] * rhs_scale[n][b] * S)
//     S = sum over i of lhs[m][b][i] * rhs[n][b][i]
//
// Scales are f16, the inner sum is exact in int32, the outer one is f32 with b ascending.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS). k = 0: clamp(0).
/// @pre bl is a multiple of 32, k a multiple of bl. Kernels whose m_step is 1 take any m, row by row.
typedef kai_run_matmul_bl_f32_fn kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn;

/// SMOPA, 1 VL rows x 4 VL columns per step. LHS format qsi8d32p_last, RHS format qsi8c32pscalef16, like all SME and
/// SME2 kernels.
kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1vlx4_qsi8c32p4vlx4_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1vlx4_qsi8c32p4vlx4_1vlx4vl_sme2_mopa)

/// SDOT, one row x 4 VL columns per step.
kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi8c32p4vlx4_1x4vl_sme2_sdot;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi8c32p4vlx4_1x4vl_sme2_sdot)

/// SMOPA without SME2, 1 VL rows x 4 VL columns per step.
kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1vlx4_qsi8c32p4vlx4_1vlx4vl_sme_mopa;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1vlx4_qsi8c32p4vlx4_1vlx4vl_sme_mopa)

/// SDOT without SME2, one row x 4 VL columns per step.
kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi8c32p4vlx4_1x4vl_sme_dot;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi8c32p4vlx4_1x4vl_sme_dot)

/// SMMLA, 16 rows x 4 columns per step.
kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qsi8c32p4x8_16x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qsi8c32p4x8_16x4_neon_i8mm)

/// SMMLA, 8 rows x 4 columns per step, for cores that issue in order.
kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qsi8c32p4x8_8x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qsi8c32p4x8_8x4_neon_i8mm)

/// SDOT, 16 rows x 4 columns per step.
kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qsi8c32p4x4_16x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qsi8c32p4x4_16x4_neon_dotprod)

/// The same, scheduled for Cortex-A55: rows are loaded in halves of vectors.
kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p4x4_qsi8c32p4x4_16x4_neon_dotprod_cortexa55;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qsi8c32p4x4_16x4_neon_dotprod_cortexa55)

/// SDOT, one row. The same RHS as SMMLA.
kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qsi8c32p4x8_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qsi8c32p4x8_1x4_neon_dotprod)

/// SDOT, one row. The same RHS as SDOT with 16 rows.
kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi8c32p4x4_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi8c32p4x4_1x4_neon_dotprod)

/// Every host. The same RHS as SMMLA.
kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qsi8c32p4x8_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qsi8c32p4x8_1x4_portable)

/// SDOT, any number of rows. The RHS of SME and SME2, for workers without an SME unit: the same bits. Any m.
kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qsi8c32p4vlx4_4x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qsi8c32p4vlx4_4x4vl_neon_dotprod)

/// SDOT, one row. The RHS of SME and SME2, for workers without an SME unit: the same bits. Any m.
kai_matmul_clamp_f32_qsi8d32p_qsi8c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi8c32p4vlx4_1x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi8c32p4vlx4_1x4vl_neon_dotprod)

KAI_END_DECLARATIONS
