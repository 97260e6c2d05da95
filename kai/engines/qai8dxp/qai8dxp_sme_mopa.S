// f32 and f16 <- qai8dxp x int8, int4 per channel with SMOPA, many rows; shifts and masks turn nibbles into bytes.
// Formula, registers and tiles: qai8dxp_sme_mopa.inc.
//
// SPDX-License-Identifier: Apache-2.0

    .arch armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/qai8dxp/qai8dxp_sme_mopa_rhs.inc"
#include "kai/engines/qai8dxp/qai8dxp_sme_mopa.inc"

mopa_qai8dxp kai_kernel_matmul_clamp_f32_qai8dxp1vlx4_qsi4cxp4vlx4_1vlx4vl_sme_mopa, int4, f32, 2
mopa_qai8dxp kai_kernel_matmul_clamp_f32_qai8dxp1vlx4_qsi8cxp4vlx4_1vlx4vl_sme_mopa, int8, f32, 2
