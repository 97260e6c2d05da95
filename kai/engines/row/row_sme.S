// One row that is not packed times a packed RHS in panels of 2 vectors: SME without SME2.
//
//     dst[n] = clamp(bias[n] + sum over k of lhs[k] * rhs[k][n])       k ascending; f16: the sum in f32, then to f16,
//                                                                      or not
//
// f16: FMLALB and FMLALT. f32: FMLA for half of the panels, FMOPA for the others, alternately. FMOPA adds the product
// of one element of the row and a vector of columns to one row of a tile, which its predicate selects. That takes as
// long as a whole tile, but it runs in parallel with FMLA, and is faster where arithmetic on streaming-mode registers
// is slow.
//
// FMOPA makes every NaN the default one. All f32 sums do the same, so that a NaN does not depend on the position of its
// column in a pass.
//
// A word, 32 bits, is what one column takes of one step: an f32 or two f16. A pass does 8 panels, or 4 if no more
// are left. In a pass with fewer, the last panel takes the place of missing ones, whose columns are not stored.
// Registers of the sums and of one word of the RHS:
//
//     panel                   0        1        2        3        4         5         6         7
//
//     f32  sums               z16 z17  z18 z19  z20 z21  z22 z23  row 0 of  row 0 of  row 1 of  row 1 of
//                                                                 za0 za1   za2 za3   za0 za1   za2 za3
//          RHS                z8 z9    z10 z11  z12 z13  z14 z15  z24 z25   z26 z27   z28 z29   z30 z31
//     f16  sums               z16 z17  z18 z19  z20 z21  z22 z23  z24 z25   z26 z27   z28 z29   z30 z31
//          RHS                z8 z9    z10 z11  z12 z13  z14 z15  z8 z9     z10 z11   z12 z13   z14 z15
//
// Names: sum3_l, rhs3_l are the left vector of panel 3, sum3_r, rhs3_r the right one.
//
// z0  4 words of the row in each 128 bits       z1-z4  f32: each of them in all lanes       z5, z6  bounds
// z7  NaN       z8-z11  sums of one row of the tiles, when a pass begins and ends
// p0  all       p1, p2  row 0, row 1 of a tile       p5  columns to store, NaN       p7  words of the row that remain
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/row/row_args.h"
#include "kai/engines/row/row_sme.inc"
#include "kai/engines/asm/sme_vectors.inc"

// name_panel sum, 3, z22, z23: sum3_l is z22, sum3_r is z23.
.macro name_panel what, panel, l, r
    \what\panel\()_l .req \l
    \what\panel\()_r .req \r
.endm

    name_panel sum, 0, z16, z17
    name_panel sum, 1, z18, z19
    name_panel sum, 2, z20, z21
    name_panel sum, 3, z22, z23
    name_panel sum, 4, z24, z25
    name_panel sum, 5, z26, z27
    name_panel sum, 6, z28, z29
    name_panel sum, 7, z30, z31
    name_panel rhs, 0, z8, z9
    name_panel rhs, 1, z10, z11
    name_panel rhs, 2, z12, z13
    name_panel rhs, 3, z14, z15
    name_panel rhs, 4, z24, z25            // 4-7: f32 only
    name_panel rhs, 5, z26, z27
    name_panel rhs, 6, z28, z29
    name_panel rhs, 7, z30, z31

// ---- The head of a panel, where the sums start -> \l, \r. f16 becomes f32.

.macro head_f32 panel, l, r
    ld1w    {\l\().s}, p0/z, [\panel]
    ld1w    {\r\().s}, p0/z, [\panel, #1, mul vl]
.endm

// As head_f32, of f16.
.macro head_f16 panel, l, r
    ld1h    {\l\().s}, p0/z, [\panel]
    ld1h    {\r\().s}, p0/z, [\panel, #1, mul vl]
    fcvt    \l\().s, p0/m, \l\().h
    fcvt    \r\().s, p0/m, \r\().h
.endm

// The heads of two panels -> row \row of the tiles. Clobbers z8-z11.
.macro head_row row, panel, panel1
    head_f32 \panel, z8, z9
    head_f32 \panel1, z10, z11
    mova    za0h.s[w12, \row], p0/m, z8.s
    mova    za1h.s[w12, \row], p0/m, z9.s
    mova    za2h.s[w12, \row], p0/m, z10.s
    mova    za3h.s[w12, \row], p0/m, z11.s
.endm

// f32, panels 4-7: to rows 0, 1 of the tiles.
.macro heads_4_7_f32
    head_row 0, panel4, panel5
    head_row 1, panel6, panel7
.endm

// f16, panels 4-7: to registers.
.macro heads_4_7_f16
    head_f16 panel4, sum4_l, sum4_r
    head_f16 panel5, sum5_l, sum5_r
    head_f16 panel6, sum6_l, sum6_r
    head_f16 panel7, sum7_l, sum7_r
.endm

.equ head_vectors_f32, 2
.equ head_vectors_f16, 1

// ---- word_<type>_<panels> i, x, at: the sums += word \i of the row x a word of each panel, vectors \at, \at + 1.
// f32, 8 panels: z\x = the word in all lanes. All clobber the RHS of their panels.

.macro load_word panel, at, l, r
    ld1b    {\l\().b}, p0/z, [\panel, #(\at), mul vl]
    ld1b    {\r\().b}, p0/z, [\panel, #(\at + 1), mul vl]
.endm

// f32, panel \p of 0-3.
.macro mla_panel p, i, at
    load_word panel\p, \at, rhs\p\()_l, rhs\p\()_r
    fmla    sum\p\()_l.s, rhs\p\()_l.s, z0.s[\i]
    fmla    sum\p\()_r.s, rhs\p\()_r.s, z0.s[\i]
.endm

// f32, panel \p of 4-7, whose sums are in the row that \row says, p1 or p2, of the tiles \l, \r.
.macro mopa_panel p, x, at, row, l, r
    load_word panel\p, \at, rhs\p\()_l, rhs\p\()_r
    fmopa   \l\().s, \row/m, p0/m, z\x\().s, rhs\p\()_l.s
    fmopa   \r\().s, \row/m, p0/m, z\x\().s, rhs\p\()_r.s
.endm

// FMLA only: z\x stays.
.macro word_f32_4 i, x, at
    mla_panel 0, \i, \at
    mla_panel 1, \i, \at
    mla_panel 2, \i, \at
    mla_panel 3, \i, \at
.endm

// FMOPA and FMLA in turn.
.macro word_f32_8 i, x, at
    dup     z\x\().s, z0.s[\i]
    mopa_panel 4, \x, \at, p1, za0, za1
    mla_panel 0, \i, \at
    mopa_panel 5, \x, \at, p1, za2, za3
    mla_panel 1, \i, \at
    mopa_panel 6, \x, \at, p2, za0, za1
    mla_panel 2, \i, \at
    mopa_panel 7, \x, \at, p2, za2, za3
    mla_panel 3, \i, \at
.endm

// f16: panels \a-\d, with elements 2 \i and 2 \i + 1 of the row.
.macro mla_4_panels i, at, a, b, c, d
    load_word panel\a, \at, rhs0_l, rhs0_r
    load_word panel\b, \at, rhs1_l, rhs1_r
    load_word panel\c, \at, rhs2_l, rhs2_r
    load_word panel\d, \at, rhs3_l, rhs3_r
    mla_halves fmlalb, (2 * \i), \a, \b, \c, \d
    mla_halves fmlalt, (2 * \i + 1), \a, \b, \c, \d
.endm

// The sums of panels \a-\d += element \i of the row x one half of each word in rhs0-rhs3: FMLALB the lower one,
// FMLALT the upper one.
.macro mla_halves insn, i, a, b, c, d
    \insn   sum\a\()_l.s, rhs0_l.h, z0.h[\i]
    \insn   sum\a\()_r.s, rhs0_r.h, z0.h[\i]
    \insn   sum\b\()_l.s, rhs1_l.h, z0.h[\i]
    \insn   sum\b\()_r.s, rhs1_r.h, z0.h[\i]
    \insn   sum\c\()_l.s, rhs2_l.h, z0.h[\i]
    \insn   sum\c\()_r.s, rhs2_r.h, z0.h[\i]
    \insn   sum\d\()_l.s, rhs3_l.h, z0.h[\i]
    \insn   sum\d\()_r.s, rhs3_r.h, z0.h[\i]
.endm

.macro word_f16_4 i, x, at
    mla_4_panels \i, \at, 0, 1, 2, 3
.endm

.macro word_f16_8 i, x, at
    mla_4_panels \i, \at, 0, 1, 2, 3
    mla_4_panels \i, \at, 4, 5, 6, 7
.endm

// The sums += 4 words of the row x those of the panels, which advance.
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

// ---- Sums -> the remaining columns. Advance dst, cols. Clobber p5 and the sums.

// z\r, f32.
.macro store_f32 r
    whilelt p5.s, xzr, cols
    st1w    {z\r\().s}, p5, [dst]
    addvl   dst, dst, #1
    decw    cols
.endm

// z\r, f32, as f16.
.macro store_f16 r
    whilelt p5.s, xzr, cols
    fcvt    z\r\().h, p0/m, z\r\().s
    st1h    {z\r\().s}, p5, [dst]
    inch    dst
    decw    cols
.endm

// z\r0-z\r3, f32, within the bounds, as \type.
.macro out_4 type, r0, r1, r2, r3
    clamp_4 \r0, \r1, \r2, \r3, 5, 6
    store_\type \r0
    store_\type \r1
    store_\type \r2
    store_\type \r3
.endm

// Row \row of the tiles: two panels. Clobbers z8-z11.
.macro out_row row
    mova    z8.s, p0/m, za0h.s[w12, \row]
    mova    z9.s, p0/m, za1h.s[w12, \row]
    mova    z10.s, p0/m, za2h.s[w12, \row]
    mova    z11.s, p0/m, za3h.s[w12, \row]
    out_4   f32, 8, 9, 10, 11
.endm

// NaN in z\r becomes the default one.
.macro default_nan r
    fcmuo   p5.s, p0/z, z\r\().s, z\r\().s
    mov     z\r\().s, p5/m, z7.s
.endm

// The sums of a pass = the heads of its panels + the row x the panels. Moves rhs to the next pass; clobbers more.
.macro pass type, panels
    begin_\panels
    head_\type panel0, sum0_l, sum0_r
    head_\type panel1, sum1_l, sum1_r
    head_\type panel2, sum2_l, sum2_r
    head_\type panel3, sum3_l, sum3_r
    .if \panels == 8
    heads_4_7_\type
    .endif
    advance_\panels addvl, #head_vectors_\type
    multiply words4, word1, \type, \panels
.endm

// kai::SmeRowFn. Assumes n >= 1. \type: of the operands, \out: of the results. \what: see enter.
.macro row_kernel name, type, out, what
func kai_kernel_\name, hidden
    enter   \what
    all_true
    ptrue   p1.s, vl1
    ptrue   p2.s, vl2
    bic     p2.b, p0/z, p2.b, p1.b
    load_bounds 5, 6, \out
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
    out_4   \out, 16, 17, 18, 19
    out_4   \out, 20, 21, 22, 23
    cbz     more, 8f
    // panels 4-7
    .ifc \type, f32
    out_row 0
    out_row 1
    .else
    out_4   \out, 24, 25, 26, 27
    out_4   \out, 28, 29, 30, 31
    .endif
8:  cmp     cols, #0
    b.gt    5b
    leave   \what
endfunc
.endm

row_kernel matmul_clamp_f32_f32_f32p2vlx1b_1x8vl_sme_mla, f32, f32
row_kernel matmul_clamp_f16_f16_f16p2vlx2b_1x8vl_sme_mla, f16, f16, sm
row_kernel matmul_clamp_f32_f16_f16p2vlx2b_1x8vl_sme_mla, f16, f32, sm
