// dst[m][n] = clamp(bias[n] + sum over k of lhs[m][k] * rhs[k][n]), bf16 x bf16 -> f32 or f16
//
// BFMMLA, 8 rows x 12 columns: bf16_neon_bf16_groups.inc has the tile, and what v0 - v31 hold.
//
// An LHS panel is 8 rows: for every 4 k, 4 of each row (64 bytes). An RHS panel is 12 columns: 12 values of bias, then
// for every 4 k, 4 of each column (96 bytes). The outer loop is over columns, the inner loop over rows: the RHS panel
// comes from memory once. Tiles at the edge are computed whole and stored on the stack; the rows and columns that exist
// are copied from there. 1 to 6 rows, all or the last ones, are the work of bf16_neon_bf16_few.S: no others are
// multiplied there.
//
// Besides BFMMLA, the vector operations before and after the loop over k count. Sums start by loads (the bias of
// 2 columns, twice, on the stack), since moves would take as long as 24 BFMMLA; after the loop they are clamped and
// reordered to rows.
//
//   Before the loop: v0 - v5  bias of a panel, each pair of columns twice
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+bf16
#include "kai/engines/bf16/bf16_neon_bf16_groups.inc"

// void name(size_t m, size_t n, size_t groups, const void* lhs, const void* rhs, void* dst, size_t stride,
//     float lo, float hi)
// m, n >= 1; groups = (k + 3) / 4
m           .req x0
n           .req x1                             // columns left, from this panel on
lhs_first   .req x3
rhs_panel   .req x4
dst_column  .req x5                             // row 0 at the columns of the panel
stride      .req x6
dst         .req x9
rows        .req x10                            // left, from this panel on
out         .req x12                            // where the tile goes: dst, or the stack at the edge

// The frame: 6 vectors of bias, each of 2 columns, twice; bounds; a tile, or what a call for few rows must not change.
#define BIAS 0
#define BOUNDS 96
#define TILE 128
#define SAVED TILE
#define FRAME (TILE + 8 * 48)

// Column pairs c and d of S = bias, at byte `at` of the frame's copy of it.
.macro load_bias c, d, at
    ldp     qS0_\c, qS0_\d, [sp, #BIAS + \at]
    ldp     qS1_\c, qS1_\d, [sp, #BIAS + \at]
    ldp     qS2_\c, qS2_\d, [sp, #BIAS + \at]
    ldp     qS3_\c, qS3_\d, [sp, #BIAS + \at]
.endm

// S = 8 rows x 12 columns, all k; the first 4 rows are clamped. Not AAPCS64: shares the caller's frame and registers.
// Out: low, high; lhs and rhs at the ends of their panels. Changes count, v2 - v7.
func kai_part_bf16_mmla_tile, hidden
    load_bias 0, 1, 0
    load_bias 2, 3, 32
    load_bias 4, 5, 64
    all_groups
    ldp     qlow, qhigh, [sp, #BOUNDS]
    clamp   0, 1
    return
endfunc

// Copies the bias to the frame: each pair of columns twice, as in S. Advances rhs. Changes v0 - v5.
.macro bias_f32
    ldp     q0, q2, [rhs]
    ldr     q4, [rhs, #32]
    add     rhs, rhs, #48
    pairs_twice
.endm
// As bias_f32, of a bias in f16.
.macro bias_f16
    ldr     q1, [rhs]
    ldr     d4, [rhs, #16]
    add     rhs, rhs, #24
    fcvtl   v0.4s, v1.4h
    fcvtl2  v2.4s, v1.8h
    fcvtl   v4.4s, v4.4h
    pairs_twice
.endm
// Columns 0 - 3, 4 - 7 and 8 - 11 are in v0, v2 and v4.
.macro pairs_twice
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

// S<p>_0, _2 and _4 = pair p in f16, rounded to nearest even: of columns 4 i to 4 i + 3, row 0 0 1 1 0 0 1 1.
.macro narrow p
    fcvtn   S\p\()_0.4h, S\p\()_0.4s
    fcvtn   S\p\()_2.4h, S\p\()_2.4s
    fcvtn   S\p\()_4.4h, S\p\()_4.4s
    fcvtn2  S\p\()_0.8h, S\p\()_1.4s
    fcvtn2  S\p\()_2.8h, S\p\()_3.4s
    fcvtn2  S\p\()_4.8h, S\p\()_5.4s
.endm
// Rows of pairs p and r, rounded to f16, to even and odd, which move on. Changes these S, row_a - row_c, x16, x17.
.macro store_4_rows_f16 p, r
    narrow  \p
    narrow  \r
    uzp1    row_a.4s, S\p\()_0.4s, S\p\()_2.4s
    uzp2    row_b.4s, S\p\()_0.4s, S\p\()_2.4s
    uzp1    row_c.4s, S\p\()_4.4s, S\r\()_4.4s        // last 4 columns of rows 0 and 2
    uzp2    S\p\()_4.4s, S\p\()_4.4s, S\r\()_4.4s    // of rows 1 and 3
    str     qrow_a, [even]
    str     drow_c, [even, #16]
    add     even, even, out_stride, lsl #1
    str     qrow_b, [odd]
    str     dS\p\()_4, [odd, #16]
    add     odd, odd, out_stride, lsl #1
    uzp1    row_a.4s, S\r\()_0.4s, S\r\()_2.4s
    uzp2    row_b.4s, S\r\()_0.4s, S\r\()_2.4s
    add     x16, even, #16
    add     x17, odd, #16
    str     qrow_a, [even]
    st1     {row_c.d}[1], [x16]
    add     even, even, out_stride, lsl #1
    str     qrow_b, [odd]
    st1     {S\p\()_4.d}[1], [x17]
    add     odd, odd, out_stride, lsl #1
.endm

// 12 columns of a row on the stack to [out].
.macro copy_row_f32
    ldp     q0, q1, [x13]
    ldr     q2, [x13, #32]
    stp     q0, q1, [out]
    str     q2, [out, #32]
.endm
// The same in f16.
.macro copy_row_f16
    ldr     q0, [x13]
    ldr     d1, [x13, #16]
    str     q0, [out]
    str     d1, [out, #16]
.endm

// void name(m, n, ...) as above; type, size: of the results, load, store: instructions for one of them.
.macro matmul name, type, size, load, store
func \name, hidden
    cmp     m, #6
    b.hi    1f
    b       KAI_SYM(kai_few_\type\()_bf16p8x4_bf16p12x4b_neon_mmla)
1:  frame   x29, d8-d15, space=FRAME
    dup     low.4s, v0.s[0]
    dup     high.4s, v1.s[0]
    stp     qlow, qhigh, [sp, #BOUNDS]

7:  // a panel of columns
    mov     rhs, rhs_panel
    bias_\type
    mov     rhs_panel, rhs                      // after the bias, as long as the rows pass by
    mov     lhs, lhs_first
    mov     dst, dst_column
    mov     rows, m

8:  // a tile
    cmp     rows, #6
    b.ls    4f
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
    store_4_rows_\type 0, 1
    clamp   2, 3
    store_4_rows_\type 2, 3
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
    b.hs    3f
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
    b       9f
3:  // whole rows
    copy_row_\type
    add     out, out, stride
    add     x13, x13, #12 * \size
    subs    x14, x14, #1
    b.ne    3b
9:
    add     dst, dst, stride, lsl #3
    subs    rows, rows, #8
    b.hi    8b
2:
    mov     rhs_panel, rhs
    add     dst_column, dst_column, #12 * \size
    subs    n, n, #12
    b.hi    7b

    return

4:  // the last 1 to 6 rows
    stp     x0, x1, [sp, #SAVED]
    stp     x2, x3, [sp, #SAVED + 16]
    stp     x4, x5, [sp, #SAVED + 32]
    str     x6, [sp, #SAVED + 48]
    mov     m, rows
    mov     x15, #12
    cmp     n, x15
    csel    n, n, x15, lo
    mov     x3, lhs
    sub     rhs_panel, rhs_panel, #12 * \size  // its bias, too
    mov     x5, dst
    ldr     s0, [sp, #BOUNDS]
    ldr     s1, [sp, #BOUNDS + 16]
    bl      KAI_SYM(kai_few_\type\()_bf16p8x4_bf16p12x4b_neon_mmla)
    ldp     x0, x1, [sp, #SAVED]
    ldp     x2, x3, [sp, #SAVED + 16]
    ldp     x4, x5, [sp, #SAVED + 32]
    ldr     x6, [sp, #SAVED + 48]
    mov     x15, #96
    madd    rhs, groups, x15, rhs_panel
    b       2b
endfunc
.endm

    matmul  kai_kernel_matmul_clamp_f32_bf16p8x4_bf16p12x4b_8x12_neon_mmla, f32, 4, ldr, str
    matmul  kai_kernel_matmul_clamp_f16_bf16p8x4_bf16p12x4b_8x12_neon_mmla, f16, 2, ldrh, strh
