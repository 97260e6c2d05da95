// f16 <- f16 x f16p: LHS not packed, bias inside the packed RHS.
//
//     dst[m][n] = clamp(bias[n] + sum over k of lhs[m][k] * rhs[k][n])
//
// neon: one chain of fused f16 multiply-adds that starts at the bias, k ascending, rounded to f16 at every step. sme,
// sme2 and NEON with panels of SVL / 16: sums in f32, rounded to f16 at the end. The bounds of the clamp are converted
// to f16 first.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f16) = clamp(LHS x RHS + bias). k = 0: clamp(bias).
/// @pre m <= 1 for the kernels whose name has 1x: they ignore the strides of LHS rows and dst rows.
typedef kai_run_matmul_rows_fn kai_matmul_clamp_f16_f16_f16p_run_fn;

/// @name The functions of one micro-kernel, as a table
/// @{
typedef kai_get_size_fn* kai_matmul_clamp_f16_f16_f16p_get_m_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f16_f16_f16p_get_n_step_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f16_f16_f16p_get_nr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f16_f16_f16p_get_kr_func_t;
typedef kai_get_size_fn* kai_matmul_clamp_f16_f16_f16p_get_sr_func_t;
typedef kai_get_offset_fn* kai_matmul_clamp_f16_f16_f16p_get_lhs_offset_func_t;
typedef kai_get_packed_offset_fn* kai_matmul_clamp_f16_f16_f16p_get_rhs_packed_offset_func_t;
typedef kai_get_dst_offset_fn* kai_matmul_clamp_f16_f16_f16p_get_dst_offset_func_t;
typedef kai_get_dst_size_fn* kai_matmul_clamp_f16_f16_f16p_get_dst_size_func_t;
typedef kai_matmul_clamp_f16_f16_f16p_run_fn* kai_matmul_clamp_f16_f16_f16p_run_matmul_func_t;

struct kai_matmul_clamp_f16_f16_f16p_ukernel {
    kai_matmul_clamp_f16_f16_f16p_get_m_step_func_t get_m_step;
    kai_matmul_clamp_f16_f16_f16p_get_n_step_func_t get_n_step;
    kai_matmul_clamp_f16_f16_f16p_get_nr_func_t get_nr;
    kai_matmul_clamp_f16_f16_f16p_get_kr_func_t get_kr;
    kai_matmul_clamp_f16_f16_f16p_get_sr_func_t get_sr;
    kai_matmul_clamp_f16_f16_f16p_get_lhs_offset_func_t get_lhs_packed_offset;
    kai_matmul_clamp_f16_f16_f16p_get_rhs_packed_offset_func_t get_rhs_packed_offset;
    kai_matmul_clamp_f16_f16_f16p_get_dst_offset_func_t get_dst_offset;
    kai_matmul_clamp_f16_f16_f16p_get_dst_size_func_t get_dst_size;
    kai_matmul_clamp_f16_f16_f16p_run_matmul_func_t run_matmul;
};
/// @}

/// FDOT into ZA, vectors by element, 1 row x SVL / 2 columns; panels of SVL / 16. The offset of the LHS is
/// get_lhs_packed_offset here.
kai_get_size_fn kai_get_m_step_matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot;
kai_get_size_fn kai_get_n_step_matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot;
kai_get_size_fn kai_get_nr_matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot;
kai_get_size_fn kai_get_kr_matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot;
kai_get_size_fn kai_get_sr_matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot;
kai_get_offset_fn kai_get_lhs_packed_offset_matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot;
kai_get_packed_offset_fn kai_get_rhs_packed_offset_matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot;
kai_get_dst_offset_fn kai_get_dst_offset_matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot;
kai_get_dst_size_fn kai_get_dst_size_matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot;
kai_matmul_clamp_f16_f16_f16p_run_fn kai_run_matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot;

/// SME without SME2: FMLALB and FMLALT, 1 row x SVL / 4 columns; panels of SVL / 16.
kai_matmul_clamp_f16_f16_f16p_run_fn kai_run_matmul_clamp_f16_f16_f16p2vlx2b_1x8vl_sme_mla;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f16_f16_f16p2vlx2b_1x8vl_sme_mla)

/// FMLA by element, 6 rows x 32 columns.
kai_matmul_clamp_f16_f16_f16p_run_fn kai_run_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla)

/// The same, scheduled for the in-order Cortex-A55.
kai_matmul_clamp_f16_f16_f16p_run_fn kai_run_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla_cortexa55;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla_cortexa55)

/// FMLA by element, 6 rows x 16 columns.
kai_matmul_clamp_f16_f16_f16p_run_fn kai_run_matmul_clamp_f16_f16_f16p16x1biasf16_6x16x8_neon_mla;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f16_f16_f16p16x1biasf16_6x16x8_neon_mla)

/// FMLAL and FMLAL2, sums in f32: even k from the bias on, and odd k, added at the end; tiles of 3 rows x 16 columns.
/// Panels of SVL / 16, those of the SME kernels: for cores without an SME unit at hand.
kai_matmul_clamp_f16_f16_f16p_run_fn kai_run_matmul_clamp_f16_f16_f16p2vlx2b_3x2vl_neon_fmlal;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f16_f16_f16p2vlx2b_3x2vl_neon_fmlal)

/// The same for one row, 32 columns at a time.
kai_matmul_clamp_f16_f16_f16p_run_fn kai_run_matmul_clamp_f16_f16_f16p2vlx2b_1x2vl_neon_fmlal;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f16_f16_f16p2vlx2b_1x2vl_neon_fmlal)

/// C++ without extensions; shares its RHS with the NEON kernels of 32 columns.
kai_matmul_clamp_f16_f16_f16p_run_fn kai_run_matmul_clamp_f16_f16_f16p32x1b_1x32_portable;
KAI_DECLARE_GETTERS(MATMUL_ROWS, matmul_clamp_f16_f16_f16p32x1b_1x32_portable)

KAI_END_DECLARATIONS
