// Integer matmuls of two packed sides with SME, in the order of matmul_panels_int_sme2.S: the same results.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/asm/asm.h"
#include "kai/asm/sme_vectors.inc"
#include "kai/asm/sme_mopa_panels.inc"
#include "kai/asm/sme_mopa_panels_int.inc"

    mopa_panels kai_kernel_panels_qai8_sme, pair, smopa, b, i32, 4, qai8, 1
    mopa_panels kai_kernel_panels_qai8_near_sme, pair, smopa, b, i32, 4, qai8_near, 1
