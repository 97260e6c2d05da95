// f32 <- qsi8d256p x qau5c32x256p: int8 LHS quantised at run time per 256 values of a row, 5-bit RHS in super-blocks of
// 256 with integer scales of sub-blocks, Q5_K of GGUF files.
//
//     I = sum over sub-blocks j of sc[j] * S[j],     S[j] = sum over 32 k of lhs * rhs, rhs 0 to 31
//     J = sum over sub-blocks j of mn[j] * B[j],     B[j] = sum over 32 k of lhs
//     dst[m][n] = clamp(sum over super-blocks of lhs_scale * (d * I - dmin * J))
//
// I and J are exact in int32. T = fma(-f32(J), dmin, f32(I) * d), both conversions and the product rounded; then
// sum = fma(T, lhs_scale, sum), super-blocks ascending. d and dmin are f16, sc and mn 0 to 63, lhs_scale f32.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS). k = 0: clamp(0).
/// @pre k is a multiple of 256. Kernels whose m_step is 1 take any m, row by row.
typedef kai_run_matmul_f32_fn kai_matmul_clamp_f32_qsi8d256p_qau5c32x256p_run_fn;

/// SUMOPA, 1 VL rows x 4 VL columns per step. While it runs, dst holds partial sums.
kai_matmul_clamp_f32_qsi8d256p_qau5c32x256p_run_fn
    kai_run_matmul_clamp_f32_qsi8d256p1vlx4_qau5c32x256p4vlx4_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p1vlx4_qau5c32x256p4vlx4_1vlx4vl_sme2_mopa)

/// USDOT, one row x 4 VL columns per step. The same RHS as SUMOPA.
kai_matmul_clamp_f32_qsi8d256p_qau5c32x256p_run_fn
    kai_run_matmul_clamp_f32_qsi8d256p1x4_qau5c32x256p4vlx4_1x4vl_sme2_sdot;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p1x4_qau5c32x256p4vlx4_1x4vl_sme2_sdot)

/// SMMLA, 16 rows x 4 columns per step.
kai_matmul_clamp_f32_qsi8d256p_qau5c32x256p_run_fn kai_run_matmul_clamp_f32_qsi8d256p4x8_qau5c32x256p4x8_16x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p4x8_qau5c32x256p4x8_16x4_neon_i8mm)

/// SDOT, 8 rows x 4 columns per step.
kai_matmul_clamp_f32_qsi8d256p_qau5c32x256p_run_fn
    kai_run_matmul_clamp_f32_qsi8d256p4x4_qau5c32x256p4x4_8x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p4x4_qau5c32x256p4x4_8x4_neon_dotprod)

/// SMMLA, one row. The same RHS as SMMLA with 16 rows.
kai_matmul_clamp_f32_qsi8d256p_qau5c32x256p_run_fn kai_run_matmul_clamp_f32_qsi8d256p1x8_qau5c32x256p4x8_1x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p1x8_qau5c32x256p4x8_1x4_neon_i8mm)

/// SDOT, one row. The same RHS as SDOT with 8 rows.
kai_matmul_clamp_f32_qsi8d256p_qau5c32x256p_run_fn
    kai_run_matmul_clamp_f32_qsi8d256p1x4_qau5c32x256p4x4_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p1x4_qau5c32x256p4x4_1x4_neon_dotprod)

/// Every host. The same RHS as SMMLA.
kai_matmul_clamp_f32_qsi8d256p_qau5c32x256p_run_fn kai_run_matmul_clamp_f32_qsi8d256p1x8_qau5c32x256p4x8_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p1x8_qau5c32x256p4x8_1x4_portable)

/// SDOT, any number of rows. The RHS of SME2, for workers without an SME unit. Any m.
kai_matmul_clamp_f32_qsi8d256p_qau5c32x256p_run_fn
    kai_run_matmul_clamp_f32_qsi8d256p4x4_qau5c32x256p4vlx4_4x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p4x4_qau5c32x256p4vlx4_4x4vl_neon_dotprod)

/// SDOT, one row. The RHS of SME2, for workers without an SME unit. Any m.
kai_matmul_clamp_f32_qsi8d256p_qau5c32x256p_run_fn
    kai_run_matmul_clamp_f32_qsi8d256p1x4_qau5c32x256p4vlx4_1x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p1x4_qau5c32x256p4vlx4_1x4vl_neon_dotprod)

KAI_END_DECLARATIONS
