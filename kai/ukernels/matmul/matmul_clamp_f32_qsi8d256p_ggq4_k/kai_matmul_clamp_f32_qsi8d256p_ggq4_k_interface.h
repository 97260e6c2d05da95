// f32 <- int8 LHS (scale per 256 values, f32) x rows of a GGUF file, read in place: nothing is packed, no second copy
// in memory. Q4_K: super-blocks of 256 nibbles, with f16 d and dmin, and scales and minima of 6 bits per 32
// (docs/gguf-kernels.md).
//
//     T = fma(-J, dmin, I * d),  sum = fma(T, lhs_scale, sum) for each super-block
//     I = sum of scale * (sum over 32 weights of lhs * rhs),  J = sum of minimum * (sum over 32 of lhs), exact
//
// The LHS is that of matmul_clamp_f32_qsi8d256p_qau4c32x256p with mr 1; the results have the bits of that family.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (float) = clamp(LHS x RHS). @pre k is a multiple of 256.
typedef kai_run_matmul_file_fn kai_matmul_clamp_f32_qsi8d256p_ggq4_k_run_fn;

/// SDOT, 8 columns at a time.
kai_matmul_clamp_f32_qsi8d256p_ggq4_k_run_fn kai_run_matmul_clamp_f32_qsi8d256p1x8_ggq4_k_1x8_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_FILE, matmul_clamp_f32_qsi8d256p1x8_ggq4_k_1x8_neon_dotprod)

/// C++ for every host.
kai_matmul_clamp_f32_qsi8d256p_ggq4_k_run_fn kai_run_matmul_clamp_f32_qsi8d256p1x8_ggq4_k_1x8_portable;
KAI_DECLARE_GETTERS(MATMUL_FILE, matmul_clamp_f32_qsi8d256p1x8_ggq4_k_1x8_portable)

KAI_END_DECLARATIONS
