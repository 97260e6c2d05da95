// dst[m][n] = clamp(bias[n] + sum over k of lhs[m][k] * rhs[k][n]), bf16 x bf16 -> f32, RHS panels of 8 columns
//
// BFMMLA, as in bf16_neon_bf16_groups.inc: a vector holds 2 x 2 sums, one chain per element that starts at the bias, k
// ascending. So the bits are those of the kernels with 12 columns. Tiles are 4 or 3 pairs of rows x 1 panel, 2 pairs x
// 2 panels or 1, 1 pair x 4 panels or 1: as many sums as it takes not to wait for the last addition.
//
// An LHS panel is 8 rows: for every 4 k, 4 of each row (64 bytes). An RHS panel is 8 columns: 8 values of bias, then
// for every 4 k, 4 of each column (64 bytes). 4 k of panel t, with S<j>_<c>, j = pairs * t + pair of rows:
//
//           | Be_0   Be_1   Be_2   Be_3        the next panel, or the next 4 k: Bo_0 ...; then Be_0 ... again
//     ------+---------------------------
//     Ae_0  | S0_0   S0_1   S0_2   S0_3        rows 0 1; the next 4 k: Ao_0 ...
//     Ae_1  | S1_0   S1_1   S1_2   S1_3        rows 2 3
//     Ae_2  | S2_0   ...                       rows 4 5
//     Ae_3  | S3_0   ...                       rows 6 7
//
// Tiles of 8 rows pass over all columns first, panel by panel; then the last 1 to 6 rows do. 7 rows are 8, of which one
// is not stored. Tiles at the edge are stored on the stack; the rows and columns that exist are copied from there.
//
//   Ae_0 - Ae_3, Ao_0 - Ao_3  v0 - v3, v4 - v7    4 k of a pair of rows
//   Be_0 - Be_3, Bo_0 - Bo_3  v8 - v11, v12 - v15 4 k of a pair of columns
//   S0_0 S0_1 ... S3_3        v16 - v31           sums: row 2 p, columns 2 c and 2 c + 1, then row 2 p + 1
//   After the loop: row_a row_b  v0, v1  what is stored; low, high  v2, v3  bounds
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+bf16
#include "kai/engines/asm/asm.h"

// void name(size_t m, size_t n, size_t groups, const void* lhs, const void* rhs, void* dst, size_t stride,
//     float lo, float hi)
// m, n >= 1; groups = (k + 3) / 4
m           .req x0
n           .req x1
groups      .req x2
lhs_first   .req x3                             // of the rows of this pass
rhs_first   .req x4
dst_first   .req x5
stride      .req x6
lhs         .req x7
count       .req x8                             // groups left
panel_0     .req x9
panel_1     .req x10
panel_2     .req x11
panel_3     .req x12
out         .req x13                            // where the tile goes: dst, or the stack at the edge
out_stride  .req x14
even        .req x15                            // where rows 2 p and 2 p + 1 go; scratch
odd         .req x16
spare       .req x17                            // where a row that does not exist goes
dst         .req x19
columns     .req x20                            // left
rows        .req x21                            // left
pitch       .req x22                            // bytes of an RHS panel
is_bounded  .req x23
rhs         .req x24                            // the panel of columns
dst_column  .req x25                            // row 0 at these columns

// The frame: bounds; 4 vectors of bias, each of 2 columns, twice; a tile of one panel; a row of four.
#define BOUNDS 0
#define BIAS 32
#define TILE (BIAS + 64)
#define SPARE (TILE + 8 * 32)
#define FRAME (SPARE + 4 * 32)

    regs    0, Ae_0, Ae_1, Ae_2, Ae_3, Ao_0, Ao_1, Ao_2, Ao_3, Be_0, Be_1, Be_2, Be_3, Bo_0, Bo_1, Bo_2, Bo_3
    regs    16, S0_0, S0_1, S0_2, S0_3, S1_0, S1_1, S1_2, S1_3, S2_0, S2_1, S2_2, S2_3, S3_0, S3_1, S3_2, S3_3
    regs    0, row_a, row_b, low, high

// `\do t, rest` for each panel t of the tile.
.macro each_panel do, rest:vararg
    \do     0, \rest
    if_more panels, 1, \do 1, \rest
    if_more panels, 2, \do 2, \rest
    if_more panels, 3, \do 3, \rest
.endm
// `\do j, rest` for each j: 4 vectors of sums.
.macro each_square do, rest:vararg
    \do     0, \rest
    if_more (pairs * panels), 1, \do 1, \rest
    if_more (pairs * panels), 2, \do 2, \rest
    if_more (pairs * panels), 3, \do 3, \rest
.endm

// A<set> = 4 k of the rows, at byte `at` of lhs; of all 8 rows: at lhs, which moves on.
.macro load_rows set, at
    .if pairs == 4
    ld1     {A\set\()_0.8h, A\set\()_1.8h, A\set\()_2.8h, A\set\()_3.8h}, [lhs], #64
    .elseif pairs == 1
    ldr     qA\set\()_0, [lhs, #\at]
    .else
    ldp     qA\set\()_0, qA\set\()_1, [lhs, #\at]
    .endif
    when    pairs, 3, ldr qA\set\()_2, [lhs, #\at + 32]
.endm

// S<j> += A<rows>_<p> * B<set>, 4 k.
.macro multiply j, p, rows, set
    bfmmla  S\j\()_0.4s, A\rows\()_\p\().8h, B\set\()_0.8h
    bfmmla  S\j\()_1.4s, A\rows\()_\p\().8h, B\set\()_1.8h
    bfmmla  S\j\()_2.4s, A\rows\()_\p\().8h, B\set\()_2.8h
    bfmmla  S\j\()_3.4s, A\rows\()_\p\().8h, B\set\()_3.8h
.endm
// B<set> = 8 columns, 4 k, at byte `at` of `from`; beside 8 rows: at `from`, which moves on. In two halves, so that few
// rows wait for neither.
.macro load_columns set, from, at
    .if pairs == 4
    ld1     {B\set\()_0.8h, B\set\()_1.8h, B\set\()_2.8h, B\set\()_3.8h}, [\from], #64
    .else
    ldp     qB\set\()_0, qB\set\()_1, [\from, #\at]
    .endif
.endm
.macro load_more_columns set, from, at
    .if pairs < 4
    ldp     qB\set\()_2, qB\set\()_3, [\from, #\at + 32]
    .endif
.endm
// Sums of panel t += A<rows> * B<set>, 4 k. Meanwhile the next 8 columns, at byte `at` of `from`, go to B<other>,
// unless it is `none`.
.macro multiply_panel t, rows, set, other, from, at
    .ifnc \from, none
    load_columns \other, \from, \at
    .endif
    with_number multiply, (\t * pairs), 0, \rows, \set
    .ifnc \from, none
    load_more_columns \other, \from, \at
    .endif
    if_more pairs, 1, with_number multiply, (\t * pairs + 1), 1, \rows, \set
    if_more pairs, 2, with_number multiply, (\t * pairs + 2), 2, \rows, \set
    if_more pairs, 3, with_number multiply, (\t * pairs + 3), 3, \rows, \set
.endm
// 4 k of all panels, at byte `at`, from A<rows> and B<set>. Loads A<next> and 8 columns of the next 4 k, if `from` is
// panel_0; else it is `none`.
.macro group rows, next, set, other, at, from=panel_0
    .ifnc \from, none
    load_rows \next, (\at + 64)
    .endif
    .if panels == 1
    multiply_panel 0, \rows, \set, \other, \from, (\at + 64)
    .elseif panels == 2
    multiply_panel 0, \rows, e, o, panel_1, \at
    multiply_panel 1, \rows, o, e, \from, (\at + 64)
    .else
    multiply_panel 0, \rows, e, o, panel_1, \at
    multiply_panel 1, \rows, o, e, panel_2, \at
    multiply_panel 2, \rows, e, o, panel_3, \at
    multiply_panel 3, \rows, o, e, \from, (\at + 64)
    .endif
.endm
// Moves lhs and the panels on, unless loads do.
.macro advance bytes
    .if pairs < 4
    add     lhs, lhs, #\bytes
    each_panel advance_panel, \bytes
    .endif
.endm
.macro advance_panel t, bytes
    add     panel_\t, panel_\t, #\bytes
.endm

// S += A * B, all groups; there may be none. Moves lhs and the panels to their ends. Changes count, A, B.
.macro all_groups
    cbz     groups, 4f
    load_columns e, panel_0, 0
    load_rows e, 0
    load_more_columns e, panel_0, 0
    subs    count, groups, #2
    b.lo    3f
    b.eq    2f
1:  // 8 k, and more after them
    group   e, o, e, o, 0
    group   o, e, o, e, 64
    advance 128
    subs    count, count, #2
    b.hi    1b
    b.lo    3f
2:  // the last 8 k
    group   e, o, e, o, 0
    group   o, e, o, e, 64, none
    advance 128
    b       4f
3:  // the last 4 k
    group   e, o, e, o, 0, none
    advance 64
4:
.endm

// S<j> = the bias on the stack.
.macro start_at_frame j, rest:vararg
    ldp     qS\j\()_0, qS\j\()_1, [sp, #BIAS]
    ldp     qS\j\()_2, qS\j\()_3, [sp, #BIAS + 32]
.endm
// S of panel t = its bias, each pair of columns twice, for all pairs of rows. Moves the panel behind it.
.macro start_at_panel t, rest:vararg
    with_number load_bias, (\t * pairs), panel_\t
    if_more pairs, 1, with_number load_bias, (\t * pairs + 1), panel_\t
    if_more pairs, 2, with_number load_bias, (\t * pairs + 2), panel_\t
    add     panel_\t, panel_\t, #32
.endm
// S<j> = bias at [panel], each pair of columns twice. Changes even, odd, spare.
.macro load_bias j, panel
    add     even, \panel, #8
    add     odd, \panel, #16
    add     spare, \panel, #24
    ld1r    {S\j\()_0.2d}, [\panel]
    ld1r    {S\j\()_1.2d}, [even]
    ld1r    {S\j\()_2.2d}, [odd]
    ld1r    {S\j\()_3.2d}, [spare]
.endm

// S<j> = op(S, bound). max with low, then min with high: NaN stays NaN.
.macro limit j, op, bound
    \op     S\j\()_0.4s, S\j\()_0.4s, \bound\().4s
    \op     S\j\()_1.4s, S\j\()_1.4s, \bound\().4s
    \op     S\j\()_2.4s, S\j\()_2.4s, \bound\().4s
    \op     S\j\()_3.4s, S\j\()_3.4s, \bound\().4s
.endm
// S = clamp(S), unless there are no bounds. Changes low, high.
.macro clamp
    cbz     is_bounded, 1f
    ldp     qlow, qhigh, [sp, #BOUNDS]
    each_square limit, fmax, low
    each_square limit, fmin, high
1:
.endm

// S<j> to byte `at` of [even] and [odd]. Changes S<j>, row_a, row_b.
.macro store_pair j, at
    zip1    row_a.2d, S\j\()_0.2d, S\j\()_1.2d
    zip1    row_b.2d, S\j\()_2.2d, S\j\()_3.2d
    zip2    S\j\()_1.2d, S\j\()_0.2d, S\j\()_1.2d
    zip2    S\j\()_3.2d, S\j\()_2.2d, S\j\()_3.2d
    stp     qrow_a, qrow_b, [even, #\at]
    stp     qS\j\()_1, qS\j\()_3, [odd, #\at]
.endm
// Pair p of the rows of all panels to rows 2 p and 2 p + 1, which is not there if rows is 2 p + 1: to spare. Moves even
// on.
.macro store_rows p
    add     odd, even, out_stride
    cmp     rows, #2 * \p + 1
    csel    odd, odd, spare, hi
    with_number store_pair, \p, 0
    if_more panels, 1, with_number store_pair, (pairs + \p), 32
    if_more panels, 2, with_number store_pair, (2 * pairs + \p), 64
    if_more panels, 3, with_number store_pair, (3 * pairs + \p), 96
    add     even, even, out_stride, lsl #1
.endm
// The tile, clamped, to out.
.macro store_tile
    clamp
    add     spare, sp, #SPARE
    mov     even, out
    store_rows 0
    if_more pairs, 1, store_rows 1
    if_more pairs, 2, store_rows 2
    if_more pairs, 3, store_rows 3
.endm

// The rows and columns of the tile on the stack that exist, to dst. Changes x13 - x17.
.macro copy_tile
    add     x13, sp, #TILE
    mov     x14, dst
    mov     x15, #8
    cmp     rows, x15
    csel    x15, rows, x15, lo
1:
    mov     x16, #0
2:
    ldr     w17, [x13, x16, lsl #2]
    str     w17, [x14, x16, lsl #2]
    add     x16, x16, #1
    cmp     x16, columns
    ccmp    x16, #8, #2, lo
    b.lo    2b
    add     x13, x13, #32
    add     x14, x14, stride
    subs    x15, x15, #1
    b.ne    1b
.endm

// A tile of the last rows, from panel_0 on, to out.
.macro few pairs_, panels_
    .set    pairs, \pairs_
    .set    panels, \panels_
    mov     lhs, lhs_first
    if_more panels, 1, add panel_1, panel_0, pitch
    if_more panels, 2, add panel_2, panel_1, pitch
    if_more panels, 3, add panel_3, panel_2, pitch
    each_panel start_at_panel
    all_groups
    store_tile
.endm
// Tiles of \pairs_ x \panels_ while there are as many columns.
.macro few_columns pairs_, panels_
5:  cmp     columns, #8 * \panels_
    b.lo    6f
    mov     out, dst
    mov     out_stride, stride
    few     \pairs_, \panels_
    when    panels, 2, mov panel_0, panel_1
    when    panels, 4, mov panel_0, panel_3
    add     dst, dst, #32 * \panels_
    sub     columns, columns, #8 * \panels_
    b       5b
6:
.endm
// All columns of the last rows, then 9f.
.macro few_rows pairs_, panels_
    if_more \panels_, 1, few_columns \pairs_, \panels_
    few_columns \pairs_, 1
    cbz     columns, 9f
    add     out, sp, #TILE
    mov     out_stride, #32
    few     \pairs_, 1
    copy_tile
    b       9f
.endm

func kai_kernel_matmul_clamp_f32_bf16p8x4_bf16p8x4b_8x8_neon_mmla, hidden
    frame   d8-d15, x19-x25, space=FRAME
    // Unless they are -infinity and infinity, there are bounds.
    mov     w9, #0x7f800000
    fmov    w10, s0
    fmov    w11, s1
    eor     w10, w10, #0x80000000
    cmp     w10, w9
    ccmp    w11, w9, #0, eq
    cset    is_bounded, ne
    dup     v0.4s, v0.s[0]
    dup     v1.4s, v1.s[0]
    stp     q0, q1, [sp, #BOUNDS]
    lsl     pitch, groups, #6
    add     pitch, pitch, #32
    mov     rows, m
    cmp     m, #7
    b.lo    6f
    .set    pairs, 4
    .set    panels, 1
    mov     columns, n
    mov     rhs, rhs_first
    mov     dst_column, dst_first

7:  // a panel of columns
    ldp     q0, q2, [rhs]
    dup     v1.2d, v0.d[1]
    dup     v3.2d, v2.d[1]
    dup     v0.2d, v0.d[0]
    dup     v2.2d, v2.d[0]
    stp     q0, q1, [sp, #BIAS]
    stp     q2, q3, [sp, #BIAS + 32]
    mov     lhs, lhs_first
    mov     dst, dst_column
    mov     rows, m
8:  // a tile
    add     panel_0, rhs, #32
    each_square start_at_frame
    all_groups
    cmp     columns, #8
    ccmp    rows, #8, #0, hs                    // lo: at the edge
    add     out, sp, #TILE
    mov     out_stride, #32
    csel    out, dst, out, hs
    csel    out_stride, stride, out_stride, hs
    store_tile
    cmp     out, dst
    b.eq    4f
    copy_tile
4:  add     dst, dst, stride, lsl #3
    sub     rows, rows, #8
    cmp     rows, #7
    b.ge    8b
    add     rhs, rhs, pitch
    add     dst_column, dst_column, #32
    subs    columns, columns, #8
    b.hi    7b

    cmp     rows, #0
    b.le    9f
    mov     lhs_first, lhs
    sub     x16, m, rows
    madd    dst_first, x16, stride, dst_first
6:  // the last 1 to 6 rows
    mov     columns, n
    mov     panel_0, rhs_first
    mov     dst, dst_first
    cmp     rows, #4
    b.hi    8f
    cmp     rows, #2
    b.hi    7f
    few_rows 1, 4
7:  few_rows 2, 2
8:  few_rows 3, 1
9:
    return
endfunc
