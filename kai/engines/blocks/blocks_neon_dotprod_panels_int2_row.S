// One row in blocks x a panel of 2-bit weights packed for SME (PanelBlocksRowFn of blocks_neon_panels.hpp) with SDOT,
// blocks of any length, 16 columns at a time:
//
//     sum[n] = fma(S, lhs_scale * rhs_scale, sum[n]),     S = sum over the block of lhs * rhs
//
// A group is a byte of each column: 4 k, field i of two bits the weight of k + i plus 1. SDOT wants 4 k of a column
// side by side. So the bytes of four groups are brought there, and the row is put into that order instead of the
// fields:
//
//     g_0 - g_3    columns 0 - 15 of k 0 - 3, of k 4 - 7, 8 - 11, 12 - 15          loads
//     t_0 - t_3    g_0 and g_1 by turns: columns 0 - 7, 8 - 15; then g_2 and g_3   zip of bytes
//     q_0 - q_3    each column's bytes of g_0 - g_3: columns 0 - 3, 4 - 7 ...      zip of halfwords
//     field i of q                      k i, i + 4, i + 8, i + 12
//     word i of K                       these k of the row
//
// A field stays where it is in its byte. Fields 0 and 3 are added in X1, field 1 in X4 as 4 times and field 2 in X16 as
// 16 times what it is; S is their sum less that of the row, since fields are the weights plus 1.
//
// While the last field is multiplied, the next 16 k are loaded and their bytes begun to move.
//
//   Registers     name                   holds
//   x0            lhs                    the row
//   x1            rhs                    first group of the tile
//   x2            nr                     columns of the panel: bytes from group to group
//   x3            dst
//   x4, x5, x6    tiles, blocks, chunks  tiles to go; blocks; 32 k of a block
//   x7            tile_scales            first scales of the tile
//   x9, x10       cursor, row            the next 16 k
//   x11, x12      scales, row_scales     of the next block
//   x13           depth                  bytes of the row
//   x14, x15      blocks_left, left      blocks, 16 k of a block to go
//   x16           steps                  16 k of the tile to go
//   w8, w17                              bounds
//   v0 - v11      X1, X4, X16            sums of a field, quads 0 - 3
//   v12 - v15     sums                   f32
//   v16 - v19     q                      g, then q
//   v20 - v23     B                      t, then a field of q
//   v24           K                      16 k of the row
//   v25 - v27     order, ones, row_sum   indices that make K; the row's sum, in the end in all lanes
//   v28 - v30     mask_0 - mask_2        of fields 0, 1, 2
//   v31           T                      the row; its scale
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"

#define FIRST 64    // the ninth argument: above the registers that `frame` saves

lhs         .req x0
rhs         .req x1
nr          .req x2
dst         .req x3
tiles       .req x4
blocks      .req x5
chunks      .req x6
tile_scales .req x7
cursor      .req x9
row         .req x10
scales      .req x11
row_scales  .req x12
depth       .req x13
blocks_left .req x14
left        .req x15
steps       .req x16
    regs    0, X1_0, X1_1, X1_2, X1_3, X4_0, X4_1, X4_2, X4_3, X16_0, X16_1, X16_2, X16_3
    regs    12, sums_0, sums_1, sums_2, sums_3, q_0, q_1, q_2, q_3, B_0, B_1, B_2, B_3
    regs    24, K, order, ones, row_sum, mask_0, mask_1, mask_2, T

// \do q, \with for each quad.
.macro each_quad do, with:vararg
    .ifb \with
    \do     0
    \do     1
    \do     2
    \do     3
    .else
    \do     0, \with
    \do     1, \with
    \do     2, \with
    \do     3, \with
    .endif
.endm

// B_\q = field \f of q_\q.
.macro field q, f
    and     B_\q\().16b, q_\q\().16b, mask_\f\().16b
.endm
// Sums \x += field \f of a quad, which is in B; B = field \next.
.macro multiply q, x, f, next
    sdot    \x\()_\q\().4s, B_\q\().16b, K.4b[\f]
    field   \q, \next
.endm
// The same of field 2; B = field 3, and q_\q the next group.
.macro multiply_and_load q
    sdot    X16_\q\().4s, B_\q\().16b, K.4b[2]
    ushr    B_\q\().16b, q_\q\().16b, #6
    ld1     {q_\q\().16b}, [cursor], nr
.endm
// X1 += field 3; B = t.
.macro multiply_and_zip
    ldr     qT, [row], #16
    sdot    X1_0.4s, B_0.16b, K.4b[3]
    zip1    B_0.16b, q_0.16b, q_1.16b
    sdot    X1_1.4s, B_1.16b, K.4b[3]
    zip2    B_1.16b, q_0.16b, q_1.16b
    sdot    X1_2.4s, B_2.16b, K.4b[3]
    zip1    B_2.16b, q_2.16b, q_3.16b
    sdot    X1_3.4s, B_3.16b, K.4b[3]
    zip2    B_3.16b, q_2.16b, q_3.16b
.endm
// B = t of the first 16 k.
.macro load_and_zip
    ldr     qT, [row], #16
    ld1     {q_0.16b}, [cursor], nr
    ld1     {q_1.16b}, [cursor], nr
    ld1     {q_2.16b}, [cursor], nr
    ld1     {q_3.16b}, [cursor], nr
    zip1    B_0.16b, q_0.16b, q_1.16b
    zip2    B_1.16b, q_0.16b, q_1.16b
    zip1    B_2.16b, q_2.16b, q_3.16b
    zip2    B_3.16b, q_2.16b, q_3.16b
.endm
// q, K of the 16 k in B and T; B = field 0.
.macro begin
    zip1    q_0.8h, B_0.8h, B_2.8h
    zip2    q_1.8h, B_0.8h, B_2.8h
    zip1    q_2.8h, B_1.8h, B_3.8h
    zip2    q_3.8h, B_1.8h, B_3.8h
    tbl     K.16b, {T.16b}, order.16b
    each_quad field, 0
.endm
// 16 k, which are begun; begins the next 16, of the tile's last ones (flags eq) its first ones, in vain.
.macro step
    sdot    row_sum.4s, K.16b, ones.16b
    each_quad multiply, X1, 0, 1
    csel    cursor, cursor, rhs, ne
    csel    row, row, lhs, ne
    each_quad multiply, X4, 1, 2
    each_quad multiply_and_load
    multiply_and_zip
    begin
.endm

.macro zero_block q
    movi    X1_\q\().2d, #0
    movi    X4_\q\().2d, #0
    movi    X16_\q\().2d, #0
.endm
.macro zero_sums q
    movi    sums_\q\().2d, #0
.endm
.macro add_x4 q
    ssra    X1_\q\().4s, X4_\q\().4s, #2
.endm
// X1 = f32 of S.
.macro sum_of_block q
    ssra    X1_\q\().4s, X16_\q\().4s, #4
    sub     X1_\q\().4s, X1_\q\().4s, row_sum.4s
    scvtf   X1_\q\().4s, X1_\q\().4s
.endm
// sums += X1 times the scales in X4 and T.
.macro add_block q
    fmul    X4_\q\().4s, X4_\q\().4s, T.s[0]
    fmla    sums_\q\().4s, X1_\q\().4s, X4_\q\().4s
.endm
.macro next_word q
    mov     order.s[\q], w9
    add     w9, w9, w10
.endm
.macro clamp_quad q
    fmax    sums_\q\().4s, sums_\q\().4s, X1_0.4s
    fmin    sums_\q\().4s, sums_\q\().4s, X1_1.4s
.endm

func kai_panel_row_qsi2c32pscalef16_neon_dotprod, hidden
    frame   d8-d15
    fmov    w8, s0
    fmov    w17, s1
    movi    mask_0.16b, #0x03
    movi    mask_1.16b, #0x0c
    movi    mask_2.16b, #0x30
    movi    ones.16b, #1
    mov     w9, #0x0400
    movk    w9, #0x0c08, lsl #16
    mov     w10, #0x0101
    movk    w10, #0x0101, lsl #16
    each_quad next_word
    ldr     x9, [sp, #FIRST]
    mul     depth, blocks, chunks
    lsl     depth, depth, #5
    lsr     x10, depth, #2
    madd    tile_scales, x10, nr, rhs
    add     tile_scales, tile_scales, x9, lsl #1
    add     rhs, rhs, x9

1:  // 16 columns
    mov     cursor, rhs
    mov     row, lhs
    mov     scales, tile_scales
    add     row_scales, lhs, depth
    lsr     steps, depth, #4
    mov     blocks_left, blocks
    each_quad zero_sums
    cbz     blocks, 4f
    load_and_zip
    begin
2:  // a block
    lsl     left, chunks, #1
    each_quad zero_block
    movi    row_sum.2d, #0
3:
    subs    steps, steps, #1
    step
    subs    left, left, #1
    b.ne    3b
    // S and scales. K and B hold what is begun, T does no longer.
    each_quad add_x4
    ldr     h31, [row_scales], #2
    ldp     qX4_0, qX4_2, [scales]
    add     scales, scales, nr, lsl #1
    addp    row_sum.4s, row_sum.4s, row_sum.4s
    fcvt    s31, h31
    addp    row_sum.4s, row_sum.4s, row_sum.4s
    fcvtl2  X4_1.4s, X4_0.8h
    fcvtl   X4_0.4s, X4_0.4h
    fcvtl2  X4_3.4s, X4_2.8h
    fcvtl   X4_2.4s, X4_2.4h
    each_quad sum_of_block
    each_quad add_block
    subs    blocks_left, blocks_left, #1
    b.ne    2b
4:
    dup     X1_0.4s, w8
    dup     X1_1.4s, w17
    each_quad clamp_quad
    stp     qsums_0, qsums_1, [dst], #32
    stp     qsums_2, qsums_3, [dst], #32
    add     rhs, rhs, #16
    add     tile_scales, tile_scales, #32
    subs    tiles, tiles, #1
    b.ne    1b
    return
endfunc
