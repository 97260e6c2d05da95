// f16 <- f16 x f16p with FMLA: the loop over panels. The work is in float_neon_fp16.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_neon.hpp"

extern "C" {

#define KAI_ISA_neon_fp16 KAI_LINES(KAI_DEFINE_MATMUL_FLOAT_NEON)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p/ukernels.def"

}  // extern "C"
