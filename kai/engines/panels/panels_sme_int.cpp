// Integer matmuls of two packed sides with SME: the formulas are in the interface headers, the work in
// panels_sme.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/panels/panels_sme_int.hpp"

extern "C" {

#define KAI_ISA_sme KAI_LINES(KAI_DEFINE_PANELS)
#define KAI_DEFINE_PANELS(KIND, ...) KAI_DEFINE_##KIND##_QAI8_PANELS(panels_qai8_sme, panels_qai8_near_sme, __VA_ARGS__)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, MATMUL, __VA_ARGS__)
#define KAI_IMATMUL(ISA, ...) KAI_LINE(ISA, IMATMUL, __VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_qai8_qai8p_qsi8cxp/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8p_qsi8cxp/ukernels.def"

}  // extern "C"
