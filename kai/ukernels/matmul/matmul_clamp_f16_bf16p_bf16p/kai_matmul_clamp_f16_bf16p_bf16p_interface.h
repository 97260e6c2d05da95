//
// f16 <- bf16p x bf16p: both sides packed, f16 bias inside the packed RHS.
//
//     dst[m][n] = f16(clamp(bias[n] + sum over pairs of k of (lhs[m][k] * rhs[k][n] + lhs[m][k + 1] * rhs[k + 1][n])))
//
// The arithmetic of BFMMLA: f32 sums that start at the bias, k ascending. The clamp is in f32, before the conversion.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/kai_fn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// dst (f16) = f16(clamp(LHS x RHS + bias)). k = 0: f16(clamp(bias)).
typedef kai_run_matmul_fn kai_matmul_clamp_f16_bf16p_bf16p_run_fn;

/// @name The functions of one micro-kernel, as a table
/// @{
typedef kai_get_size_fn* kai_matmul_clamp_f16_bf16p_bf16p_get_m_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f16_bf16p_bf16p_get_n_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f16_bf16p_bf16p_get_mr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f16_bf16p_bf16p_get_nr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f16_bf16p_bf16p_get_kr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f16_bf16p_bf16p_get_sr_func_t;
typedef kai_get_packed_offset_fn* kai_matmul_clamp_f16_bf16p_bf16p_get_lhs_packed_offset_func_t;
typedef kai_get_packed_offset_fn* kai_matmul_clamp_f16_bf16p_bf16p_get_rhs_packed_offset_func_t;
typedef kai_get_dst_offset_fn* kai_matmul_clamp_f16_bf16p_bf16p_get_dst_offset_func_t;
typedef kai_get_dst_size_fn* kai_matmul_clamp_f16_bf16p_bf16p_get_dst_size_func_t;
typedef kai_matmul_clamp_f16_bf16p_bf16p_run_fn* kai_matmul_clamp_f16_bf16p_bf16p_run_matmul_func_t;

struct kai_matmul_clamp_f16_bf16p_bf16p_ukernel {
    kai_matmul_clamp_f16_bf16p_bf16p_get_m_step_func_t get_m_step;
    kai_matmul_clamp_f16_bf16p_bf16p_get_n_step_func_t get_n_step;
    kai_matmul_clamp_f16_bf16p_bf16p_get_mr_func_t get_mr;
    kai_matmul_clamp_f16_bf16p_bf16p_get_nr_func_t get_nr;
    kai_matmul_clamp_f16_bf16p_bf16p_get_kr_func_t get_kr;
    kai_matmul_clamp_f16_bf16p_bf16p_get_sr_func_t get_sr;
    kai_matmul_clamp_f16_bf16p_bf16p_get_lhs_packed_offset_func_t get_lhs_packed_offset;
    kai_matmul_clamp_f16_bf16p_bf16p_get_rhs_packed_offset_func_t get_rhs_packed_offset;
    kai_matmul_clamp_f16_bf16p_bf16p_get_dst_offset_func_t get_dst_offset;
    kai_matmul_clamp_f16_bf16p_bf16p_get_dst_size_func_t get_dst_size;
    kai_matmul_clamp_f16_bf16p_bf16p_run_matmul_func_t run_matmul;
};
/// @}

/// BFMMLA, 8 rows x 12 columns per step.
kai_get_size_fn kai_get_m_step_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla;
kai_get_size_fn kai_get_n_step_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla;
kai_get_size_fn kai_get_mr_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla;
kai_get_size_fn kai_get_nr_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla;
kai_get_size_fn kai_get_kr_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla;
kai_get_size_fn kai_get_sr_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla;
kai_get_packed_offset_fn kai_get_lhs_packed_offset_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla;
kai_get_packed_offset_fn kai_get_rhs_packed_offset_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla;
kai_matmul_clamp_f16_bf16p_bf16p_run_fn kai_run_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla;

#ifdef __cplusplus
}  // extern "C"
#endif
