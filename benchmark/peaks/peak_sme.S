// Peaks of the outer products of SME: four tiles in turn.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/engines/asm/asm.h"

.macro four_mopa_ op, src
    \op     za0.s, p0/m, p0/m, z0.\src, z1.\src
    \op     za1.s, p0/m, p0/m, z0.\src, z2.\src
    \op     za2.s, p0/m, p0/m, z3.\src, z1.\src
    \op     za3.s, p0/m, p0/m, z3.\src, z2.\src
.endm

.macro peak_sme name, op, src
func kai_bench_\name, hidden
    frame   d8-d15
    smstart
    zero    {za}
    mov     z0.b, #0x3c
    mov     z1.b, #0x3c
    mov     z2.b, #0x3c
    mov     z3.b, #0x3c
    ptrue   p0.b
1:
    .rept 4
    four_mopa_ \op, \src
    .endr
    subs    x0, x0, #1
    b.ne    1b
    smstop
    return
endfunc
.endm

    peak_sme fmopa_f32, fmopa, s
    peak_sme fmopa_f16, fmopa, h
    peak_sme bfmopa, bfmopa, h
    peak_sme smopa, smopa, b
