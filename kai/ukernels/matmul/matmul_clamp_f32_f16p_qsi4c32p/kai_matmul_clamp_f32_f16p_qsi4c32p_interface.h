//
// f32 <- f16p x qsi4c32p: LHS rounded to f16, symmetric int4 RHS with an f16 scale per block.
//
//     weight[k][n] = f16(rhs[k][n] * rhs_scale[n][k / bl])
//     dst[m][n] = clamp(sum over pairs of k of (lhs[m][k] * weight[k][n] + lhs[m][k + 1] * weight[k + 1][n]))
//
// Sums are f32, k ascending; the sum of a pair is rounded once.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/kai_fn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// dst (f32) = clamp(LHS x RHS). k = 0: clamp(0).
/// @pre bl is a multiple of 32, k a multiple of bl.
typedef kai_run_matmul_bl_f32_fn kai_matmul_clamp_f32_f16p_qsi4c32p_run_fn;

/// @name The functions of one micro-kernel, as a table
/// @{
typedef kai_get_size_fn* kai_matmul_clamp_f32_f16p_qsi4c32p_get_m_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_f16p_qsi4c32p_get_n_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_f16p_qsi4c32p_get_mr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_f16p_qsi4c32p_get_nr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_f16p_qsi4c32p_get_kr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f32_f16p_qsi4c32p_get_sr_func_t;
typedef kai_get_packed_offset_bl_fn* kai_matmul_clamp_f32_f16p_qsi4c32p_get_lhs_packed_offset_func_t;
typedef kai_get_packed_offset_bl_fn* kai_matmul_clamp_f32_f16p_qsi4c32p_get_rhs_packed_offset_func_t;
typedef kai_get_dst_offset_fn* kai_matmul_clamp_f32_f16p_qsi4c32p_get_dst_offset_func_t;
typedef kai_get_dst_size_fn* kai_matmul_clamp_f32_f16p_qsi4c32p_get_dst_size_func_t;
typedef kai_matmul_clamp_f32_f16p_qsi4c32p_run_fn* kai_matmul_clamp_f32_f16p_qsi4c32p_run_matmul_func_t;

struct kai_matmul_clamp_f32_f16p_qsi4c32p_ukernel {
    kai_matmul_clamp_f32_f16p_qsi4c32p_get_m_step_func_t get_m_step;
    kai_matmul_clamp_f32_f16p_qsi4c32p_get_n_step_func_t get_n_step;
    kai_matmul_clamp_f32_f16p_qsi4c32p_get_mr_func_t get_mr;
    kai_matmul_clamp_f32_f16p_qsi4c32p_get_nr_func_t get_nr;
    kai_matmul_clamp_f32_f16p_qsi4c32p_get_kr_func_t get_kr;
    kai_matmul_clamp_f32_f16p_qsi4c32p_get_sr_func_t get_sr;
    kai_matmul_clamp_f32_f16p_qsi4c32p_get_lhs_packed_offset_func_t get_lhs_packed_offset;
    kai_matmul_clamp_f32_f16p_qsi4c32p_get_rhs_packed_offset_func_t get_rhs_packed_offset;
    kai_matmul_clamp_f32_f16p_qsi4c32p_get_dst_offset_func_t get_dst_offset;
    kai_matmul_clamp_f32_f16p_qsi4c32p_get_dst_size_func_t get_dst_size;
    kai_matmul_clamp_f32_f16p_qsi4c32p_run_matmul_func_t run_matmul;
};
/// @}

/// FMOPA on four ZA tiles: SVL / 32 rows x SVL / 8 columns per step.
kai_get_size_fn kai_get_m_step_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_n_step_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_mr_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_nr_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_kr_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa;
kai_get_size_fn kai_get_sr_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa;
kai_get_packed_offset_bl_fn kai_get_lhs_packed_offset_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa;
kai_get_packed_offset_bl_fn kai_get_rhs_packed_offset_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa;
kai_matmul_clamp_f32_f16p_qsi4c32p_run_fn kai_run_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa;

#ifdef __cplusplus
}  // extern "C"
#endif
