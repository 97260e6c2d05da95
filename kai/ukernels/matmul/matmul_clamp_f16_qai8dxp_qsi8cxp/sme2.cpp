// f16 <- qai8dxp x qsi8cxp with SME2: sme2_mopa.S; one row at a time: qai8dxp_sme2_row.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_sme.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f16_qai8dxp_qsi8cxp/kai_matmul_clamp_f16_qai8dxp_qsi8cxp_interface.h"

#define KAI_ISA_sme2(NAME, ...)                    \
    extern "C" kai::SmeKernelFn kai_kernel_##NAME; \
    KAI_DEFINE_MATMUL_QAI8DXP(kai::run_qai8dxp_sme<kai_kernel_##NAME>, void, f16, NAME, __VA_ARGS__)
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)

#include "kai/engines/core/other_isas.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f16_qai8dxp_qsi8cxp/ukernels.def"
