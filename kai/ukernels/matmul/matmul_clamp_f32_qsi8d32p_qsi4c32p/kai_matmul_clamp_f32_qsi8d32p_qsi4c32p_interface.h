// f32 <- qsi8d32p x qsi4c32p: int8 LHS quantised at run time per block of a row, int4 RHS with a scale per block.
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
/// @pre bl is a multiple of 32, k a multiple of bl; m <= 1 for the SME and SME2 kernels whose name has 1x. The
/// other kernels whose m_step is 1 take any m, row by row.
typedef kai_run_matmul_bl_f32_fn kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_ukernel.
KAI_DECLARE_TABLE(
    MATMUL_BL, matmul_clamp_f32_qsi8d32p_qsi4c32p, run_matmul, kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn)

/// SMOPA, 1 VL rows x 4 VL columns per step. LHS format qsi8d32p_last, RHS format qsi4c32ps1s0scalef16, like both SME2
/// kernels.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa)

/// SDOT, one row x 4 VL columns per step; shares its RHS with the SMOPA kernel.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme2_sdot;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme2_sdot)

/// SMOPA without SME2, 1 VL rows x 4 VL columns per step. LHS format qsi8d32p_last, RHS format qsi4c32ps4s0sf16.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme_mopa;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme_mopa)

/// SMMLA, 16 rows x 4 columns per step.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm)

/// SMMLA, 8 rows x 4 columns per step.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm)

/// SDOT, 16 rows x 4 columns per step.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod)

/// The same, scheduled for Cortex-A55: rows are loaded in halves of vectors.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod_cortexa55;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod_cortexa55)

/// SDOT, one row; shares its RHS with the SMMLA kernels. Any m.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod)

/// SDOT, one row; shares its RHS with the 16 x 4 SDOT kernel.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod)

/// SVE SMMLA, 16 rows x 8 columns per step. Any vector length.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p8x8_16x8_sve_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qsi4c32p8x8_16x8_sve_i8mm)

/// SVE SDOT, one row; shares its RHS with the SMMLA SVE kernel. Any m, any vector length.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p8x8_1x8_sve_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qsi4c32p8x8_1x8_sve_dotprod)

/// SVE SDOT, one row. Any m, any vector length.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p8x4_1x8_sve_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi4c32p8x4_1x8_sve_dotprod)

/// SME without SME2: SDOT in streaming mode, 1 row x SVL / 8 columns.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme_dot;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme_dot)

/// SMULL and SMLAL, 4 rows x 4 columns per step: Armv8.0. Shares its RHS with SMMLA GEMMs.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_4x4_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_4x4_neon_mlal)

/// SMULL and SMLAL, one row: Armv8.0.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4_neon_mlal)

/// C++ without extensions; shares its RHS with the NEON kernels of 4 columns.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4_portable)

/// SDOT, any number of rows. The RHS of SME2, for workers without an SME unit: the same bits. Any m.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4vlx4_4x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4vlx4_4x4vl_neon_dotprod)

/// USDOT and FMLAL, one row. The RHS of SME2, for workers without an SME unit: the same bits. Any m.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_neon_i8mm_fmlal;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_neon_i8mm_fmlal)

/// USDOT, one row. The RHS of SME2, for workers without an SME unit: the same bits. Any m.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_neon_i8mm)

/// SDOT, any number of rows. The RHS of SME without SME2, for workers without an SME unit: the same bits. Any m.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4vlx4s4s0_4x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4vlx4s4s0_4x4vl_neon_dotprod)

/// SDOT, one row. The RHS of SME without SME2, for workers without an SME unit: the same bits. Any m.
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4s4s0_1x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4s4s0_1x4vl_neon_dotprod)

KAI_END_DECLARATIONS
