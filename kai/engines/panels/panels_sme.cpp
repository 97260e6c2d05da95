// Matmuls of two packed sides with SME, classic names: the formulas are in the interface headers, the work in
// panels_sme.S, panels_sme_floats.S, panels_sme_int8.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/catalogue.hpp"
#include "kai/engines/panels/panels_sme.hpp"

KAI_DEFINE_PANELS_KERNELS(sme, qai8_near)

extern "C" {

// Every line defines its functions with the kernel kai::k... of its elements.
#define KAI_ISA_sme KAI_LINES(KAI_DEFINE_PANELS)
#define KAI_DEFINE_PANELS(KIND, ...) KAI_DEFINE_##KIND##_PANELS_SME(__VA_ARGS__)

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, MATMUL, F32, __VA_ARGS__)
#define KAI_IMATMUL(ISA, ...) KAI_LINE(ISA, IMATMUL, F32, __VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_f32_f32p_f32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32p_f32p/ukernels.def"
#undef KAI_UKERNEL
#undef KAI_IMATMUL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, MATMUL, F16, __VA_ARGS__)
#define KAI_IMATMUL(ISA, ...) KAI_LINE(ISA, IMATMUL, F16, __VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_f16_f16p_f16p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f16_f16p_f16p/ukernels.def"
#undef KAI_UKERNEL
#undef KAI_IMATMUL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, MATMUL, F16ToF32, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f16p_f16p/ukernels.def"
#undef KAI_UKERNEL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, MATMUL, BF16, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_bf16p/ukernels.def"
#undef KAI_UKERNEL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, MATMUL_QAI8, QAI8, __VA_ARGS__)
#define KAI_IMATMUL(ISA, ...) KAI_LINE(ISA, IMATMUL_QAI8, QAI8, __VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_qai8_qai8p_qsi8cxp/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8p_qsi8cxp/ukernels.def"
#undef KAI_UKERNEL
#undef KAI_IMATMUL

}  // extern "C"
