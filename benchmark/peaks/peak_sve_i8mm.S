// Peak of SMMLA on vectors of SVE.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+sve+i8mm
#include "kai/engines/asm/asm.h"
#include "benchmark/peaks/peaks.inc"

    peak_sve sve_smmla, step_sve_, smmla, s, b
