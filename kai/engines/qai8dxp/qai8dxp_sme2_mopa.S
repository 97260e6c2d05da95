// f32 and f16 <- qai8dxp x int8, int4, int2 per channel with SMOPA, many rows; LUTI4 and LUTI2 make bytes of nibbles
// and of indices. Formula, registers and tiles: qai8dxp_sme_mopa.inc.
//
// SPDX-License-Identifier: Apache-2.0

    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/qai8dxp/qai8dxp_sme2_mopa_rhs.inc"
#include "kai/engines/qai8dxp/qai8dxp_sme_mopa.inc"

mopa_qai8dxp kai_kernel_matmul_clamp_f32_qai8dxp1vlx8_qsi4cxp4vlx8_1vlx4vl_sme2_mopa, int4, f32, 2
mopa_qai8dxp kai_kernel_matmul_clamp_f16_qai8dxp1vlx8_qsi4cxp4vlx8_1vlx4vl_sme2_mopa, int4, f16, 1
mopa_qai8dxp kai_kernel_matmul_clamp_f32_qai8dxp1vlx4_qsi8cxp4vlx4_1vlx4vl_sme2_mopa, int8, f32, 2
mopa_qai8dxp kai_kernel_matmul_clamp_f16_qai8dxp1vlx4_qsi8cxp4vlx4_1vlx4vl_sme2_mopa, int8, f16, 1
mopa_qai8dxp kai_kernel_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa, int2, f32, 2
