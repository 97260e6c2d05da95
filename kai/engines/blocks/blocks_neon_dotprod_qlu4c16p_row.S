// f32 <- qsi8d32p x qlu4c16p with SDOT, blocks of 32: one row.
//
// SPDX-License-Identifier: Apache-2.0
#define RHS_BITS 4
#define RHS_TABLE 1
#define RHS_HALVES 1
#define START 0x4b40    // upper half of the bits of C = 1.5 * 2^23
#include "kai/engines/blocks/blocks_neon_dotprod_symmetric_row.inc"

    symmetric_rows qlu4c16p
