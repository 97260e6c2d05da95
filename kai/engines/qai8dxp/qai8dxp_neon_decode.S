// Signed nibbles to int8 for the qai8dxp GEMM on NEON (struct DecodeArgs of qai8dxp_neon.hpp).
//
// A step is 32 k of four columns: 64 bytes become 128, first the low nibbles, then the high ones, 16 times their value.
//
// Registers
//   x0  struct DecodeArgs    x1  quad        x2  quads to go    x3  out         x4  packed step       x5  steps to go
//   x6, x7, x8  where vectors 1, 2, 3 of a step are                x9  bytes of a step                     x10 steps
//   x11 bytes after a block  x12 steps of a block               x13 steps to go in it, from x14 on
//   x14 next packed step     x15 bytes after it
//   v0 - v3  packed          v4 - v7  low nibbles               v16 - v19  high ones                  v20 their mask
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_args.h"

func kai_decode_int4_neon, hidden
    ldp     x1, x2, [x0, #DECODE_ARGS_quads]
    ldp     x3, x10, [x0, #DECODE_ARGS_out]
    ldp     x6, x7, [x0, #DECODE_ARGS_second]
    ldr     x9, [x0, #DECODE_ARGS_step]
    ldp     x11, x12, [x0, #DECODE_ARGS_gap]
    movi    v20.16b, #0xF0
    add     x8, x6, x7

1:  // a quad
    ldr     x4, [x1, #QUAD_rhs]
    str     x3, [x1, #QUAD_rhs]
    ldr     x13, [x0, #DECODE_ARGS_first_steps]
    ldr     q0, [x4]
    mov     x5, x10
    ldr     q1, [x4, x6]
    add     x14, x4, x9
    subs    x13, x13, #1
    ldr     q2, [x4, x7]
    csel    x15, x11, xzr, eq
    csel    x13, x12, x13, eq
    ldr     q3, [x4, x8]
    add     x14, x14, x15
2:  // a step. The next one, x14, is loaded meanwhile; after the last one, the last one again
    subs    x5, x5, #1
    shl     v4.16b, v0.16b, #4
    shl     v5.16b, v1.16b, #4
    csel    x4, x4, x14, eq
    and     v16.16b, v0.16b, v20.16b
    subs    x13, x13, #1
    and     v17.16b, v1.16b, v20.16b
    stp     q4, q5, [x3]
    shl     v6.16b, v2.16b, #4
    csel    x15, x11, xzr, eq
    shl     v7.16b, v3.16b, #4
    csel    x13, x12, x13, eq
    and     v18.16b, v2.16b, v20.16b
    add     x14, x4, x9
    and     v19.16b, v3.16b, v20.16b
    ldr     q0, [x4]
    stp     q6, q7, [x3, #32]
    ldr     q1, [x4, x6]
    add     x14, x14, x15
    ldr     q2, [x4, x7]
    stp     q16, q17, [x3, #64]
    ldr     q3, [x4, x8]
    stp     q18, q19, [x3, #96]
    add     x3, x3, #128
    cbnz    x5, 2b
    add     x1, x1, #QUAD
    subs    x2, x2, #1
    b.ne    1b
    ret
endfunc
