// Panels of SME times rows, f16 with sums in f32, with FMLAL and FMLAL2 (float_neon_fhm_panels.cpp): 3 rows x 16 or 8
// columns of a panel.
//
// A word is two k of a column, and of a row. A column has a sum of even k, which starts at the bias, and one of odd k;
// they are added at the end. A pair of k; a vector has 4 columns, of which the first 2 go to an even sum:
//
//          | B0            B1            B2            B3                 16 columns; 8 have the first two vectors
//     -----+--------------------------------------------------
//     A0   | S0_0 S0_1     S0_2 S0_3     S0_4 S0_5     S0_6 S0_7
//     A1   | S1_0 ...
//     A2   | S2_0 ...                                  S2_6 S2_7
//
//   Ae_0 - Ae_2, Ao_0 - Ao_2  v0 - v5   a word of each row in every lane; one set is multiplied, the other is loaded
//   Be, Bo                    v6, v7    even and odd vectors of columns, each loaded while the other is multiplied
//   S0_0 S0_1 ... S2_7        v8 - v31  sums: two columns, an even and an odd sum each
//   Before the loop: zeros  v7  -0 in every lane. After it: low, high  v0, v1  bounds
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+fp16fml
#include "kai/engines/asm/asm.h"
#include "kai/engines/float/float_args.h"

args    .req x0
rhs     .req x1                             // columns of the pair that is multiplied
stride  .req x2                             // from a pair to the next
row0    .req x3                             // the next word of each row
row1    .req x4
row2    .req x5
lhs     .req x6                             // the first row
lhs_stride .req x7
dst     .req x8
dst_stride .req x9
m       .req x10                            // rows to go
pairs   .req x11                            // of k
count   .req x12                            // pairs to go
depth   .req x13                            // bytes of a row
first   .req x14                            // columns of k = 0
bias    .req x15
narrow  .req x17                            // whether results are f16

    regs    0, Ae_0, Ae_1, Ae_2, Ao_0, Ao_1, Ao_2, Be, Bo
    regs    8, S0_0, S0_1, S0_2, S0_3, S0_4, S0_5, S0_6, S0_7, S1_0, S1_1, S1_2, S1_3, S1_4, S1_5, S1_6, S1_7
    regs    24, S2_0, S2_1, S2_2, S2_3, S2_4, S2_5, S2_6, S2_7
    regs    0, low, high
    reg     zeros, 7

// ---- The loop over k

// Sums a and b of row r += B<b_set> * A<a_set>.
.macro row_products r, a, b, a_set, b_set
    fmlal   S\r\()_\a\().4s, B\b_set\().4h, A\a_set\()_\r\().4h
    fmlal2  S\r\()_\b\().4s, B\b_set\().4h, A\a_set\()_\r\().4h
.endm
// The same of all rows. Meanwhile: `load`.
.macro products a, b, a_set, b_set, load:vararg
    row_products 0, \a, \b, \a_set, \b_set
    \load
    if_more rows, 1, row_products 1, \a, \b, \a_set, \b_set
    if_more rows, 2, row_products 2, \a, \b, \a_set, \b_set
.endm

// A<set> = the next word of row r.
.macro load_word r, set
    ld1r    {A\set\()_\r\().4s}, [row\r], #4
.endm
.macro load_words set
    load_word 0, \set
    if_more rows, 1, load_word 1, \set
    if_more rows, 2, load_word 2, \set
.endm
.macro load_next_words set
    ldr     qBe, [rhs, stride]
    load_words \set
.endm

// S += a pair of k; Be has its first columns. Afterwards rhs is at the next pair. Loads the first columns and A<next>
// of that one, unless next is `none`.
.macro one_pair a_set, next
    products 0, 1, \a_set, e, ldr qBo, [rhs, #16]
    if_more vectors, 2, products 2, 3, \a_set, o, ldr qBe, [rhs, #32]
    if_more vectors, 2, products 4, 5, \a_set, e, ldr qBo, [rhs, #48]
    .ifc \next, none
    last_columns \a_set
    .else
    last_columns \a_set, load_next_words \next
    .endif
    add     rhs, rhs, stride
.endm
// The last columns of a pair.
.macro last_columns a_set, load:vararg
    if_more vectors, 2, products 6, 7, \a_set, o, \load
    when    vectors, 2, products 2, 3, \a_set, o, \load
.endm

// S += all pairs of k; there may be none. Moves rhs and the rows to what follows them.
.macro all_pairs
    subs    count, pairs, #2
    b.lo    2f
    load_words e
    ldr     qBe, [rhs]
    b.eq    1f
0:  // two pairs, and at least one after them
    one_pair e, o
    one_pair o, e
    subs    count, count, #2
    b.hi    0b
    b.lo    3f
1:  // the last two
    one_pair e, o
    one_pair o, none
    b       4f
2:  // one, or none at all
    cbz     pairs, 4f
    load_words e
    ldr     qBe, [rhs]
3:  // the last one
    one_pair e, none
4:
.endm

// A<r> = the last k of row r, the first of a pair.
.macro load_half r
    ldrh    w16, [row\r]
    dup     Ae_\r\().4s, w16
.endm
// S += the last k.
.macro last_half
    load_half 0
    if_more rows, 1, load_half 1
    if_more rows, 2, load_half 2
    ldr     qBe, [rhs]
    one_pair e, none
.endm

// ---- Sums

// Sums a to d of row 0 = 8 values of the bias.
.macro start_8 a, b, c, d, at
    ldr     qS0_\d, [bias, #\at]
    zip1    S0_\b\().8h, S0_\d\().8h, zeros.8h
    zip2    S0_\d\().8h, S0_\d\().8h, zeros.8h
    fcvtl   S0_\a\().4s, S0_\b\().4h
    fcvtl2  S0_\b\().4s, S0_\b\().8h
    fcvtl   S0_\c\().4s, S0_\d\().4h
    fcvtl2  S0_\d\().4s, S0_\d\().8h
.endm
// Row r starts as row 0 does.
.macro copy_start r
    mov     S\r\()_0.16b, S0_0.16b
    mov     S\r\()_1.16b, S0_1.16b
    mov     S\r\()_2.16b, S0_2.16b
    mov     S\r\()_3.16b, S0_3.16b
    if_more vectors, 2, mov S\r\()_4.16b, S0_4.16b
    if_more vectors, 2, mov S\r\()_5.16b, S0_5.16b
    if_more vectors, 2, mov S\r\()_6.16b, S0_6.16b
    if_more vectors, 2, mov S\r\()_7.16b, S0_7.16b
.endm
// Odd sums start at -0: with it, all biases are what they were.
.macro start
    movi    zeros.8h, #0x80, lsl #8
    start_8 0, 1, 2, 3, 0
    if_more vectors, 2, start_8 4, 5, 6, 7, 16
    if_more rows, 1, copy_start 1
    if_more rows, 2, copy_start 2
.endm

// Sums a and c of row r = min(max(even + odd, low), high), 8 columns. NaN stays NaN.
.macro limit_8 r, a, b, c, d
    faddp   S\r\()_\a\().4s, S\r\()_\a\().4s, S\r\()_\b\().4s
    faddp   S\r\()_\c\().4s, S\r\()_\c\().4s, S\r\()_\d\().4s
    fmax    S\r\()_\a\().4s, S\r\()_\a\().4s, low.4s
    fmax    S\r\()_\c\().4s, S\r\()_\c\().4s, low.4s
    fmin    S\r\()_\a\().4s, S\r\()_\a\().4s, high.4s
    fmin    S\r\()_\c\().4s, S\r\()_\c\().4s, high.4s
.endm
// Sums a and c of row r to dst, at this byte of f16 results.
.macro put_f16 r, a, c, at
    fcvtn   S\r\()_\a\().4h, S\r\()_\a\().4s
    fcvtn2  S\r\()_\a\().8h, S\r\()_\c\().4s
    str     qS\r\()_\a, [dst, #\at]
.endm
// Row r to dst, which moves on to the next row.
.macro finish_row r
    limit_8 \r, 0, 1, 2, 3
    if_more vectors, 2, limit_8 \r, 4, 5, 6, 7
    cbnz    narrow, 7f
    stp     qS\r\()_0, qS\r\()_2, [dst]
    if_more vectors, 2, stp qS\r\()_4, qS\r\()_6, [dst, #32]
    b       8f
7:  put_f16 \r, 0, 2, 0
    if_more vectors, 2, put_f16 \r, 4, 6, 16
8:  add     dst, dst, dst_stride
.endm

// ---- Rows

// A tile of so many rows; lhs and dst move on to the rows after it.
.macro tile rows_
    .set    rows, \rows_
    mov     row0, lhs
    if_more rows, 1, add row1, row0, lhs_stride
    if_more rows, 2, add row2, row1, lhs_stride
    mov     rhs, first
    start
    all_pairs
    tbz     depth, #1, 5f
    last_half
5:  ldp     qlow, qhigh, [args, #FLOAT_GEMM_ARGS_bounds]
    finish_row 0
    if_more rows, 1, finish_row 1
    if_more rows, 2, finish_row 2
    add     lhs, lhs, lhs_stride
    if_more rows, 1, add lhs, lhs, lhs_stride
    if_more rows, 2, add lhs, lhs, lhs_stride
.endm

// void name(const FloatGemmArgs*): panel is the columns of k = 0; depth, the bytes of a row. m >= 1.
.macro tiles_of_panel name, vectors_
func \name, hidden
    .set    vectors, \vectors_
    frame   d8-d15
    ldp     lhs, lhs_stride, [args, #FLOAT_GEMM_ARGS_lhs]
    ldp     first, stride, [args, #FLOAT_GEMM_ARGS_panel]
    ldp     dst, dst_stride, [args, #FLOAT_GEMM_ARGS_dst]
    ldp     m, depth, [args, #FLOAT_GEMM_ARGS_m]
    ldp     bias, narrow, [args, #FLOAT_GEMM_ARGS_bias]
    lsr     pairs, depth, #2
10: cmp     m, #3                           // 4 rows are 2 and 2
    b.lo    12f
    cmp     m, #4
    b.eq    11f
    tile    3
    subs    m, m, #3
    b.ne    10b
    return
11: tile    2
    sub     m, m, #2
12: cmp     m, #2
    b.lo    13f
    tile    2
    return
13: tile    1
    return
endfunc
.endm

    tiles_of_panel kai_tiles_of_panel_f16_3x16_neon_fhm, 4
    tiles_of_panel kai_tiles_of_panel_f16_3x8_neon_fhm, 2
