// f16 and f32 <- f16 x f16p with FCVTL and FMLA: the loop over panels. The work is in float_neon_f16.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_widened.hpp"

extern "C" {

#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_MATMUL_WIDENED)
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, nullptr, sizeof(uint16_t), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p_sumf32/ukernels.def"
#undef KAI_UKERNEL_ROWS
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, nullptr, sizeof(float), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f16_f16p/ukernels.def"

}  // extern "C"
