// Integer matmuls of two packed sides with SME: the formulas are in the interface headers, the work in
// panels_sme_int.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/panels/panels_sme_int.hpp"
#include "kai/ukernels/matmul/imatmul_clamp_qai8_qai8p_qsi8cxp/kai_imatmul_clamp_qai8_qai8p_qsi8cxp_interface.h"
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8p_qsi8cxp/kai_matmul_clamp_qai8_qai8p_qsi8cxpsb_interface.h"

extern "C" {

#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)
#define KAI_IMATMUL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)

#define KAI_ISA_sme(...) KAI_DEFINE_MATMUL_QAI8_PANELS(panels_qai8_sme, panels_qai8_near_sme, __VA_ARGS__)
#include "kai/engines/core/other_isas.hpp"
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8p_qsi8cxp/ukernels.def"
#undef KAI_ISA_sme

#define KAI_ISA_sme(...) KAI_DEFINE_IMATMUL_QAI8_PANELS(panels_qai8_sme, panels_qai8_near_sme, __VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_qai8_qai8p_qsi8cxp/ukernels.def"
#undef KAI_ISA_sme

}  // extern "C"
