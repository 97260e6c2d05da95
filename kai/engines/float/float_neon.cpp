// f32 <- f32 x f32p with FMLA: the loop over panels. The work is in float_neon.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_neon.hpp"

extern "C" {

#define KAI_FEW_ROWS_matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla_cortexa55 KAI_LINES(KAI_FEW_ROWS_IN_VECTORS)
#define KAI_FEW_ROWS_IN_VECTORS() kai_kernel_matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla
#define KAI_OWN_PANELS(NAME, LHS, RHS, NR, ...) \
    KAI_OF_NEON(NR, KAI_DEFINE_MATMUL_FLOAT_NEON, NAME, LHS, RHS, NR, __VA_ARGS__)
#define KAI_ISA_neon KAI_LINES(KAI_OWN_PANELS)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32p/ukernels.def"

}  // extern "C"
