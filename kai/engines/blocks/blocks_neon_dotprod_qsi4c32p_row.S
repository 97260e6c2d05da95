// f32 <- qsi8d32p x qsi4c32p with SDOT, blocks of 32: one row.
//
// SPDX-License-Identifier: Apache-2.0
#define RHS_BITS 4
#define START 0x4940    // upper half of the bits of C = 1.5 * 2^19: the sums are 16 * S
#include "kai/engines/blocks/blocks_neon_dotprod_symmetric_row.inc"

    symmetric_rows qsi4c32p
