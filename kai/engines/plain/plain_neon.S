// The widest tiles of f32 K x N that is not packed (plain_neon.inc): a vector is 4 columns of a row.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#define ELEMENT_BYTES 4
#include "kai/engines/asm/asm.h"
#include "kai/engines/plain/plain_neon.inc"

plain_panel kai_panel_f32_f32_f32kxn_6x16_neon_mla
