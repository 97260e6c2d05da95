// dst[n] = clamp(bias[n] + sum over k of lhs[k] * rhs[k][n]), one row, bf16 x bf16 -> f32
//
// BFDOT: each of 4 sums adds the products of 2 k. Of 4 k, the first two go to one sum of the column, the others to its
// second one; the first sum starts at the bias, the second at zero; in the end both are added.
//
// The LHS is 4 k, and 4 k, ... (8 bytes each). An RHS panel is 12 columns: 12 values of bias, then for every 4 k, 4 of
// each column (96 bytes). Three panels at a time, as long as there are three, then one.
//
// Registers
//   v0 - v17   sums: two of each column, 6 vectors of each panel
//   v18, v19   4 k of the row, twice; in the end bounds
//   v20 - v31  12 columns, and the next 12
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+bf16
#include "kai/engines/asm/asm.h"

// void name(size_t m, size_t n, size_t groups, const void* lhs, const void* rhs, void* dst, size_t stride,
//     float lo, float hi)
// m = 1, n >= 1; groups = (k + 3) / 4
n           .req x1                             // columns left
groups      .req x2
row         .req x3
panel_0     .req x4
dst         .req x5
pitch       .req x6                             // bytes of a panel
lhs         .req x7
count       .req x8                             // groups left
panel_1     .req x9
panel_2     .req x10

// The frame: bounds; the columns of a panel.
#define BOUNDS 0
#define COLUMNS 32
#define FRAME 80

// Six vectors, as arguments of macros.
#define SUMS_0 0, 1, 2, 3, 4, 5
#define SUMS_1 6, 7, 8, 9, 10, 11
#define SUMS_2 12, 13, 14, 15, 16, 17
#define THESE 20, 21, 22, 23, 24, 25
#define THOSE 26, 27, 28, 29, 30, 31

// The sums of 12 columns += 4 k of the row, twice, in \r, x 4 k of the columns in b0 - b5. Meanwhile the next 12
// columns, at `at` from `panel`, if any, go to n0 - n5, and the next 4 k of the row, if \next names a vector, to that.
.macro dot_12 s0, s1, s2, s3, s4, s5, r, b0, b1, b2, b3, b4, b5, n0, n1, n2, n3, n4, n5, panel, at, next
    .ifnb \panel
    ldp     q\n0, q\n1, [\panel, #\at]
    .endif
    bfdot   v\s0\().4s, v\b0\().8h, \r\().8h
    bfdot   v\s1\().4s, v\b1\().8h, \r\().8h
    .ifnb \panel
    ldp     q\n2, q\n3, [\panel, #\at + 32]
    .endif
    bfdot   v\s2\().4s, v\b2\().8h, \r\().8h
    bfdot   v\s3\().4s, v\b3\().8h, \r\().8h
    .ifnb \panel
    ldp     q\n4, q\n5, [\panel, #\at + 64]
    .endif
    .ifnb \next
    ld1r    {\next\().2d}, [lhs], #8
    .endif
    bfdot   v\s4\().4s, v\b4\().8h, \r\().8h
    bfdot   v\s5\().4s, v\b5\().8h, \r\().8h
.endm

// 8 k of three panels or of one; `more`: others follow. The first 12 columns are in THESE, the row in v18.
.macro dot_8_depths_3 more
    dot_12  SUMS_0, v18, THESE, THOSE, panel_1, 0, v19
    dot_12  SUMS_1, v18, THOSE, THESE, panel_2, 0
    dot_12  SUMS_2, v18, THESE, THOSE, panel_0, 96
    dot_12  SUMS_0, v19, THOSE, THESE, panel_1, 96
    dot_12  SUMS_1, v19, THESE, THOSE, panel_2, 96
    .ifnb \more
    dot_12  SUMS_2, v19, THOSE, THESE, panel_0, 192, v18
    .else
    dot_12  SUMS_2, v19, THOSE, THESE
    .endif
    add     panel_1, panel_1, #192
    add     panel_2, panel_2, #192
.endm
.macro dot_4_depths_3
    dot_12  SUMS_0, v18, THESE, THOSE, panel_1, 0
    dot_12  SUMS_1, v18, THOSE, THESE, panel_2, 0
    dot_12  SUMS_2, v18, THESE, THOSE
.endm
.macro dot_8_depths_1 more
    dot_12  SUMS_0, v18, THESE, THOSE, panel_0, 96, v19
    .ifnb \more
    dot_12  SUMS_0, v19, THOSE, THESE, panel_0, 192, v18
    .else
    dot_12  SUMS_0, v19, THOSE, THESE
    .endif
.endm
.macro dot_4_depths_1
    dot_12  SUMS_0, v18, THESE, THOSE
.endm

// All k of as many panels. Advances lhs and the panels. Clobbers count, v18 - v31.
.macro multiply_all_k panels
    mov     lhs, row
    cbz     groups, 4f
    ld1r    {v18.2d}, [lhs], #8
    ldp     q20, q21, [panel_0]
    ldp     q22, q23, [panel_0, #32]
    ldp     q24, q25, [panel_0, #64]
    subs    count, groups, #2
    b.lo    3f
    b.eq    2f
1:  // 8 k, and more after them
    dot_8_depths_\panels more
    add     panel_0, panel_0, #192
    subs    count, count, #2
    b.hi    1b
    b.lo    3f
2:  // the last 8 k
    dot_8_depths_\panels
    add     panel_0, panel_0, #192
    b       4f
3:  // the last 4 k
    dot_4_depths_\panels
    add     panel_0, panel_0, #96
4:
.endm

// Sums of 12 columns start at the bias and at 0 (v31). Advances the panel. Clobbers v28 - v30.
.macro start s0, s1, s2, s3, s4, s5, panel
    ldp     q28, q29, [\panel]
    ldr     q30, [\panel, #32]
    add     \panel, \panel, #48
    zip1    v\s0\().4s, v28.4s, v31.4s
    zip2    v\s1\().4s, v28.4s, v31.4s
    zip1    v\s2\().4s, v29.4s, v31.4s
    zip2    v\s3\().4s, v29.4s, v31.4s
    zip1    v\s4\().4s, v30.4s, v31.4s
    zip2    v\s5\().4s, v30.4s, v31.4s
.endm

// 12 results to `to`: min(max(x, v18), v19), NaN stays NaN.
.macro store_12 s0, s1, s2, s3, s4, s5, to, at
    faddp   v\s0\().4s, v\s0\().4s, v\s1\().4s
    faddp   v\s2\().4s, v\s2\().4s, v\s3\().4s
    faddp   v\s4\().4s, v\s4\().4s, v\s5\().4s
    fmax    v\s0\().4s, v\s0\().4s, v18.4s
    fmax    v\s2\().4s, v\s2\().4s, v18.4s
    fmax    v\s4\().4s, v\s4\().4s, v18.4s
    fmin    v\s0\().4s, v\s0\().4s, v19.4s
    fmin    v\s2\().4s, v\s2\().4s, v19.4s
    fmin    v\s4\().4s, v\s4\().4s, v19.4s
    stp     q\s0, q\s2, [\to, #\at]
    str     q\s4, [\to, #\at + 32]
.endm

func kai_kernel_matmul_clamp_f32_bf16p1x4_bf16p12x4b_1x36_neon_dot, hidden
    frame   d8-d15, space=FRAME
    dup     v18.4s, v0.s[0]
    dup     v19.4s, v1.s[0]
    stp     q18, q19, [sp, #BOUNDS]
    mov     x11, #96
    madd    pitch, groups, x11, xzr
    add     pitch, pitch, #48
    subs    n, n, #36
    b.lo    6f

5:  // three panels
    movi    v31.2d, #0
    add     panel_1, panel_0, pitch
    add     panel_2, panel_1, pitch
    start   SUMS_0, panel_0
    start   SUMS_1, panel_1
    start   SUMS_2, panel_2
    multiply_all_k 3
    ldp     q18, q19, [sp, #BOUNDS]
    add     panel_0, panel_0, pitch, lsl #1
    store_12 SUMS_0, dst, 0
    store_12 SUMS_1, dst, 48
    store_12 SUMS_2, dst, 96
    add     dst, dst, #144
    subs    n, n, #36
    b.hs    5b

6:  // a panel; n is 36 less than the columns left
    adds    n, n, #36
    b.eq    9f
7:
    movi    v31.2d, #0
    start   SUMS_0, panel_0
    multiply_all_k 1
    ldp     q18, q19, [sp, #BOUNDS]
    cmp     n, #12
    b.lo    8f
    store_12 SUMS_0, dst, 0
    add     dst, dst, #48
    subs    n, n, #12
    b.ne    7b
    b       9f

8:  // less than a panel
    store_12 SUMS_0, sp, COLUMNS
    add     x11, sp, #COLUMNS
0:
    ldr     w12, [x11], #4
    str     w12, [dst], #4
    subs    n, n, #1
    b.ne    0b
9:
    return
endfunc
