// f32 <- qsi8d32p x qlu4c32p with SDOT, blocks of 32.
//
// SPDX-License-Identifier: Apache-2.0
#define RHS_BITS 4
#define RHS_TABLE 1
#include "kai/engines/blocks/blocks_neon_dotprod_symmetric.inc"

    symmetric_functions qlu4c32p
