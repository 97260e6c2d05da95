// Indirect matmul, f32 <- f32 x f32p: the LHS is read through a table of pointers to chunks of k, bias inside the
// packed RHS.
//
//     dst[m][n] = clamp(bias[n] + sum over chunks c, over k of lhs[m][c][k] * rhs[c][k][n])
//
// One chain of fused multiply-adds that starts at the bias, chunks and k ascending.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS + bias). Depth 0: clamp(bias).
typedef kai_run_imatmul_rows_fn kai_imatmul_clamp_f32_f32_f32p_run_fn;

/// @name The functions of one micro-kernel, as a table
/// @{
typedef kai_get_size_fn* kai_imatmul_clamp_f32_f32_f32p_get_m_step_func_t;
typedef kai_get_size_fn* kai_imatmul_clamp_f32_f32_f32p_get_n_step_func_t;
typedef kai_get_packed_offset_chunks_fn* kai_imatmul_clamp_f32_f32_f32p_get_rhs_packed_offset_func_t;
typedef kai_get_dst_offset_fn* kai_imatmul_clamp_f32_f32_f32p_get_dst_offset_func_t;
typedef kai_get_dst_size_fn* kai_imatmul_clamp_f32_f32_f32p_get_dst_size_func_t;
typedef kai_imatmul_clamp_f32_f32_f32p_run_fn* kai_imatmul_clamp_f32_f32_f32p_run_imatmul_func_t;

struct kai_imatmul_clamp_f32_f32_f32p_ukernel {
    kai_imatmul_clamp_f32_f32_f32p_get_m_step_func_t get_m_step;
    kai_imatmul_clamp_f32_f32_f32p_get_n_step_func_t get_n_step;
    kai_imatmul_clamp_f32_f32_f32p_get_rhs_packed_offset_func_t get_rhs_packed_offset;
    kai_imatmul_clamp_f32_f32_f32p_get_dst_offset_func_t get_dst_offset;
    kai_imatmul_clamp_f32_f32_f32p_get_dst_size_func_t get_dst_size;
    kai_imatmul_clamp_f32_f32_f32p_run_imatmul_func_t run_imatmul;
};
/// @}

/// SVE, FMLA by element, 6 rows x 4 vectors at a time; any vector length. get_lhs_offset is for the table: stride =
/// k_chunk_count * sizeof(void*).
kai_get_size_fn kai_get_m_step_imatmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla;
kai_get_size_fn kai_get_n_step_imatmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla;
kai_get_offset_fn kai_get_lhs_offset_imatmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla;
kai_get_packed_offset_chunks_fn kai_get_rhs_packed_offset_imatmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla;
kai_get_dst_offset_fn kai_get_dst_offset_imatmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla;
kai_get_dst_size_fn kai_get_dst_size_imatmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla;
kai_imatmul_clamp_f32_f32_f32p_run_fn kai_run_imatmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla;

KAI_END_DECLARATIONS
