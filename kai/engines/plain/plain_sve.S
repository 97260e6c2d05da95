// f32 K x N that is not packed, with SVE FMLA (plain_sve.inc).
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+sve
#define ELEMENT_BYTES 4
#include "kai/engines/asm/asm.h"
#include "kai/engines/plain/plain_sve.inc"

plain_panels f32
