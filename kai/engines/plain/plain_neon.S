// The widest tiles of f32 K x N that is not packed (plain_neon.inc): a vector is 4 columns of a row.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#define ELEMENT_BYTES 4
#include "kai/engines/asm/asm.h"
#include "kai/engines/plain/plain_neon.inc"

.macro mla c, b, a, lane
    fmla    v\c\().4s, v\b\().4s, v\a\().s[\lane]
.endm
.macro clamp_low c
    fmax    v\c\().4s, v\c\().4s, v0.4s
.endm
.macro clamp_high c
    fmin    v\c\().4s, v\c\().4s, v1.4s
.endm
.macro load_one row, from:vararg
    ldr     s\row, \from
.endm

plain_panel kai_panel_f32_f32_f32kxn_6x16_neon_mla
