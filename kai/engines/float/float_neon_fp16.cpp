// f16 <- f16 x f16p with FMLA: the loop over panels. The work is in float_neon_fp16.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_neon.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p/kai_matmul_clamp_f16_f16_f16p_interface.h"

extern "C" {

#define KAI_ISA_neon_fp16(...) KAI_DEFINE_MATMUL_FLOAT_NEON(__VA_ARGS__)
#include "kai/engines/core/other_isas.hpp"
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p/ukernels.def"

}  // extern "C"
