// Vector lengths, as the instructions report them; and the lazy save of ZA.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sve+sme
#include "kai/engines/asm/asm.h"

// uint64_t kai_get_sme_vector_length_u8(void)
func kai_get_sme_vector_length_u8
    rdsvl   x0, #1
    ret
endfunc

// uint64_t kai_get_sve_vector_length_u8(void)
func kai_get_sve_vector_length_u8
    cntb    x0
    ret
endfunc

// int kai_save_za(void)
// The lazy save of the AAPCS64: if TPIDR2_EL0 points to a block (buffer, 8 bytes; slices, 2 bytes; 6 reserved ones), so
// many rows of ZA go to the buffer, one after the other. Returns 0, and saves nothing, if reserved bytes are set.
func kai_save_za, hidden
block   .req x9
rows    .req w10
to      .req x11
row     .req w12
    mrs     block, S3_3_C13_C0_5                // TPIDR2_EL0
    cbz     block, 2f
    ldrh    w10, [block, #10]
    ldr     w11, [block, #12]
    orr     w10, w10, w11
    cbnz    w10, 3f
    ldr     to, [block]
    ldrh    rows, [block, #8]
    cbz     to, 2f
    cbz     rows, 2f
    mov     row, #0
1:
    str     za[row, 0], [to]
    addsvl  to, to, #1
    add     row, row, #1
    cmp     row, rows
    b.lo    1b
2:
    mov     w0, #1
    ret
3:
    mov     w0, #0
    ret
endfunc
