// Floating-point matmuls of two packed sides with SME: the formulas are in the interface headers, the work in
// panels_sme_float.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/panels/panels_sme.hpp"
#include "kai/ukernels/matmul/imatmul_clamp_f16_f16p_f16p/kai_imatmul_clamp_f16_f16p_f16p_interface.h"
#include "kai/ukernels/matmul/imatmul_clamp_f32_f32p_f32p/kai_imatmul_clamp_f32_f32p_f32p_interface.h"
#include "kai/ukernels/matmul/matmul_clamp_f16_f16p_f16p/kai_matmul_clamp_f16_f16p_f16p_interface.h"
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_bf16p/kai_matmul_clamp_f32_bf16p_bf16p_interface.h"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32p_f32p/kai_matmul_clamp_f32_f32p_f32p_interface.h"

extern "C" {

#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)
#define KAI_IMATMUL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)

#define KAI_ISA_sme(...) KAI_DEFINE_MATMUL_PANELS_SME(panels_f32_sme, 4, __VA_ARGS__)
#include "kai/engines/core/other_isas.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32p_f32p/ukernels.def"
#undef KAI_ISA_sme

#define KAI_ISA_sme(...) KAI_DEFINE_MATMUL_PANELS_SME(panels_f16_sme, 2, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16p_f16p/ukernels.def"
#undef KAI_ISA_sme

#define KAI_ISA_sme(...) KAI_DEFINE_MATMUL_PANELS_SME(panels_bf16_sme, 4, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_bf16p/ukernels.def"
#undef KAI_ISA_sme

#define KAI_ISA_sme(...) KAI_DEFINE_IMATMUL_PANELS_SME(panels_f32_sme, 4, __VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_f32_f32p_f32p/ukernels.def"
#undef KAI_ISA_sme

#define KAI_ISA_sme(...) KAI_DEFINE_IMATMUL_PANELS_SME(panels_f16_sme, 2, __VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_f16_f16p_f16p/ukernels.def"
#undef KAI_ISA_sme

}  // extern "C"
