// f32 <- qsi8d256p x qlu4c32x256p: int8 LHS quantised at run time per 256 values of a row, RHS as indices of a table of
// 16 int8 in super-blocks of 256 with an f16 scale and an int8 scale per 32 weights, IQ4_XS of GGUF files. The table is
// in the packed RHS.
//
//     dst[m][n] = clamp(sum over super-blocks b of fma(f32(I) * d[n][b], lhs_scale[m][b], sum so far))
//     I = sum over sub-blocks j of scale[n][b][j] * (sum over i of lhs[m][b][j][i] * table[rhs[n][b][j][i]])
//
// I is exact in int32, f32(I) * d is rounded, b ascends.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS). k = 0: clamp(0).
/// @pre k is a multiple of 256. Kernels whose m_step is 1 take any m, row by row.
typedef kai_run_matmul_f32_fn kai_matmul_clamp_f32_qsi8d256p_qlu4c32x256p_run_fn;

/// SMOPA, 1 VL rows x 4 VL columns per step. RHS format qlu4c32x256ps1s0. While it runs, dst holds partial sums.
kai_matmul_clamp_f32_qsi8d256p_qlu4c32x256p_run_fn
    kai_run_matmul_clamp_f32_qsi8d256p1vlx4_qlu4c32x256p4vlx4_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p1vlx4_qlu4c32x256p4vlx4_1vlx4vl_sme2_mopa)

/// SDOT, one row x 4 VL columns per step. The same RHS as SMOPA.
kai_matmul_clamp_f32_qsi8d256p_qlu4c32x256p_run_fn
    kai_run_matmul_clamp_f32_qsi8d256p1x4_qlu4c32x256p4vlx4_1x4vl_sme2_sdot;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p1x4_qlu4c32x256p4vlx4_1x4vl_sme2_sdot)

/// SMMLA, 16 rows x 4 columns per step.
kai_matmul_clamp_f32_qsi8d256p_qlu4c32x256p_run_fn kai_run_matmul_clamp_f32_qsi8d256p4x8_qlu4c32x256p4x8_16x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p4x8_qlu4c32x256p4x8_16x4_neon_i8mm)

/// SDOT, 16 rows x 4 columns per step.
kai_matmul_clamp_f32_qsi8d256p_qlu4c32x256p_run_fn
    kai_run_matmul_clamp_f32_qsi8d256p4x4_qlu4c32x256p4x4_16x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p4x4_qlu4c32x256p4x4_16x4_neon_dotprod)

/// LUTI4 and SDOT, one row. The same RHS as SMMLA with 16 rows.
kai_matmul_clamp_f32_qsi8d256p_qlu4c32x256p_run_fn kai_run_matmul_clamp_f32_qsi8d256p1x8_qlu4c32x256p4x8_1x4_neon_lut;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p1x8_qlu4c32x256p4x8_1x4_neon_lut)

/// SDOT, one row. The same RHS as SMMLA with 16 rows.
kai_matmul_clamp_f32_qsi8d256p_qlu4c32x256p_run_fn
    kai_run_matmul_clamp_f32_qsi8d256p1x8_qlu4c32x256p4x8_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p1x8_qlu4c32x256p4x8_1x4_neon_dotprod)

/// SDOT, one row. The same RHS as SDOT with 16 rows.
kai_matmul_clamp_f32_qsi8d256p_qlu4c32x256p_run_fn
    kai_run_matmul_clamp_f32_qsi8d256p1x4_qlu4c32x256p4x4_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p1x4_qlu4c32x256p4x4_1x4_neon_dotprod)

/// Every host. The same RHS as SMMLA.
kai_matmul_clamp_f32_qsi8d256p_qlu4c32x256p_run_fn kai_run_matmul_clamp_f32_qsi8d256p1x8_qlu4c32x256p4x8_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p1x8_qlu4c32x256p4x8_1x4_portable)

/// SDOT, any number of rows. The RHS of SME2, for workers without an SME unit. Any m.
kai_matmul_clamp_f32_qsi8d256p_qlu4c32x256p_run_fn
    kai_run_matmul_clamp_f32_qsi8d256p4x4_qlu4c32x256p4vlx4_4x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p4x4_qlu4c32x256p4vlx4_4x4vl_neon_dotprod)

/// SDOT, one row. The RHS of SME2, for workers without an SME unit. Any m.
kai_matmul_clamp_f32_qsi8d256p_qlu4c32x256p_run_fn
    kai_run_matmul_clamp_f32_qsi8d256p1x4_qlu4c32x256p4vlx4_1x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL, matmul_clamp_f32_qsi8d256p1x4_qlu4c32x256p4vlx4_1x4vl_neon_dotprod)

KAI_END_DECLARATIONS
