// Peak of FMLAL: products of f16 that are added to sums of f32.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+fp16fml
#include "kai/engines/asm/asm.h"
#include "benchmark/peaks/peaks.inc"

    peak    fmlal, fmlal, 4s, 4h
