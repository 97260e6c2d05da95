// f32 <- qsi8d32p x qsi8c32p with SMMLA, blocks of 32.
//
// SPDX-License-Identifier: Apache-2.0
#define RHS_BITS 8
#include "kai/engines/blocks/blocks_neon_i8mm_symmetric.inc"

    symmetric_functions qsi8c32p
