// Peak of half-precision arithmetic.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+fp16
#include "kai/engines/asm/asm.h"
#include "benchmark/peaks/peaks.inc"

    peak    fmla_f16, fmla, 8h, 8h
