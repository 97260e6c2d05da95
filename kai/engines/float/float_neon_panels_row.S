// One row times panels of SME, f32, with FMLA (float_neon_panels.cpp).
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
.set    split_loads, 1
#include "kai/engines/float/float_panels_row.inc"

.macro add_products n, w
    fmla    S_\n\().4s, B_\n\().4s, A.s[\w]
.endm

row_of_panel kai_row_of_panel_f32_1x32_neon, 8
row_of_panel kai_row_of_panel_f32_1x16_neon, 4
row_of_panel kai_row_of_panel_f32_1x8_neon, 2
