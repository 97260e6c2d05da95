// The transforms of F(4, 3) in f32, four channels at a time: the operations of conv_winograd.cpp.
//
// Columns first: of five places of each column some rows are made, of these rows the results. All columns of these rows
// stay in registers; no sum is computed twice.
//
//     input     places 0 - 4 of columns -> rows 0, 1, 2 -> results      output     places 0 - 4 -> rows 0, 2
//               places 1 - 5            -> rows 3, 4, 5                            places 1 - 5 -> rows 1, 3
//
//   half_r_c        v0 - v17      row r of those being made, column c; output: two rows, v0 - v11
//   a_0 - a_4       v18 - v22     places of a column; those of the next one are
//   b_0 - b_4       v23 - v27     loaded meanwhile, between the operations
//   even odd        v28, v29      input, of a row: differences of places 4 and 2, 3 and 1
//   result_0        v30           input, of a row
//   sum sum_2       v28, v29      output, of a row: of places 1 and 2, 3 and 4
//   lower upper     v12, v13      output: bounds
//   factors         v31           lanes: an accumulator of FMLA that is a constant would be copied
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/conv/conv_winograd_args.h"

    regs    0, half_0_0, half_0_1, half_0_2, half_0_3, half_0_4, half_0_5
    regs    6, half_1_0, half_1_1, half_1_2, half_1_3, half_1_4, half_1_5
    regs    12, half_2_0, half_2_1, half_2_2, half_2_3, half_2_4, half_2_5
    regs    18, a_0, a_1, a_2, a_3, a_4, b_0, b_1, b_2, b_3, b_4
    regs    28, even, odd, result_0, factors
    regs    12, lower, upper
    regs    28, sum, sum_2
#define FOUR factors.s[0]
#define TWO factors.s[1]
#define EIGHT factors.s[2]
at          .req x8                             // bytes of the channels that are done
place_0     .req x9                             // pointers: to places of a column, to results of a row
place_1     .req x10
place_2     .req x11
place_3     .req x12
place_4     .req x13

// factors = 4, 2, 8; changes x9.
.macro set_factors
    mov     x9, #0x40800000                     // 4
    movk    x9, #0x4000, lsl #48                // 2
    fmov    dfactors, x9
    mov     w9, #0x41000000                     // 8
    mov     factors.s[2], w9
.endm

// `\rows set, column, set of the next column`, for all columns.
.macro of_columns rows, first
    \rows   a, 0, b, \first
    \rows   b, 1, a, \first
    \rows   a, 2, b, \first
    \rows   b, 3, a, \first
    \rows   a, 4, b, \first
    \rows   b, 5, a, \first
.endm

// ---- input: void kai_conv_winograd_input_4(const char* const* pixels, char* to, size_t stride, size_t blocks)
// pixels: 36 pointers, column by column; to: the first of 36 rows, row by row of places, `stride` bytes apart.

pixels      .req x0
to          .req x1
stride      .req x2
blocks      .req x3                             // of four channels
stride_2    .req x4                             // twice the stride, and so on
stride_3    .req x5
stride_4    .req x6
stride_5    .req x7
stride_6    .req x14
result      .req x15

// Set \set, place \i = a place of column \j, unless that is the last one; then the pointers for the column after it.
// Places are counted from \first on.
.macro load_pixel set, i, j, first
    .if \j < 6
    ldr     q\set\()_\i, [place_\i, at]
    .endif
    .if \j < 5 && \i == 1
    ldp     place_0, place_1, [pixels, #(48 * (\j + 1) + 8 * \first)]
    .elseif \j < 5 && \i == 3
    ldp     place_2, place_3, [pixels, #(48 * (\j + 1) + 8 * \first + 16)]
    .elseif \j < 5 && \i == 4
    ldr     place_4, [pixels, #(48 * (\j + 1) + 8 * \first + 32)]
    .endif
.endm
.macro load_first_pixels first
    ldp     place_0, place_1, [pixels, #(8 * \first)]
    ldp     place_2, place_3, [pixels, #(8 * \first + 16)]
    ldr     place_4, [pixels, #(8 * \first + 32)]
    .irp i, 0, 1, 2, 3, 4
    load_pixel a, \i, 0, \first
    .endr
.endm

// Rows 0, 1, 2 (3, 4, 5) of column \j, of set \x. Meanwhile set \next is loaded. Changes \x.
.macro rows_012 x, j, next, first
    fmls    \x\()_4.4s, \x\()_2.4s, FOUR
    load_pixel \next, 0, (\j + 1), \first
    fmls    \x\()_3.4s, \x\()_1.4s, FOUR
    load_pixel \next, 1, (\j + 1), \first
    fsub    half_0_\j\().4s, \x\()_4.4s, \x\()_2.4s
    load_pixel \next, 2, (\j + 1), \first
    fadd    half_1_\j\().4s, \x\()_4.4s, \x\()_3.4s
    load_pixel \next, 3, (\j + 1), \first
    fsub    half_2_\j\().4s, \x\()_4.4s, \x\()_3.4s
    load_pixel \next, 4, (\j + 1), \first
    fmla    half_0_\j\().4s, \x\()_0.4s, FOUR
.endm
.macro rows_345 x, j, next, first
    fsub    \x\()_0.4s, \x\()_2.4s, \x\()_0.4s
    load_pixel \next, 0, (\j + 1), \first
    fsub    half_0_\j\().4s, \x\()_3.4s, \x\()_1.4s
    load_pixel \next, 1, (\j + 1), \first
    fsub    half_2_\j\().4s, \x\()_4.4s, \x\()_2.4s
    load_pixel \next, 2, (\j + 1), \first
    fadd    \x\()_1.4s, \x\()_0.4s, \x\()_0.4s
    load_pixel \next, 3, (\j + 1), \first
    fmls    half_2_\j\().4s, \x\()_0.4s, FOUR
    load_pixel \next, 4, (\j + 1), \first
    fsub    half_1_\j\().4s, half_0_\j\().4s, \x\()_1.4s
    fadd    half_0_\j\().4s, half_0_\j\().4s, \x\()_1.4s
.endm

// The six results of half row \r, to result; which moves on by a row.
.macro results_of_row r
    fsub    even.4s, half_\r\()_4.4s, half_\r\()_2.4s
    fsub    odd.4s, half_\r\()_3.4s, half_\r\()_1.4s
    fsub    half_\r\()_5.4s, half_\r\()_5.4s, half_\r\()_3.4s
    fmls    half_\r\()_4.4s, half_\r\()_2.4s, FOUR
    fmls    half_\r\()_3.4s, half_\r\()_1.4s, FOUR
    fmls    half_\r\()_5.4s, odd.4s, FOUR
    fadd    odd.4s, odd.4s, odd.4s
    fsub    result_0.4s, half_\r\()_4.4s, half_\r\()_2.4s
    fadd    half_\r\()_1.4s, half_\r\()_4.4s, half_\r\()_3.4s
    fsub    half_\r\()_2.4s, half_\r\()_4.4s, half_\r\()_3.4s
    fmla    result_0.4s, half_\r\()_0.4s, FOUR
    fadd    half_\r\()_3.4s, even.4s, odd.4s
    fsub    half_\r\()_4.4s, even.4s, odd.4s
    str     qhalf_\r\()_1, [result, stride]
    str     qhalf_\r\()_2, [result, stride_2]
    str     qresult_0, [result]
    str     qhalf_\r\()_5, [result, stride_5]
    str     qhalf_\r\()_3, [result, stride_3]
    str     qhalf_\r\()_4, [result, stride_4]
    add     result, result, stride_6
.endm

func kai_conv_winograd_input_4, hidden
    frame   d8-d15
    set_factors
    add     stride_2, stride, stride
    add     stride_3, stride_2, stride
    add     stride_4, stride_2, stride_2
    add     stride_5, stride_3, stride_2
    add     stride_6, stride_3, stride_3
    mov     at, #0
1:
    add     result, to, at
    load_first_pixels 0
    of_columns rows_012, 0
    results_of_row 0
    results_of_row 1
    results_of_row 2
    load_first_pixels 1
    of_columns rows_345, 1
    results_of_row 0
    results_of_row 1
    results_of_row 2
    add     at, at, #16
    subs    blocks, blocks, #1
    b.ne    1b
    return
endfunc

// ---- output: void kai_conv_winograd_output_4(const WinogradOutput* args)
// A row of each of 36 matrices, row by row of places, to 16 pixels. The bias of the channels is added to place 1 of
// column 1, whose factor is 1 in all results.

.unreq pixels
.unreq to
.unreq stride
.unreq blocks
args        .req x0
products    .req x1                             // a row of the first matrix
pixels      .req x2                             // pointers, row by row
bias        .req x3
stride      .req x4                             // bytes from one matrix to the next
blocks      .req x5                             // of four channels
bounded     .req w17                            // 0: there are no bounds
row_1       .req x6                             // bytes from a place to that of the next row
row_2       .req x7                             // twice as many, and so on
row_3       .req x14
row_4       .req x15
product     .req x16                            // place 0 (1) of a column
    regs    14, biases

// Set \set, place \i = a place of column \j, unless that is the last one.
.macro load_product set, i, j
    .if \j < 6 && \i == 0
    ldr     q\set\()_0, [product]
    .elseif \j < 6
    ldr     q\set\()_\i, [product, row_\i]
    .endif
    .if \i == 4
    add     product, product, stride
    .endif
.endm
.macro load_first_products
    .irp i, 0, 1, 2, 3, 4
    load_product a, \i, 0
    .endr
.endm

// Rows 0 and 2 (1 and 3) of column \j, of set \x. Meanwhile set \next is loaded. Changes \x.
.macro rows_02 x, j, next, none
    .if \j == 1
    fadd    \x\()_1.4s, \x\()_1.4s, biases.4s
    .endif
    load_product \next, 0, (\j + 1)
    fadd    half_1_\j\().4s, \x\()_1.4s, \x\()_2.4s
    load_product \next, 1, (\j + 1)
    fadd    \x\()_4.4s, \x\()_3.4s, \x\()_4.4s
    load_product \next, 2, (\j + 1)
    fadd    half_0_\j\().4s, \x\()_0.4s, half_1_\j\().4s
    load_product \next, 3, (\j + 1)
    fmla    half_1_\j\().4s, \x\()_4.4s, FOUR
    load_product \next, 4, (\j + 1)
    fadd    half_0_\j\().4s, half_0_\j\().4s, \x\()_4.4s
.endm
.macro rows_13 x, j, next, none
    .if \j == 1
    fadd    \x\()_0.4s, \x\()_0.4s, biases.4s
    .endif
    load_product \next, 0, (\j + 1)
    fsub    half_0_\j\().4s, \x\()_0.4s, \x\()_1.4s
    load_product \next, 1, (\j + 1)
    fsub    \x\()_3.4s, \x\()_2.4s, \x\()_3.4s
    load_product \next, 2, (\j + 1)
    fadd    half_1_\j\().4s, half_0_\j\().4s, \x\()_4.4s
    load_product \next, 3, (\j + 1)
    fmla    half_0_\j\().4s, \x\()_3.4s, TWO
    load_product \next, 4, (\j + 1)
    fmla    half_1_\j\().4s, \x\()_3.4s, EIGHT
.endm

.macro at_least x
    fmax    \x\().4s, \x\().4s, lower.4s
.endm
.macro at_most x
    fmin    \x\().4s, \x\().4s, upper.4s
.endm

// The four results of half row \r, within the bounds, to pixels of row \y.
.macro pixels_of_row r, y
    ldp     place_0, place_1, [pixels, #(32 * \y)]
    ldp     place_2, place_3, [pixels, #(32 * \y + 16)]
    fadd    sum.4s, half_\r\()_1.4s, half_\r\()_2.4s
    fsub    half_\r\()_1.4s, half_\r\()_1.4s, half_\r\()_2.4s
    fadd    sum_2.4s, half_\r\()_3.4s, half_\r\()_4.4s
    fsub    half_\r\()_3.4s, half_\r\()_3.4s, half_\r\()_4.4s
    fadd    half_\r\()_0.4s, half_\r\()_0.4s, sum.4s
    fadd    half_\r\()_5.4s, half_\r\()_1.4s, half_\r\()_5.4s
    fmla    sum.4s, sum_2.4s, FOUR
    fmla    half_\r\()_1.4s, half_\r\()_3.4s, TWO
    fadd    half_\r\()_0.4s, half_\r\()_0.4s, sum_2.4s
    fmla    half_\r\()_5.4s, half_\r\()_3.4s, EIGHT
    cbz     bounded, 2f
    at_least sum
    at_least half_\r\()_1
    at_least half_\r\()_0
    at_least half_\r\()_5
    at_most sum
    at_most half_\r\()_1
    at_most half_\r\()_0
    at_most half_\r\()_5
2:
    str     qsum, [place_2, at]
    str     qhalf_\r\()_1, [place_1, at]
    str     qhalf_\r\()_0, [place_0, at]
    str     qhalf_\r\()_5, [place_3, at]
.endm

func kai_conv_winograd_output_4, hidden
    frame   d8-d15
    set_factors
    ldp     products, pixels, [args, #WINOGRAD_OUTPUT_products]
    ldp     bias, stride, [args, #WINOGRAD_OUTPUT_bias]
    ldr     blocks, [args, #WINOGRAD_OUTPUT_channels]
    lsr     blocks, blocks, #2
    ldr     bounded, [args, #WINOGRAD_OUTPUT_bounded]
    add     place_0, args, #WINOGRAD_OUTPUT_lower
    add     place_1, args, #WINOGRAD_OUTPUT_upper
    ld1r    {lower.4s}, [place_0]
    ld1r    {upper.4s}, [place_1]
    add     row_2, stride, stride
    add     row_1, row_2, stride, lsl #2        // of six matrices
    add     row_2, row_1, row_1
    add     row_3, row_2, row_1
    add     row_4, row_2, row_2
    mov     at, #0
1:
    ldr     qbiases, [bias, at]
    add     product, products, at
    load_first_products
    of_columns rows_02
    pixels_of_row 0, 0
    pixels_of_row 1, 2
    add     product, products, at
    add     product, product, row_1
    load_first_products
    of_columns rows_13
    pixels_of_row 0, 1
    pixels_of_row 1, 3
    add     at, at, #16
    subs    blocks, blocks, #1
    b.ne    1b
    return
endfunc
