// Peak of SDOT.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "benchmark/peaks/peaks.inc"

    peak    sdot, sdot, 4s, 16b
