// f16 <- f16 x f16p with sums in f32: LHS not packed, bias inside the packed RHS. The operands are those of
// matmul_clamp_f16_f16_f16p, whose NEON kernels have sums in f16.
//
//     dst[m][n] = f16(clamp(bias[n] + sum over k of lhs[m][k] * rhs[k][n]))
//
// One chain of fused f32 multiply-adds that starts at the bias, k ascending: all micro-kernels of the family give the
// same bits. The clamp is in f32, before the conversion.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f16) = f16(clamp(LHS x RHS + bias)). k = 0: f16(clamp(bias)).
typedef kai_run_matmul_rows_fn kai_matmul_clamp_f16_f16_f16p_sumf32_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f16_f16_f16p_sumf32_ukernel.
KAI_DECLARE_TABLE(
    MATMUL_ROWS, matmul_clamp_f16_f16_f16p_sumf32, run_matmul, kai_matmul_clamp_f16_f16_f16p_sumf32_run_fn)

/// FMLAL and FMLAL2 by element, tiles of 3 rows x 32 columns, 1 x 64 for one row.
kai_matmul_clamp_f16_f16_f16p_sumf32_run_fn kai_run_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fmlal;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fmlal)

/// Every AArch64 CPU: FCVTL, then FMLA by element, tiles of 3 rows x 32 columns; many rows: both operands widened to
/// the stack first, tiles of 6 rows x 16 columns.
kai_matmul_clamp_f16_f16_f16p_sumf32_run_fn kai_run_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fcvtl;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fcvtl)

/// The same, scheduled for Cortex-A55: operands are loaded to general registers.
kai_matmul_clamp_f16_f16_f16p_sumf32_run_fn kai_run_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fcvtl_cortexa55;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fcvtl_cortexa55)

/// C++ without extensions.
kai_matmul_clamp_f16_f16_f16p_sumf32_run_fn kai_run_matmul_clamp_f16_f16_f16p32x1b_1x32_portable_sumf32;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f16_f16_f16p32x1b_1x32_portable_sumf32)

KAI_END_DECLARATIONS
