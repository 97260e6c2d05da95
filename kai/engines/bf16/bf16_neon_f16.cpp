// f16 <- bf16p x bf16p with NEON: the formula is in the interface header, the work in bf16_neon_mmla.S
// (BFMMLA).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/bf16/bf16_neon.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f16_bf16p_bf16p/kai_matmul_clamp_f16_bf16p_bf16p_interface.h"

extern "C" {

#define KAI_ISA_neon_bf16(...) KAI_DEFINE_MATMUL_BF16P(sizeof(uint16_t), __VA_ARGS__)
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_bf16p_bf16p/ukernels.def"

}  // extern "C"
