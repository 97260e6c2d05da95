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
kai_imatmul_clamp_f32_f32_f32p_run_fn kai_run_imatmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla)

/// NEON, FMLA by element, 6 rows x 16 columns at a time. The packed RHS is that of
/// matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla for a depth of k_chunk_count * k_chunk_length.
kai_imatmul_clamp_f32_f32_f32p_run_fn kai_run_imatmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla)

/// The same for Cortex-A55.
kai_imatmul_clamp_f32_f32_f32p_run_fn kai_run_imatmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla_cortexa55;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla_cortexa55)

/// C++ for every host. On hosts without a fused multiply-add, products are rounded as well.
kai_imatmul_clamp_f32_f32_f32p_run_fn kai_run_imatmul_clamp_f32_f32_f32p16x1b_1x16_portable;
KAI_DECLARE_GETTERS(IMATMUL_ROWS, imatmul_clamp_f32_f32_f32p16x1b_1x16_portable)

KAI_END_DECLARATIONS
