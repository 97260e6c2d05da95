// f32 <- qai8dxp x qsi4cxp with SME: sme_mopa.S; one row at a time: qai8dxp_sme_row.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_sme.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4cxp/kai_matmul_clamp_f32_qai8dxp_qsi4cxp_interface.h"

#define KAI_ISA_sme(NAME, ...)                     \
    extern "C" kai::SmeKernelFn kai_kernel_##NAME; \
    KAI_DEFINE_MATMUL_QAI8DXP(kai::run_qai8dxp_sme<kai_kernel_##NAME>, float, f32, NAME, __VA_ARGS__)
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)

#include "kai/engines/core/other_isas.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsi4cxp/ukernels.def"
