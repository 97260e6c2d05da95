// The loops of the packers of bf16p (pack_neon_bf16.cpp): f32 or f16 to bf16, to nearest,
// ties to even; subnormals stay; a NaN keeps its sign and upper bits and becomes quiet.
//
// BFCVTN does it, but occupies one pipe of two (two of four) for two cycles, as FCVTL does. So part of the vectors is
// rounded by integer operations: x + 0x7FFF, and one more if the bit above is odd; ADDHN keeps the upper half.
// That is right except for NaN. To detect one, these inputs are also multiplied in pairs and added up. If that sum is a
// NaN, the function returns 0, and its caller repeats the work with BFCVTN alone (kai_pack_row_bf16_f32_neon does that
// itself). (Infinities and huge values may also make the sum a NaN. That costs time, nothing else.)
//
// Scheduled for in-order cores: loads are one step ahead, and so are the first operations on their
// results. The last step reloads its own operands. Unscheduled, a step is: load, convert some vectors by
// BFCVTN, the others by `odd`, `increment`, `round_low` or `round_high`, and `product`; transpose (columns); store.
//
//   below_half, lowest  v28, v29    0x7FFF; 0x10000, the last bit that stays
//   nan_a, nan_b        v30, v31    sums of products
// Rows
//   steps  x0, place0 - place7  x1, x5 - x11, stride  x2, pitch  x3, dst  x4, at  x12: the step's offset in a place
//   in0 - in7           v0 - v7     a vector of each place
//   f32: up4 - up7      v20 - v23   what is added to in4 - in7
//        out01 out23, out45 out67   v16 - v19     results of two places each
//   f16: first0 - first3, other0 - other3   v4 - v7, v0 - v3    places 0 to 3 in f32: the first 4 elements, the others
//        first4 - first7, other4 - other7   v16 - v23           places 4 to 7
//        up4 - up7, more4 - more7           v8 - v15            what is added to first4 - first7, to other4 - other7
//        out01 out23 out45 out67            v24 - v27           results of the first 4 elements
//        rest01 rest23, rest45, rest67      v8, v9, v10, v12    of the others
// Columns
//   steps  x0, row0 - row3  x1, x5 - x7, out  x3; step, next_step  x8, x9
//   f32: v0 - v2, v3 - v5, v6 - v8, v22 - v24    12 columns of rows 0, 1, 2, 3
//        v16 - v18, v19 - v21    A, B: results of rows 0 and 2, of rows 1 and 3; 4 columns each
//        v25 - v31               2 k, then 4 k of each column
//   f16: v0 v1, v2 v3, v4 v5, v6 v7    8 columns and 4 columns of rows 0, 1, 2, 3; v8 - v11 columns 0 - 3 in f32
//        v8 v17 v24, v9 v20 v25  A, B; columns 8 - 11 (v24, v25) with increments v24 - v27 before
//        v12 - v14, v15, v22, v23      2 k of each column; v16 v15, v18 v22, v19 v23  4 k
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+bf16
#include "kai/engines/asm/asm.h"

    regs    28, below_half, lowest, nan_a, nan_b

// below_half, lowest; nan_a, nan_b = 0.
.macro integer_constants
    movi    below_half.4s, #0x7F, msl #8
    movi    lowest.4s, #1, lsl #16
    movi    nan_a.2d, #0
    movi    nan_b.2d, #0
.endm

// x0 = 0 if there may have been a NaN. Changes nan_a.
.macro return_right
    fadd    nan_a.4s, nan_a.4s, nan_b.4s
    fcmeq   nan_a.4s, nan_a.4s, nan_a.4s
    uminv   s30, nan_a.4s
    fmov    w0, s30
.endm

// d = -1 if bf16(x), truncated, is odd.
.macro odd d, x
    cmtst   \d\().4s, \x\().4s, lowest.4s
.endm
// Then each d = what is added to x.
.macro increment d, rest:vararg
    sub     \d\().4s, below_half.4s, \d\().4s
    .ifnb \rest
    increment \rest
    .endif
.endm
.macro product sum, a, b
    fmla    \sum\().4s, \a\().4s, \b\().4s
.endm
// d, its low or high half = bf16(x), rounded by what is added to x.
.macro round_low d, x, up
    addhn   \d\().4h, \x\().4s, \up\().4s
.endm
.macro round_high d, x, up
    addhn2  \d\().8h, \x\().4s, \up\().4s
.endm

// ---- Rows: 8 places, one element (vector) each per step, go to one after the other
//
// uint32_t name(size_t steps, const void* src, size_t stride, size_t pitch, void* dst)
// steps >= 1, stride: bytes from one place to the next; pitch: bytes from one step to the next

steps   .req x0
stride  .req x2
pitch   .req x3
dst     .req x4
at      .req x12
place0  .req x1
place1  .req x5
place2  .req x6
place3  .req x7
place4  .req x8
place5  .req x9
place6  .req x10
place7  .req x11

    regs    0, in0, in1, in2, in3, in4, in5, in6, in7

// Places, in and `at` of the first step; constants.
.macro rows_begin
    add     place1, place0, stride
    add     place2, place0, stride, lsl #1
    add     place3, place1, stride, lsl #1
    add     place4, place0, stride, lsl #2
    add     place5, place1, stride, lsl #2
    add     place6, place2, stride, lsl #2
    add     place7, place3, stride, lsl #2
    ldr     qin4, [place4]
    ldr     qin5, [place5]
    ldr     qin6, [place6]
    ldr     qin7, [place7]
    ldr     qin0, [place0]
    ldr     qin1, [place1]
    ldr     qin2, [place2]
    ldr     qin3, [place3]
    mov     at, #0
    integer_constants
.endm

// 4 elements a place: 64 bytes a step. Places 0 to 3 by BFCVTN, the others by integer operations; up4 - up7 are
// there when a step begins. load: next_of_rows or next_of_row.

    regs    16, out01, out23, out45, out67, up4, up5, up6, up7

// in<n> of the next step: of rows, and of one row.
.macro next_of_rows n, place
    ldr     qin\n, [\place, at]
.endm
.macro next_of_row n, place
    ldr     qin\n, [at, #16 * \n]
.endm
// All steps; then x0 is 0 if there may have been a NaN.
.macro round_rows_f32 load
    odd     up4, in4
    odd     up5, in5
    odd     up6, in6
    odd     up7, in7
    increment up4, up5, up6, up7
0:
    round_low out45, in4, up4
    round_low out67, in6, up6
    subs    steps, steps, #1
    bfcvtn  out01.4h, in0.4s
    bfcvtn  out23.4h, in2.4s
    csel    x13, pitch, xzr, ne
    product nan_a, in4, in5
    product nan_b, in6, in7
    add     at, at, x13
    \load   4, place4
    \load   6, place6
    \load   0, place0
    \load   2, place2
    round_high out45, in5, up5
    round_high out67, in7, up7
    \load   5, place5
    odd     up4, in4
    odd     up6, in6
    \load   7, place7
    bfcvtn2 out01.8h, in1.4s
    bfcvtn2 out23.8h, in3.4s
    \load   1, place1
    odd     up5, in5
    odd     up7, in7
    \load   3, place3
    stp     qout45, qout67, [dst, #32]
    increment up4, up6
    stp     qout01, qout23, [dst], #64
    increment up5, up7
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
    ldr     qin4, [x1, #64]
    ldr     qin5, [x1, #80]
    ldr     qin6, [x1, #96]
    ldr     qin7, [x1, #112]
    integer_constants
    ldr     qin0, [x1]
    ldr     qin1, [x1, #16]
    ldr     qin2, [x1, #32]
    ldr     qin3, [x1, #48]
    lsl     x5, x0, #2
    mov     at, x1
    mov     dst, x2
    mov     pitch, #128
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
// those are f32 when a step begins.

    unreg   out01, out23, out45, out67, up4, up5, up6, up7
    regs    0, other0, other1, other2, other3, first0, first1, first2, first3
    regs    8, up4, up5, up6, up7, more4, more5, more6, more7
    regs    8, rest01, rest23, rest45
    reg     rest67, 12
    regs    16, first4, first5, first6, first7, other4, other5, other6, other7
    regs    24, out01, out23, out45, out67

// f32 of in4 - in7.
.macro widen_rows_4_to_7
    fcvtl   first4.4s, in4.4h
    fcvtl   first5.4s, in5.4h
    fcvtl   first6.4s, in6.4h
    fcvtl   first7.4s, in7.4h
    fcvtl2  other4.4s, in4.8h
    fcvtl2  other5.4s, in5.8h
    fcvtl2  other6.4s, in6.8h
    fcvtl2  other7.4s, in7.8h
.endm
func kai_pack_rows_bf16_f16_neon, hidden
    frame   d8-d15
    rows_begin
    widen_rows_4_to_7
0:
    fcvtl   first0.4s, in0.4h
    fcvtl   first1.4s, in1.4h
    subs    steps, steps, #1
    fcvtl   first2.4s, in2.4h
    fcvtl   first3.4s, in3.4h
    csel    x13, pitch, xzr, ne
    odd     up4, first4
    odd     up5, first5
    add     at, at, x13
    odd     up6, first6
    odd     up7, first7
    fcvtl2  other0.4s, in0.8h
    fcvtl2  other1.4s, in1.8h
    fcvtl2  other2.4s, in2.8h
    fcvtl2  other3.4s, in3.8h
    odd     more4, other4
    odd     more5, other5
    odd     more6, other6
    odd     more7, other7
    increment up4, up5, up6, up7
    bfcvtn  out01.4h, first0.4s
    bfcvtn  out23.4h, first2.4s
    ldr     qin4, [place4, at]
    increment more4, more5
    ldr     qin6, [place6, at]
    round_low out45, first4, up4
    round_low out67, first6, up6
    increment more6, more7
    bfcvtn2 out01.8h, first1.4s
    bfcvtn2 out23.8h, first3.4s
    ldr     qin5, [place5, at]
    round_low rest45, other4, more4
    round_low rest67, other6, more6
    ldr     qin7, [place7, at]
    round_high out45, first5, up5
    round_high out67, first7, up7
    bfcvtn  rest01.4h, other0.4s
    bfcvtn  rest23.4h, other2.4s
    stp     qout01, qout23, [dst], #128
    product nan_a, first4, first5
    product nan_b, first6, first7
    ldr     qin0, [place0, at]
    round_high rest45, other5, more5
    round_high rest67, other7, more7
    ldr     qin2, [place2, at]
    fcvtl   first4.4s, in4.4h
    fcvtl   first5.4s, in5.4h
    bfcvtn2 rest01.8h, other1.4s
    bfcvtn2 rest23.8h, other3.4s
    stp     qout45, qout67, [dst, #-96]
    product nan_a, other4, other5
    product nan_b, other6, other7
    ldr     qin1, [place1, at]
    fcvtl   first6.4s, in6.4h
    fcvtl   first7.4s, in7.4h
    ldr     qin3, [place3, at]
    fcvtl2  other4.4s, in4.8h
    fcvtl2  other5.4s, in5.8h
    stp     qrest45, qrest67, [dst, #-32]
    fcvtl2  other6.4s, in6.8h
    fcvtl2  other7.4s, in7.8h
    stp     qrest01, qrest23, [dst, #-64]
    b.ne    0b
    return_right
    return
endfunc

// ---- Columns: 12 of them, 4 rows per step, become 4 elements of column 0, 4 of column 1, ...
//
// uint32_t name(size_t steps, const void* src, size_t stride, void* dst)
// steps >= 1; stride: bytes from one row to the next

row0    .req x1
row1    .req x5
row2    .req x6
row3    .req x7
out     .req x3
step    .req x8                                 // bytes of 4 rows
next_step .req x9                               // the same, or 0 after the last

// The rows of the first step, `step`, constants.
.macro columns_begin
    add     row1, row0, stride
    add     row2, row1, stride
    add     row3, row2, stride
    lsl     step, stride, #2
    integer_constants
.endm
// Moves on to the next step, if there is one; condition pl while results are left.
.macro columns_next
    subs    steps, steps, #1
    csel    next_step, step, xzr, gt
    add     row0, row0, next_step
    add     row1, row1, next_step
    add     row2, row2, next_step
    add     row3, row3, next_step
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
    load_row_f32 0, 1, 2, row0
    load_row_f32 3, 4, 5, row1
    load_row_f32 6, 7, 8, row2
    load_row_f32 22, 23, 24, row3
    columns_next
    convert_2_rows_f32 bfcvtn, 4h, 0, 1, 2, 3, 4, 5
    load_row_f32 0, 1, 2, row0
    load_row_f32 3, 4, 5, row1
    convert_2_rows_f32 bfcvtn2, 8h, 6, 7, 8, 22, 23, 24
    load_row_f32 6, 7, 8, row2
    load_row_f32 22, 23, 24, row3
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
    load_row_f32 0, 1, 2, row0
    bfcvtn  v21.4h, v5.4s
    load_row_f32 3, 4, 5, row1
    zip_4_k 31, 26, 25, 26
    bfcvtn2 v16.8h, v6.4s
    bfcvtn2 v19.8h, v22.4s
    zip_4_k 25, 28, 27, 28
    bfcvtn2 v17.8h, v7.4s
    bfcvtn2 v20.8h, v23.4s
    zip_4_k 27, 30, 29, 30
    bfcvtn2 v18.8h, v8.4s
    load_row_f32 6, 7, 8, row2
    bfcvtn2 v21.8h, v24.4s
    load_row_f32 22, 23, 24, row3
    stp     q31, q26, [out], #96
    stp     q25, q28, [out, #-64]
    stp     q27, q30, [out, #-32]
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
// After that, the others; of columns 8 - 11 also `odd` of what is not exact.
.macro widen_others_f16 exact
    fcvtl   v8.4s, v0.4h
    fcvtl   v9.4s, v2.4h
    fcvtl   v10.4s, v4.4h
    fcvtl   v11.4s, v6.4h
    .if \exact == 0
    odd     v24, v1
    odd     v25, v3
    odd     v26, v5
    odd     v27, v7
    .endif
    fcvtl2  v0.4s, v0.8h
    fcvtl2  v2.4s, v2.8h
    fcvtl2  v4.4s, v4.8h
    fcvtl2  v6.4s, v6.8h
.endm
// \store: also store the previous results.
.macro round_columns_f16 exact, store
    .if \exact == 0
    increment v24, v25, v26, v27
    .endif
    bfcvtn  v8.4h, v8.4s
    bfcvtn  v9.4h, v9.4s
    .ifnb \store
    stp     q16, q15, [out], #96
    .endif
    bfcvtn  v17.4h, v0.4s
    bfcvtn  v20.4h, v2.4s
    ldr     q0, [row0]
    .if \exact
    bfcvtn  v24.4h, v1.4s
    bfcvtn  v25.4h, v3.4s
    .else
    product nan_a, v1, v5
    product nan_b, v3, v7
    ldr     q2, [row1]
    round_low v24, v1, v24
    round_low v25, v3, v25
    .endif
    .ifnb \store
    stp     q18, q22, [out, #-64]
    .endif
    ldr     d1, [row0, #16]
    bfcvtn2 v8.8h, v10.4s
    bfcvtn2 v9.8h, v11.4s
    ldr     d3, [row1, #16]
    bfcvtn2 v17.8h, v4.4s
    bfcvtn2 v20.8h, v6.4s
    ldr     q4, [row2]
    .if \exact
    ldr     q2, [row1]
    bfcvtn2 v24.8h, v5.4s
    bfcvtn2 v25.8h, v7.4s
    .else
    round_high v24, v5, v26
    round_high v25, v7, v27
    .endif
    .ifnb \store
    stp     q19, q23, [out, #-32]
    .endif
    ldr     d5, [row2, #16]
    ldr     q6, [row3]
    ldr     d7, [row3, #16]
.endm

// uint32_t name(steps, src, stride, dst) as above; exact: 1, all by BFCVTN, or 0.
.macro columns_f16 name, exact
func \name, hidden
    frame   d8-d15
    columns_begin
    load_row_f16 0, 1, row0
    load_row_f16 2, 3, row1
    load_row_f16 4, 5, row2
    load_row_f16 6, 7, row3
    columns_next
    widen_first_f16
    widen_others_f16 \exact
    round_columns_f16 \exact
0:
    subs    steps, steps, #1
    widen_first_f16
    csel    next_step, step, xzr, gt
    zip_2_k 12, 15, 8, 9
    add     row0, row0, next_step
    zip_2_k 13, 22, 17, 20
    add     row1, row1, next_step
    zip_2_k 14, 23, 24, 25
    add     row2, row2, next_step
    widen_others_f16 \exact
    add     row3, row3, next_step
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
