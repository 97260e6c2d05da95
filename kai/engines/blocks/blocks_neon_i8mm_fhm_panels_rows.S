// One row in blocks x panels of SME with USDOT, products of scales with FMLAL: formula and registers are in
// blocks_neon_panels_row.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm+fp16fml
#define USDOT 1
#include "kai/engines/blocks/blocks_neon_panels_row.inc"

    panel_row kai_panel_row_qsi4c32ps1s0scalef16_neon_i8mm_fhm, 4, fmlal=1
    panel_row kai_panel_row_qsi4c32ps1s0scalef16_long_neon_i8mm_fhm, 4, long=1, fmlal=1
