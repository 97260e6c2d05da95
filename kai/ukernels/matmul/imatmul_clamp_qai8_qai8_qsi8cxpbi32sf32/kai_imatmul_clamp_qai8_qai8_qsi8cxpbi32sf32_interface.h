// Indirect matmul, int8 <- int8 x int8, quantised statically: the LHS is read through a table of pointers to chunks of
// k, RHS packed, symmetric with a scale per channel.
//
//     acc = bias[n] + sum over chunks c, over k of lhs[m][c][k] * rhs[c][k][n]
//     t = round(f32(acc) * scale[n]), to nearest, ties to even
//     dst[m][n] = clamp(saturate32(t) + output_zero_point)
//
// acc is int32 and wraps around, the sum with the zero point saturates; NaN becomes 0. The packed bias[n] includes the
// term of the LHS zero point (kai_rhs_pack.h), which padding has to hold. The packed RHS is that of the family
// matmul_clamp_qai8_qai8_qsi8cxpbi32sf32, each chunk padded with zeros to a multiple of kr.
//
// SDOT reads chunks in place if their length is a multiple of 16; for SMMLA up to 32 KB of rows at a time are packed on
// the stack, 4 or 6 together. Otherwise rows are gathered to 32 KB of the stack, as many as fit, and multiplied by the
// tiles of that family; a single row that does not fit is read in place, element by element.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (int8) = requantised(LHS x RHS + bias). Depth 0: the bias only.
typedef kai_run_imatmul_rows_qai8_fn kai_imatmul_clamp_qai8_qai8_qsi8cxpbi32sf32_run_fn;

/// The functions of one micro-kernel: struct kai_imatmul_clamp_qai8_qai8_qsi8cxpbi32sf32_ukernel.
KAI_DECLARE_TABLE(
    IMATMUL_ROWS, imatmul_clamp_qai8_qai8_qsi8cxpbi32sf32, run_imatmul,
    kai_imatmul_clamp_qai8_qai8_qsi8cxpbi32sf32_run_fn)

/// SMMLA, blocks of 4 rows in the table, 16 columns.
kai_imatmul_clamp_qai8_qai8_qsi8cxpbi32sf32_run_fn kai_run_imatmul_clamp_qai8_qai8_qsi8cxp16x8bi32sf32_4x16_neon_i8mm;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_qai8_qai8_qsi8cxp16x8bi32sf32_4x16_neon_i8mm)

/// SDOT, 6 rows x 16 columns.
kai_imatmul_clamp_qai8_qai8_qsi8cxpbi32sf32_run_fn
    kai_run_imatmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_6x16_neon_dotprod;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_6x16_neon_dotprod)

/// The same for Cortex-A55.
kai_imatmul_clamp_qai8_qai8_qsi8cxpbi32sf32_run_fn
    kai_run_imatmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_6x16_neon_dotprod_cortexa55;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_6x16_neon_dotprod_cortexa55)

/// SMULL and SMLSL2, 4 rows x 16 columns. The same panels.
kai_imatmul_clamp_qai8_qai8_qsi8cxpbi32sf32_run_fn kai_run_imatmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_4x16_neon_mlal;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_4x16_neon_mlal)

/// C++ for every host. The same panels.
kai_imatmul_clamp_qai8_qai8_qsi8cxpbi32sf32_run_fn kai_run_imatmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_1x16_portable;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_1x16_portable)

KAI_END_DECLARATIONS
