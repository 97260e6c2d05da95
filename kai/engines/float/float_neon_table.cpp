// f32 <- f32 x f32p with FMLA, rows of the LHS found through pointers: the loop over panels. The work is in
// float_neon_table.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_neon_table.hpp"

extern "C" {

#define KAI_FEW_ROWS_imatmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla_cortexa55 KAI_LINES(KAI_FEW_ROWS_IN_VECTORS)
#define KAI_FEW_ROWS_IN_VECTORS() kai_kernel_imatmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_IMATMUL_FLOAT_NEON)
#define KAI_IMATMUL_ROWS KAI_LINE
#include "kai/ukernels/matmul/imatmul_clamp_f32_f32_f32p/ukernels.def"

}  // extern "C"
