// Matmuls of two packed sides with SME2: the loops of panels_sme.inc, and the start of most kernels. What multiplies
// and stores: panels_sme2_floats.S, panels_sme2_int8.S, panels_sme2_u8.S.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/panels/panels_sme.inc"

// ZT0: the values of nibbles or codes.
.macro take_table
    ldr     t0, [args, #PANEL_ARGS_table]
    cbz     t0, 3f
    ldr     zt0, [t0]
3:
.endm

    panels_function 2
    start_part words_sme2, words
