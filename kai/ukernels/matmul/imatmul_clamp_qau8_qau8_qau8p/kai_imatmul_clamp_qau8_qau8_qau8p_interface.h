// Indirect matmul in low precision: uint8 <- uint8 x uint8, all with a zero point. Rows of the LHS are found through a
// table of pointers to chunks of k, the RHS is packed.
//
//     sum = bias[n] + sum over chunks c, over k of (lhs[m][c][k] + lhs_offset) * (rhs[c][k][n] + rhs_offset)
//     dst[m][n] = sum, requantised (kai_lowp.h), clamped, saturated to uint8
//
// The sum is int32 and wraps around. Padding of an image holds the zero point of the LHS. The packed RHS is that of the
// family matmul_clamp_qau8_qau8_qau8p, each chunk padded with zeros to a multiple of kr.
//
// UDOT reads chunks in place if their length is a multiple of 16; for UMMLA up to 32 KB of rows at a time are packed on
// the stack, 4 or 6 together. Otherwise rows are gathered to 32 KB of the stack, as many as fit, and multiplied by the
// tiles of that family; a single row that does not fit is read in place, element by element.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (uint8) = requantised(LHS x RHS). Depth 0: requantised(bias).
typedef kai_run_imatmul_rows_lowp_fn kai_imatmul_clamp_qau8_qau8_qau8p_run_fn;

/// The functions of one micro-kernel: struct kai_imatmul_clamp_qau8_qau8_qau8p_ukernel.
KAI_DECLARE_TABLE(IMATMUL_ROWS, imatmul_clamp_qau8_qau8_qau8p, run_imatmul, kai_imatmul_clamp_qau8_qau8_qau8p_run_fn)

/// UMMLA, blocks of 4 rows in the table, 16 columns.
kai_imatmul_clamp_qau8_qau8_qau8p_run_fn kai_run_imatmul_clamp_qau8_qau8_qau8p16x8sumi32_4x16_neon_i8mm;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_qau8_qau8_qau8p16x8sumi32_4x16_neon_i8mm)

/// UDOT, 6 rows x 16 columns.
kai_imatmul_clamp_qau8_qau8_qau8p_run_fn kai_run_imatmul_clamp_qau8_qau8_qau8p16x4sumi32_6x16_neon_dotprod;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_qau8_qau8_qau8p16x4sumi32_6x16_neon_dotprod)

/// The same for Cortex-A55.
kai_imatmul_clamp_qau8_qau8_qau8p_run_fn kai_run_imatmul_clamp_qau8_qau8_qau8p16x4sumi32_6x16_neon_dotprod_cortexa55;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_qau8_qau8_qau8p16x4sumi32_6x16_neon_dotprod_cortexa55)

/// SMULL and SMLSL2, 4 rows x 4 columns.
kai_imatmul_clamp_qau8_qau8_qau8p_run_fn kai_run_imatmul_clamp_qau8_qau8_qau8p4x16_4x4_neon_mlal;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_qau8_qau8_qau8p4x16_4x4_neon_mlal)

/// C++ for every host. The same panels.
kai_imatmul_clamp_qau8_qau8_qau8p_run_fn kai_run_imatmul_clamp_qau8_qau8_qau8p4x16_1x4_portable;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_qau8_qau8_qau8p4x16_1x4_portable)

KAI_END_DECLARATIONS
