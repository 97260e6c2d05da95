// f32 <- qai8dxp1vlx4 x qsi8cxp4vlx4, many rows: SMOPA takes the bytes as they are.
// Formula, registers and tiles: sme_mopa_qai8dxp.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#include "kai/asm/asm.h"
#include "kai/asm/sme_vectors.inc"
#include "kai/asm/sme_mopa_qai8dxp_rhs.inc"
#include "kai/asm/sme_mopa_qai8dxp.inc"

mopa_qai8dxp kai_kernel_matmul_clamp_f32_qai8dxp1vlx4_qsi8cxp4vlx4_1vlx4vl_sme_mopa, int8, f32, 2
