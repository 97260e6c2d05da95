// f32 <- qsi8d32p x qsi2c32p with SDOT, blocks of any length: one row (RowFn), 16 columns at a time; groups of 8 k: 8.
//
//     for fours (groups of 8 k: pairs) of quads
//         sums = 0
//         for blocks
//             X1 = X4 = X16 = row_sum = 0
//             for 32 k
//                 row_sum += row
//                 for quads, fields of a byte          8 k
//                     X1 += row x fields 0 and 3       fields as numbers from 0 to 3: the weight plus 1
//                     X4 += row x field 1              4 times as large
//                     X16 += row x field 2             16 times
//             S = X1 + X4 / 4 + X16 / 16 - row_sum
//             sums += f32(S) * (scale of the row * scales of the columns)
//
// So a field costs one instruction: AND leaves it where it is in the byte. Columns as in blocks_neon_int2_tile.inc: a
// step of a quad is packed_0 and packed_1. A vector of sums holds 4 columns; groups of 8 k have two of them until the
// end of the block, columns 0 0 1 1 from packed_0 and 2 2 3 3 from packed_1: X1_0 and X1_1 of quad 0, X1_2 and X1_3 of
// quad 1.
//
// Two quads at a time, in Pe and Po: a field of the one, then of the other. Four vectors of fields take turns: one is
// multiplied, then decoded anew, and read four products later.
//
// The last quads, where there are fewer, are computed with the last one in the place of missing ones.
//
//   Registers     name                   holds
//   x0            row                    elements of a block
//   x1            rhs                    elements of the first block of the next quads
//   x2            stride                 from quad to quad
//   x3, x4        dst, quads
//   x5, x6        blocks, to_scale       from the end of the elements of a block of the row to its scale
//   x7            to_scales              the same of a quad
//   x8 - x11      quad_0 - quad_3
//   x12, x13                             blocks, steps to go
//   x14, x15                             the row, steps of a block
//   x16, x17                             the next step of quads 0 and 1
//   w19, w20                             bounds, lo and hi
//   v0 - v11      X1, X4, X16            sums of a block: X1_0 - X1_3
//   v12 - v15     sums_0 - sums_3        f32; groups of 8 k: sums_0, sums_1
//   v16, v17      K_0, K_1               the row: 16 k each
//   v14 - v17     K8_0 - K8_3            the same, groups of 8 k: 8 k of a field each, twice
//   v18 - v21     Pe, Po                 packed, of two quads: Pe_0, Pe_1
//   v22 - v25     B_0 - B_3              fields of the columns
//   v26 - v28     mask_0 - mask_2        of fields 0, 1, 2
//   v29           ones
//   v30           row_sum                in the end in all lanes
//   v31           T                      groups of 8 k: 16 k of the row; the scale of the row
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"

row     .req x0
rhs     .req x1
stride  .req x2
dst     .req x3
quads   .req x4
blocks  .req x5
to_scale .req x6
to_scales .req x7
quad_0  .req x8
quad_1  .req x9
quad_2  .req x10
quad_3  .req x11

regs 0, X1_0, X1_1, X1_2, X1_3, X4_0, X4_1, X4_2, X4_3, X16_0, X16_1, X16_2, X16_3
regs 12, sums_0, sums_1, sums_2, sums_3, K_0, K_1
regs 14, K8_0, K8_1, K8_2, K8_3
regs 18, Pe_0, Pe_1, Po_0, Po_1, B_0, B_1, B_2, B_3, mask_0, mask_1, mask_2, ones, row_sum, T

// \do q for each quad.
.macro each_quad do
    \do     0
    \do     1
    .if width == 4
    \do     2
    \do     3
    .endif
.endm

// K = 32 k of the row.
.macro load_row
    .if width == 4
    ldp     qK_0, qK_1, [row], #32
    .else
    ldr     qT, [row]
    ld1r    {K8_0.2d}, [row], #8
    ld1r    {K8_1.2d}, [row], #8
    ld1r    {K8_2.2d}, [row], #8
    ld1r    {K8_3.2d}, [row], #8
    .endif
.endm
// row_sum += 16 k of it: K_\half; groups of 8 k: T, which then becomes the second half.
.macro sum_row half
    .if width == 4
    sdot    row_sum.4s, K_\half\().16b, ones.16b
    .else
    sdot    row_sum.4s, T.16b, ones.16b
    .if \half == 0
    ldr     qT, [row, #-16]
    .endif
    .endif
.endm

// B_\b = field \f of packed_\h, which is in P\set.
.macro decode set, f, h, b
    .if \f == 3
    ushr    B_\b\().16b, P\set\()_\h\().16b, #6
    .else
    and     B_\b\().16b, P\set\()_\h\().16b, mask_\f\().16b
    .endif
.endm
// Sums \x of quad \q += field \f of packed_\h, in B_\b, times the row.
.macro dot x, q, f, h, b
    .if width == 4
    with_number dot_lane, (\f % 2 * 2 + \h), \x\()_\q, B_\b, (\f / 2)
    .else
    with_number dot_8k, (\q * 2 + \h), \x, B_\b, K8_\f
    .endif
.endm
// One product, groups of 4 k: by four k of the row.
.macro dot_lane lane, x, b, k
    .if \k == 0
    sdot    \x\().4s, \b\().16b, K_0.4b[\lane]
    .else
    sdot    \x\().4s, \b\().16b, K_1.4b[\lane]
    .endif
.endm
.macro dot_8k i, x, b, k
    sdot    \x\()_\i\().4s, \b\().16b, \k\().16b
.endm

// Field \f of packed_\h of quads \q and \r, in B_0 and B_1, times the row, to their sums \x; decodes field \next of
// packed_\next_h in their place.
.macro first_two x, q, r, f, h, next, next_h
    dot     \x, \q, \f, \h, 0
    decode  e, \next, \next_h, 0
    dot     \x, \r, \f, \h, 1
    decode  o, \next, \next_h, 1
.endm
// The same with B_2 and B_3.
.macro second_two x, q, r, f, h, next, next_h
    dot     \x, \q, \f, \h, 2
    decode  e, \next, \next_h, 2
    dot     \x, \r, \f, \h, 3
    decode  o, \next, \next_h, 3
.endm
// Decodes fields 0 and 1 of packed_0 of the two.
.macro begin
    decode  e, 0, 0, 0
    decode  o, 0, 0, 1
    decode  e, 1, 0, 2
    decode  o, 1, 0, 3
.endm
// The row is added up once: while quads 0 and 1 are multiplied.
.macro sum_row_0 q
    .if \q == 0
    sum_row 0
    .endif
.endm
.macro sum_row_1 q
    .if \q == 0
    sum_row 1
    .endif
.endm
// A step of quads \q and \r, which are in Pe and Po and begun. `\load i` loads packed_\i of the next two, which are
// begun in the end.
.macro pair_step q, r, load
    first_two  X1, \q, \r, 0, 0, 3, 0
    second_two X4, \q, \r, 1, 0, 2, 0
    \load   0
    sum_row_0 \q
    first_two  X1, \q, \r, 3, 0, 0, 1
    second_two X16, \q, \r, 2, 0, 1, 1
    first_two  X1, \q, \r, 0, 1, 3, 1
    second_two X4, \q, \r, 1, 1, 2, 1
    \load   1
    sum_row_1 \q
    first_two  X1, \q, \r, 3, 1, 0, 0
    second_two X16, \q, \r, 2, 1, 1, 0
.endm
.macro load_2_3 i
    ldr     qPe_\i, [quad_2], #16
    ldr     qPo_\i, [quad_3], #16
.endm
// The next step of quads 0 and 1; the last one of a block (flags eq) loads itself.
.macro load_0_1 i
    .if \i == 0
    sub     x16, quad_0, #32
    csel    x16, x16, quad_0, eq
    sub     x17, quad_1, #32
    csel    x17, x17, quad_1, eq
    .endif
    ldr     qPe_\i, [x16, #(16 * \i)]
    ldr     qPo_\i, [x17, #(16 * \i)]
    .if \i == 1
    add     quad_0, x16, #32
    add     quad_1, x17, #32
    .endif
.endm

.macro zero_sums i
    movi    X1_\i\().2d, #0
    movi    X4_\i\().2d, #0
    movi    X16_\i\().2d, #0
.endm
.macro zero_result q
    movi    sums_\q\().2d, #0
.endm
// X1_\i = S of quad \q; then X4_\i = its scales.
.macro sum_quad q, i
    .if width == 2
    with_number add_pairs, (\i + 1), \i
    .endif
    ssra    X1_\i\().4s, X4_\i\().4s, #2
    ldr     dX4_\i, [quad_\q, to_scales]
    sub     X1_\i\().4s, X1_\i\().4s, row_sum.4s
    add     quad_\q, quad_\q, #8
    ssra    X1_\i\().4s, X16_\i\().4s, #4
    fcvtl   X4_\i\().4s, X4_\i\().4h
.endm
.macro add_pairs j, i
    addp    X1_\i\().4s, X1_\i\().4s, X1_\j\().4s
    addp    X4_\i\().4s, X4_\i\().4s, X4_\j\().4s
    addp    X16_\i\().4s, X16_\i\().4s, X16_\j\().4s
.endm
.macro add_quad q, i
    scvtf   X1_\i\().4s, X1_\i\().4s
    fmul    X4_\i\().4s, X4_\i\().4s, T.s[0]
    fmla    sums_\q\().4s, X1_\i\().4s, X4_\i\().4s
.endm
.macro clamp_quad q
    fmax    sums_\q\().4s, sums_\q\().4s, X1_0.4s
    fmin    sums_\q\().4s, sums_\q\().4s, X1_1.4s
.endm

// A function (RowFn), \width_ quads at a time.
.macro int2_row name, width_
func \name, hidden
    .set    width, \width_
    frame   d8-d15, x19-x20
    cbz     quads, 7f
    fmov    w19, s0
    fmov    w20, s1
    add     x14, row, #2
    add     rhs, rhs, #8
    lsr     x15, x6, #5                         // steps of 32 k
    mvn     to_scales, x6                       // -bl - 8
    sub     to_scales, to_scales, #7
    mvn     to_scale, x6                        // -bl - 2
    sub     to_scale, to_scale, #1
    movi    mask_0.16b, #0x03
    movi    mask_1.16b, #0x0c
    movi    mask_2.16b, #0x30
    movi    ones.16b, #1

1:  // four quads, or two
    mov     quad_0, rhs
    add     quad_1, quad_0, stride
    cmp     quads, #2
    csel    quad_1, quad_1, quad_0, hs
    .if width == 4
    add     quad_2, quad_1, stride
    csel    quad_2, quad_2, quad_1, hi
    add     quad_3, quad_2, stride
    cmp     quads, #4
    csel    quad_3, quad_3, quad_2, hs
    add     rhs, rhs, stride, lsl #2
    .else
    add     rhs, rhs, stride, lsl #1
    .endif
    mov     row, x14
    each_quad zero_result
    mov     x12, blocks
    cbz     blocks, 4f
2:  // a block
    mov     x13, x15
    zero_sums 0
    zero_sums 1
    zero_sums 2
    zero_sums 3
    movi    row_sum.2d, #0
    ldp     qPe_0, qPe_1, [quad_0], #32
    ldp     qPo_0, qPo_1, [quad_1], #32
    begin
3:  // 32 k
    subs    x13, x13, #1
    load_row
    .if width == 4
    pair_step 0, 1, load_2_3
    pair_step 2, 3, load_0_1
    .else
    pair_step 0, 1, load_0_1
    .endif
    b.ne    3b
    addp    row_sum.4s, row_sum.4s, row_sum.4s
    ldr     h31, [row, to_scale]
    add     row, row, #2
    addp    row_sum.4s, row_sum.4s, row_sum.4s
    .if width == 4
    sum_quad 0, 0
    sum_quad 1, 1
    sum_quad 2, 2
    sum_quad 3, 3
    fcvt    s31, h31
    add_quad 0, 0
    add_quad 1, 1
    add_quad 2, 2
    add_quad 3, 3
    .else
    sum_quad 0, 0
    sum_quad 1, 2
    fcvt    s31, h31
    add_quad 0, 0
    add_quad 1, 2
    .endif
    subs    x12, x12, #1
    b.ne    2b
4:
    dup     X1_0.4s, w19
    dup     X1_1.4s, w20
    each_quad clamp_quad
    subs    quads, quads, #width
    b.lo    5f
    stp     qsums_0, qsums_1, [dst], #32
    .if width == 4
    stp     qsums_2, qsums_3, [dst], #32
    .endif
    b.ne    1b
    return
5:  // the last quads, fewer
    str     qsums_0, [dst]
    .if width == 4
    cmn     quads, #2
    b.lo    7f
    str     qsums_1, [dst, #16]
    b.eq    7f
    str     qsums_2, [dst, #32]
    .endif
7:
    return
endfunc
.endm

    int2_row kai_row_qsi8d32p1x8_qsi2c32p4x8_neon_dotprod, 2
    int2_row kai_row_qsi8d32p1x4_qsi2c32p4x4_neon_dotprod, 4
