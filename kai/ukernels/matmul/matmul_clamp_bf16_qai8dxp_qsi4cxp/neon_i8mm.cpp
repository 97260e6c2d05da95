// bf16 <- qai8dxp x qsi4cxp with SMMLA: int4 RHS with a scale per channel. The engine: qai8dxp_neon.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp.hpp"
#include "kai/ukernels/matmul/matmul_clamp_bf16_qai8dxp_qsi4cxp/kai_matmul_clamp_bf16_qai8dxp_qsi4cxp_interface.h"

#define KAI_ISA_neon_i8mm(...) KAI_DEFINE_MATMUL_QAI8DXP(kai::gemm_qai8dxp_neon_i8mm, void, bf16, __VA_ARGS__)
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)

#include "kai/engines/core/other_isas.hpp"
#include "kai/ukernels/matmul/matmul_clamp_bf16_qai8dxp_qsi4cxp/ukernels.def"
