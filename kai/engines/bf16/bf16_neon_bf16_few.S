// dst[m][n] = clamp(bias[n] + sum over k of lhs[m][k] * rhs[k][n]), bf16 x bf16 -> f32 or f16, 1 to 6 rows
//
// BFMMLA, as in bf16_neon_bf16_mmla.S, with the same operands in the same order, hence the same bits: an LHS panel has
// 8 rows of which only pairs that exist are multiplied. Tiles are 1 pair of rows x 4, 2 or 1 panels of 12 columns,
// 2 pairs x 2 or 1 panels, 3 pairs x 1 panel: as many sums as registers hold, since a sum waits for its last addition.
//
// 4 k of panel t. Three sets of columns, 2 pairs each: when one has been multiplied, the next panel's (or the next
// 4 k's) is loaded to it, and is needed two sets later.
//
//          | B0_a      B0_b      B1_a      B1_b      B2_a      B2_b
//     -----+------------------------------------------------------------
//     A0   | S<t>_0_0  S<t>_0_1  S<t>_0_2  S<t>_0_3  S<t>_0_4  S<t>_0_5      rows 0 1
//     A1   | S<t>_1_0  ...                                                   rows 2 3
//     A2   | S<t>_2_0  ...                                                   rows 4 5
//
//   A0 - A2                       v0 - v2     4 k of a pair of rows; 1 or 2 pairs: v0, v1
//   B0_a B0_b, B1_a ... B2_b      v2 - v7     2 columns each; 3 pairs: v3 - v8
//   S                             v8 - v31    sums: row 2 p, columns 2 c and 2 c + 1, then row 2 p + 1; 3 pairs: v14 on
//   After the loop: low, high  v0, v1  bounds; row_a row_b row_c  v5 - v7  what is stored
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+bf16
#include "kai/engines/asm/asm.h"

// void name(size_t m, size_t n, size_t groups, const void* lhs, const void* rhs, void* dst, size_t stride,
//     float lo, float hi)
// m = 1 to 6, n >= 1; groups = (k + 3) / 4
m           .req x0
n           .req x1                             // columns left
groups      .req x2
rows        .req x3                             // of the LHS
panel_0     .req x4
dst         .req x5                             // row 0 at the columns of the tile
stride      .req x6
lhs         .req x7
pitch       .req x8                             // bytes of a panel
count       .req x9                             // groups left
panel_1     .req x10
panel_2     .req x11
panel_3     .req x12
out         .req x13                            // where the tile goes: dst, or the stack at the edge
out_stride  .req x14
even        .req x15                            // where rows 2 p and 2 p + 1 go
odd         .req x16
spare       .req x17                            // where a row that does not exist goes

// The frame: bounds; a tile of one panel; a row of four.
#define BOUNDS 0
#define TILE 32
#define SPARE (TILE + 6 * 48)
#define FRAME (SPARE + 4 * 48)

    regs    0, low, high
    regs    5, row_a, row_b, row_c

// Names of the registers of a tile of \pairs_ x \panels_; they end with forget_tile.
.macro name_tile pairs_, panels_
    .set    pairs, \pairs_
    .set    panels, \panels_
    .if pairs == 3
    regs    0, A0, A1, A2, B0_a, B0_b, B1_a, B1_b, B2_a, B2_b
    regs    14, S0_0_0, S0_0_1, S0_0_2, S0_0_3, S0_0_4, S0_0_5, S0_1_0, S0_1_1, S0_1_2, S0_1_3, S0_1_4, S0_1_5
    regs    26, S0_2_0, S0_2_1, S0_2_2, S0_2_3, S0_2_4, S0_2_5
    .else
    regs    0, A0, A1, B0_a, B0_b, B1_a, B1_b, B2_a, B2_b
    regs    8, S0_0_0, S0_0_1, S0_0_2, S0_0_3, S0_0_4, S0_0_5
    .if pairs == 2
    regs    14, S0_1_0, S0_1_1, S0_1_2, S0_1_3, S0_1_4, S0_1_5, S1_0_0, S1_0_1, S1_0_2, S1_0_3, S1_0_4, S1_0_5
    regs    26, S1_1_0, S1_1_1, S1_1_2, S1_1_3, S1_1_4, S1_1_5
    .else
    regs    14, S1_0_0, S1_0_1, S1_0_2, S1_0_3, S1_0_4, S1_0_5, S2_0_0, S2_0_1, S2_0_2, S2_0_3, S2_0_4, S2_0_5
    regs    26, S3_0_0, S3_0_1, S3_0_2, S3_0_3, S3_0_4, S3_0_5
    .endif
    .endif
.endm
// The end of these names.
.macro forget_tile
    unreg   A0, A1, B0_a, B0_b, B1_a, B1_b, B2_a, B2_b, S0_0_0, S0_0_1, S0_0_2, S0_0_3, S0_0_4, S0_0_5
    .if pairs == 3
    unreg   A2, S0_1_0, S0_1_1, S0_1_2, S0_1_3, S0_1_4, S0_1_5, S0_2_0, S0_2_1, S0_2_2, S0_2_3, S0_2_4, S0_2_5
    .elseif pairs == 2
    unreg   S0_1_0, S0_1_1, S0_1_2, S0_1_3, S0_1_4, S0_1_5, S1_0_0, S1_0_1, S1_0_2, S1_0_3, S1_0_4, S1_0_5
    unreg   S1_1_0, S1_1_1, S1_1_2, S1_1_3, S1_1_4, S1_1_5
    .else
    unreg   S1_0_0, S1_0_1, S1_0_2, S1_0_3, S1_0_4, S1_0_5, S2_0_0, S2_0_1, S2_0_2, S2_0_3, S2_0_4, S2_0_5
    unreg   S3_0_0, S3_0_1, S3_0_2, S3_0_3, S3_0_4, S3_0_5
    .endif
.endm

// `\do t` for each panel t of the tile; `\do p, type` for each pair p of rows.
.macro each_panel do
    \do     0
    if_more panels, 1, \do 1
    if_more panels, 2, \do 2
    if_more panels, 3, \do 3
.endm
.macro each_pair do, type
    \do     0, \type
    if_more pairs, 1, \do 1, \type
    if_more pairs, 2, \do 2, \type
.endm

// A = 4 k of the rows, the next to be multiplied.
.macro load_rows
    .if pairs == 1
    ldr     qA0, [lhs], #64
    .elseif pairs == 2
    ldp     qA0, qA1, [lhs], #64
    .else
    ldr     qA2, [lhs, #32]
    ldp     qA0, qA1, [lhs], #64
    .endif
.endm

// Set s of the columns of panel t: S += A * B<s>. Then B<s> is loaded from byte `at` of `panel`, unless that is `none`.
.macro columns_4 s, t, c, d, panel, at
    bfmmla  S\t\()_0_\c\().4s, A0.8h, B\s\()_a.8h
    bfmmla  S\t\()_0_\d\().4s, A0.8h, B\s\()_b.8h
    if_more pairs, 1, bfmmla S\t\()_1_\c\().4s, A1.8h, B\s\()_a.8h
    if_more pairs, 1, bfmmla S\t\()_1_\d\().4s, A1.8h, B\s\()_b.8h
    if_more pairs, 2, bfmmla S\t\()_2_\c\().4s, A2.8h, B\s\()_a.8h
    if_more pairs, 2, bfmmla S\t\()_2_\d\().4s, A2.8h, B\s\()_b.8h
    .ifnc \panel, none
    ldp     qB\s\()_a, qB\s\()_b, [\panel, #\at]
    .endif
.endm
// 4 k of panel t; the columns at byte `at` of `next` are loaded.
.macro columns_12 t, next=none, at=0
    columns_4 0, \t, 0, 1, \next, \at
    columns_4 1, \t, 2, 3, \next, (\at + 32)
    columns_4 2, \t, 4, 5, \next, (\at + 64)
.endm
// 4 k of all panels. `next`: panel_0 if more follow, or none.
.macro group next
    .if panels == 1
    columns_12 0, \next, 96
    .elseif panels == 2
    columns_12 0, panel_1
    columns_12 1, \next, 96
    .else
    columns_12 0, panel_1
    columns_12 1, panel_2
    columns_12 2, panel_3
    columns_12 3, \next, 96
    .endif
.endm
.macro advance t
    add     panel_\t, panel_\t, #96
.endm

// S += rows * panels, all k; the panels move to their ends. Not AAPCS64: shares its caller's registers.
// Changes lhs, count, A, B.
.macro few_part pairs_, panels_
func kai_part_bf16_few_\pairs_\()x\panels_, hidden
    name_tile \pairs_, \panels_
    mov     lhs, rows
    cbz     groups, 3f
    ldp     qB0_a, qB0_b, [panel_0]
    ldp     qB1_a, qB1_b, [panel_0, #32]
    load_rows
    ldp     qB2_a, qB2_b, [panel_0, #64]
    subs    count, groups, #1
    b.eq    2f
1:  group   panel_0
    load_rows
    each_panel advance
    subs    count, count, #1
    b.ne    1b
2:  group   none
    each_panel advance
3:  return
    forget_tile
endfunc
.endm

    few_part 1, 4
    few_part 1, 2
    few_part 1, 1
    few_part 2, 2
    few_part 2, 1
    few_part 3, 1

// Pair 0 of panel t starts at the bias, each pair of columns twice. Moves the panel behind it. f16: changes row_a to
// row_c.
.macro start_f32 t
    ld1r    {S\t\()_0_0.2d}, [panel_\t], #8
    ld1r    {S\t\()_0_1.2d}, [panel_\t], #8
    ld1r    {S\t\()_0_2.2d}, [panel_\t], #8
    ld1r    {S\t\()_0_3.2d}, [panel_\t], #8
    ld1r    {S\t\()_0_4.2d}, [panel_\t], #8
    ld1r    {S\t\()_0_5.2d}, [panel_\t], #8
.endm
// The same of a bias in f16.
.macro start_f16 t
    ldr     drow_c, [panel_\t, #16]
    ldr     qrow_a, [panel_\t], #24
    fcvtl2  row_b.4s, row_a.8h
    fcvtl   row_c.4s, row_c.4h
    fcvtl   row_a.4s, row_a.4h
    dup     S\t\()_0_0.2d, row_a.d[0]
    dup     S\t\()_0_1.2d, row_a.d[1]
    dup     S\t\()_0_2.2d, row_b.d[0]
    dup     S\t\()_0_3.2d, row_b.d[1]
    dup     S\t\()_0_4.2d, row_c.d[0]
    dup     S\t\()_0_5.2d, row_c.d[1]
.endm
// The other pairs of panel t start as pair 0 does.
.macro start_others t
    if_more pairs, 1, start_as_first \t, 1
    if_more pairs, 2, start_as_first \t, 2
.endm
// Pair p of panel t = pair 0.
.macro start_as_first t, p
    mov     S\t\()_\p\()_0.16b, S\t\()_0_0.16b
    mov     S\t\()_\p\()_1.16b, S\t\()_0_1.16b
    mov     S\t\()_\p\()_2.16b, S\t\()_0_2.16b
    mov     S\t\()_\p\()_3.16b, S\t\()_0_3.16b
    mov     S\t\()_\p\()_4.16b, S\t\()_0_4.16b
    mov     S\t\()_\p\()_5.16b, S\t\()_0_5.16b
.endm

// Pair p of panel t = op(S, bound). max with low, then min with high: NaN stays NaN.
.macro limit op, bound, t, p
    \op    S\t\()_\p\()_0.4s, S\t\()_\p\()_0.4s, \bound\().4s
    \op    S\t\()_\p\()_1.4s, S\t\()_\p\()_1.4s, \bound\().4s
    \op    S\t\()_\p\()_2.4s, S\t\()_\p\()_2.4s, \bound\().4s
    \op    S\t\()_\p\()_3.4s, S\t\()_\p\()_3.4s, \bound\().4s
    \op    S\t\()_\p\()_4.4s, S\t\()_\p\()_4.4s, \bound\().4s
    \op    S\t\()_\p\()_5.4s, S\t\()_\p\()_5.4s, \bound\().4s
.endm

// Pair p of panel t to [even] and [odd], f32. Changes these S, row_a - row_c.
.macro put_f32 t, p
    zip1    row_a.2d, S\t\()_\p\()_0.2d, S\t\()_\p\()_1.2d
    zip1    row_b.2d, S\t\()_\p\()_2.2d, S\t\()_\p\()_3.2d
    zip1    row_c.2d, S\t\()_\p\()_4.2d, S\t\()_\p\()_5.2d
    zip2    S\t\()_\p\()_1.2d, S\t\()_\p\()_0.2d, S\t\()_\p\()_1.2d
    zip2    S\t\()_\p\()_3.2d, S\t\()_\p\()_2.2d, S\t\()_\p\()_3.2d
    zip2    S\t\()_\p\()_5.2d, S\t\()_\p\()_4.2d, S\t\()_\p\()_5.2d
    stp     qrow_a, qrow_b, [even, #48 * \t]
    str     qrow_c, [even, #48 * \t + 32]
    stp     qS\t\()_\p\()_1, qS\t\()_\p\()_3, [odd, #48 * \t]
    str     qS\t\()_\p\()_5, [odd, #48 * \t + 32]
.endm
// The same, rounded to f16.
.macro put_f16 t, p
    fcvtn   S\t\()_\p\()_0.4h, S\t\()_\p\()_0.4s
    fcvtn   S\t\()_\p\()_2.4h, S\t\()_\p\()_2.4s
    fcvtn   S\t\()_\p\()_4.4h, S\t\()_\p\()_4.4s
    fcvtn2  S\t\()_\p\()_0.8h, S\t\()_\p\()_1.4s
    fcvtn2  S\t\()_\p\()_2.8h, S\t\()_\p\()_3.4s
    fcvtn2  S\t\()_\p\()_4.8h, S\t\()_\p\()_5.4s
    uzp1    row_a.4s, S\t\()_\p\()_0.4s, S\t\()_\p\()_2.4s
    uzp2    row_b.4s, S\t\()_\p\()_0.4s, S\t\()_\p\()_2.4s
    uzp1    row_c.4s, S\t\()_\p\()_4.4s, S\t\()_\p\()_4.4s
    uzp2    S\t\()_\p\()_5.4s, S\t\()_\p\()_4.4s, S\t\()_\p\()_4.4s
    str     qrow_a, [even, #24 * \t]
    str     drow_c, [even, #24 * \t + 16]
    str     qrow_b, [odd, #24 * \t]
    str     dS\t\()_\p\()_5, [odd, #24 * \t + 16]
.endm
.macro finish_panel t, p, type
    limit   fmax, low, \t, \p
    limit   fmin, high, \t, \p
    put_\type \t, \p
.endm
// Pair p of all panels: clamped, to rows 2 p and 2 p + 1 of out.
.macro finish_pair p, type
    add     odd, even, out_stride
    cmp     m, #2 * \p + 1
    csel    odd, odd, spare, hi
    finish_panel 0, \p, \type
    if_more panels, 1, finish_panel 1, \p, \type
    if_more panels, 2, finish_panel 2, \p, \type
    if_more panels, 3, finish_panel 3, \p, \type
    add     even, even, out_stride, lsl #1
.endm

// A tile of \pairs_ x \panels_ to out; moves panel_0 and dst to the next columns. Changes all but m, groups, rows,
// stride and pitch.
.macro tile pairs_, panels_, type, size
    name_tile \pairs_, \panels_
    if_more panels, 1, add panel_1, panel_0, pitch
    if_more panels, 2, add panel_2, panel_1, pitch
    if_more panels, 3, add panel_3, panel_2, pitch
    each_panel start_\type
    each_panel start_others
    bl      KAI_SYM(kai_part_bf16_few_\pairs_\()x\panels_)
    ldp     qlow, qhigh, [sp, #BOUNDS]
    add     spare, sp, #SPARE
    mov     even, out
    each_pair finish_pair, \type
    when panels, 2, mov panel_0, panel_1
    when panels, 4, mov panel_0, panel_3
    add     dst, dst, #12 * panels * \size
    sub     n, n, #12 * panels
    forget_tile
.endm
// Tiles of \pairs_ x \panels_ while there are as many columns.
.macro columns pairs_, panels_, type, size
1:  cmp     n, #12 * \panels_
    b.lo    2f
    mov     out, dst
    mov     out_stride, stride
    tile    \pairs_, \panels_, \type, \size
    b       1b
2:
.endm
// The columns that are left: 8f after a tile at the edge, or 9f.
.macro edge pairs_, type, size
    cbz     n, 9f
    add     out, sp, #TILE
    mov     out_stride, #48
    tile    \pairs_, 1, \type, \size
    b       8f
.endm

// void name(m, n, ...) as above; type, size: of the results, load, store: instructions for one of them.
.macro few name, type, size, load, store
func \name, hidden
    frame   x29, d8-d15, space=FRAME
    dup     low.4s, v0.s[0]
    dup     high.4s, v1.s[0]
    stp     qlow, qhigh, [sp, #BOUNDS]
    mov     x7, #96
    mov     x8, #12 * \size
    madd    pitch, groups, x7, x8
    cmp     m, #4
    b.hi    6f
    cmp     m, #2
    b.hi    4f
    columns 1, 4, \type, \size
    columns 1, 2, \type, \size
    columns 1, 1, \type, \size
    edge    1, \type, \size
4:  columns 2, 2, \type, \size
    columns 2, 1, \type, \size
    edge    2, \type, \size
6:  columns 3, 1, \type, \size
    edge    3, \type, \size

8:  // m x (n + 12) elements of the tile on the stack to dst, which is a panel further
    add     n, n, #12
    sub     dst, dst, #12 * \size
    add     even, sp, #TILE
5:
    mov     count, #0
7:
    \load   w17, [even, count, lsl #(\size / 2)]
    \store  w17, [dst, count, lsl #(\size / 2)]
    add     count, count, #1
    cmp     count, n
    b.lo    7b
    add     even, even, #48
    add     dst, dst, stride
    subs    m, m, #1
    b.ne    5b
9:
    return
endfunc
.endm

    few     kai_few_f32_bf16p8x4_bf16p12x4b_neon_mmla, f32, 4, ldr, str
    few     kai_few_f16_bf16p8x4_bf16p12x4b_neon_mmla, f16, 2, ldrh, strh
