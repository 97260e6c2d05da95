// One row in blocks x panels of SME with SDOT: formula and registers are in blocks_neon_panels_row.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define USDOT 0
#include "kai/engines/blocks/blocks_neon_panels_row.inc"

    panel_row kai_panel_row_qsi8c32pscalef16_neon_dotprod, 8
    panel_row kai_panel_row_qsi8c32pscalef16_long_neon_dotprod, 8, long=1
    panel_row kai_panel_row_qsi4c32ps4s0sf16_neon_dotprod, 4, apart=1
    panel_row kai_panel_row_qsi4c32ps4s0sf16_long_neon_dotprod, 4, apart=1, long=1
    panel_row kai_panel_row_qlu4c32ps1s0scalef16_neon_dotprod, 4, table=1
    panel_row kai_panel_row_qlu4c32ps1s0scalebf16_neon_dotprod, 4, table=1, bf16=1
    panel_row kai_panel_row_qlu4c16ps1s0scalef16_neon_dotprod, 4, table=1, runs=1
