//
// f32 <- qai8dxp x qsu2cxp: int8 LHS quantised at run time, an offset and a scale per row,
// RHS of 2-bit indices into a table, with a scale per column.
//
//     dst[m][n] = clamp(bias[n] + float(S + lhs_offset[m] * rhs_sum[n]) * (rhs_scale[n] * lhs_scale[m]))
//     S = sum over k of lhs[m][k] * table[rhs[n][k]]
//
// lhs_offset is minus the zero point of the row, rhs_sum the sum of the column, S + lhs_offset * rhs_sum an int32 (the
// low 32 bits of the sum); the products and the sum with the bias are rounded one by one.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/kai_fn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// dst (f32) = clamp(LHS x RHS + bias). k = 0: clamp(bias). Any m, also for the kernels whose m_step is 1.
/// @pre k is a multiple of 32; the table is the one that the RHS was packed with.
typedef kai_run_matmul_lut_f32_fn kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn;

/// @name The functions of one micro-kernel, as a table
/// @{
typedef kai_get_size_fn* kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_m_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_n_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_mr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_nr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_kr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_sr_func_t;
typedef kai_get_packed_offset_fn* kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_lhs_packed_offset_func_t;
typedef kai_get_packed_offset_fn* kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_rhs_packed_offset_func_t;
typedef kai_get_dst_offset_fn* kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_dst_offset_func_t;
typedef kai_get_dst_size_fn* kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_dst_size_func_t;
typedef kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn* kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_matmul_func_t;

struct kai_matmul_clamp_f32_qai8dxp_qsu2cxp_ukernel {
    kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_m_step_func_t get_m_step;
    kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_n_step_func_t get_n_step;
    kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_mr_func_t get_mr;
    kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_nr_func_t get_nr;
    kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_kr_func_t get_kr;
    kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_sr_func_t get_sr;
    kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_lhs_packed_offset_func_t get_lhs_packed_offset;
    kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_rhs_packed_offset_func_t get_rhs_packed_offset;
    kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_dst_offset_func_t get_dst_offset;
    kai_matmul_clamp_f32_qai8dxp_qsu2cxp_get_dst_size_func_t get_dst_size;
    kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_matmul_func_t run_matmul;
};
/// @}

/// LUTI2 and SMOPA, SME2, 1 VL rows x 4 VL columns a step (VL = SVL / 32).
kai_get_size_fn kai_get_m_step_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_n_step_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_mr_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_nr_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_kr_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_sr_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa;
kai_get_packed_offset_fn kai_get_lhs_packed_offset_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa;
kai_get_packed_offset_fn kai_get_rhs_packed_offset_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa;
kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa;

/// SDOT, 8 rows x 4 columns a step.
kai_get_size_fn kai_get_m_step_matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod;
kai_get_size_fn kai_get_n_step_matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod;
kai_get_size_fn kai_get_mr_matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod;
kai_get_size_fn kai_get_nr_matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod;
kai_get_size_fn kai_get_kr_matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod;
kai_get_size_fn kai_get_sr_matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod;
kai_get_packed_offset_fn kai_get_lhs_packed_offset_matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod;
kai_get_packed_offset_fn kai_get_rhs_packed_offset_matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod;
kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod;

/// SDOT, one row; shares its RHS with the 8 x 4 kernel.
kai_get_size_fn kai_get_m_step_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod;
kai_get_size_fn kai_get_n_step_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod;
kai_get_size_fn kai_get_mr_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod;
kai_get_size_fn kai_get_nr_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod;
kai_get_size_fn kai_get_kr_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod;
kai_get_size_fn kai_get_sr_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod;
kai_get_packed_offset_fn kai_get_lhs_packed_offset_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod;
kai_get_packed_offset_fn kai_get_rhs_packed_offset_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod;
kai_matmul_clamp_f32_qai8dxp_qsu2cxp_run_fn kai_run_matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod;

#ifdef __cplusplus
}  // extern "C"
#endif
