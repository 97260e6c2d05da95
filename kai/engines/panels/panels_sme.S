// Matmuls of two packed sides with SME, in the order of panels_sme2.S, which has the formulas: the same results.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/panels/panels_sme_parts.inc"

.macro take_table
.endm

    panels_function
    pair_parts
    store_part qai8_near_sme, qai8_near
