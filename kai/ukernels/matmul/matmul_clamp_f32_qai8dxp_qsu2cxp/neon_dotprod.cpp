// f32 <- qai8dxp x qsu2cxp with SDOT. GEMM: qai8dxp_neon.hpp. One row at a time:
// qai8dxp_neon_row.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon_row.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsu2cxp/kai_matmul_clamp_f32_qai8dxp_qsu2cxp_interface.h"

#define KAI_MR_4(...) KAI_DEFINE_MATMUL_QAI8DXP_LUT(kai::gemm_qai8dxp_neon_dotprod, float, f32, __VA_ARGS__)
#define KAI_MR_1(NAME, LHS, RHS, MR, NR, KR, SR, ...) \
    KAI_DEFINE_MATMUL_QAI8DXP_LUT(                    \
        (kai::gemv_qai8dxp_neon_dotprod<(KR) / (SR)>), float, f32, NAME, LHS, RHS, MR, NR, KR, SR, __VA_ARGS__)
#define KAI_ISA_neon_dotprod(NAME, LHS, RHS, MR, ...) KAI_MR_##MR(NAME, LHS, RHS, MR, __VA_ARGS__)
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)

#include "kai/engines/core/other_isas.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_qai8dxp_qsu2cxp/ukernels.def"
