// f32 N x K that is not packed, with SVE FMLA (plain_sve_nxk.inc).
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+sve
#define ELEMENT_BYTES 4
#include "kai/engines/asm/asm.h"
#include "kai/engines/plain/plain_sve_nxk.inc"

plain_nxk kai_plain_nxk_f32_sve
