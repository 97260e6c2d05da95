// Panels of SME to int8 for the qai8dxp GEMM on NEON (struct DecodeArgs of qai8dxp_neon.hpp).
//
// A panel has 4 k of all its columns, then the next 4 k. A step is 32 k of four columns: eight groups of 4 k, an eighth
// of `step` bytes apart, become 128 bytes. int8: groups have 16 bytes. int4: 8 bytes, nibbles of k and k + 1 in a byte.
//
//   args    x0    struct DecodeArgs           group    x6          bytes from group to group
//   quad    x1    struct Quad                 B_0 - B_7  v0 - v7   int8: groups of a step
//   quads   x2    quads to go                 packed_0 - packed_3  v0 - v3    int4: two groups each
//   out     x3    destination                 low_0 - low_3        v4 - v7    their low nibbles
//   packed  x4    the next group              high_0 - high_3      v16 - v19  their high nibbles
//   left    x5    steps of the quad to go     steps    x7          steps of a quad
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_args.h"

args    .req x0
quad    .req x1
quads   .req x2
out     .req x3
packed  .req x4
left    .req x5
group   .req x6
steps   .req x7

// Each quad, step by step: \step decodes one, moves packed and out. At least one step.
.macro each_step step
    ldp     quad, quads, [args, #DECODE_ARGS_quads]
    ldp     out, steps, [args, #DECODE_ARGS_out]
    ldr     group, [args, #DECODE_ARGS_step]
    lsr     group, group, #3
1:  // a quad
    ldr     packed, [quad, #QUAD_rhs]
    str     out, [quad, #QUAD_rhs]
    mov     left, steps
2:  // a step
    subs    left, left, #1
    \step
    b.ne    2b
    add     quad, quad, #QUAD
    subs    quads, quads, #1
    b.ne    1b
    ret
.endm

    regs    0, B_0, B_1, B_2, B_3, B_4, B_5, B_6, B_7
// Eight groups of a quad, 16 bytes each, side by side to out. Changes B.
.macro int8_step
    ld1     {B_0.16b}, [packed], group
    ld1     {B_1.16b}, [packed], group
    ld1     {B_2.16b}, [packed], group
    ld1     {B_3.16b}, [packed], group
    stp     qB_0, qB_1, [out]
    ld1     {B_4.16b}, [packed], group
    ld1     {B_5.16b}, [packed], group
    stp     qB_2, qB_3, [out, #32]
    ld1     {B_6.16b}, [packed], group
    ld1     {B_7.16b}, [packed], group
    stp     qB_4, qB_5, [out, #64]
    stp     qB_6, qB_7, [out, #96]
    add     out, out, #128
.endm
func kai_decode_panel_int8_neon, hidden
    each_step int8_step
endfunc
    unreg   B_0, B_1, B_2, B_3, B_4, B_5, B_6, B_7

    regs    0, packed_0, packed_1, packed_2, packed_3, low_0, low_1, low_2, low_3
    regs    16, high_0, high_1, high_2, high_3
// Loads two groups.
.macro load_pair i
    ld1     {packed_\i\().8b}, [packed], group
    ld1     {packed_\i\().d}[1], [packed], group
.endm
// Two groups to where they go.
.macro decode_pair i
    sshr    high_\i\().16b, packed_\i\().16b, #4
    shl     low_\i\().16b, packed_\i\().16b, #4
    sshr    low_\i\().16b, low_\i\().16b, #4
    zip1    packed_\i\().16b, low_\i\().16b, high_\i\().16b
    zip2    high_\i\().16b, low_\i\().16b, high_\i\().16b
    stp     qpacked_\i, qhigh_\i, [out, #32 * \i]
.endm
// Eight groups of a quad, 8 bytes each, as int8 to out.
.macro int4_step
    load_pair 0
    load_pair 1
    load_pair 2
    decode_pair 0
    load_pair 3
    decode_pair 1
    decode_pair 2
    decode_pair 3
    add     out, out, #128
.endm
func kai_decode_panel_int4_neon, hidden
    each_step int4_step
endfunc
