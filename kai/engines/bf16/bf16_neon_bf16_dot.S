// dst[n] = clamp(bias[n] + sum over k of lhs[k] * rhs[k][n]), one row, bf16 x bf16 -> f32
//
// BFDOT: each of 4 sums adds the products of 2 k. A column has two sums: of 4 k, the first two go to one, the others to
// the second. The first sum starts at the bias, the second at zero; at the end both are added.
//
// The LHS is 4 k, and 4 k, ... (8 bytes each). An RHS panel is 12 columns: 12 values of bias, then for every 4 k, 4 of
// each column (96 bytes). Three panels at a time, as long as there are three, then one.
//
// 4 k of panel p, with the row (k 0 1 2 3 0 1 2 3) in Re, of the next 4 k in Ro, ...:
//
//          | Be_0   Be_1   Be_2   Be_3   Be_4   Be_5        the next 12 columns: Bo_0 ..., then Be_0 ... again
//     -----+-----------------------------------------
//     Re   | S<p>_0 S<p>_1 S<p>_2 S<p>_3 S<p>_4 S<p>_5      columns 2 i and 2 i + 1, two sums each
//
//   S0_0 ... S0_5, S1_0 ... S2_5  v0 - v17    sums of panels 0, 1, 2
//   Re, Ro                        v18, v19    the row; in the end bounds: low, high
//   Be_0 ... Be_5, Bo_0 ... Bo_5  v20 - v31   columns
//   At the start of a tile: bias_0, bias_1, bias_2, zero  v28 - v31
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

    regs    0, S0_0, S0_1, S0_2, S0_3, S0_4, S0_5, S1_0, S1_1, S1_2, S1_3, S1_4, S1_5
    regs    12, S2_0, S2_1, S2_2, S2_3, S2_4, S2_5
    regs    18, Re, Ro, Be_0, Be_1, Be_2, Be_3, Be_4, Be_5, Bo_0, Bo_1, Bo_2, Bo_3, Bo_4, Bo_5
    regs    18, low, high
    regs    28, bias_0, bias_1, bias_2, zero

// Sums of panel p += R<row> * B<set>, 4 k. Meanwhile the next 12 columns, at byte `at` of `panel`, go to B<other>, and
// the next 4 k of the row to R<row_next>, unless these are `none`.
.macro dot_12 p, row, set, other=none, panel=none, at=0, row_next=none
    .ifnc \panel, none
    ldp     qB\other\()_0, qB\other\()_1, [\panel, #\at]
    .endif
    bfdot   S\p\()_0.4s, B\set\()_0.8h, R\row\().8h
    bfdot   S\p\()_1.4s, B\set\()_1.8h, R\row\().8h
    .ifnc \panel, none
    ldp     qB\other\()_2, qB\other\()_3, [\panel, #\at + 32]
    .endif
    bfdot   S\p\()_2.4s, B\set\()_2.8h, R\row\().8h
    bfdot   S\p\()_3.4s, B\set\()_3.8h, R\row\().8h
    .ifnc \panel, none
    ldp     qB\other\()_4, qB\other\()_5, [\panel, #\at + 64]
    .endif
    .ifnc \row_next, none
    ld1r    {R\row_next\().2d}, [lhs], #8
    .endif
    bfdot   S\p\()_4.4s, B\set\()_4.8h, R\row\().8h
    bfdot   S\p\()_5.4s, B\set\()_5.8h, R\row\().8h
.endm

// 8 k of three panels; is_last: `last`, or `more` if further k follow. In: Re and Be, columns of panel 0, are loaded.
// Out: those of the next 8 k are, if there are any. Moves panel_1 and panel_2 on.
.macro dot_8_depths_3 is_last
    dot_12  0, e, e, o, panel_1, 0, o
    dot_12  1, e, o, e, panel_2, 0
    dot_12  2, e, e, o, panel_0, 96
    dot_12  0, o, o, e, panel_1, 96
    dot_12  1, o, e, o, panel_2, 96
    .ifc \is_last, last
    dot_12  2, o, o
    .else
    dot_12  2, o, o, e, panel_0, 192, e
    .endif
    add     panel_1, panel_1, #192
    add     panel_2, panel_2, #192
.endm
.macro dot_4_depths_3
    dot_12  0, e, e, o, panel_1, 0
    dot_12  1, e, o, e, panel_2, 0
    dot_12  2, e, e
.endm
// As dot_8_depths_3, panel 0 alone.
.macro dot_8_depths_1 is_last
    dot_12  0, e, e, o, panel_0, 96, o
    .ifc \is_last, last
    dot_12  0, o, o
    .else
    dot_12  0, o, o, e, panel_0, 192, e
    .endif
.endm
.macro dot_4_depths_1
    dot_12  0, e, e
.endm

// S += row * panels, all k of 1 or 3 panels, which it moves to their ends. Changes lhs, count, R, B.
.macro multiply_all_k panels
    mov     lhs, row
    cbz     groups, 4f
    ld1r    {Re.2d}, [lhs], #8
    ldp     qBe_0, qBe_1, [panel_0]
    ldp     qBe_2, qBe_3, [panel_0, #32]
    ldp     qBe_4, qBe_5, [panel_0, #64]
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
    dot_8_depths_\panels last
    add     panel_0, panel_0, #192
    b       4f
3:  // the last 4 k
    dot_4_depths_\panels
    add     panel_0, panel_0, #96
4:
.endm

// Sums of panel p start at the bias and at 0 (zero). Moves `panel` behind its bias. Changes bias_0 - bias_2.
.macro start p, panel
    ldp     qbias_0, qbias_1, [\panel]
    ldr     qbias_2, [\panel, #32]
    add     \panel, \panel, #48
    zip1    S\p\()_0.4s, bias_0.4s, zero.4s
    zip2    S\p\()_1.4s, bias_0.4s, zero.4s
    zip1    S\p\()_2.4s, bias_1.4s, zero.4s
    zip2    S\p\()_3.4s, bias_1.4s, zero.4s
    zip1    S\p\()_4.4s, bias_2.4s, zero.4s
    zip2    S\p\()_5.4s, bias_2.4s, zero.4s
.endm

// Both sums of each column of panel p, added, min(max(x, low), high), to byte `at` of `to`. NaN stays NaN.
.macro store_12 p, to, at
    faddp   S\p\()_0.4s, S\p\()_0.4s, S\p\()_1.4s
    faddp   S\p\()_2.4s, S\p\()_2.4s, S\p\()_3.4s
    faddp   S\p\()_4.4s, S\p\()_4.4s, S\p\()_5.4s
    fmax    S\p\()_0.4s, S\p\()_0.4s, low.4s
    fmax    S\p\()_2.4s, S\p\()_2.4s, low.4s
    fmax    S\p\()_4.4s, S\p\()_4.4s, low.4s
    fmin    S\p\()_0.4s, S\p\()_0.4s, high.4s
    fmin    S\p\()_2.4s, S\p\()_2.4s, high.4s
    fmin    S\p\()_4.4s, S\p\()_4.4s, high.4s
    stp     qS\p\()_0, qS\p\()_2, [\to, #\at]
    str     qS\p\()_4, [\to, #\at + 32]
.endm

func kai_kernel_matmul_clamp_f32_bf16p1x4_bf16p12x4b_1x36_neon_dot, hidden
    frame   d8-d15, space=FRAME
    dup     low.4s, v0.s[0]
    dup     high.4s, v1.s[0]
    stp     qlow, qhigh, [sp, #BOUNDS]
    mov     x11, #96
    madd    pitch, groups, x11, xzr
    add     pitch, pitch, #48
    subs    n, n, #36
    b.lo    6f

5:  // three panels
    movi    zero.2d, #0
    add     panel_1, panel_0, pitch
    add     panel_2, panel_1, pitch
    start   0, panel_0
    start   1, panel_1
    start   2, panel_2
    multiply_all_k 3
    ldp     qlow, qhigh, [sp, #BOUNDS]
    add     panel_0, panel_0, pitch, lsl #1
    store_12 0, dst, 0
    store_12 1, dst, 48
    store_12 2, dst, 96
    add     dst, dst, #144
    subs    n, n, #36
    b.hs    5b

6:  // a panel; n is 36 less than the columns left
    adds    n, n, #36
    b.eq    9f
7:
    movi    zero.2d, #0
    start   0, panel_0
    multiply_all_k 1
    ldp     qlow, qhigh, [sp, #BOUNDS]
    cmp     n, #12
    b.lo    8f
    store_12 0, dst, 0
    add     dst, dst, #48
    subs    n, n, #12
    b.ne    7b
    b       9f

8:  // less than a panel
    store_12 0, sp, COLUMNS
    add     x11, sp, #COLUMNS
0:
    ldr     w12, [x11], #4
    str     w12, [dst], #4
    subs    n, n, #1
    b.ne    0b
9:
    return
endfunc
