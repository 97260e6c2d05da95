// Peak of SMMLA.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+i8mm
#include "kai/engines/asm/asm.h"
#include "benchmark/peaks/peaks.inc"

    peak    smmla, smmla, 4s, 16b
