// Peaks of SVE: f32, f16, int8.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+sve
#include "kai/engines/asm/asm.h"
#include "benchmark/peaks/peaks.inc"

    peak_sve sve_fmla_f32, step_sve_predicated_, fmla, s, s
    peak_sve sve_fmla_f16, step_sve_predicated_, fmla, h, h
    peak_sve sve_sdot, step_sve_, sdot, s, b
