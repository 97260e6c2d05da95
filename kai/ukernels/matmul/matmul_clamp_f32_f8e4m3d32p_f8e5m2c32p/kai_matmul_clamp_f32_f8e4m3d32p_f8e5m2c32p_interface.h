// f32 <- f8e4m3d32p x f8e5m2c32p: LHS quantised to E4M3 at run time, with a scale per block of a row; RHS of 8-bit
// floating point, E5M2, with a scale per block.
//
//     dst[m][n] = clamp(bias[n] + sum over blocks b of ((S * rhs_scale[n][b]) * lhs_scale[m][b]))
//     S = sum over k in b of lhs[m][k] * rhs[k][n]
//
// S is f32, 4 or 8 products at once (docs/arithmetic.md). NaN and infinities of a row make its results NaN.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS + bias). k = 0: clamp(bias).
/// @pre bl is a multiple of 32, k a multiple of bl; m <= 1 for the kernel whose name has 1x.
typedef kai_run_matmul_bl_fn kai_matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p_ukernel.
KAI_DECLARE_TABLE(
    MATMUL_BL, matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p, run_matmul, kai_matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p_run_fn)

/// FMOPA of FEAT_SME_F8F32, 1 VL rows x 4 VL columns per step. Sets FPMR.
kai_matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p_run_fn
    kai_run_matmul_clamp_f32_f8e4m3d32p1vlx4_f8e5m2c32p4vlx4_1vlx4vl_sme_f8f32_mopa;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_f8e4m3d32p1vlx4_f8e5m2c32p4vlx4_1vlx4vl_sme_f8f32_mopa)

/// FMMLA of FEAT_F8F32MM, 8 rows x 12 columns per step. Sets FPMR.
kai_matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p_run_fn
    kai_run_matmul_clamp_f32_f8e4m3d32p8x8_f8e5m2c32p12x8_8x12_neon_f8f32mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_f8e4m3d32p8x8_f8e5m2c32p12x8_8x12_neon_f8f32mm)

/// The same, 1 row x 12 columns per step. A row has the same results in both.
kai_matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p_run_fn
    kai_run_matmul_clamp_f32_f8e4m3d32p1x8_f8e5m2c32p12x8_1x12_neon_f8f32mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_f8e4m3d32p1x8_f8e5m2c32p12x8_1x12_neon_f8f32mm)

/// FDOT of FEAT_FP8DOT4, 8 rows x 12 columns per step. Sets FPMR.
kai_matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p_run_fn
    kai_run_matmul_clamp_f32_f8e4m3d32p8x4_f8e5m2c32p12x4_8x12_neon_fp8dot4;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_f8e4m3d32p8x4_f8e5m2c32p12x4_8x12_neon_fp8dot4)

/// The same, 1 row x 12 columns per step.
kai_matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p_run_fn
    kai_run_matmul_clamp_f32_f8e4m3d32p1x4_f8e5m2c32p12x4_1x12_neon_fp8dot4;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_f8e4m3d32p1x4_f8e5m2c32p12x4_1x12_neon_fp8dot4)

KAI_END_DECLARATIONS
