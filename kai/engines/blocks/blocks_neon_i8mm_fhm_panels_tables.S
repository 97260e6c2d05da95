// One row in blocks x panels of SME of indices with SDOT, products of scales with FMLAL: formula and registers are in
// blocks_neon_panels_row.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod+fp16fml
#define USDOT 0
#include "kai/engines/blocks/blocks_neon_panels_row.inc"

    panel_row kai_panel_row_qlu4c32ps1s0scalef16_neon_i8mm_fhm, 4, table=1, fmlal=1
    panel_row kai_panel_row_qlu4c16ps1s0scalef16_neon_i8mm_fhm, 4, table=1, runs=1, fmlal=1
