// Indirect matmul, f16 <- f16 x f16p: the LHS is read through a table of pointers to chunks of k, bias inside the
// packed RHS.
//
//     dst[m][n] = clamp(bias[n] + sum over chunks c, over k of lhs[m][c][k] * rhs[c][k][n])
//
// One chain of fused multiply-adds that starts at the bias, chunks and k ascending, each rounded to f16.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f16) = clamp(LHS x RHS + bias). Depth 0: clamp(bias).
typedef kai_run_imatmul_rows_fn kai_imatmul_clamp_f16_f16_f16p_run_fn;

/// The functions of one micro-kernel: struct kai_imatmul_clamp_f16_f16_f16p_ukernel.
KAI_DECLARE_TABLE(IMATMUL_ROWS, imatmul_clamp_f16_f16_f16p, run_imatmul, kai_imatmul_clamp_f16_f16_f16p_run_fn)

/// NEON, FMLA by element, 6 rows x 32 columns at a time. The packed RHS is that of
/// matmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla for a depth of k_chunk_count * k_chunk_length.
kai_imatmul_clamp_f16_f16_f16p_run_fn kai_run_imatmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla)

/// The same for Cortex-A55.
kai_imatmul_clamp_f16_f16_f16p_run_fn kai_run_imatmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla_cortexa55;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla_cortexa55)

/// C++ for every host.
kai_imatmul_clamp_f16_f16_f16p_run_fn kai_run_imatmul_clamp_f16_f16_f16p32x1b_1x32_portable;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_f16_f16_f16p32x1b_1x32_portable)

KAI_END_DECLARATIONS
