// f16 N x K that is not packed, with SVE FMLA (plain_sve_nxk.inc): every step is rounded to f16.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+sve+fp16
#define ELEMENT_BYTES 2
#include "kai/engines/asm/asm.h"
#include "kai/engines/plain/plain_sve_nxk.inc"

plain_nxk kai_plain_nxk_f16_sve
