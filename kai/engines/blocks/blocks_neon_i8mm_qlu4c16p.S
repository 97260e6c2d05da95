// f32 <- qsi8d32p x qlu4c16p with SMMLA, blocks of 32.
//
// SPDX-License-Identifier: Apache-2.0
#define RHS_BITS 4
#define RHS_TABLE 1
#define RHS_HALVES 1
#include "kai/engines/blocks/blocks_neon_i8mm_symmetric.inc"

    symmetric_functions qlu4c16p
