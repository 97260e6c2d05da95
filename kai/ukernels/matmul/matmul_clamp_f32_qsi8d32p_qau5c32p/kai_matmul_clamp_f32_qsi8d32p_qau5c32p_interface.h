// f32 <- qsi8d32p x qau5c32p: int8 LHS quantised at run time per block of a row, RHS of 5 bits with a scale and a
// minimum per block (Q5_1).
//
//     dst[m][n] = clamp(sum over blocks b of (rhs_minimum[n][b] * lhs_sum[m][b]
//                       + rhs_scale[n][b] * lhs_scale[m][b] * sum over i of lhs[m][b][i] * rhs[n][b][i]))
//
// lhs_sum is the sum of the dequantised block, rhs values are 0 to 31, scales and minima of the RHS are f16; the inner
// sum is exact in int32, the outer one is f32 with b ascending. All kernels give the same bits.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS). k = 0: clamp(0).
/// @pre bl is 32, k a multiple of it. Kernels whose m_step is 1 take any m, row by row.
typedef kai_run_matmul_bl_f32_fn kai_matmul_clamp_f32_qsi8d32p_qau5c32p_run_fn;

/// SMMLA.
kai_matmul_clamp_f32_qsi8d32p_qau5c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qau5c32p4x8_8x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qau5c32p4x8_8x4_neon_i8mm)

/// SDOT.
kai_matmul_clamp_f32_qsi8d32p_qau5c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qau5c32p4x4_8x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qau5c32p4x4_8x4_neon_dotprod)

/// The same, scheduled for Cortex-A55: rows are loaded in halves of vectors.
kai_matmul_clamp_f32_qsi8d32p_qau5c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p4x4_qau5c32p4x4_8x4_neon_dotprod_cortexa55;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qau5c32p4x4_8x4_neon_dotprod_cortexa55)

/// SDOT: one row; shares its RHS with the SMMLA kernel.
kai_matmul_clamp_f32_qsi8d32p_qau5c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qau5c32p4x8_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qau5c32p4x8_1x4_neon_dotprod)

/// SDOT: one row; shares its RHS with the 8 x 4 SDOT kernel.
kai_matmul_clamp_f32_qsi8d32p_qau5c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qau5c32p4x4_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qau5c32p4x4_1x4_neon_dotprod)

/// SMULL and SMLAL, 4 rows x 4 columns per step: Armv8.0. Shares its RHS with SMMLA GEMMs.
kai_matmul_clamp_f32_qsi8d32p_qau5c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qau5c32p4x8_4x4_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qau5c32p4x8_4x4_neon_mlal)

/// SMULL and SMLAL, one row: Armv8.0.
kai_matmul_clamp_f32_qsi8d32p_qau5c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qau5c32p4x8_1x4_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qau5c32p4x8_1x4_neon_mlal)

/// C++ without extensions; shares its RHS with the NEON kernels.
kai_matmul_clamp_f32_qsi8d32p_qau5c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qau5c32p4x8_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qau5c32p4x8_1x4_portable)

KAI_END_DECLARATIONS
