// Matmuls of two packed sides with SME: the loops of panels_sme.inc, and the start of most kernels. What multiplies and
// stores: panels_sme_floats.S, panels_sme_int8.S. Order and results are those of SME2.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/panels/panels_sme.inc"

.macro take_table
.endm

    panels_function
    start_part words_sme, words
