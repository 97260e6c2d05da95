// int32 <- int8 x uint8, offsets on both sides, per tensor, row or column: sums as they are, for ONNX MatMulInteger and
// the like. The LHS is not packed, the RHS is, as for matmul_clamp_qau8_qau8_qau8p.
//
//     dst[m][n] = bias[n] + sum over k of (lhs[m][k] + lhs_offset) * (rhs[n][k] + rhs_offset)     int32, wraps around
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (int32) = LHS x RHS + bias. k = 0: the bias.
typedef kai_run_matmul_int32_fn kai_matmul_i32_qai8_qau8p_run_fn;

/// USMMLA, 4 rows x 16 columns; 6 rows, 2 rows and one row in tiles of their own. Rows are packed to 16 KB of the stack
/// where they meet many columns.
kai_matmul_i32_qai8_qau8p_run_fn kai_run_matmul_i32_qai8_qau8p16x8sumi32_4x16_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_i32_qai8_qau8p16x8sumi32_4x16_neon_i8mm)

KAI_END_DECLARATIONS
