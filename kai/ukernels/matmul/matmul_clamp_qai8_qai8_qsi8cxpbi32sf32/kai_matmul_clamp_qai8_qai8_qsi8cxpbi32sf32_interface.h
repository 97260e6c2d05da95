// int8 <- int8 x int8, quantised statically: LHS as it lies, asymmetric with one zero point, RHS packed, symmetric with
// a scale per channel.
//
//     acc = bias[n] + sum over k of lhs[m][k] * rhs[k][n]
//     t = round(f32(acc) * scale[n]), to nearest, ties to even
//     dst[m][n] = clamp(saturate32(t) + output_zero_point)
//
// acc is int32 and wraps around, the sum with the zero point saturates; NaN becomes 0. The packed bias[n] includes the
// term of the LHS zero point (kai_rhs_pack.h).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (int8) = requantised(LHS x RHS + bias). k = 0: the bias only.
typedef kai_run_matmul_rows_static_fn kai_matmul_clamp_qai8_qai8_qsi8cxpbi32sf32_run_fn;

/// SMMLA, 4 rows x 16 columns; 6 rows, 2 rows and one row in tiles of their own. Rows are packed to 16 KB of the stack
/// where they meet many columns.
kai_matmul_clamp_qai8_qai8_qsi8cxpbi32sf32_run_fn kai_run_matmul_clamp_qai8_qai8_qsi8cxp16x8bi32sf32_4x16_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_qai8_qai8_qsi8cxp16x8bi32sf32_4x16_neon_i8mm)

/// SDOT, 6 rows x 16 columns; 1 to 5 rows in tiles of their own. The panels are those of the portable kernel
/// (matmul_clamp_qai8_qai8p1x4_qsi8cxp16x4sb_1x16_portable).
kai_matmul_clamp_qai8_qai8_qsi8cxpbi32sf32_run_fn kai_run_matmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_6x16_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_6x16_neon_dotprod)

/// The same, scheduled for Cortex-A55: 6 rows are loaded to general registers.
kai_matmul_clamp_qai8_qai8_qsi8cxpbi32sf32_run_fn
    kai_run_matmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_6x16_neon_dotprod_cortexa55;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_6x16_neon_dotprod_cortexa55)

/// SMULL and SMLSL2, 4 rows x 16 columns; 1, 2 and 3 rows in tiles of their own. The same panels, which are rearranged
/// on the stack for 64 rows at a time.
kai_matmul_clamp_qai8_qai8_qsi8cxpbi32sf32_run_fn kai_run_matmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_4x16_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_4x16_neon_mlal)

KAI_END_DECLARATIONS
