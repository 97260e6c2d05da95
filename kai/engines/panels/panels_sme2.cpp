// Matmuls of two packed sides with SME2, classic names: the formulas are in the interface headers, the work in
// panels_sme2.S, panels_sme2_floats.S, panels_sme2_int8.S, panels_sme_mop4.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/catalogue.hpp"
#include "kai/engines/panels/panels_sme_mop4.hpp"

KAI_DEFINE_PANELS_KERNELS(sme2, qai8)
KAI_PANELS_FEW(F32, words, pair_f32)
KAI_PANELS_FEW(F16, f16, pair_f16)
KAI_PANELS_FEW(F16ToF32, f16, pair_f16)
KAI_PANELS_FEW(BF16, words, pair_bf16)
KAI_PANELS_FEW(QAI8, words, pair_s8)

extern "C" {

// Every line defines its functions with the kernel kai::k... of its elements.
#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_PANELS)
#define KAI_DEFINE_PANELS(KIND, ...) KAI_DEFINE_##KIND##_PANELS_SME(__VA_ARGS__)

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, MATMUL, F32Few, __VA_ARGS__)
#define KAI_IMATMUL(ISA, ...) KAI_LINE(ISA, IMATMUL, F32Few, __VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_f32_f32p_f32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32p_f32p/ukernels.def"
#undef KAI_UKERNEL
#undef KAI_IMATMUL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, MATMUL, F16Few, __VA_ARGS__)
#define KAI_IMATMUL(ISA, ...) KAI_LINE(ISA, IMATMUL, F16Few, __VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_f16_f16p_f16p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f16_f16p_f16p/ukernels.def"
#undef KAI_UKERNEL
#undef KAI_IMATMUL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, MATMUL, F16ToF32Few, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f16p_f16p/ukernels.def"
#undef KAI_UKERNEL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, MATMUL, BF16Few, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_bf16p/ukernels.def"
#undef KAI_UKERNEL

#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, MATMUL_QAI8, QAI8Few, __VA_ARGS__)
#define KAI_IMATMUL(ISA, ...) KAI_LINE(ISA, IMATMUL_QAI8, QAI8Few, __VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_qai8_qai8p_qsi8cxp/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8p_qsi8cxp/ukernels.def"
#undef KAI_UKERNEL
#undef KAI_IMATMUL

}  // extern "C"
