// Integer matmuls of two packed sides with SME, in the order of panels_sme2_int.S: the same results.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/panels/panels_sme.inc"
#include "kai/engines/panels/panels_sme_int.inc"

    mopa_panels kai_kernel_panels_qai8_sme, pair, smopa, b, i32, 4, qai8, 1
    mopa_panels kai_kernel_panels_qai8_near_sme, pair, smopa, b, i32, 4, qai8_near, 1
