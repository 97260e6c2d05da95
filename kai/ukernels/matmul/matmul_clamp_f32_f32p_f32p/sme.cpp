// f32 <- f32p x f32p with SME: the formula is in the interface header, the work in matmul_panels_float_sme.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/matmul_panels_sme.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32p_f32p/kai_matmul_clamp_f32_f32p_f32p_interface.h"

extern "C" {

#define KAI_ISA_sme2(...)
#define KAI_ISA_sme(...) KAI_DEFINE_MATMUL_PANELS_SME(panels_f32_sme, sizeof(float), __VA_ARGS__)
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f32p_f32p/ukernels.def"

}  // extern "C"
