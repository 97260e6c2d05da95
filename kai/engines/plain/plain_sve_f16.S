// f16 K x N that is not packed, with SVE FMLA (plain_sve.inc): every step is rounded to f16.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+sve
#define ELEMENT_BYTES 2
#include "kai/engines/asm/asm.h"
#include "kai/engines/plain/plain_sve.inc"

plain_panels f16
