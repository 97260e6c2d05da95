// Signed nibbles to int8 for the qai8dxp GEMM on NEON (struct DecodeArgs of qai8dxp_neon.hpp).
//
// A step is 32 k of four columns: 64 bytes become 128, first the low nibbles, then the high ones, 16 times their value.
//
//   args         x0    struct DecodeArgs      at_1, at_2, at_3  x6 - x8  offsets of vectors 1 - 3 of a step
//   quad         x1    struct Quad            quads             x2       quads to go
//   packed       x4    this step              step_bytes        x9       bytes from step to step
//   next_packed  x14   the next step          out               x3       destination
//   steps        x10   steps of a quad        left              x5       steps of the quad to go
//   block_steps  x12   steps of a block       block_left        x13      steps of the block to go
//   gap          x11   bytes after a block    gap_after         x15      bytes after this step
//   packed_0 - packed_3  v0 - v3   a step       low_0 - low_3    v4 - v7     16 times its low nibbles
//   mask                 v20       0xF0         high_0 - high_3  v16 - v19   16 times its high ones
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_args.h"

args        .req x0
quad        .req x1
quads       .req x2
out         .req x3
packed      .req x4
left        .req x5
at_1        .req x6
at_2        .req x7
at_3        .req x8
step_bytes  .req x9
steps       .req x10
gap         .req x11
block_steps .req x12
block_left  .req x13
next_packed .req x14
gap_after   .req x15
    regs    0, packed_0, packed_1, packed_2, packed_3, low_0, low_1, low_2, low_3
    regs    16, high_0, high_1, high_2, high_3, mask

func kai_decode_int4_neon, hidden
    ldp     quad, quads, [args, #DECODE_ARGS_quads]
    ldp     out, steps, [args, #DECODE_ARGS_out]
    ldp     at_1, at_2, [args, #DECODE_ARGS_vector_1]
    ldr     step_bytes, [args, #DECODE_ARGS_step]
    ldp     gap, block_steps, [args, #DECODE_ARGS_gap]
    movi    mask.16b, #0xF0
    add     at_3, at_1, at_2

1:  // a quad
    ldr     packed, [quad, #QUAD_rhs]
    str     out, [quad, #QUAD_rhs]
    ldr     block_left, [args, #DECODE_ARGS_first_steps]
    ldr     qpacked_0, [packed]
    mov     left, steps
    ldr     qpacked_1, [packed, at_1]
    add     next_packed, packed, step_bytes
    subs    block_left, block_left, #1
    ldr     qpacked_2, [packed, at_2]
    csel    gap_after, gap, xzr, eq
    csel    block_left, block_steps, block_left, eq
    ldr     qpacked_3, [packed, at_3]
    add     next_packed, next_packed, gap_after
2:  // a step, while the next one is loaded from next_packed; the last step reloads itself
    subs    left, left, #1
    shl     low_0.16b, packed_0.16b, #4
    shl     low_1.16b, packed_1.16b, #4
    csel    packed, packed, next_packed, eq
    and     high_0.16b, packed_0.16b, mask.16b
    subs    block_left, block_left, #1
    and     high_1.16b, packed_1.16b, mask.16b
    stp     qlow_0, qlow_1, [out]
    shl     low_2.16b, packed_2.16b, #4
    csel    gap_after, gap, xzr, eq
    shl     low_3.16b, packed_3.16b, #4
    csel    block_left, block_steps, block_left, eq
    and     high_2.16b, packed_2.16b, mask.16b
    add     next_packed, packed, step_bytes
    and     high_3.16b, packed_3.16b, mask.16b
    ldr     qpacked_0, [packed]
    stp     qlow_2, qlow_3, [out, #32]
    ldr     qpacked_1, [packed, at_1]
    add     next_packed, next_packed, gap_after
    ldr     qpacked_2, [packed, at_2]
    stp     qhigh_0, qhigh_1, [out, #64]
    ldr     qpacked_3, [packed, at_3]
    stp     qhigh_2, qhigh_3, [out, #96]
    add     out, out, #128
    cbnz    left, 2b
    add     quad, quad, #QUAD
    subs    quads, quads, #1
    b.ne    1b
    ret
endfunc
