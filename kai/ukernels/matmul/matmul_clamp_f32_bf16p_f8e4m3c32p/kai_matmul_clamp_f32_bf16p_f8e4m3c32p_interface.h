// f32 <- bf16p x f8e4m3c32p: LHS rounded to bf16, RHS of 8-bit floating point with an f32 scale per block.
//
//     dst[m][n] = clamp(bias[n] + sum over blocks b of scale[n][b] * (sum over k of b of lhs[m][k] * rhs[k][n]))
//
// E4M3 (OCP OFP8): a sign, 4 bits of exponent, 3 of fraction, no infinities.
// Codes are decoded exactly; a NaN gives NaN. Sums are f32; their order differs between micro-kernels
// (docs/arithmetic.md).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS + bias). k = 0: clamp(bias).
/// @pre bl is a multiple of 32, k a multiple of bl; m <= 1 for the kernels whose name has 1x.
typedef kai_run_matmul_bl_fn kai_matmul_clamp_f32_bf16p_f8e4m3c32p_run_fn;

/// The functions of one micro-kernel: struct kai_matmul_clamp_f32_bf16p_f8e4m3c32p_ukernel.
KAI_DECLARE_TABLE(
    MATMUL_RHS_BL, matmul_clamp_f32_bf16p_f8e4m3c32p, run_matmul, kai_matmul_clamp_f32_bf16p_f8e4m3c32p_run_fn)

/// BFMOPA, 1 VL rows x 4 VL columns per step. Weights are decoded to bf16 once for all rows.
kai_matmul_clamp_f32_bf16p_f8e4m3c32p_run_fn kai_run_matmul_clamp_f32_bf16p1vlx4_f8e4m3c32p4vlx4_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_bf16p1vlx4_f8e4m3c32p4vlx4_1vlx4vl_sme2_mopa)

/// BFMMLA, 8 rows x 12 columns per step. Weights are decoded to bf16 once for up to 256 rows.
kai_matmul_clamp_f32_bf16p_f8e4m3c32p_run_fn kai_run_matmul_clamp_f32_bf16p8x4_f8e4m3c32p12x4_8x12_neon_mmla;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_bf16p8x4_f8e4m3c32p12x4_8x12_neon_mmla)

/// FMLAL, 1 row x 12 columns per step. Weights and the row become f16, the row times a power of 2.
kai_matmul_clamp_f32_bf16p_f8e4m3c32p_run_fn kai_run_matmul_clamp_f32_bf16p1x4_f8e4m3c32p12x4_1x12_neon_fmlal;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_bf16p1x4_f8e4m3c32p12x4_1x12_neon_fmlal)

/// The same for an RHS that is packed for SME2, 1 row x 4 VL columns per step.
kai_matmul_clamp_f32_bf16p_f8e4m3c32p_run_fn kai_run_matmul_clamp_f32_bf16p1x4_f8e4m3c32p4vlx4_1x4vl_neon_fmlal;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_bf16p1x4_f8e4m3c32p4vlx4_1x4vl_neon_fmlal)

/// FMLA, 8 rows x 12 columns per step. Weights are decoded to f32, 256 k at once for all rows.
kai_matmul_clamp_f32_bf16p_f8e4m3c32p_run_fn kai_run_matmul_clamp_f32_bf16p8x4_f8e4m3c32p12x4_8x12_neon_mla;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_bf16p8x4_f8e4m3c32p12x4_8x12_neon_mla)

/// FMLA, 1 row x 12 columns per step. Weights become f32 times a power of 2, and so does the row.
kai_matmul_clamp_f32_bf16p_f8e4m3c32p_run_fn kai_run_matmul_clamp_f32_bf16p1x4_f8e4m3c32p12x4_1x12_neon_mla;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_bf16p1x4_f8e4m3c32p12x4_1x12_neon_mla)

/// C++ without extensions, 8 rows x 12 columns.
kai_matmul_clamp_f32_bf16p_f8e4m3c32p_run_fn kai_run_matmul_clamp_f32_bf16p8x4_f8e4m3c32p12x4_8x12_portable;
KAI_DECLARE_GETTERS(MATMUL_RHS_BL, matmul_clamp_f32_bf16p8x4_f8e4m3c32p12x4_8x12_portable)

KAI_END_DECLARATIONS
