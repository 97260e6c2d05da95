// One row that is not packed times a packed RHS in panels of 2 vectors: SME without SME2.
//
//     dst[n] = clamp(bias[n] + sum over k of lhs[k] * rhs[k][n])       k ascending; f16: the sum in f32, then to f16
//
// f16: FMLALB and FMLALT. f32: FMLA for half of the panels, FMOPA for the others, alternately. FMOPA adds the product
// of one element of the row and a vector of columns to one row of a tile, which its predicate names. That takes it
// as long as a whole tile, but it runs in parallel with FMLA, and is the faster one where arithmetic on streaming-mode
// registers is slow.
//
// FMOPA makes every NaN the default one. All f32 sums do the same, so that a NaN does not depend on the position of its
// column in a pass.
//
// A word, 32 bits, is what one column takes of one step: an f32 or two f16. A pass does 8 panels, or 4 where no more
// are left. In a pass with fewer, the last one stands for those that are missing; their columns are not stored.
// Sums of
//
//                  8 panels                                                        4 panels
//     f32          z16-z23: panels 0-3, rows 0, 1 of the tiles: panels 4-7         z16-z23
//     f16          z16-z31                                                         z16-z23
//
// A tile row has a vector of each tile: those of two panels.
//
// z0  4 words of the row in each 128 bits       z1-z4  f32: each of them in all lanes       z5, z6  bounds
// z7  NaN       z8-z15, f32: z24-z31 too  RHS; z8-z11 sums at the end of a pass
// p0  all       p1, p2  row 0, row 1 of a tile       p5  columns to store, NaN       p7  words of the row that remain
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/row/row_args.h"
#include "kai/engines/row/row_sme.inc"
#include "kai/engines/asm/sme_vectors.inc"

// ---- The head of a panel: where the sums start.

.macro head_f32 panel, a0, a1
    ld1w    {z\a0\().s}, p0/z, [\panel]
    ld1w    {z\a1\().s}, p0/z, [\panel, #1, mul vl]
.endm

.macro head_f16 panel, a0, a1
    ld1h    {z\a0\().s}, p0/z, [\panel]
    ld1h    {z\a1\().s}, p0/z, [\panel, #1, mul vl]
    fcvt    z\a0\().s, p0/m, z\a0\().h
    fcvt    z\a1\().s, p0/m, z\a1\().h
.endm

// Of two panels -> row \row.
.macro head_row row, panel, panel1
    head_f32 \panel, 8, 9
    head_f32 \panel1, 10, 11
    mova    za0h.s[w12, \row], p0/m, z8.s
    mova    za1h.s[w12, \row], p0/m, z9.s
    mova    za2h.s[w12, \row], p0/m, z10.s
    mova    za3h.s[w12, \row], p0/m, z11.s
.endm

.macro heads_4_7_f32
    head_row 0, panel4, panel5
    head_row 1, panel6, panel7
.endm

.macro heads_4_7_f16
    head_f16 panel4, 24, 25
    head_f16 panel5, 26, 27
    head_f16 panel6, 28, 29
    head_f16 panel7, 30, 31
.endm

.equ head_vectors_f32, 2
.equ head_vectors_f16, 1

// ---- Word \i of the row x a word of each panel, vectors \at, \at + 1. \x: for the word in all lanes.

.macro load_word panel, at, r0, r1
    ld1b    {z\r0\().b}, p0/z, [\panel, #(\at), mul vl]
    ld1b    {z\r1\().b}, p0/z, [\panel, #(\at + 1), mul vl]
.endm

.macro mla_panel panel, i, at, a0, a1, r0, r1
    load_word \panel, \at, \r0, \r1
    fmla    z\a0\().s, z\r0\().s, z0.s[\i]
    fmla    z\a1\().s, z\r1\().s, z0.s[\i]
.endm

// \p: of the row of the tiles.
.macro mopa_panel panel, x, at, p, t0, t1, r0, r1
    load_word \panel, \at, \r0, \r1
    fmopa   za\t0\().s, \p/m, p0/m, z\x\().s, z\r0\().s
    fmopa   za\t1\().s, \p/m, p0/m, z\x\().s, z\r1\().s
.endm

.macro word_f32_4 i, x, at
    mla_panel panel0, \i, \at, 16, 17, 8, 9
    mla_panel panel1, \i, \at, 18, 19, 10, 11
    mla_panel panel2, \i, \at, 20, 21, 12, 13
    mla_panel panel3, \i, \at, 22, 23, 14, 15
.endm

.macro word_f32_8 i, x, at
    dup     z\x\().s, z0.s[\i]
    mopa_panel panel4, \x, \at, p1, 0, 1, 24, 25
    mla_panel panel0, \i, \at, 16, 17, 8, 9
    mopa_panel panel5, \x, \at, p1, 2, 3, 26, 27
    mla_panel panel1, \i, \at, 18, 19, 10, 11
    mopa_panel panel6, \x, \at, p2, 0, 1, 28, 29
    mla_panel panel2, \i, \at, 20, 21, 12, 13
    mopa_panel panel7, \x, \at, p2, 2, 3, 30, 31
    mla_panel panel3, \i, \at, 22, 23, 14, 15
.endm

// FMLALB, then FMLALT, for elements 2 \i and 2 \i + 1 of the row, of 4 panels.
.macro mla_4_panels i, at, p0, p1, p2, p3, sums:vararg
    load_word \p0, \at, 8, 9
    load_word \p1, \at, 10, 11
    load_word \p2, \at, 12, 13
    load_word \p3, \at, 14, 15
    mla_8   fmlalb, (2 * \i), \sums
    mla_8   fmlalt, (2 * \i + 1), \sums
.endm

.macro mla_8 insn, i, a0, a1, a2, a3, a4, a5, a6, a7
    \insn   z\a0\().s, z8.h, z0.h[\i]
    \insn   z\a1\().s, z9.h, z0.h[\i]
    \insn   z\a2\().s, z10.h, z0.h[\i]
    \insn   z\a3\().s, z11.h, z0.h[\i]
    \insn   z\a4\().s, z12.h, z0.h[\i]
    \insn   z\a5\().s, z13.h, z0.h[\i]
    \insn   z\a6\().s, z14.h, z0.h[\i]
    \insn   z\a7\().s, z15.h, z0.h[\i]
.endm

.macro word_f16_4 i, x, at
    mla_4_panels \i, \at, panel0, panel1, panel2, panel3, 16, 17, 18, 19, 20, 21, 22, 23
.endm

.macro word_f16_8 i, x, at
    word_f16_4 \i, \x, \at
    mla_4_panels \i, \at, panel4, panel5, panel6, panel7, 24, 25, 26, 27, 28, 29, 30, 31
.endm

.macro words4 type, panels
    word_\type\()_\panels 0, 1, 0
    word_\type\()_\panels 1, 2, 2
    word_\type\()_\panels 2, 3, 4
    word_\type\()_\panels 3, 4, 6
    advance_\panels addvl, #8
.endm

.macro word1 type, panels
    word_\type\()_\panels 0, 1, 0
    advance_\panels addvl, #2
.endm

// ---- Sums -> the remaining columns. Advance dst, cols.

.macro store_f32 r
    whilelt p5.s, xzr, cols
    st1w    {z\r\().s}, p5, [dst]
    addvl   dst, dst, #1
    decw    cols
.endm

.macro store_f16 r
    whilelt p5.s, xzr, cols
    fcvt    z\r\().h, p0/m, z\r\().s
    st1h    {z\r\().s}, p5, [dst]
    inch    dst
    decw    cols
.endm

.macro out_4 type, r0, r1, r2, r3
    clamp_4 \r0, \r1, \r2, \r3, 5, 6
    store_\type \r0
    store_\type \r1
    store_\type \r2
    store_\type \r3
.endm

.macro out_row row
    mova    z8.s, p0/m, za0h.s[w12, \row]
    mova    z9.s, p0/m, za1h.s[w12, \row]
    mova    z10.s, p0/m, za2h.s[w12, \row]
    mova    z11.s, p0/m, za3h.s[w12, \row]
    out_4   f32, 8, 9, 10, 11
.endm

.macro default_nan r
    fcmuo   p5.s, p0/z, z\r\().s, z\r\().s
    mov     z\r\().s, p5/m, z7.s
.endm

.macro pass type, panels
    begin_\panels
    head_\type panel0, 16, 17
    head_\type panel1, 18, 19
    head_\type panel2, 20, 21
    head_\type panel3, 22, 23
    .if \panels == 8
    heads_4_7_\type
    .endif
    advance_\panels addvl, #head_vectors_\type
    multiply words4, word1, \type, \panels
.endm

// kai::SmeRowFn. Assumes n >= 1.
.macro row_kernel name, type, what
func kai_kernel_\name, hidden
    enter   \what
    all_true
    ptrue   p1.s, vl1
    ptrue   p2.s, vl2
    bic     p2.b, p0/z, p2.b, p1.b
    load_bounds 5, 6, \type
    mov     w12, #0
5:  cntb    bytes, all, mul #2                  // columns of 4 panels
    cmp     cols, bytes
    b.ls    6f
    pass    \type, 8
    mov     more, #1
    b       7f
6:  pass    \type, 4
    mov     more, #0
7:  // panels 0-3
    .ifc \type, f32
    mov     w9, #0x7fc00000                     // lhs
    mov     z7.s, w9
    .irp    r, 16, 17, 18, 19, 20, 21, 22, 23
    default_nan \r
    .endr
    .endif
    out_4   \type, 16, 17, 18, 19
    out_4   \type, 20, 21, 22, 23
    cbz     more, 8f
    // panels 4-7
    .ifc \type, f32
    out_row 0
    out_row 1
    .else
    out_4   \type, 24, 25, 26, 27
    out_4   \type, 28, 29, 30, 31
    .endif
8:  cmp     cols, #0
    b.gt    5b
    leave   \what
endfunc
.endm

row_kernel matmul_clamp_f32_f32_f32p2vlx1b_1x8vl_sme_mla, f32
row_kernel matmul_clamp_f16_f16_f16p2vlx2b_1x8vl_sme_mla, f16, sm
