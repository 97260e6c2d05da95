// Peak of BFMMLA.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+bf16
#include "kai/engines/asm/asm.h"
#include "benchmark/peaks/peaks.inc"

    peak    bfmmla, bfmmla, 4s, 8h
