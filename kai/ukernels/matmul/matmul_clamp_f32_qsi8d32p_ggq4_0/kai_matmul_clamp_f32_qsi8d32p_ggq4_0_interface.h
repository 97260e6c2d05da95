// f32 <- int8 LHS (scale per block, f16) x rows of a GGUF file, read in place: nothing is packed, no second copy in
// memory. Q4_0: blocks of an f16 scale and 32 nibbles (docs/gguf-kernels.md).
//
//     sum = fma(S, lhs_scale * scale, sum) for each block, S = sum over the block of lhs * rhs
//
// The LHS is that of matmul_clamp_f32_qsi8d32p_qsi4c32p with bl 32, mr 1; the results have the bits of that family.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (float) = clamp(LHS x RHS). @pre k is a multiple of 32.
typedef kai_run_matmul_file_fn kai_matmul_clamp_f32_qsi8d32p_ggq4_0_run_fn;

/// SDOT, 8 columns at a time.
kai_matmul_clamp_f32_qsi8d32p_ggq4_0_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_ggq4_0_1x8_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_FILE, matmul_clamp_f32_qsi8d32p1x8_ggq4_0_1x8_neon_dotprod)

/// C++ for every host.
kai_matmul_clamp_f32_qsi8d32p_ggq4_0_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_ggq4_0_1x8_portable;
KAI_DECLARE_GETTERS(MATMUL_FILE, matmul_clamp_f32_qsi8d32p1x8_ggq4_0_1x8_portable)

KAI_END_DECLARATIONS
