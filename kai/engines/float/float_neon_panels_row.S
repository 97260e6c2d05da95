// One row times panels of SME, f32, with FMLA (float_neon_panels.cpp).
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/float/float_panels_row.inc"

.macro add_products s, b, w
    fmla    \s\().4s, \b\().4s, A.s[\w]
.endm

row_of_panel kai_row_of_panel_f32_1x32_neon, 8
row_of_panel kai_row_of_panel_f32_1x16_neon, 4
row_of_panel kai_row_of_panel_f32_1x8_neon, 2
