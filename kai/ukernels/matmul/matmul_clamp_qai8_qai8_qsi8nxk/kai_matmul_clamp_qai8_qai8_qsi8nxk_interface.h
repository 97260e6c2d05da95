// int8 <- int8 x int8, symmetric weights per tensor or per channel: TensorFlow Lite's int8 models. Neither side is
// packed: the RHS is N x K, n rows of k elements.
//
//     sum = bias[n] + sum over k of (lhs[m][k] + lhs_offset) * (rhs[n][k] + rhs_offset)       int32, wraps around
//     dst[m][n] = sum, requantised (kai_lowp.h), clamped, saturated to int8
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (int8) = requantised(LHS x RHS). k = 0: requantised(bias).
typedef kai_run_matmul_lowp_plain_fn kai_matmul_clamp_qai8_qai8_qsi8nxk_run_fn;

/// SDOT, 4 rows x 4 columns; 1, 2 and 3 rows in tiles of their own, one row x 8 columns.
kai_matmul_clamp_qai8_qai8_qsi8nxk_run_fn kai_run_matmul_clamp_qai8_qai8_qsi8nxk_4x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_PLAIN, matmul_clamp_qai8_qai8_qsi8nxk_4x4_neon_dotprod)

/// SMULL and SMLSL2 of 16 k, 4 rows x 4 columns; 1, 2 and 3 rows in tiles of their own, one row x 8 columns.
kai_matmul_clamp_qai8_qai8_qsi8nxk_run_fn kai_run_matmul_clamp_qai8_qai8_qsi8nxk_4x4_neon_mlal;
KAI_DECLARE_GETTERS(MATMUL_PLAIN, matmul_clamp_qai8_qai8_qsi8nxk_4x4_neon_mlal)

/// Portable C++, any number of rows.
kai_matmul_clamp_qai8_qai8_qsi8nxk_run_fn kai_run_matmul_clamp_qai8_qai8_qsi8nxk_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL_PLAIN, matmul_clamp_qai8_qai8_qsi8nxk_1x4_portable)

KAI_END_DECLARATIONS
