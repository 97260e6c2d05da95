// f32 <- qai8dxp x qsi8cxp with SVE, row by row, in the unified API: the work is in qai8dxp_sve_row.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_sve.hpp"

KAI_DEFINE_QAI8DXP_SVE_CHANNELS(matmul_clamp_f32_qai8dxp1x4_qsi8cxp32x4_1x32_sve_dot, 1, 32, 4, 1, 32)
KAI_DEFINE_QAI8DXP_SVE_CHANNELS(matmul_clamp_f32_qai8dxp1x4_qsi8cxp8x4_1x8_sve_dot, 1, 8, 4, 1, 8)
KAI_DEFINE_QAI8DXP_SVE_CHANNELS(matmul_clamp_f32_qai8dxp1x8_qsi8cxp8x8_1x8_sve_dot, 1, 8, 8, 1, 8)
