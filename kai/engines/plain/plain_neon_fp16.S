// The widest tiles of f16 K x N that is not packed (plain_neon.inc): a vector is 8 columns of a row, every step is
// rounded to f16.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+fp16
#define ELEMENT_BYTES 2
#include "kai/engines/asm/asm.h"
#include "kai/engines/plain/plain_neon.inc"

plain_panel kai_panel_f16_f16_f16kxn_6x32_neon_mla
