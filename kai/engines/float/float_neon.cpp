// f32 <- f32 x f32p with FMLA: the loop over panels. The work is in float_neon.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_neon.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32p/kai_matmul_clamp_f32_f32_f32p_interface.h"

extern "C" {

#define KAI_ISA_aarch64(...) KAI_DEFINE_MATMUL_FLOAT_NEON(__VA_ARGS__)
#include "kai/engines/core/other_isas.hpp"
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32p/ukernels.def"

}  // extern "C"
