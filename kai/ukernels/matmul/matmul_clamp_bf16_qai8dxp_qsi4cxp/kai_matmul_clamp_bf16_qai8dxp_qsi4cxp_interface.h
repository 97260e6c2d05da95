//
// bf16 <- qai8dxp x qsi4cxp: int8 LHS quantised at run time, an offset and a scale per row,
// int4 RHS with a scale per column.
//
//     dst[m][n] = clamp(bias[n] + float(S + lhs_offset[m] * rhs_sum[n]) * (rhs_scale[n] * lhs_scale[m]))
//     S = sum over k of lhs[m][k] * rhs[n][k]
//
// lhs_offset is minus the zero point of the row, rhs_sum the sum of the column, S + lhs_offset * rhs_sum an int32 (the
// low 32 bits of the sum); the products and the sum with the bias are rounded individually. The clamped f32 result is
// rounded to bf16, to nearest, ties to even.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/kai_fn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// dst (bf16) = clamp(LHS x RHS + bias). k = 0: clamp(bias). Any m; where m_step is 1, row by row.
typedef kai_run_matmul_fn kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_run_fn;

/// @name The functions of one micro-kernel, as a table
/// @{
typedef kai_get_size_fn* kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_m_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_n_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_mr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_nr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_kr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_sr_func_t;
typedef kai_get_packed_offset_fn* kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_lhs_packed_offset_func_t;
typedef kai_get_packed_offset_fn* kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_rhs_packed_offset_func_t;
typedef kai_get_dst_offset_fn* kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_dst_offset_func_t;
typedef kai_get_dst_size_fn* kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_dst_size_func_t;
typedef kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_run_fn* kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_run_matmul_func_t;

struct kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_ukernel {
    kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_m_step_func_t get_m_step;
    kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_n_step_func_t get_n_step;
    kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_mr_func_t get_mr;
    kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_nr_func_t get_nr;
    kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_kr_func_t get_kr;
    kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_sr_func_t get_sr;
    kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_lhs_packed_offset_func_t get_lhs_packed_offset;
    kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_rhs_packed_offset_func_t get_rhs_packed_offset;
    kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_dst_offset_func_t get_dst_offset;
    kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_get_dst_size_func_t get_dst_size;
    kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_run_matmul_func_t run_matmul;
};
/// @}

/// SMMLA, 8 rows x 8 columns per step.
kai_get_size_fn kai_get_m_step_matmul_clamp_bf16_qai8dxp4x8_qsi4cxp8x8_8x8_neon_i8mm;
kai_get_size_fn kai_get_n_step_matmul_clamp_bf16_qai8dxp4x8_qsi4cxp8x8_8x8_neon_i8mm;
kai_get_size_fn kai_get_mr_matmul_clamp_bf16_qai8dxp4x8_qsi4cxp8x8_8x8_neon_i8mm;
kai_get_size_fn kai_get_nr_matmul_clamp_bf16_qai8dxp4x8_qsi4cxp8x8_8x8_neon_i8mm;
kai_get_size_fn kai_get_kr_matmul_clamp_bf16_qai8dxp4x8_qsi4cxp8x8_8x8_neon_i8mm;
kai_get_size_fn kai_get_sr_matmul_clamp_bf16_qai8dxp4x8_qsi4cxp8x8_8x8_neon_i8mm;
kai_get_packed_offset_fn kai_get_lhs_packed_offset_matmul_clamp_bf16_qai8dxp4x8_qsi4cxp8x8_8x8_neon_i8mm;
kai_get_packed_offset_fn kai_get_rhs_packed_offset_matmul_clamp_bf16_qai8dxp4x8_qsi4cxp8x8_8x8_neon_i8mm;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_bf16_qai8dxp4x8_qsi4cxp8x8_8x8_neon_i8mm;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_bf16_qai8dxp4x8_qsi4cxp8x8_8x8_neon_i8mm;
kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_run_fn kai_run_matmul_clamp_bf16_qai8dxp4x8_qsi4cxp8x8_8x8_neon_i8mm;

/// SDOT, one row; shares its RHS with the SMMLA kernel.
kai_get_size_fn kai_get_m_step_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_neon_dotprod;
kai_get_size_fn kai_get_n_step_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_neon_dotprod;
kai_get_size_fn kai_get_mr_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_neon_dotprod;
kai_get_size_fn kai_get_nr_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_neon_dotprod;
kai_get_size_fn kai_get_kr_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_neon_dotprod;
kai_get_size_fn kai_get_sr_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_neon_dotprod;
kai_get_packed_offset_fn kai_get_lhs_packed_offset_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_neon_dotprod;
kai_get_packed_offset_fn kai_get_rhs_packed_offset_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_neon_dotprod;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_neon_dotprod;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_neon_dotprod;
kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_run_fn kai_run_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_neon_dotprod;

/// C++ without extensions; shares its RHS with the NEON kernels of 8 columns.
kai_get_size_fn kai_get_m_step_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_portable;
kai_get_size_fn kai_get_n_step_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_portable;
kai_get_size_fn kai_get_mr_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_portable;
kai_get_size_fn kai_get_nr_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_portable;
kai_get_size_fn kai_get_kr_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_portable;
kai_get_size_fn kai_get_sr_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_portable;
kai_get_packed_offset_fn kai_get_lhs_packed_offset_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_portable;
kai_get_packed_offset_fn kai_get_rhs_packed_offset_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_portable;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_portable;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_portable;
kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_run_fn kai_run_matmul_clamp_bf16_qai8dxp1x8_qsi4cxp8x8_1x8_portable;

#ifdef __cplusplus
}  // extern "C"
#endif
