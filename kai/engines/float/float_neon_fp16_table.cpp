// f16 <- f16 x f16p with FMLA, rows of the LHS found through pointers: the loop over panels. The work is in
// float_neon_fp16_table.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_neon_table.hpp"

extern "C" {

#define KAI_FEW_ROWS_imatmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla_cortexa55 KAI_LINES(KAI_FEW_ROWS_IN_VECTORS)
#define KAI_FEW_ROWS_IN_VECTORS() kai_kernel_imatmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla
#define KAI_ISA_neon_fp16 KAI_LINES(KAI_DEFINE_IMATMUL_FLOAT_NEON)
#define KAI_IMATMUL_ROWS KAI_LINE
#include "kai/ukernels/matmul/imatmul_clamp_f16_f16_f16p/ukernels.def"

}  // extern "C"
