// One row times panels of SME, bf16, with BFDOT (bf16_neon_bf16_panels_row.cpp): a word is two k.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+bf16
.set    split_loads, 0
#include "kai/engines/float/float_panels_row.inc"

.macro add_products n, w
    bfdot   S_\n\().4s, B_\n\().8h, A.2h[\w]
.endm

row_of_panel kai_row_of_panel_bf16_1x32_neon_bf16, 8
row_of_panel kai_row_of_panel_bf16_1x16_neon_bf16, 4
row_of_panel kai_row_of_panel_bf16_1x8_neon_bf16, 2
