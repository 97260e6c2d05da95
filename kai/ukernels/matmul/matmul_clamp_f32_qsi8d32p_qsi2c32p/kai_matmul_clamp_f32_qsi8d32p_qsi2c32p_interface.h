// f32 <- qsi8d32p x qsi2c32p: int8 LHS quantised at run time per block of a row, RHS of 2 bits, -1 to 2, with a scale
// per block: TQ2_0, TQ1_0, Q2_0 and Q1_0 of GGUF files.
//
//     dst[m][n] = clamp(sum over blocks b of lhs_scale[m][b] * rhs_scale[n][b] * S)
//     S = sum over i of lhs[m][b][i] * rhs[n][b][i]
//
// Scales are f16, the inner sum is exact in int32, the outer one is f32 with b ascending: the bits of qsi8d32p x
// qsi4c32p.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS). k = 0: clamp(0).
/// @pre bl is a multiple of 32, k a multiple of bl; m <= 1 for the SME2 kernel whose name has 1x. The other kernels
/// whose m_step is 1 take any m, row by row.
typedef kai_run_matmul_bl_f32_fn kai_matmul_clamp_f32_qsi8d32p_qsi2c32p_run_fn;

/// SMOPA on two ZA tiles, LUTI2 decode: SVL / 32 rows x SVL / 8 columns per step.
kai_matmul_clamp_f32_qsi8d32p_qsi2c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1vlx4_qsi2c32p4vlx4_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1vlx4_qsi2c32p4vlx4_1vlx4vl_sme2_mopa)

/// SDOT into ZA vectors, LUTI2 decode: one row; shares its RHS with the SMOPA kernel.
kai_matmul_clamp_f32_qsi8d32p_qsi2c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi2c32p4vlx4_1x4vl_sme2_sdot;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi2c32p4vlx4_1x4vl_sme2_sdot)

/// SMMLA, 16 rows x 4 columns per step.
kai_matmul_clamp_f32_qsi8d32p_qsi2c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qsi2c32p4x8_16x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qsi2c32p4x8_16x4_neon_i8mm)

/// SDOT, 16 rows x 4 columns per step.
kai_matmul_clamp_f32_qsi8d32p_qsi2c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qsi2c32p4x4_16x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qsi2c32p4x4_16x4_neon_dotprod)

/// LUTI2 and SDOT, one row. The same RHS as SMMLA.
kai_matmul_clamp_f32_qsi8d32p_qsi2c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qsi2c32p4x8_1x4_neon_lut;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qsi2c32p4x8_1x4_neon_lut)

/// SDOT, one row; shares its RHS with the SMMLA kernel. Any m.
kai_matmul_clamp_f32_qsi8d32p_qsi2c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qsi2c32p4x8_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qsi2c32p4x8_1x4_neon_dotprod)

/// SDOT, one row; shares its RHS with the 16 x 4 SDOT kernel. Any m.
kai_matmul_clamp_f32_qsi8d32p_qsi2c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi2c32p4x4_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi2c32p4x4_1x4_neon_dotprod)

/// SMULL and SMLAL, 4 rows x 4 columns per step: Armv8.0. Shares its RHS with the SMMLA kernel.
kai_matmul_clamp_f32_qsi8d32p_qsi2c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qsi2c32p4x8_4x4_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qsi2c32p4x8_4x4_neon_mlal)

/// SMULL and SMLAL, one row: Armv8.0.
kai_matmul_clamp_f32_qsi8d32p_qsi2c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qsi2c32p4x8_1x4_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qsi2c32p4x8_1x4_neon_mlal)

/// C++ without extensions; shares its RHS with the SMMLA kernel. Any m.
kai_matmul_clamp_f32_qsi8d32p_qsi2c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qsi2c32p4x8_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qsi2c32p4x8_1x4_portable)

/// SDOT, any number of rows. The RHS of SME2, for workers without an SME unit. Any m.
kai_matmul_clamp_f32_qsi8d32p_qsi2c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qsi2c32p4vlx4_4x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qsi2c32p4vlx4_4x4vl_neon_dotprod)

/// SDOT, one row. The RHS of SME2, for workers without an SME unit. Any m.
kai_matmul_clamp_f32_qsi8d32p_qsi2c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi2c32p4vlx4_1x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qsi2c32p4vlx4_1x4vl_neon_dotprod)

KAI_END_DECLARATIONS
