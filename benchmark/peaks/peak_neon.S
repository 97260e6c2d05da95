// Peaks of Armv8.0: f32, and int8 by products of 16 bits that are added to sums of 32.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a
#include "kai/engines/asm/asm.h"
#include "benchmark/peaks/peaks.inc"

    peak    fmla_f32, fmla, 4s, 4s

.macro smull_ r
    smull   v1\r\().8h, v30.8b, v31.8b
.endm
.macro smlal2_ r
    smlal2  v1\r\().8h, v30.16b, v31.16b
.endm
.macro sadalp_ r
    sadalp  v\r\().4s, v1\r\().8h
.endm

// 8 groups of 16 products, three instructions each.
func kai_bench_sadalp, hidden
    frame   d8-d15
    movi    v30.16b, #0x3c
    movi    v31.16b, #0x3c
1:
    .irp do, smull_, smlal2_, sadalp_
    .irp r, 0, 1, 2, 3, 4, 5, 6, 7
    \do     \r
    .endr
    .endr
    subs    x0, x0, #1
    b.ne    1b
    return
endfunc
