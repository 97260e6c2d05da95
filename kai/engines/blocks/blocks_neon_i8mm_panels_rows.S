// One row in blocks x panels of SME with USDOT: formula and registers are in blocks_neon_panels_row.inc.
//
// Nibbles are stored as the weight + 8. With SDOT, one more instruction for every vector would make them signed: a
// quarter of those between two loads. USDOT multiplies them as they are.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#define USDOT 1
#include "kai/engines/blocks/blocks_neon_panels_row.inc"

    panel_row kai_panel_row_qsi4c32ps1s0scalef16_neon_i8mm, 4
    panel_row kai_panel_row_qsi4c32ps1s0scalef16_long_neon_i8mm, 4, long=1
    panel_row kai_panel_row_qai4c32ps1s0nrx4_neon_i8mm, 4, zeros=1
    panel_row kai_panel_row_qai4c32ps1s0nrx4_long_neon_i8mm, 4, zeros=1, long=1
