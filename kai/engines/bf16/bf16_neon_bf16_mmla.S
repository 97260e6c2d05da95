// dst[m][n] = clamp(bias[n] + sum over k of lhs[m][k] * rhs[k][n]), bf16 x bf16 -> f32 or f16
//
// BFMMLA: a vector holds 2 x 2 sums, and adds the products of 2 rows x 4 k and 4 k x 2 columns: first two k, then the
// other two. One chain per element that starts at the bias, k ascending. A tile has 8 rows x 12 columns.
//
// An LHS panel is 8 rows: for every 4 k, 4 of each row (64 bytes). An RHS panel is 12 columns: 12 values of bias, then
// for every 4 k, 4 of each column (96 bytes). The outer loop is over columns, the inner loop over rows: the RHS panel
// comes from memory once. Tiles at the edge are computed whole, stored on the stack, and copied as far as there is
// room.
//
// What counts besides BFMMLA are the operations on vectors before and after the loop over k: sums start by loads
// (the bias of 2 columns, twice, on the stack) since moves would take as long as 24 BFMMLA; they are clamped and put in
// the order of rows.
//
// Registers
//   v8 - v31  sums: v(8 + 4 c + p): columns 2 c and 2 c + 1 of rows 2 p and 2 p + 1
//   v0 - v3   4 k of rows 2 p and 2 p + 1; in the end bounds and rows to be stored
//   v4 - v7   4 k of 2 columns; two are used while the two others are loaded
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+bf16
#include "kai/engines/asm/asm.h"

// void name(size_t m, size_t n, size_t groups, const void* lhs, const void* rhs, void* dst, size_t stride,
//     float lo, float hi)
// m, n >= 1; groups = (k + 3) / 4
m           .req x0
n           .req x1                             // columns left, from this panel on
groups      .req x2
lhs_first   .req x3
rhs_panel   .req x4
dst_column  .req x5                             // row 0 at the columns of the panel
stride      .req x6
lhs         .req x7
rhs         .req x8
dst         .req x9
rows        .req x10                            // left, from this panel on
count       .req x11                            // groups left
out         .req x12                            // where the tile goes: dst, or the stack at the edge
out_stride  .req x13
even        .req x14                            // where rows 2 p and 2 p + 1 go; scratch
odd         .req x15

// The frame: 6 vectors of bias, each of 2 columns, twice; bounds; a tile.
#define BIAS 0
#define BOUNDS 96
#define TILE 128
#define FRAME (TILE + 8 * 48)

// 4 k of columns 2 c to 2 c + 3 in b0, b1; s0 - s3 the sums of the first two columns, t0 - t3 of the others. Meanwhile
// the next columns, at `next` from rhs, go to n0, n1, and the rows of the next 4 k, at `rows_at` from lhs, to v0 - v3.
.macro columns_4 b0, b1, s0, s1, s2, s3, t0, t1, t2, t3, n0, n1, next, rows_at
    bfmmla  v\s0\().4s, v0.8h, v\b0\().8h
    bfmmla  v\t0\().4s, v0.8h, v\b1\().8h
    .ifnb \next
    ldp     q\n0, q\n1, [rhs, #\next]
    .endif
    .ifnb \rows_at
    ldr     q0, [lhs, #\rows_at]
    .endif
    rows_2_columns_4 1, \b0, \b1, \s1, \t1, \rows_at
    rows_2_columns_4 2, \b0, \b1, \s2, \t2, \rows_at
    rows_2_columns_4 3, \b0, \b1, \s3, \t3, \rows_at
.endm
.macro rows_2_columns_4 r, b0, b1, s, t, rows_at
    bfmmla  v\s\().4s, v\r\().8h, v\b0\().8h
    bfmmla  v\t\().4s, v\r\().8h, v\b1\().8h
    .ifnb \rows_at
    ldr     q\r, [lhs, #\rows_at + 16 * \r]
    .endif
.endm

// 4 k, the columns at rhs_at from rhs, of which the first 4 are in b0, b1. The next 4 k, if any, at rows_next from
// lhs; they find their first columns in n0, n1.
.macro group b0, b1, n0, n1, rhs_at, rhs_next, rows_next
    columns_4 \b0, \b1, 8, 9, 10, 11, 12, 13, 14, 15, \n0, \n1, \rhs_at + 32
    columns_4 \n0, \n1, 16, 17, 18, 19, 20, 21, 22, 23, \b0, \b1, \rhs_at + 64
    columns_4 \b0, \b1, 24, 25, 26, 27, 28, 29, 30, 31, \n0, \n1, \rhs_next, \rows_next
.endm

.macro load_bias s0, s1, s2, s3, t0, t1, t2, t3, at
    ldp     q\s0, q\t0, [sp, #BIAS + \at]
    ldp     q\s1, q\t1, [sp, #BIAS + \at]
    ldp     q\s2, q\t2, [sp, #BIAS + \at]
    ldp     q\s3, q\t3, [sp, #BIAS + \at]
.endm

.macro each op, bound, s, rest:vararg
    \op     v\s\().4s, v\s\().4s, \bound\().4s
    .ifnb \rest
    each    \op, \bound, \rest
    .endif
.endm

// min(max(x, v0), v1): NaN stays NaN.
.macro clamp sums:vararg
    each    fmax, v0, \sums
    each    fmin, v1, \sums
.endm

// v8 - v31 = 8 rows x 12 columns, all k, the first 4 rows clamped by v0, v1: a part of the functions, whose frame it
// reads. Advances lhs and rhs to the end of their panels. Clobbers count, v2 - v7.
func kai_part_bf16_mmla_tile, hidden
    load_bias 8, 9, 10, 11, 12, 13, 14, 15, 0
    load_bias 16, 17, 18, 19, 20, 21, 22, 23, 32
    load_bias 24, 25, 26, 27, 28, 29, 30, 31, 64
    subs    count, groups, #2
    b.lo    2f
    ldp     q0, q1, [lhs]
    ldp     q4, q5, [rhs]
    ldp     q2, q3, [lhs, #32]
    b.eq    1f
0:  // 8 k, and at least one group after them
    group   4, 5, 6, 7, 0, 96, 64
    group   6, 7, 4, 5, 96, 192, 128
    subs    count, count, #2
    add     lhs, lhs, #128
    add     rhs, rhs, #192
    b.hi    0b
    b.lo    3f
1:  // the last 8 k
    group   4, 5, 6, 7, 0, 96, 64
    group   6, 7, 4, 5, 96
    add     lhs, lhs, #128
    add     rhs, rhs, #192
    b       4f
2:  // 4 k or none at all
    cbz     groups, 4f
    ldp     q0, q1, [lhs]
    ldp     q4, q5, [rhs]
    ldp     q2, q3, [lhs, #32]
3:  // the last 4 k
    group   4, 5, 6, 7, 0
    add     lhs, lhs, #64
    add     rhs, rhs, #96
4:  ldp     q0, q1, [sp, #BOUNDS]
    clamp   8, 12, 16, 20, 24, 28, 9, 13, 17, 21, 25, 29
    return
endfunc

// Columns 0 - 11 of rows 2 p and 2 p + 1 of the bias: each pair of columns twice. Advances rhs. Clobbers v0 - v5.
.macro bias_f32
    ldp     q0, q2, [rhs]
    ldr     q4, [rhs, #32]
    add     rhs, rhs, #48
    twice
.endm
.macro bias_f16
    ldr     q1, [rhs]
    ldr     d4, [rhs, #16]
    add     rhs, rhs, #24
    fcvtl   v0.4s, v1.4h
    fcvtl2  v2.4s, v1.8h
    fcvtl   v4.4s, v4.4h
    twice
.endm
.macro twice
    dup     v1.2d, v0.d[1]
    dup     v3.2d, v2.d[1]
    dup     v5.2d, v4.d[1]
    dup     v0.2d, v0.d[0]
    dup     v2.2d, v2.d[0]
    dup     v4.2d, v4.d[0]
    stp     q0, q1, [sp, #BIAS]
    stp     q2, q3, [sp, #BIAS + 32]
    stp     q4, q5, [sp, #BIAS + 64]
.endm

// Two rows of f32 from their sums, to even and odd. Clobbers v5 - v7.
.macro store_2_rows_f32 s0, s1, s2, s3, s4, s5
    zip1    v5.2d, v\s0\().2d, v\s1\().2d
    zip1    v6.2d, v\s2\().2d, v\s3\().2d
    zip1    v7.2d, v\s4\().2d, v\s5\().2d
    zip2    v\s1\().2d, v\s0\().2d, v\s1\().2d
    zip2    v\s3\().2d, v\s2\().2d, v\s3\().2d
    zip2    v\s5\().2d, v\s4\().2d, v\s5\().2d
    stp     q5, q6, [even]
    str     q7, [even, #32]
    stp     q\s1, q\s3, [odd]
    str     q\s5, [odd, #32]
.endm

.macro store_4_rows_f32 s0, s1, s2, s3, s4, s5, t0, t1, t2, t3, t4, t5
    store_2_rows_f32 \s0, \s1, \s2, \s3, \s4, \s5
    add     even, even, out_stride, lsl #1
    add     odd, odd, out_stride, lsl #1
    store_2_rows_f32 \t0, \t1, \t2, \t3, \t4, \t5
    add     even, even, out_stride, lsl #1
    add     odd, odd, out_stride, lsl #1
.endm

// The same in f16, rounded to nearest even.
.macro narrow s0, s1, s2, s3, s4, s5
    fcvtn   v\s0\().4h, v\s0\().4s
    fcvtn   v\s2\().4h, v\s2\().4s
    fcvtn   v\s4\().4h, v\s4\().4s
    fcvtn2  v\s0\().8h, v\s1\().4s
    fcvtn2  v\s2\().8h, v\s3\().4s
    fcvtn2  v\s4\().8h, v\s5\().4s
.endm
.macro store_4_rows_f16 s0, s1, s2, s3, s4, s5, t0, t1, t2, t3, t4, t5
    narrow  \s0, \s1, \s2, \s3, \s4, \s5
    narrow  \t0, \t1, \t2, \t3, \t4, \t5
    uzp1    v5.4s, v\s0\().4s, v\s2\().4s
    uzp2    v6.4s, v\s0\().4s, v\s2\().4s
    uzp1    v7.4s, v\s4\().4s, v\t4\().4s       // last 4 columns of rows 0 and 2
    uzp2    v\s4\().4s, v\s4\().4s, v\t4\().4s  // of rows 1 and 3
    str     q5, [even]
    str     d7, [even, #16]
    add     even, even, out_stride, lsl #1
    str     q6, [odd]
    str     d\s4, [odd, #16]
    add     odd, odd, out_stride, lsl #1
    uzp1    v5.4s, v\t0\().4s, v\t2\().4s
    uzp2    v6.4s, v\t0\().4s, v\t2\().4s
    add     x16, even, #16
    add     x17, odd, #16
    str     q5, [even]
    st1     {v7.d}[1], [x16]
    add     even, even, out_stride, lsl #1
    str     q6, [odd]
    st1     {v\s4\().d}[1], [x17]
    add     odd, odd, out_stride, lsl #1
.endm

.macro matmul name, type, size, load, store
func \name, hidden
    frame   x29, d8-d15, space=FRAME
    dup     v0.4s, v0.s[0]
    dup     v1.4s, v1.s[0]
    stp     q0, q1, [sp, #BOUNDS]

7:  // a panel of columns
    mov     rhs, rhs_panel
    bias_\type
    mov     rhs_panel, rhs                      // after the bias, as long as the rows pass by
    mov     lhs, lhs_first
    mov     dst, dst_column
    mov     rows, m

8:  // a tile
    mov     rhs, rhs_panel
    bl      KAI_SYM(kai_part_bf16_mmla_tile)
    cmp     n, #12
    ccmp    rows, #8, #0, hs                    // lo: at the edge
    add     out, sp, #TILE
    mov     out_stride, #12 * \size
    csel    out, dst, out, hs
    csel    out_stride, stride, out_stride, hs
    mov     even, out
    add     odd, out, out_stride
    store_4_rows_\type 8, 12, 16, 20, 24, 28, 9, 13, 17, 21, 25, 29
    clamp   10, 14, 18, 22, 26, 30, 11, 15, 19, 23, 27, 31
    store_4_rows_\type 10, 14, 18, 22, 26, 30, 11, 15, 19, 23, 27, 31
    cmp     out, dst
    b.eq    9f
    // rows x n elements of the tile on the stack, at most 8 x 12, to dst
    mov     out, dst
    mov     x14, #8
    cmp     rows, x14
    csel    x14, rows, x14, lo
    mov     x15, #12
    cmp     n, x15
    csel    x15, n, x15, lo
    add     x13, sp, #TILE
5:
    mov     x16, #0
6:
    \load   w17, [x13, x16, lsl #(\size / 2)]
    \store  w17, [out, x16, lsl #(\size / 2)]
    add     x16, x16, #1
    cmp     x16, x15
    b.lo    6b
    add     out, out, stride
    add     x13, x13, #12 * \size
    subs    x14, x14, #1
    b.ne    5b
9:
    add     dst, dst, stride, lsl #3
    subs    rows, rows, #8
    b.hi    8b
    mov     rhs_panel, rhs
    add     dst_column, dst_column, #12 * \size
    subs    n, n, #12
    b.hi    7b

    return
endfunc
.endm

    matmul  kai_kernel_matmul_clamp_f32_bf16p8x4_bf16p12x4b_8x12_neon_mmla, f32, 4, ldr, str
    matmul  kai_kernel_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla, f16, 2, ldrh, strh
