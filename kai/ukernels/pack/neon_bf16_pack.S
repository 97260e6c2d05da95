// The loops of the packers of bf16p (lhs_pack_bf16p_neon.cpp, rhs_pack_bf16p_neon.cpp): f32 or f16 to bf16, to nearest, ties to even;
// subnormals stay; a NaN keeps its sign and upper bits and becomes quiet.
//
// BFCVTN does it, but keeps one pipe of two (two of four) busy twice, as FCVTL does. So a part of the vectors is rounded
// by integer operations: x + 0x7FFF, and one more if the bit above is odd, of which ADDHN keeps the upper half. That is right but for NaN: the
// inputs are also multiplied, two by two, and added up, and if that sum is a NaN, the function says so: its caller does it again
// with BFCVTN alone. (Infinities among the inputs may also make the sum one. That costs time, nothing else.)
//
// Loads are one iteration ahead; the last one loads what it has, again.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+bf16
#include "kai/asm/asm.h"

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
.macro bfcvtn_pair d, a, b
    bfcvtn  v\d\().4h, v\a\().4s
    bfcvtn2 v\d\().8h, v\b\().4s
.endm

// ---- Rows: 8 places, one element (vector) each a step, go to one after the other
//
// uint32_t name(size_t steps, const void* src, size_t stride, size_t pitch, void* dst)
// steps >= 1, stride: bytes from a place to the next; pitch: bytes from a step to the next

.macro rows_begin
    add     x5, x1, x2
    add     x6, x5, x2
    add     x7, x6, x2
    add     x8, x7, x2
    add     x9, x8, x2
    add     x10, x9, x2
    add     x11, x10, x2
    ldr     q0, [x1]
    ldr     q1, [x5]
    ldr     q2, [x6]
    ldr     q3, [x7]
    ldr     q4, [x8]
    ldr     q5, [x9]
    ldr     q6, [x10]
    ldr     q7, [x11]
    mov     x12, #0
    integer_constants
.endm
// x12 = offset of the next step, if there is one; ne if so.
.macro rows_next
    subs    x0, x0, #1
    csel    x13, x3, xzr, ne
    add     x12, x12, x13
.endm

// 4 elements a place: 64 bytes a step. v16, v17 by BFCVTN, v18, v19 by integer operations.
func kai_pack_rows_bf16_f32_neon, hidden
    rows_begin
0:
    rows_next
    odd     20, 4
    odd     21, 5
    odd     22, 6
    odd     23, 7
    bfcvtn  v16.4h, v0.4s
    bfcvtn  v17.4h, v2.4s
    ldr     q0, [x1, x12]
    increment 20, 21, 22, 23
    ldr     q2, [x6, x12]
    bfcvtn2 v16.8h, v1.4s
    bfcvtn2 v17.8h, v3.4s
    ldr     q1, [x5, x12]
    round_low 18, 4, 20
    round_low 19, 6, 22
    ldr     q3, [x7, x12]
    product 30, 4, 5
    product 31, 6, 7
    ldr     q4, [x8, x12]
    round_high 18, 5, 21
    round_high 19, 7, 23
    ldr     q6, [x10, x12]
    stp     q16, q17, [x4], #64
    ldr     q5, [x9, x12]
    ldr     q7, [x11, x12]
    stp     q18, q19, [x4, #-32]
    b.ne    0b
    return_right
    ret
endfunc

// 8 elements a place: 4 of each, and the other 4 of each. Rows 0 and 1 by BFCVTN, the others by integer operations.
func kai_pack_rows_bf16_f16_neon, hidden
    stp     d8, d9, [sp, #-64]!
    .cfi_adjust_cfa_offset 64
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    stp     d14, d15, [sp, #48]
    rows_begin
    movi    v14.2d, #0
0:
    rows_next
    fcvtl   v18.4s, v2.4h
    fcvtl   v19.4s, v3.4h
    fcvtl   v20.4s, v4.4h
    fcvtl   v21.4s, v5.4h
    fcvtl   v22.4s, v6.4h
    fcvtl   v23.4s, v7.4h
    odd     8, 18
    fcvtl   v16.4s, v0.4h
    odd     9, 19
    fcvtl   v17.4s, v1.4h
    odd     10, 20
    fcvtl2  v2.4s, v2.8h
    odd     11, 21
    fcvtl2  v3.4s, v3.8h
    odd     12, 22
    fcvtl2  v4.4s, v4.8h
    odd     13, 23
    fcvtl2  v5.4s, v5.8h
    increment 8, 9
    fcvtl2  v6.4s, v6.8h
    increment 10, 11
    fcvtl2  v7.4s, v7.8h
    increment 12, 13
    bfcvtn  v24.4h, v16.4s
    round_low 25, 18, 8
    round_low 26, 20, 10
    round_low 27, 22, 12
    fcvtl2  v0.4s, v0.8h
    odd     8, 2
    odd     10, 4
    odd     12, 6
    fcvtl2  v1.4s, v1.8h
    round_high 25, 19, 9
    round_high 26, 21, 11
    round_high 27, 23, 13
    bfcvtn2 v24.8h, v17.4s
    odd     9, 3
    odd     11, 5
    odd     13, 7
    product 30, 18, 19
    product 31, 20, 21
    product 14, 22, 23
    stp     q26, q27, [x4, #32]
    bfcvtn  v16.4h, v0.4s
    ldr     q0, [x1, x12]
    increment 8, 9, 10
    increment 11, 12, 13
    stp     q24, q25, [x4], #128
    round_low 17, 2, 8
    round_low 18, 4, 10
    round_low 19, 6, 12
    bfcvtn2 v16.8h, v1.4s
    ldr     q1, [x5, x12]
    product 30, 2, 3
    ldr     q2, [x6, x12]
    product 31, 4, 5
    ldr     q4, [x8, x12]
    product 14, 6, 7
    ldr     q6, [x10, x12]
    round_high 17, 3, 9
    ldr     q3, [x7, x12]
    round_high 18, 5, 11
    ldr     q5, [x9, x12]
    round_high 19, 7, 13
    ldr     q7, [x11, x12]
    stp     q16, q17, [x4, #-64]
    stp     q18, q19, [x4, #-32]
    b.ne    0b
    fadd    v30.4s, v30.4s, v14.4s
    return_right
    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d14, d15, [sp, #48]
    ldp     d8, d9, [sp], #64
    .cfi_adjust_cfa_offset -64
    ret
endfunc

// ---- Columns: 12 of them, 4 rows a step, become 4 elements of column 0, 4 of column 1, ...
//
// uint32_t name(size_t steps, const void* src, size_t stride, void* dst)
// steps >= 1; stride: bytes from a row to the next

.macro columns_begin
    add     x5, x1, x2
    add     x6, x5, x2
    add     x7, x6, x2
    lsl     x8, x2, #2
    integer_constants
.endm
.macro columns_next
    subs    x0, x0, #1
    csel    x9, x8, xzr, ne
    add     x1, x1, x9
    add     x5, x5, x9
    add     x6, x6, x9
    add     x7, x7, x9
.endm

// 12 columns, 4 at a time. a: of row 0, then of row 2; b: of rows 1 and 3. Stores 4 elements of each column. Clobbers all.
.macro store_12_columns a0, b0, a1, b1, a2, b2, t0, t1, t2
    zip1    v\t0\().8h, v\a0\().8h, v\b0\().8h
    zip2    v\b0\().8h, v\a0\().8h, v\b0\().8h
    zip1    v\t1\().8h, v\a1\().8h, v\b1\().8h
    zip2    v\b1\().8h, v\a1\().8h, v\b1\().8h
    zip1    v\t2\().8h, v\a2\().8h, v\b2\().8h
    zip2    v\b2\().8h, v\a2\().8h, v\b2\().8h
    zip1    v\a0\().4s, v\t0\().4s, v\b0\().4s
    zip2    v\b0\().4s, v\t0\().4s, v\b0\().4s
    zip1    v\a1\().4s, v\t1\().4s, v\b1\().4s
    zip2    v\b1\().4s, v\t1\().4s, v\b1\().4s
    zip1    v\a2\().4s, v\t2\().4s, v\b2\().4s
    zip2    v\b2\().4s, v\t2\().4s, v\b2\().4s
    stp     q\a0, q\b0, [x3], #96
    stp     q\a1, q\b1, [x3, #-64]
    stp     q\a2, q\b2, [x3, #-32]
.endm

.macro load_row_f32 a, b, c, from
    ldp     q\a, q\b, [\from]
    ldr     q\c, [\from, #32]
.endm
.macro load_row_f16 a, b, from
    ldr     q\a, [\from]
    ldr     d\b, [\from, #16]
.endm

// All by BFCVTN: transposing keeps the other pipes busy. Returns nothing.
func kai_pack_columns_bf16_f32_neon, hidden
    columns_begin
    load_row_f32 0, 1, 2, x1
    load_row_f32 3, 4, 5, x5
    load_row_f32 6, 7, 8, x6
    load_row_f32 9, 10, 11, x7
0:
    columns_next
    bfcvtn  v16.4h, v0.4s
    bfcvtn  v17.4h, v1.4s
    bfcvtn  v18.4h, v2.4s
    load_row_f32 0, 1, 2, x1
    bfcvtn  v19.4h, v3.4s
    bfcvtn  v20.4h, v4.4s
    bfcvtn  v21.4h, v5.4s
    load_row_f32 3, 4, 5, x5
    bfcvtn2 v16.8h, v6.4s
    bfcvtn2 v17.8h, v7.4s
    bfcvtn2 v18.8h, v8.4s
    load_row_f32 6, 7, 8, x6
    bfcvtn2 v19.8h, v9.4s
    bfcvtn2 v20.8h, v10.4s
    bfcvtn2 v21.8h, v11.4s
    load_row_f32 9, 10, 11, x7
    store_12_columns 16, 19, 17, 20, 18, 21, 22, 23, 24
    b.ne    0b
    ret
endfunc

// 8 columns by BFCVTN; the last 4 too if \exact, else by integer operations.
.macro columns_f16 name, exact
func \name, hidden
    columns_begin
    load_row_f16 0, 1, x1
    load_row_f16 2, 3, x5
    load_row_f16 4, 5, x6
    load_row_f16 6, 7, x7
0:
    columns_next
    fcvtl   v1.4s, v1.4h
    fcvtl   v3.4s, v3.4h
    fcvtl   v5.4s, v5.4h
    fcvtl   v7.4s, v7.4h
    .if \exact
    bfcvtn_pair 24, 1, 5
    bfcvtn_pair 25, 3, 7
    .else
    odd     26, 1
    odd     27, 3
    .endif
    fcvtl   v16.4s, v0.4h
    fcvtl   v17.4s, v2.4h
    fcvtl   v18.4s, v4.4h
    fcvtl   v19.4s, v6.4h
    .if \exact == 0
    odd     24, 5
    odd     25, 7
    increment 26, 27, 24, 25
    .endif
    fcvtl2  v0.4s, v0.8h
    fcvtl2  v2.4s, v2.8h
    bfcvtn  v20.4h, v16.4s
    bfcvtn  v21.4h, v17.4s
    .if \exact == 0
    round_low 16, 1, 26
    round_low 17, 3, 27
    .endif
    fcvtl2  v4.4s, v4.8h
    fcvtl2  v6.4s, v6.8h
    bfcvtn2 v20.8h, v18.4s
    bfcvtn2 v21.8h, v19.4s
    .if \exact == 0
    round_high 16, 5, 24
    round_high 17, 7, 25
    product 30, 1, 5
    product 31, 3, 7
    .endif
    bfcvtn  v22.4h, v0.4s
    bfcvtn  v23.4h, v2.4s
    load_row_f16 0, 1, x1
    bfcvtn2 v22.8h, v4.4s
    bfcvtn2 v23.8h, v6.4s
    load_row_f16 2, 3, x5
    load_row_f16 4, 5, x6
    load_row_f16 6, 7, x7
    .if \exact
    store_12_columns 20, 21, 22, 23, 24, 25, 16, 17, 18
    .else
    store_12_columns 20, 21, 22, 23, 16, 17, 18, 19, 24
    .endif
    b.ne    0b
    return_right
    ret
endfunc
.endm

    columns_f16 kai_pack_columns_bf16_f16_neon, 0
    columns_f16 kai_pack_columns_bf16_f16_exact_neon, 1
