// Vector lengths, as the instructions report them.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sve+sme
#include "kai/asm/asm.h"

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
