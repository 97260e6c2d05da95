//
// f32 <- qsi8d32p x qsi4c32p: int8 LHS quantised at run time per block of a row, int4 RHS with a scale per block.
//
//     dst[m][n] = clamp(sum over blocks b of lhs_scale[m][b] * rhs_scale[n][b] * S)
//     S = sum over i of lhs[m][b][i] * rhs[n][b][i]
//
// Scales are f16, the inner sum is exact in int32, the outer one is f32 with b ascending.
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
/// m = 0 or n = 0: nothing is read or written. k = 0: clamp(0).
/// @pre bl is a multiple of 32, k a multiple of bl, scalar_min <= scalar_max; m <= 1 for the kernels whose m_step is 1.
typedef void kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs_packed, const void* rhs_packed, float* dst,
    size_t dst_stride_row, size_t dst_stride_col, float scalar_min, float scalar_max);

/// @name The functions of one micro-kernel, as a table
/// @{
typedef kai_get_size_fn* kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_m_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_n_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_mr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_nr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_kr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_sr_func_t;
typedef kai_get_packed_offset_bl_fn* kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_lhs_packed_offset_func_t;
typedef kai_get_packed_offset_bl_fn* kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_rhs_packed_offset_func_t;
typedef kai_get_dst_offset_fn* kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_dst_offset_func_t;
typedef kai_get_dst_size_fn* kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_dst_size_func_t;
typedef kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn* kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_matmul_func_t;

struct kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_ukernel {
    kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_m_step_func_t get_m_step;
    kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_n_step_func_t get_n_step;
    kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_mr_func_t get_mr;
    kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_nr_func_t get_nr;
    kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_kr_func_t get_kr;
    kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_sr_func_t get_sr;
    kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_lhs_packed_offset_func_t get_lhs_packed_offset;
    kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_rhs_packed_offset_func_t get_rhs_packed_offset;
    kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_dst_offset_func_t get_dst_offset;
    kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_get_dst_size_func_t get_dst_size;
    kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_matmul_func_t run_matmul;
};
/// @}

/// SMMLA, 16 rows x 4 columns a step.
kai_get_size_fn kai_get_m_step_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;
kai_get_size_fn kai_get_n_step_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;
kai_get_size_fn kai_get_mr_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;
kai_get_size_fn kai_get_nr_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;
kai_get_size_fn kai_get_kr_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;
kai_get_size_fn kai_get_sr_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;
kai_get_packed_offset_bl_fn kai_get_lhs_packed_offset_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;
kai_get_packed_offset_bl_fn kai_get_rhs_packed_offset_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm;

/// SMMLA, 8 rows x 4 columns a step.
kai_get_size_fn kai_get_m_step_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm;
kai_get_size_fn kai_get_n_step_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm;
kai_get_size_fn kai_get_mr_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm;
kai_get_size_fn kai_get_nr_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm;
kai_get_size_fn kai_get_kr_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm;
kai_get_size_fn kai_get_sr_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm;
kai_get_packed_offset_bl_fn kai_get_lhs_packed_offset_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm;
kai_get_packed_offset_bl_fn kai_get_rhs_packed_offset_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm;
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm;

/// SDOT, 16 rows x 4 columns a step.
kai_get_size_fn kai_get_m_step_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod;
kai_get_size_fn kai_get_n_step_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod;
kai_get_size_fn kai_get_mr_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod;
kai_get_size_fn kai_get_nr_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod;
kai_get_size_fn kai_get_kr_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod;
kai_get_size_fn kai_get_sr_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod;
kai_get_packed_offset_bl_fn kai_get_lhs_packed_offset_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod;
kai_get_packed_offset_bl_fn kai_get_rhs_packed_offset_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod;
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod;

/// SDOT, one row; shares its RHS with the SMMLA kernels. Any m.
kai_get_size_fn kai_get_m_step_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod;
kai_get_size_fn kai_get_n_step_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod;
kai_get_size_fn kai_get_mr_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod;
kai_get_size_fn kai_get_nr_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod;
kai_get_size_fn kai_get_kr_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod;
kai_get_size_fn kai_get_sr_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod;
kai_get_packed_offset_bl_fn kai_get_lhs_packed_offset_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod;
kai_get_packed_offset_bl_fn kai_get_rhs_packed_offset_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod;
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod;

/// SDOT, one row; shares its RHS with the 16 x 4 SDOT kernel.
kai_get_size_fn kai_get_m_step_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod;
kai_get_size_fn kai_get_n_step_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod;
kai_get_size_fn kai_get_mr_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod;
kai_get_size_fn kai_get_nr_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod;
kai_get_size_fn kai_get_kr_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod;
kai_get_size_fn kai_get_sr_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod;
kai_get_packed_offset_bl_fn kai_get_lhs_packed_offset_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod;
kai_get_packed_offset_bl_fn kai_get_rhs_packed_offset_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod;
kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod;

#ifdef __cplusplus
}  // extern "C"
#endif
