// One row that is not packed times a packed RHS: f32, f16, bf16, static int8 x (int8, int4, 2 bits). All SME2 kernels
// of that kind.
//
//     f32     dst[n] = clamp(bias[n] + sum over k of lhs[k] * rhs[k][n])                       FMLA, k ascending
//     f16     the same sum in f32, two k a step: acc + round(l0 * r0 + l1 * r1)         FDOT, then to f16 or not
//     bf16    the same, rounded as BFDOT does; the result is f32                               BFDOT
//     int8    dst[n] = clamp(sat(sat(rne(f32(bias[n] + sum) * scale[n])) + zero))              SDOT, sum in int32
//
// A word, 32 bits, is what one column takes of one step: an f32, two f16 or bf16, four int8 (in int4 panels 16 bits,
// which LUTI4 expands, in panels of 2-bit codes a byte, for LUTI2). A pass does 8 vectors of columns in two groups of
// ZA vectors, so that an instruction need not wait for the one before it. Instructions into ZA take four vectors of one
// word of the row; these come from
//
//     single   8 panels of 1 vector   group 0: panels 0-3            group 1: panels 4-7
//     pair     4 panels of 2 vectors  group 0: their first vectors   group 1: their second ones
//     nibbles  4 panels of 2 vectors  group 0: panels 0, 1           group 1: panels 2, 3
//     codes    2 panels of 4 vectors  group 0: panel 0               group 1: panel 1
//     whole    1 panel of 16 vectors  groups 0-3
//
// A strided load takes four vectors of a panel (single: 4 words, pair: 2 words) to registers that are four apart, so
// that those of neighbouring panels are next to each other. In a pass with fewer panels, the last one takes the place
// of missing ones, whose columns are not stored.
//
// z0       4 words of the row in each 128 bits       z1, z2, z3  bounds, zero point        z16-z31  RHS
// z4-z15   single: RHS of group 1, nibbles: values of the int4, codes: of two words in turn, with z24-z27
// p0, pn8  all    p7, pn9, pn10  what remains    w8, w12-w15  sme2_groups.inc
//
// When a pass begins and ends, a vector of columns has a name; 0-7 is its place among the columns:
//
//     start_0-start_7        z24-z31                       heads of the panels; pair: as the RHS, without names
//     word_0-word_7          z16-z23                       word1_single: RHS
//     scale_0-scale_7        z24-z31                       int8: scales
//
// The results are in z8-z15 (single, pair) or z16-z23. The heads and, of single and pair, the RHS are in other
// registers, in groups of four, too: a pass begins while the results of the one before it are computed.
//
// In between, instructions take four vectors, named after the first: mac_z16 multiplies z16-z19.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_groups.inc"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/row/row_args.h"
#include "kai/engines/row/row_sme.inc"

    alias   vl4, x23        // columns of four vectors

// name_vectors word, z16, z17, ...: word_0 is z16, word_1 is z17 and so on.
.macro name_vectors name, registers:vararg
    .set    KAI_LOCAL(column), 0
    .irp    z, \registers
    with_number name_vector, (KAI_LOCAL(column)), \name, \z
    .set    KAI_LOCAL(column), KAI_LOCAL(column) + 1
    .endr
.endm
.macro name_vector number, name, z
    \name\()_\number .req \z
.endm

    name_vectors word, z16, z17, z18, z19, z20, z21, z22, z23
    name_vectors start, z24, z25, z26, z27, z28, z29, z30, z31
    name_vectors scale, z24, z25, z26, z27, z28, z29, z30, z31

// Operations on z\r0-z\r3, named after the first. For z4-z7:
//
//     mac_z4 insn, e, g, i    group \g += z4-z7 x word \i of the row
//     load_z4 at              z4-z7 = vectors \at ... \at + 3 of rhs
//     nibbles_z4 p, q         z4, z5 = the values of the int4 in \p; z6, z7 = of those in \q
//     codes_z4 p              z4-z7 = the values of the codes in \p
//     start_z4 g              group \g = z4-z7
//     read_z4 g               z4-z7 = group \g
//     clamp_z4                z4-z7 within the bounds
//     store_z4 p, at          f32 to vectors \at ... \at + 3 of dst
//     numbers_z4 do, more     \do 4, 5, 6, 7, \more
.macro four_vectors r0, r1, r2, r3
    .macro mac_z\r0 insn, e, g, i
    \insn   za.s[w8, \g, vgx4], {z\r0\().\e-z\r3\().\e}, z0.\e[\i]
    .endm
    .macro load_z\r0 at
    ld1b    {z\r0\().b-z\r3\().b}, pn8/z, [rhs, \at, mul vl]
    .endm
    .macro nibbles_z\r0 p, q
    luti4   {z\r0\().b-z\r1\().b}, zt0, \p[0]
    luti4   {z\r2\().b-z\r3\().b}, zt0, \q[0]
    .endm
    .macro codes_z\r0 p
    luti2   {z\r0\().b-z\r3\().b}, zt0, \p[0]
    .endm
    .macro start_z\r0 g
    mova    za.d[w8, \g, vgx4], {z\r0\().d-z\r3\().d}
    .endm
    .macro read_z\r0 g
    read_group \g, \r0, \r1, \r2, \r3
    .endm
    .macro clamp_z\r0
    clamp_4 \r0, \r1, \r2, \r3, 1, 2
    .endm
    .macro store_z\r0 p, at
    st1w    {z\r0\().s-z\r3\().s}, \p, [dst, #\at, mul vl]
    .endm
    .macro numbers_z\r0 do, more:vararg
    \do     \r0, \r1, \r2, \r3, \more
    .endm
.endm

    four_vectors 4, 5, 6, 7
    four_vectors 8, 9, 10, 11
    four_vectors 12, 13, 14, 15
    four_vectors 16, 17, 18, 19
    four_vectors 20, 21, 22, 23
    four_vectors 24, 25, 26, 27
    four_vectors 28, 29, 30, 31

// Groups 0 and 1 += the four vectors \r, \q x word \i of the row.
.macro mac_2 insn, e, r, q, i
    mac_\r  \insn, \e, 0, \i
    mac_\q  \insn, \e, 1, \i
.endm

// ---- The panels of a pass.

// each_vector_<arrangement> \do, \r: \do REGISTER, PANEL, VECTOR for each vector of columns. \r: the registers' name.
.macro each_vector_single do, r
    \do     \r\()_0, panel0, 0
    \do     \r\()_1, panel1, 0
    \do     \r\()_2, panel2, 0
    \do     \r\()_3, panel3, 0
    \do     \r\()_4, panel4, 0
    \do     \r\()_5, panel5, 0
    \do     \r\()_6, panel6, 0
    \do     \r\()_7, panel7, 0
.endm

// Two vectors of each panel.
.macro each_vector_pair do, r
    \do     \r\()_0, panel0, 0
    \do     \r\()_1, panel0, 1
    \do     \r\()_2, panel1, 0
    \do     \r\()_3, panel1, 1
    \do     \r\()_4, panel2, 0
    \do     \r\()_5, panel2, 1
    \do     \r\()_6, panel3, 0
    \do     \r\()_7, panel3, 1
.endm

// Four vectors of each panel.
.macro each_vector_codes do, r
    \do     \r\()_0, panel0, 0
    \do     \r\()_1, panel0, 1
    \do     \r\()_2, panel0, 2
    \do     \r\()_3, panel0, 3
    \do     \r\()_4, panel1, 0
    \do     \r\()_5, panel1, 1
    \do     \r\()_6, panel1, 2
    \do     \r\()_7, panel1, 3
.endm

// Both panels by \insn ... \by.
.macro advance_2 insn, by
    \insn   panel0, panel0, \by
    \insn   panel1, panel1, \by
.endm

// ---- The head of the panels: where the sums start. head_<type>: \r = the f32 or f16 of vector \v of \panel, as f32.

.macro head_32 r, panel, v
    ld1w    {\r\().s}, p0/z, [\panel, #\v, mul vl]
.endm

.macro head_f16 r, panel, v
    ld1h    {\r\().s}, p0/z, [\panel, #\v, mul vl]
    fcvt    \r\().s, p0/m, \r\().h
.endm

// head_<type>_pair: \r, \q = those of vectors 0 and 1.

.macro head_32_pair r, q, panel
    ld1b    {\r\().b, \q\().b}, pn8/z, [\panel]
.endm

.macro head_f16_pair r, q, panel
    head_f16 \r, \panel, 0
    head_f16 \q, \panel, 1
.endm

// Groups 0, 1 = the four vectors \r, \q. bytes: those of a head.
.macro start_groups r, q
    start_\r 0
    start_\q 1
    ldr     bytes, [args, #ROW_ARGS_head]
.endm

// start_<arrangement>: the panels of a pass begin behind their heads, which are in the groups. Clobbers z16-z31,
// bytes and more. Moves rhs to the next pass. \head: head_<type>.
.macro start_single head
    begin_8
    each_vector_single \head, start
    start_groups z24, z28
    advance_8 add, bytes
.endm

// First vectors to group 0, second ones to group 1.
.macro start_pair head
    begin_4
    \head\()_pair z16, z24, panel0
    \head\()_pair z17, z25, panel1
    \head\()_pair z18, z26, panel2
    \head\()_pair z19, z27, panel3
    start_groups z16, z24
    advance_4 add, bytes
.endm

// Panels 0, 1 to group 0; panels 2, 3 to group 1.
.macro start_nibbles head
    begin_4
    each_vector_pair \head, start
    start_groups z24, z28
    advance_4 add, bytes
.endm

// Panel 0 to group 0, panel 1 to group 1.
.macro start_codes head
    begin_2
    each_vector_codes \head, start
    start_groups z24, z28
    advance_2 add, bytes
.endm

// Four groups; heads are f32. Clobbers z16-z31; rhs stays in the panel.
.macro start_whole head
    ld1w    {z16.s-z19.s}, pn8/z, [rhs]
    ld1w    {z20.s-z23.s}, pn8/z, [rhs, #4, mul vl]
    ld1w    {z24.s-z27.s}, pn8/z, [rhs, #8, mul vl]
    ld1w    {z28.s-z31.s}, pn8/z, [rhs, #12, mul vl]
    mova    za.d[w8, 0, vgx4], {z16.d-z19.d}
    mova    za.d[w8, 1, vgx4], {z20.d-z23.d}
    mova    za.d[w8, 2, vgx4], {z24.d-z27.d}
    mova    za.d[w8, 3, vgx4], {z28.d-z31.d}
    addvl   rhs, rhs, #16
.endm

// ---- The groups += words of all panels x those of the row, in z0. Then the panels advance.
// words4_<arrangement>: 4 words, word1_<arrangement>: the first one. \insn, \e: the instruction and its elements.

// Words \w, \w + 1 of panels 4-7 -> z4-z7, z12-z15.
.macro load_2_words_single w
    ld1b    {z4.b, z12.b}, pn8/z, [panel4, \w, mul vl]
    ld1b    {z5.b, z13.b}, pn8/z, [panel5, \w, mul vl]
    ld1b    {z6.b, z14.b}, pn8/z, [panel6, \w, mul vl]
    ld1b    {z7.b, z15.b}, pn8/z, [panel7, \w, mul vl]
.endm

// 4 vectors from \at on of panels 0-3 -> z16-z19, z20-z23, z24-z27, z28-z31.
.macro load_4_vectors at
    ld1b    {z16.b, z20.b, z24.b, z28.b}, pn8/z, [panel0, \at, mul vl]
    ld1b    {z17.b, z21.b, z25.b, z29.b}, pn8/z, [panel1, \at, mul vl]
    ld1b    {z18.b, z22.b, z26.b, z30.b}, pn8/z, [panel2, \at, mul vl]
    ld1b    {z19.b, z23.b, z27.b, z31.b}, pn8/z, [panel3, \at, mul vl]
.endm

// Clobbers z4-z7, z12-z31.
.macro words4_single insn, e
    load_4_vectors 0
    load_2_words_single 0
    mac_2   \insn, \e, z16, z4, 0
    mac_2   \insn, \e, z20, z12, 1
    load_2_words_single 2
    mac_2   \insn, \e, z24, z4, 2
    mac_2   \insn, \e, z28, z12, 3
    advance_8 addvl, #4
.endm

.macro load_vector r, panel, v
    ld1b    {\r\().b}, p0/z, [\panel]
.endm

.macro word1_single insn, e
    each_vector_single load_vector, word  // the RHS, in z16-z23
    mac_2   \insn, \e, z16, z20, 0
    advance_8 addvl, #1
.endm

// Words 0 and 1 of four panels, then 2 and 3. Clobbers z16-z31.
.macro words4_pair insn, e
    load_4_vectors 0
    mac_2   \insn, \e, z16, z20, 0
    mac_2   \insn, \e, z24, z28, 1
    load_4_vectors 4
    mac_2   \insn, \e, z16, z20, 2
    mac_2   \insn, \e, z24, z28, 3
    advance_4 addvl, #8
.endm

// Clobbers z16-z19, z24-z27.
.macro word1_pair insn, e
    ld1b    {z16.b, z24.b}, pn8/z, [panel0]
    ld1b    {z17.b, z25.b}, pn8/z, [panel1]
    ld1b    {z18.b, z26.b}, pn8/z, [panel2]
    ld1b    {z19.b, z27.b}, pn8/z, [panel3]
    mac_2   \insn, \e, z16, z24, 0
    advance_4 addvl, #2
.endm

// Word \i; \p0 ... \p3: its int4 in panels 0-3. Values go to the four vectors \v0, then to \v1.
.macro word_nibbles i, p0, p1, p2, p3, v0, v1
    nibbles_\v0 \p0, \p1
    mac_\v0 sdot, b, 0, \i
    nibbles_\v1 \p2, \p3
    mac_\v1 sdot, b, 1, \i
.endm

// Words 0-3 of a panel are in four vectors. Values take turns in z4-z7, z8-z11, z12-z15.
.macro words4_nibbles insn, e
    ld1b    {z16.b-z19.b}, pn8/z, [panel0]
    ld1b    {z20.b-z23.b}, pn8/z, [panel1]
    ld1b    {z24.b-z27.b}, pn8/z, [panel2]
    ld1b    {z28.b-z31.b}, pn8/z, [panel3]
    word_nibbles 0, z16, z20, z24, z28, z4, z8
    word_nibbles 1, z17, z21, z25, z29, z12, z4
    word_nibbles 2, z18, z22, z26, z30, z8, z12
    word_nibbles 3, z19, z23, z27, z31, z4, z8
    advance_4 addvl, #4
.endm

// Clobbers z4-z11, z16, z20, z24, z28.
.macro word1_nibbles insn, e
    ld1b    {z16.b}, p0/z, [panel0]
    ld1b    {z20.b}, p0/z, [panel1]
    ld1b    {z24.b}, p0/z, [panel2]
    ld1b    {z28.b}, p0/z, [panel3]
    word_nibbles 0, z16, z20, z24, z28, z4, z8
    advance_4 addvl, #1
.endm

// Word \i; \p0, \p1: its codes in panels 0, 1. Values go to the four vectors \v0, \v1.
.macro word_codes i, p0, p1, v0, v1
    codes_\v0 \p0
    codes_\v1 \p1
    mac_\v0 sdot, b, 0, \i
    mac_\v1 sdot, b, 1, \i
.endm

// Words 0-3 of a panel are in four vectors. Clobbers z4-z27.
.macro words4_codes insn, e
    ld1b    {z16.b-z19.b}, pn8/z, [panel0]
    ld1b    {z20.b-z23.b}, pn8/z, [panel1]
    word_codes 0, z16, z20, z4, z8
    word_codes 1, z17, z21, z12, z24
    word_codes 2, z18, z22, z4, z8
    word_codes 3, z19, z23, z12, z24
    advance_2 addvl, #4
.endm

// Clobbers z4-z11, z16, z20.
.macro word1_codes insn, e
    ld1b    {z16.b}, p0/z, [panel0]
    ld1b    {z20.b}, p0/z, [panel1]
    word_codes 0, z16, z20, z4, z8
    advance_2 addvl, #1
.endm

// Word \i, at vector \at of rhs: its columns of groups 0-3 pass through the four vectors \v0 ... \v3.
.macro word_whole insn, e, i, at, v0, v1, v2, v3
    load_\v0 \at
    load_\v1 \at + 4
    load_\v2 \at + 8
    load_\v3 \at + 12
    mac_\v0 \insn, \e, 0, \i
    mac_\v1 \insn, \e, 1, \i
    mac_\v2 \insn, \e, 2, \i
    mac_\v3 \insn, \e, 3, \i
.endm

// The words take turns in z4-z31.
.macro words4_whole insn, e
    word_whole \insn, \e, 0, 0, z4, z8, z12, z16
    word_whole \insn, \e, 1, 16, z20, z24, z28, z4
    addvl   rhs, rhs, #16
    addvl   rhs, rhs, #16
    word_whole \insn, \e, 2, 0, z8, z12, z16, z20
    word_whole \insn, \e, 3, 16, z24, z28, z4, z8
    addvl   rhs, rhs, #16
    addvl   rhs, rhs, #16
.endm

.macro word1_whole insn, e
    word_whole \insn, \e, 0, 0, z16, z20, z24, z28
    addvl   rhs, rhs, #16
.endm

// ---- The results of a pass, in the order of columns: in the four vectors \l, then \r.
// out_<arrangement> type: sums -> out_<type>. whole: of groups \g, \g1.

.macro out_single type
    read_z8 0
    read_z12 1
    out_\type single, z8, z12
.endm

.macro out_pair type
    read_group 0, 8, 10, 12, 14
    read_group 1, 9, 11, 13, 15
    out_\type pair, z8, z12
.endm

.macro out_nibbles type
    read_z16 0
    read_z20 1
    out_\type nibbles, z16, z20
.endm

.macro out_codes type
    read_z16 0
    read_z20 1
    out_\type codes, z16, z20
.endm

.macro out_whole type, g, g1
    read_z16 \g
    read_z20 \g1
    out_\type whole, z16, z20
.endm

// ---- out_<type>: sums -> the remaining columns of 8 vectors. Advances dst, cols. Clobbers the sums, pn9, pn10.

.macro advance_cols vectors
    addvl   dst, dst, #\vectors
    addvl   cols, cols, #-2                     // of 4 VL columns
.endm

// Two stores of four vectors.
.macro out_f32 arrangement, l, r
    whilelo pn9.s, xzr, cols, vlx4
    whilelo pn10.s, vl4, cols, vlx4
    clamp_\l
    clamp_\r
    store_\l pn9, 0
    store_\r pn10, 4
    advance_cols 8
.endm

// z\l, z\h = z\r0-z\r3, f32, as f16.
.macro narrow r0, r1, r2, r3, l, h
    fcvt    z\l\().h, {z\r0\().s-z\r1\().s}
    fcvt    z\h\().h, {z\r2\().s-z\r3\().s}
.endm

// z\r0-z\r3 and the four vectors \right, f32, as f16 to dst, those of pn9. Clobbers z\r0-z\r3.
.macro store_halves r0, r1, r2, r3, right
    narrow  \r0, \r1, \r2, \r3, \r0, \r1
    numbers_\right narrow, \r2, \r3
    st1h    {z\r0\().h-z\r3\().h}, pn9, [dst]
.endm

// One store: the f16 fit into \l.
.macro out_f16 arrangement, l, r
    whilelo pn9.h, xzr, cols, vlx4
    clamp_\l
    clamp_\r
    numbers_\l store_halves, \r
    advance_cols 4
.endm

// z\r0 = the low bytes of z\r0-z\r3, sums, = sat32(rne(f32(sum) * scale)), NaN as 0, within the bounds z1, z2.
// z\k0-z\k3: scales. Clobbers z\r1-z\r3.
.macro requantise r0, r1, r2, r3, k0, k1, k2, k3
    scvtf   {z\r0\().s-z\r3\().s}, {z\r0\().s-z\r3\().s}
    fmul    z\r0\().s, z\r0\().s, z\k0\().s
    fmul    z\r1\().s, z\r1\().s, z\k1\().s
    fmul    z\r2\().s, z\r2\().s, z\k2\().s
    fmul    z\r3\().s, z\r3\().s, z\k3\().s
    frintn  {z\r0\().s-z\r3\().s}, {z\r0\().s-z\r3\().s}
    fcvtzs  {z\r0\().s-z\r3\().s}, {z\r0\().s-z\r3\().s}
    sclamp  z\r0\().s, z1.s, z2.s         // SCLAMP of four vectors takes 7 cycles, of one 4
    sclamp  z\r1\().s, z1.s, z2.s
    sclamp  z\r2\().s, z1.s, z2.s
    sclamp  z\r3\().s, z1.s, z2.s
    low_bytes_4 \r0, \r1, \r2, \r3
.endm

// z\r0 and the first of the four vectors \right, bytes, + the zero point to dst, those of pn9. Clobbers z\r0, z\r1.
.macro store_bytes r0, r1, r2, r3, right
    add     z\r0\().b, z\r0\().b, z3.b
    add     z\r1\().b, \right\().b, z3.b
    st1b    {z\r0\().b-z\r1\().b}, pn9, [dst]
.endm

// The scales are at the ends of the panels, `bytes` further on. Clobbers z24-z31, too.
.macro out_int8 arrangement, l, r
    ldr     bytes, [args, #ROW_ARGS_tail_skip]
    .ifc \arrangement, single
    each_vector_single head_32, scale
    .else
    .ifc \arrangement, codes
    advance_2 add, bytes
    each_vector_codes head_32, scale
    .else
    .ifc \arrangement, nibbles
    advance_4 add, bytes
    .endif
    each_vector_pair head_32, scale
    .endif
    .endif
    whilelo pn9.b, xzr, cols, vlx2
    numbers_\l requantise, 24, 25, 26, 27
    numbers_\r requantise, 28, 29, 30, 31
    numbers_\l store_bytes, \r
    advance_cols 2
.endm

// kai::SmeRowFn. Assumes n >= 1.
.macro row_kernel name, arrangement, insn, e, head, out
func kai_kernel_\name, hidden
    enter
    .ifc \arrangement, nibbles
    ldr     bytes, [args, #ROW_ARGS_table]
    ldr     zt0, [bytes]
    .endif
    .ifc \arrangement, codes
    ldr     bytes, [args, #ROW_ARGS_table]
    ldr     zt0, [bytes]
    .endif
    all_true
    address_groups
    cntb    vl4
    load_bounds 1, 2, \out
    add     bytes, args, #ROW_ARGS_zero_point
    ld1rw   {z3.s}, p0/z, [bytes]
    dup     z3.b, z3.b[0]

5:  // a pass
    start_\arrangement head_\head
    multiply words4_\arrangement, word1_\arrangement, \insn, \e
    .ifc \arrangement, whole
    out_whole \out, 0, 1
    cmp     cols, #0
    b.le    6f
    out_whole \out, 2, 3
    .else
    out_\arrangement \out
    .endif
    cmp     cols, #0
    b.gt    5b
6:  leave
endfunc
.endm

row_kernel matmul_clamp_f32_f32_f32p16vlx1b_1x16vl_sme2_mla, whole, fmla, s, 32, f32
row_kernel matmul_clamp_f32_f32_f32p2vlx1b_1x16vl_sme2_mla, pair, fmla, s, 32, f32
row_kernel matmul_clamp_f32_f32_f32p4vsx1bf32_1x32vs_sme2_mla, single, fmla, s, 32, f32
row_kernel matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot, pair, fdot, h, f16, f16
row_kernel matmul_clamp_f32_f16_f16p2vlx2b_1x16vl_sme2_dot, pair, fdot, h, f16, f32
row_kernel matmul_clamp_f32_bf16_bf16p2vlx2_1x16vl_sme2_dot, pair, bfdot, h, 32, f32
row_kernel matmul_clamp_f16_f16_f16p4vsx2bf16_1x32vs_sme2_dot, single, fdot, h, f16, f16
row_kernel matmul_clamp_qai8_qai8_qsi8cxp2vlx4sb_1x16vl_sme2_dot, pair, sdot, b, 32, int8
row_kernel matmul_clamp_qai8_qai8_qsi8cxp4vsx4bi32sf32_1x32vs_sme2_dot, single, sdot, b, 32, int8
row_kernel matmul_clamp_qai8_qai8_qsi4cxp8vsx4sf32bi32_1x64vs_sme2_dot, nibbles, sdot, b, 32, int8
row_kernel matmul_clamp_qai8_qai8_qsu2cxp16vsx4sf32bi32_1x64vs_sme2_dot, codes, sdot, b, 32, int8
