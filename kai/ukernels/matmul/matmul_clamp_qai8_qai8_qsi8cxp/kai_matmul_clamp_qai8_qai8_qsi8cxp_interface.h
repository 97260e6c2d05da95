// int8 <- int8 x int8, quantised statically, one row: LHS not packed, asymmetric with one zero point, RHS symmetric
// with a scale per channel.
//
//     acc = bias[n] + sum over k of lhs[k] * rhs[k][n]
//     t = round(f32(acc) * scale[n]), to nearest, ties to even
//     dst[m][n] = clamp(saturate32(t) + output_zero_point)
//
// acc is int32 and wraps around, the sum with the zero point saturates; NaN becomes 0. The packed bias[n] includes the
// term of the LHS zero point (kai_rhs_pack.h).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (int8) = requantised(LHS x RHS + bias). k = 0: the bias only. `lhs_packed` is the row itself.
/// @pre m <= 1.
typedef kai_run_matmul_qai8_fn kai_matmul_clamp_qai8_qai8_qsi8cxp_run_fn;

/// @name The functions of one micro-kernel, as a table
/// @{
typedef kai_get_size_fn* kai_matmul_clamp_qai8_qai8_qsi8cxp_get_m_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_qai8_qai8_qsi8cxp_get_n_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_qai8_qai8_qsi8cxp_get_nr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_qai8_qai8_qsi8cxp_get_kr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_qai8_qai8_qsi8cxp_get_sr_func_t;
typedef kai_get_offset_fn* kai_matmul_clamp_qai8_qai8_qsi8cxp_get_lhs_offset_func_t;
typedef kai_get_packed_offset_fn* kai_matmul_clamp_qai8_qai8_qsi8cxp_get_rhs_packed_offset_func_t;
typedef kai_get_dst_offset_fn* kai_matmul_clamp_qai8_qai8_qsi8cxp_get_dst_offset_func_t;
typedef kai_get_dst_size_fn* kai_matmul_clamp_qai8_qai8_qsi8cxp_get_dst_size_func_t;
typedef kai_matmul_clamp_qai8_qai8_qsi8cxp_run_fn* kai_matmul_clamp_qai8_qai8_qsi8cxp_run_matmul_func_t;

struct kai_matmul_clamp_qai8_qai8p_qsi8cxp_ukernel {
    kai_matmul_clamp_qai8_qai8_qsi8cxp_get_m_step_func_t get_m_step;
    kai_matmul_clamp_qai8_qai8_qsi8cxp_get_n_step_func_t get_n_step;
    kai_matmul_clamp_qai8_qai8_qsi8cxp_get_nr_func_t get_nr;
    kai_matmul_clamp_qai8_qai8_qsi8cxp_get_kr_func_t get_kr;
    kai_matmul_clamp_qai8_qai8_qsi8cxp_get_sr_func_t get_sr;
    kai_matmul_clamp_qai8_qai8_qsi8cxp_get_lhs_offset_func_t get_lhs_offset;
    kai_matmul_clamp_qai8_qai8_qsi8cxp_get_rhs_packed_offset_func_t get_rhs_packed_offset;
    kai_matmul_clamp_qai8_qai8_qsi8cxp_get_dst_offset_func_t get_dst_offset;
    kai_matmul_clamp_qai8_qai8_qsi8cxp_get_dst_size_func_t get_dst_size;
    kai_matmul_clamp_qai8_qai8_qsi8cxp_run_matmul_func_t run_matmul;
};
/// @}

/// SDOT into ZA, vectors by element, 1 row x SVL / 2 columns; panels of SVL / 16, those of the MOPA kernels.
kai_matmul_clamp_qai8_qai8_qsi8cxp_run_fn kai_run_matmul_clamp_qai8_qai8_qsi8cxp2vlx4sb_1x16vl_sme2_dot;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_qai8_qai8_qsi8cxp2vlx4sb_1x16vl_sme2_dot)

/// SDOT, 1 row x SVL / 16 columns; the same panels, for workers beside an SME unit: the same results.
kai_matmul_clamp_qai8_qai8_qsi8cxp_run_fn kai_run_matmul_clamp_qai8_qai8_qsi8cxp2vlx4sb_1x2vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_qai8_qai8_qsi8cxp2vlx4sb_1x2vl_neon_dotprod)

KAI_END_DECLARATIONS
