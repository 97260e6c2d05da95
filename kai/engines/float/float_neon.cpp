// f32 <- f32 x f32p with FMLA: the loop over panels. The work is in float_neon.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_neon.hpp"

extern "C" {

#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_MATMUL_FLOAT_NEON)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32p/ukernels.def"

}  // extern "C"
