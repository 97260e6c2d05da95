//
// f32 <- qsi8d32p x qai4c32p: int8 LHS quantised at run time per block of a row, asymmetric int4 RHS per block.
//
//     dst[m][n] = clamp(bias[n] + sum over blocks b of (rhs_zero[n][b] * lhs_sum[m][b]
//                       + rhs_scale[n][b] * lhs_scale[m][b] * sum over i of lhs[m][b][i] * rhs[n][b][i]))
//
// lhs_sum is the sum of the dequantised block, rhs values are -8 to 7, scales and zeros are f32; the inner sum is exact
// in int32, the outer one is f32 with b ascending.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/kai_fn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// dst = clamp(LHS x RHS): m rows, n columns, depth k in blocks of bl.
///
/// @param lhs_packed      The packed panels from the first row of the call on (`get_lhs_packed_offset`).
/// @param rhs_packed      The packed panels from the first column of the call on (`get_rhs_packed_offset`).
/// @param dst             First element of the output rectangle (`get_dst_offset`).
/// @param dst_stride_row  Bytes from a row of dst to the next.
/// @param dst_stride_col  sizeof(float).
/// @param scalar_min, scalar_max  Bounds, min(max(x, scalar_min), scalar_max); NaN stays NaN.
///
/// m = 0 or n = 0: nothing is read or written. k = 0: clamp(bias).
/// @pre bl is a multiple of 32, k a multiple of bl, scalar_min <= scalar_max; m <= 1 for the kernels whose m_step is 1.
typedef void kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs_packed, const void* rhs_packed, float* dst,
    size_t dst_stride_row, size_t dst_stride_col, float scalar_min, float scalar_max);

/// @name The functions of one micro-kernel, as a table
/// @{
typedef kai_get_size_fn* kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_m_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_n_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_mr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_nr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_kr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_sr_func_t;
typedef kai_get_packed_offset_bl_fn* kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_lhs_packed_offset_func_t;
typedef kai_get_packed_offset_bl_fn* kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_rhs_packed_offset_func_t;
typedef kai_get_dst_offset_fn* kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_dst_offset_func_t;
typedef kai_get_dst_size_fn* kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_dst_size_func_t;
typedef kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn* kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_matmul_func_t;

struct kai_matmul_clamp_f32_qsi8d32p_qai4c32p_ukernel {
    kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_m_step_func_t get_m_step;
    kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_n_step_func_t get_n_step;
    kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_mr_func_t get_mr;
    kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_nr_func_t get_nr;
    kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_kr_func_t get_kr;
    kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_sr_func_t get_sr;
    kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_lhs_packed_offset_func_t get_lhs_packed_offset;
    kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_rhs_packed_offset_func_t get_rhs_packed_offset;
    kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_dst_offset_func_t get_dst_offset;
    kai_matmul_clamp_f32_qsi8d32p_qai4c32p_get_dst_size_func_t get_dst_size;
    kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_matmul_func_t run_matmul;
};
/// @}

/// SMOPA on four ZA tiles, LUTI4 decode: SVL / 32 rows x SVL / 8 columns a step.
kai_get_size_fn kai_get_m_step_matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_n_step_matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_mr_matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_nr_matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_kr_matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_sr_matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa;
kai_get_packed_offset_bl_fn kai_get_lhs_packed_offset_matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa;
kai_get_packed_offset_bl_fn kai_get_rhs_packed_offset_matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa;
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa;

/// SDOT into ZA vectors, LUTI4 decode: one row; shares its RHS with the SMOPA kernel.
kai_get_size_fn kai_get_m_step_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot;
kai_get_size_fn kai_get_n_step_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot;
kai_get_size_fn kai_get_mr_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot;
kai_get_size_fn kai_get_nr_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot;
kai_get_size_fn kai_get_kr_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot;
kai_get_size_fn kai_get_sr_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot;
kai_get_packed_offset_bl_fn kai_get_lhs_packed_offset_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot;
kai_get_packed_offset_bl_fn kai_get_rhs_packed_offset_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot;
kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot;

#ifdef __cplusplus
}  // extern "C"
#endif
