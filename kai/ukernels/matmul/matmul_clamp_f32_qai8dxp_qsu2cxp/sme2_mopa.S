// f32 <- qai8dxp1vlx4 x qsu2cxp4vlx4, many rows: LUTI2 makes bytes of the codes.
// Formula, registers and tiles: qai8dxp_sme_mopa.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/qai8dxp/qai8dxp_sme2_mopa_rhs.inc"
#include "kai/engines/qai8dxp/qai8dxp_sme_mopa.inc"

mopa_qai8dxp kai_kernel_matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa, int2, f32, 2
