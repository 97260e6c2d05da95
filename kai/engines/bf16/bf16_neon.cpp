// f32 <- bf16p x bf16p with NEON: the formula is in the interface header, the work in bf16_neon_mmla.S
// (BFMMLA) and bf16_neon_dot.S (BFDOT).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/bf16/bf16_neon.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_bf16p/kai_matmul_clamp_f32_bf16p_bf16p_interface.h"

extern "C" {

#define KAI_ISA_neon_bf16(...) KAI_DEFINE_MATMUL_BF16P(sizeof(float), __VA_ARGS__)
#include "kai/engines/core/other_isas.hpp"
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_bf16p/ukernels.def"

}  // extern "C"
