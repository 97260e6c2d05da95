// The loops of the packers of bf16p (pack_neon_bf16.cpp): f32 or f16 to bf16, to nearest,
// ties to even; subnormals stay; a NaN keeps its sign and upper bits and becomes quiet.
//
// BFCVTN does it, but keeps one pipe of two (two of four) busy twice, as FCVTL does. So a part of the vectors is
// rounded by integer operations: x + 0x7FFF, and one more if the bit above is odd, of which ADDHN keeps the upper half.
// That is right except for NaN: these inputs are also multiplied, two by two, and added, and if that sum is a NaN, the
// function says so: its caller does it again with BFCVTN alone (kai_pack_row_bf16_f32_neon does that itself).
// (Infinities and huge values may also make the sum one. That costs time, nothing else.)
//
// Instructions are in an order for in-order cores: loads are one step ahead, and so are the first
// operations on what they bring. The last step loads what it has, again.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+bf16
#include "kai/engines/asm/asm.h"

// v28 = 0x7FFF, v29 = 0x10000, sums of products v30 and v31 = 0.
.macro integer_constants
    movi    v28.4s, #0x7F, msl #8
    movi    v29.4s, #1, lsl #16
    movi    v30.2d, #0
    movi    v31.2d, #0
.endm

// x0 = 0 if there may have been a NaN.
.macro return_right
    fadd    v30.4s, v30.4s, v31.4s
    fcmeq   v30.4s, v30.4s, v30.4s
    uminv   s30, v30.4s
    fmov    w0, s30
.endm

// d = -1 if bf16(x), truncated, is odd; then d = what is added to x.
.macro odd d, x
    cmtst   v\d\().4s, v\x\().4s, v29.4s
.endm
.macro increment d, rest:vararg
    sub     v\d\().4s, v28.4s, v\d\().4s
    .ifnb \rest
    increment \rest
    .endif
.endm
.macro product sum, a, b
    fmla    v\sum\().4s, v\a\().4s, v\b\().4s
.endm
.macro round_low d, x, increment
    addhn   v\d\().4h, v\x\().4s, v\increment\().4s
.endm
.macro round_high d, x, increment
    addhn2  v\d\().8h, v\x\().4s, v\increment\().4s
.endm


// ---- Rows: 8 places, one element (vector) each per step, go to one after the other
//
// uint32_t name(size_t steps, const void* src, size_t stride, size_t pitch, void* dst)
// steps >= 1, stride: bytes from one place to the next; pitch: bytes from one step to the next

// Places in x1, x5 - x11; x12 = offset of the step; v0 - v7 = the first one.
.macro rows_begin
    add     x5, x1, x2
    add     x6, x1, x2, lsl #1
    add     x7, x5, x2, lsl #1
    add     x8, x1, x2, lsl #2
    add     x9, x5, x2, lsl #2
    add     x10, x6, x2, lsl #2
    add     x11, x7, x2, lsl #2
    ldr     q4, [x8]
    ldr     q5, [x9]
    ldr     q6, [x10]
    ldr     q7, [x11]
    ldr     q0, [x1]
    ldr     q1, [x5]
    ldr     q2, [x6]
    ldr     q3, [x7]
    mov     x12, #0
    integer_constants
.endm

// 4 elements a place: 64 bytes a step. v16, v17 by BFCVTN; v18, v19 by integer operations, v20 - v23 being what is
// added to v4 - v7: it is there when a step begins. \load: next_of_rows or next_of_row.
.macro next_of_rows n, place
    ldr     q\n, [\place, x12]
.endm
.macro next_of_row n, place
    ldr     q\n, [x12, #16 * \n]
.endm
.macro round_rows_f32 load
    odd     20, 4
    odd     21, 5
    odd     22, 6
    odd     23, 7
    increment 20, 21, 22, 23
0:
    round_low 18, 4, 20
    round_low 19, 6, 22
    subs    x0, x0, #1
    bfcvtn  v16.4h, v0.4s
    bfcvtn  v17.4h, v2.4s
    csel    x13, x3, xzr, ne
    product 30, 4, 5
    product 31, 6, 7
    add     x12, x12, x13
    \load   4, x8
    \load   6, x10
    \load   0, x1
    \load   2, x6
    round_high 18, 5, 21
    round_high 19, 7, 23
    \load   5, x9
    odd     20, 4
    odd     22, 6
    \load   7, x11
    bfcvtn2 v16.8h, v1.4s
    bfcvtn2 v17.8h, v3.4s
    \load   1, x5
    odd     21, 5
    odd     23, 7
    \load   3, x7
    stp     q18, q19, [x4, #32]
    increment 20, 22
    stp     q16, q17, [x4], #64
    increment 21, 23
    b.ne    0b
    return_right
.endm
func kai_pack_rows_bf16_f32_neon, hidden
    rows_begin
    round_rows_f32 next_of_rows
    ret
endfunc

// void kai_pack_row_bf16_f32_neon(size_t steps, const float* src, void* dst)
// steps >= 1
//
// The same for one row: its places lie next to each other, a step takes 32 elements. x12 = first of the step. x1, x2
// and x5 (groups of 8 elements) stay as they are for the second attempt, if there may have been a NaN: the caller can
// leave by a jump to this function.
func kai_pack_row_bf16_f32_neon, hidden
    ldr     q4, [x1, #64]
    ldr     q5, [x1, #80]
    ldr     q6, [x1, #96]
    ldr     q7, [x1, #112]
    integer_constants
    ldr     q0, [x1]
    ldr     q1, [x1, #16]
    ldr     q2, [x1, #32]
    ldr     q3, [x1, #48]
    lsl     x5, x0, #2
    mov     x12, x1
    mov     x4, x2
    mov     x3, #128
    round_rows_f32 next_of_row
    cbz     w0, 1f
    ret
1:                                      // All by BFCVTN.
    ldp     q0, q1, [x1], #32
    subs    x5, x5, #1
    bfcvtn  v2.4h, v0.4s
    bfcvtn2 v2.8h, v1.4s
    str     q2, [x2], #16
    b.ne    1b
    ret
endfunc

// 8 elements a place: 4 of each, and the other 4 of each. Places 0 to 3 by BFCVTN, the others by integer operations;
// those are f32 when a step begins, in v16 - v19, and their other 4 elements in v20 - v23.
.macro widen_rows_4_to_7
    fcvtl   v16.4s, v4.4h
    fcvtl   v17.4s, v5.4h
    fcvtl   v18.4s, v6.4h
    fcvtl   v19.4s, v7.4h
    fcvtl2  v20.4s, v4.8h
    fcvtl2  v21.4s, v5.8h
    fcvtl2  v22.4s, v6.8h
    fcvtl2  v23.4s, v7.8h
.endm
func kai_pack_rows_bf16_f16_neon, hidden
    frame   d8-d15
    rows_begin
    widen_rows_4_to_7
0:
    fcvtl   v4.4s, v0.4h
    fcvtl   v5.4s, v1.4h
    subs    x0, x0, #1
    fcvtl   v6.4s, v2.4h
    fcvtl   v7.4s, v3.4h
    csel    x13, x3, xzr, ne
    odd     8, 16
    odd     9, 17
    add     x12, x12, x13
    odd     10, 18
    odd     11, 19
    fcvtl2  v0.4s, v0.8h
    fcvtl2  v1.4s, v1.8h
    fcvtl2  v2.4s, v2.8h
    fcvtl2  v3.4s, v3.8h
    odd     12, 20
    odd     13, 21
    odd     14, 22
    odd     15, 23
    increment 8, 9, 10, 11
    bfcvtn  v24.4h, v4.4s
    bfcvtn  v25.4h, v6.4s
    ldr     q4, [x8, x12]
    increment 12, 13
    ldr     q6, [x10, x12]
    round_low 26, 16, 8
    round_low 27, 18, 10
    increment 14, 15
    bfcvtn2 v24.8h, v5.4s
    bfcvtn2 v25.8h, v7.4s
    ldr     q5, [x9, x12]
    round_low 10, 20, 12
    round_low 12, 22, 14
    ldr     q7, [x11, x12]
    round_high 26, 17, 9
    round_high 27, 19, 11
    bfcvtn  v8.4h, v0.4s
    bfcvtn  v9.4h, v2.4s
    stp     q24, q25, [x4], #128
    product 30, 16, 17
    product 31, 18, 19
    ldr     q0, [x1, x12]
    round_high 10, 21, 13
    round_high 12, 23, 15
    ldr     q2, [x6, x12]
    fcvtl   v16.4s, v4.4h
    fcvtl   v17.4s, v5.4h
    bfcvtn2 v8.8h, v1.4s
    bfcvtn2 v9.8h, v3.4s
    stp     q26, q27, [x4, #-96]
    product 30, 20, 21
    product 31, 22, 23
    ldr     q1, [x5, x12]
    fcvtl   v18.4s, v6.4h
    fcvtl   v19.4s, v7.4h
    ldr     q3, [x7, x12]
    fcvtl2  v20.4s, v4.8h
    fcvtl2  v21.4s, v5.8h
    stp     q10, q12, [x4, #-32]
    fcvtl2  v22.4s, v6.8h
    fcvtl2  v23.4s, v7.8h
    stp     q8, q9, [x4, #-64]
    b.ne    0b
    return_right
    return
endfunc

// ---- Columns: 12 of them, 4 rows per step, become 4 elements of column 0, 4 of column 1, ...
//
// uint32_t name(size_t steps, const void* src, size_t stride, void* dst)
// steps >= 1; stride: bytes from one row to the next

.macro columns_begin
    add     x5, x1, x2
    add     x6, x5, x2
    add     x7, x6, x2
    lsl     x8, x2, #2
    integer_constants
.endm
// To the next step, if there is one; pl while there are results left.
.macro columns_next
    subs    x0, x0, #1
    csel    x9, x8, xzr, gt
    add     x1, x1, x9
    add     x5, x5, x9
    add     x6, x6, x9
    add     x7, x7, x9
.endm

// The results of a step (A: 4 columns of row 0, then of row 2; B: of rows 1 and 3) become 4 elements of each column
// while the next step is converted.

.macro load_row_f32 a, b, c, from
    ldp     q\a, q\b, [\from]
    ldr     q\c, [\from, #32]
.endm
.macro load_row_f16 a, b, from
    ldr     q\a, [\from]
    ldr     d\b, [\from, #16]
.endm

// 2 k of 4 columns from A and B; 4 k from those.
.macro zip_2_k low, high, a, b
    zip1    v\low\().8h, v\a\().8h, v\b\().8h
    zip2    v\high\().8h, v\a\().8h, v\b\().8h
.endm
.macro zip_4_k first, second, low, high
    zip1    v\first\().4s, v\low\().4s, v\high\().4s
    zip2    v\second\().4s, v\low\().4s, v\high\().4s
.endm

// Rows 0 and 1 by \convert = bfcvtn, rows 2 and 3 by bfcvtn2; d: .4h or .8h.
.macro convert_2_rows_f32 convert, d, a0, a1, a2, b0, b1, b2
    \convert v16.\d, v\a0\().4s
    \convert v17.\d, v\a1\().4s
    \convert v18.\d, v\a2\().4s
    \convert v19.\d, v\b0\().4s
    \convert v20.\d, v\b1\().4s
    \convert v21.\d, v\b2\().4s
.endm

// All by BFCVTN: transposing keeps the other pipes busy. A: v16 - v18, B: v19 - v21. Returns nothing.
func kai_pack_columns_bf16_f32_neon, hidden
    frame   d8-d8
    columns_begin
    load_row_f32 0, 1, 2, x1
    load_row_f32 3, 4, 5, x5
    load_row_f32 6, 7, 8, x6
    load_row_f32 22, 23, 24, x7
    columns_next
    convert_2_rows_f32 bfcvtn, 4h, 0, 1, 2, 3, 4, 5
    load_row_f32 0, 1, 2, x1
    load_row_f32 3, 4, 5, x5
    convert_2_rows_f32 bfcvtn2, 8h, 6, 7, 8, 22, 23, 24
    load_row_f32 6, 7, 8, x6
    load_row_f32 22, 23, 24, x7
0:
    columns_next
    zip_2_k 25, 26, 16, 19
    bfcvtn  v16.4h, v0.4s
    bfcvtn  v19.4h, v3.4s
    zip_2_k 27, 28, 17, 20
    bfcvtn  v17.4h, v1.4s
    bfcvtn  v20.4h, v4.4s
    zip_2_k 29, 30, 18, 21
    bfcvtn  v18.4h, v2.4s
    load_row_f32 0, 1, 2, x1
    bfcvtn  v21.4h, v5.4s
    load_row_f32 3, 4, 5, x5
    zip_4_k 31, 26, 25, 26
    bfcvtn2 v16.8h, v6.4s
    bfcvtn2 v19.8h, v22.4s
    zip_4_k 25, 28, 27, 28
    bfcvtn2 v17.8h, v7.4s
    bfcvtn2 v20.8h, v23.4s
    zip_4_k 27, 30, 29, 30
    bfcvtn2 v18.8h, v8.4s
    load_row_f32 6, 7, 8, x6
    bfcvtn2 v21.8h, v24.4s
    load_row_f32 22, 23, 24, x7
    stp     q31, q26, [x3], #96
    stp     q25, q28, [x3, #-64]
    stp     q27, q30, [x3, #-32]
    b.pl    0b
    return
endfunc

// Columns 0 - 7 by BFCVTN (A: v8, v17; B: v9, v20); 8 - 11 (A: v24, B: v25) too if \exact, else by integer operations.
// From v0 - v7.
.macro widen_first_f16
    fcvtl   v1.4s, v1.4h
    fcvtl   v3.4s, v3.4h
    fcvtl   v5.4s, v5.4h
    fcvtl   v7.4s, v7.4h
.endm
.macro widen_others_f16 exact
    fcvtl   v8.4s, v0.4h
    fcvtl   v9.4s, v2.4h
    fcvtl   v10.4s, v4.4h
    fcvtl   v11.4s, v6.4h
    .if \exact == 0
    odd     24, 1
    odd     25, 3
    odd     26, 5
    odd     27, 7
    .endif
    fcvtl2  v0.4s, v0.8h
    fcvtl2  v2.4s, v2.8h
    fcvtl2  v4.4s, v4.8h
    fcvtl2  v6.4s, v6.8h
.endm
// \store: also store the previous results.
.macro round_columns_f16 exact, store
    .if \exact == 0
    increment 24, 25, 26, 27
    .endif
    bfcvtn  v8.4h, v8.4s
    bfcvtn  v9.4h, v9.4s
    .ifnb \store
    stp     q16, q15, [x3], #96
    .endif
    bfcvtn  v17.4h, v0.4s
    bfcvtn  v20.4h, v2.4s
    ldr     q0, [x1]
    .if \exact
    bfcvtn  v24.4h, v1.4s
    bfcvtn  v25.4h, v3.4s
    .else
    product 30, 1, 5
    product 31, 3, 7
    ldr     q2, [x5]
    round_low 24, 1, 24
    round_low 25, 3, 25
    .endif
    .ifnb \store
    stp     q18, q22, [x3, #-64]
    .endif
    ldr     d1, [x1, #16]
    bfcvtn2 v8.8h, v10.4s
    bfcvtn2 v9.8h, v11.4s
    ldr     d3, [x5, #16]
    bfcvtn2 v17.8h, v4.4s
    bfcvtn2 v20.8h, v6.4s
    ldr     q4, [x6]
    .if \exact
    ldr     q2, [x5]
    bfcvtn2 v24.8h, v5.4s
    bfcvtn2 v25.8h, v7.4s
    .else
    round_high 24, 5, 26
    round_high 25, 7, 27
    .endif
    .ifnb \store
    stp     q19, q23, [x3, #-32]
    .endif
    ldr     d5, [x6, #16]
    ldr     q6, [x7]
    ldr     d7, [x7, #16]
.endm

.macro columns_f16 name, exact
func \name, hidden
    frame   d8-d15
    columns_begin
    load_row_f16 0, 1, x1
    load_row_f16 2, 3, x5
    load_row_f16 4, 5, x6
    load_row_f16 6, 7, x7
    columns_next
    widen_first_f16
    widen_others_f16 \exact
    round_columns_f16 \exact
0:
    subs    x0, x0, #1
    widen_first_f16
    csel    x9, x8, xzr, gt
    zip_2_k 12, 15, 8, 9
    add     x1, x1, x9
    zip_2_k 13, 22, 17, 20
    add     x5, x5, x9
    zip_2_k 14, 23, 24, 25
    add     x6, x6, x9
    widen_others_f16 \exact
    add     x7, x7, x9
    zip_4_k 16, 15, 12, 15
    zip_4_k 18, 22, 13, 22
    zip_4_k 19, 23, 14, 23
    round_columns_f16 \exact, store
    b.pl    0b
    return_right
    return
endfunc
.endm

    columns_f16 kai_pack_columns_bf16_f16_neon, 0
    columns_f16 kai_pack_columns_bf16_f16_exact_neon, 1
