// One row that is not packed times a packed RHS: f32, f16, static int8 x (int8, int4, 2 bits). All SME2 kernels of that
// kind.
//
//     f32     dst[n] = clamp(bias[n] + sum over k of lhs[k] * rhs[k][n])                       FMLA, k ascending
//     f16     the same sum in f32, two k a step: acc + round(l0 * r0 + l1 * r1)                FDOT, then to f16
//     int8    dst[n] = clamp(sat(sat(rne(f32(bias[n] + sum) * scale[n])) + zero))              SDOT, sum in int32
//
// A word, 32 bits, is what one column takes of one step: an f32, two f16, four int8 (in int4 panels 16 bits, which
// LUTI4 expands, in panels of 2-bit codes a byte, for LUTI2). A pass does 8 vectors of columns in two groups of ZA
// vectors, so that an instruction need not wait for the one before it. Instructions into ZA take four vectors of one
// word of the row; these come from
//
//     single   8 panels of 1 vector   group 0: panels 0-3            group 1: panels 4-7
//     pair     4 panels of 2 vectors  group 0: their first vectors   group 1: their second ones
//     nibbles  4 panels of 2 vectors  group 0: panels 0, 1           group 1: panels 2, 3
//     codes    2 panels of 4 vectors  group 0: panel 0               group 1: panel 1
//     whole    1 panel of 16 vectors  groups 0-3
//
// A strided load takes four vectors of a panel (single: 4 words, pair: 2 words) to registers that are four apart, so
// that those of neighbouring panels are next to each other. In a pass with fewer panels, the last one stands for
// those that are missing; their columns are not stored.
//
// z0       4 words of the row in each 128 bits       z1, z2, z3  bounds, zero point        z16-z31  RHS
// z4-z15   single: RHS of group 1, nibbles: values of the int4, codes: of two words in turn, with z24-z27
// At the end of a pass: z16-z23 sums, in the order of columns, z24-z31 scales
// p0, pn8  all    p7, pn9, pn10  what remains    w8, w12-w15  sme2_groups.inc
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_groups.inc"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/row/row_args.h"
#include "kai/engines/row/row_sme.inc"

    alias   vl4, x23        // columns of four vectors

// Group \g += z\r0-z\r3 x word \i of the row.
.macro mac insn, e, g, r0, r3, i
    \insn   za.s[w8, \g, vgx4], {z\r0\().\e-z\r3\().\e}, z0.\e[\i]
.endm

// Both groups, by the same word.
.macro mac_2 insn, e, r0, r3, q0, q3, i
    mac     \insn, \e, 0, \r0, \r3, \i
    mac     \insn, \e, 1, \q0, \q3, \i
.endm

// ---- The panels of a pass.

// \do REGISTER, PANEL, VECTOR for each vector of columns. \r0-\r7: registers, in the order of columns.
.macro each_vector_single do, r0, r1, r2, r3, r4, r5, r6, r7
    \do     \r0, panel0, 0
    \do     \r1, panel1, 0
    \do     \r2, panel2, 0
    \do     \r3, panel3, 0
    \do     \r4, panel4, 0
    \do     \r5, panel5, 0
    \do     \r6, panel6, 0
    \do     \r7, panel7, 0
.endm

.macro each_vector_pair do, r0, r1, r2, r3, r4, r5, r6, r7
    \do     \r0, panel0, 0
    \do     \r1, panel0, 1
    \do     \r2, panel1, 0
    \do     \r3, panel1, 1
    \do     \r4, panel2, 0
    \do     \r5, panel2, 1
    \do     \r6, panel3, 0
    \do     \r7, panel3, 1
.endm

.macro each_vector_codes do, r0, r1, r2, r3, r4, r5, r6, r7
    \do     \r0, panel0, 0
    \do     \r1, panel0, 1
    \do     \r2, panel0, 2
    \do     \r3, panel0, 3
    \do     \r4, panel1, 0
    \do     \r5, panel1, 1
    \do     \r6, panel1, 2
    \do     \r7, panel1, 3
.endm

// Both panels by \insn ... \by.
.macro advance_2 insn, by
    \insn   panel0, panel0, \by
    \insn   panel1, panel1, \by
.endm

// ---- The head of the panels: where the sums start.

.macro head_32 r, panel, v
    ld1w    {z\r\().s}, p0/z, [\panel, #\v, mul vl]
.endm

.macro head_f16 r, panel, v
    ld1h    {z\r\().s}, p0/z, [\panel, #\v, mul vl]
    fcvt    z\r\().s, p0/m, z\r\().h
.endm

.macro start_groups
    mova    za.d[w8, 0, vgx4], {z16.d-z19.d}
    mova    za.d[w8, 1, vgx4], {z20.d-z23.d}
    ldr     bytes, [args, #ROW_ARGS_head]
.endm

.macro start_single head
    begin_8
    each_vector_single \head, 16, 17, 18, 19, 20, 21, 22, 23
    start_groups
    advance_8 add, bytes
.endm

.macro start_pair head
    begin_4
    each_vector_pair \head, 16, 20, 17, 21, 18, 22, 19, 23
    start_groups
    advance_4 add, bytes
.endm

.macro start_nibbles head
    begin_4
    each_vector_pair \head, 16, 17, 18, 19, 20, 21, 22, 23
    start_groups
    advance_4 add, bytes
.endm

.macro start_codes head
    begin_2
    each_vector_codes \head, 16, 17, 18, 19, 20, 21, 22, 23
    start_groups
    advance_2 add, bytes
.endm

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

// ---- 4 words, then 1 word, of all panels x those of the row. Advance the panels.

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

.macro words4_single insn, e
    load_4_vectors 0
    load_2_words_single 0
    mac_2   \insn, \e, 16, 19, 4, 7, 0
    mac_2   \insn, \e, 20, 23, 12, 15, 1
    load_2_words_single 2
    mac_2   \insn, \e, 24, 27, 4, 7, 2
    mac_2   \insn, \e, 28, 31, 12, 15, 3
    advance_8 addvl, #4
.endm

.macro load_vector r, panel, v
    ld1b    {z\r\().b}, p0/z, [\panel]
.endm

.macro word1_single insn, e
    each_vector_single load_vector, 16, 17, 18, 19, 20, 21, 22, 23
    mac_2   \insn, \e, 16, 19, 20, 23, 0
    advance_8 addvl, #1
.endm

.macro words4_pair insn, e
    load_4_vectors 0
    mac_2   \insn, \e, 16, 19, 20, 23, 0
    mac_2   \insn, \e, 24, 27, 28, 31, 1
    load_4_vectors 4
    mac_2   \insn, \e, 16, 19, 20, 23, 2
    mac_2   \insn, \e, 24, 27, 28, 31, 3
    advance_4 addvl, #8
.endm

.macro word1_pair insn, e
    ld1b    {z16.b, z24.b}, pn8/z, [panel0]
    ld1b    {z17.b, z25.b}, pn8/z, [panel1]
    ld1b    {z18.b, z26.b}, pn8/z, [panel2]
    ld1b    {z19.b, z27.b}, pn8/z, [panel3]
    mac_2   \insn, \e, 16, 19, 24, 27, 0
    advance_4 addvl, #2
.endm

// Word \i; z\p0 ... z\p3: its int4 in panels 0-3.
.macro word_nibbles i, p0, p1, p2, p3, a0, a1, a2, a3, b0, b1, b2, b3
    luti4   {z\a0\().b-z\a1\().b}, zt0, z\p0[0]
    luti4   {z\a2\().b-z\a3\().b}, zt0, z\p1[0]
    sdot    za.s[w8, 0, vgx4], {z\a0\().b-z\a3\().b}, z0.b[\i]
    luti4   {z\b0\().b-z\b1\().b}, zt0, z\p2[0]
    luti4   {z\b2\().b-z\b3\().b}, zt0, z\p3[0]
    sdot    za.s[w8, 1, vgx4], {z\b0\().b-z\b3\().b}, z0.b[\i]
.endm

.macro words4_nibbles insn, e
    ld1b    {z16.b-z19.b}, pn8/z, [panel0]
    ld1b    {z20.b-z23.b}, pn8/z, [panel1]
    ld1b    {z24.b-z27.b}, pn8/z, [panel2]
    ld1b    {z28.b-z31.b}, pn8/z, [panel3]
    word_nibbles 0, 16, 20, 24, 28, 4, 5, 6, 7, 8, 9, 10, 11
    word_nibbles 1, 17, 21, 25, 29, 12, 13, 14, 15, 4, 5, 6, 7
    word_nibbles 2, 18, 22, 26, 30, 8, 9, 10, 11, 12, 13, 14, 15
    word_nibbles 3, 19, 23, 27, 31, 4, 5, 6, 7, 8, 9, 10, 11
    advance_4 addvl, #4
.endm

.macro word1_nibbles insn, e
    ld1b    {z16.b}, p0/z, [panel0]
    ld1b    {z20.b}, p0/z, [panel1]
    ld1b    {z24.b}, p0/z, [panel2]
    ld1b    {z28.b}, p0/z, [panel3]
    word_nibbles 0, 16, 20, 24, 28, 4, 5, 6, 7, 8, 9, 10, 11
    advance_4 addvl, #1
.endm

// Word \i; z\p0, z\p1: its codes in panels 0, 1.
.macro word_codes i, p0, p1, a0, a3, b0, b3
    luti2   {z\a0\().b-z\a3\().b}, zt0, z\p0[0]
    luti2   {z\b0\().b-z\b3\().b}, zt0, z\p1[0]
    sdot    za.s[w8, 0, vgx4], {z\a0\().b-z\a3\().b}, z0.b[\i]
    sdot    za.s[w8, 1, vgx4], {z\b0\().b-z\b3\().b}, z0.b[\i]
.endm

.macro words4_codes insn, e
    ld1b    {z16.b-z19.b}, pn8/z, [panel0]
    ld1b    {z20.b-z23.b}, pn8/z, [panel1]
    word_codes 0, 16, 20, 4, 7, 8, 11
    word_codes 1, 17, 21, 12, 15, 24, 27
    word_codes 2, 18, 22, 4, 7, 8, 11
    word_codes 3, 19, 23, 12, 15, 24, 27
    advance_2 addvl, #4
.endm

.macro word1_codes insn, e
    ld1b    {z16.b}, p0/z, [panel0]
    ld1b    {z20.b}, p0/z, [panel1]
    word_codes 0, 16, 20, 4, 7, 8, 11
    advance_2 addvl, #1
.endm

.macro word_whole insn, e, i, at, a0, a3, b0, b3, c0, c3, d0, d3
    ld1b    {z\a0\().b-z\a3\().b}, pn8/z, [rhs, \at, mul vl]
    ld1b    {z\b0\().b-z\b3\().b}, pn8/z, [rhs, \at + 4, mul vl]
    ld1b    {z\c0\().b-z\c3\().b}, pn8/z, [rhs, \at + 8, mul vl]
    ld1b    {z\d0\().b-z\d3\().b}, pn8/z, [rhs, \at + 12, mul vl]
    mac     \insn, \e, 0, \a0, \a3, \i
    mac     \insn, \e, 1, \b0, \b3, \i
    mac     \insn, \e, 2, \c0, \c3, \i
    mac     \insn, \e, 3, \d0, \d3, \i
.endm

.macro words4_whole insn, e
    word_whole \insn, \e, 0, 0, 4, 7, 8, 11, 12, 15, 16, 19
    word_whole \insn, \e, 1, 16, 20, 23, 24, 27, 28, 31, 4, 7
    addvl   rhs, rhs, #16
    addvl   rhs, rhs, #16
    word_whole \insn, \e, 2, 0, 8, 11, 12, 15, 16, 19, 20, 23
    word_whole \insn, \e, 3, 16, 24, 27, 28, 31, 4, 7, 8, 11
    addvl   rhs, rhs, #16
    addvl   rhs, rhs, #16
.endm

.macro word1_whole insn, e
    word_whole \insn, \e, 0, 0, 16, 19, 20, 23, 24, 27, 28, 31
    addvl   rhs, rhs, #16
.endm

// ---- z16-z23 = the sums of a pass, \whole: of groups \g, \g1, in the order of columns.

.macro sums_single g=0, g1=1
    read_group \g, 16, 17, 18, 19
    read_group \g1, 20, 21, 22, 23
.endm

.macro sums_pair
    read_group 0, 16, 18, 20, 22
    read_group 1, 17, 19, 21, 23
.endm

.macro sums_nibbles
    sums_single
.endm

.macro sums_codes
    sums_single
.endm

// ---- z16-z23 -> the remaining columns of 8 vectors. Advances dst, cols.

.macro advance_cols vectors
    addvl   dst, dst, #\vectors
    addvl   cols, cols, #-2                     // of 4 VL columns
.endm

.macro out_f32 arrangement
    whilelo pn9.s, xzr, cols, vlx4
    whilelo pn10.s, vl4, cols, vlx4
    clamp_4 16, 17, 18, 19, 1, 2
    clamp_4 20, 21, 22, 23, 1, 2
    st1w    {z16.s-z19.s}, pn9, [dst]
    st1w    {z20.s-z23.s}, pn10, [dst, #4, mul vl]
    advance_cols 8
.endm

.macro out_f16 arrangement
    whilelo pn9.h, xzr, cols, vlx4
    clamp_4 16, 17, 18, 19, 1, 2
    clamp_4 20, 21, 22, 23, 1, 2
    fcvt    z16.h, {z16.s-z17.s}
    fcvt    z17.h, {z18.s-z19.s}
    fcvt    z18.h, {z20.s-z21.s}
    fcvt    z19.h, {z22.s-z23.s}
    st1h    {z16.h-z19.h}, pn9, [dst]
    advance_cols 4
.endm

// The scales are at the panels' ends: bytes further.
.macro out_int8 arrangement
    ldr     bytes, [args, #ROW_ARGS_tail_skip]
    .ifc \arrangement, single
    each_vector_single head_32, 24, 25, 26, 27, 28, 29, 30, 31
    .else
    .ifc \arrangement, codes
    advance_2 add, bytes
    each_vector_codes head_32, 24, 25, 26, 27, 28, 29, 30, 31
    .else
    .ifc \arrangement, nibbles
    advance_4 add, bytes
    .endif
    each_vector_pair head_32, 24, 25, 26, 27, 28, 29, 30, 31
    .endif
    .endif
    whilelo pn9.b, xzr, cols, vlx2
    requantised_4 16, 17, 18, 19, 24, 25, 26, 27, 1, 2
    requantised_4 20, 21, 22, 23, 28, 29, 30, 31, 1, 2
    low_bytes_4 16, 17, 18, 19
    low_bytes_4 20, 21, 22, 23
    add     z16.b, z16.b, z3.b
    add     z17.b, z20.b, z3.b
    st1b    {z16.b-z17.b}, pn9, [dst]
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
    sums_single
    out_\out \arrangement
    cmp     cols, #0
    b.le    6f
    sums_single 2, 3
    .else
    sums_\arrangement
    .endif
    out_\out \arrangement
    cmp     cols, #0
    b.gt    5b
6:  leave
endfunc
.endm

row_kernel matmul_clamp_f32_f32_f32p16vlx1b_1x16vl_sme2_mla, whole, fmla, s, 32, f32
row_kernel matmul_clamp_f32_f32_f32p2vlx1b_1x16vl_sme2_mla, pair, fmla, s, 32, f32
row_kernel matmul_clamp_f32_f32_f32p4vsx1bf32_1x32vs_sme2_mla, single, fmla, s, 32, f32
row_kernel matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot, pair, fdot, h, f16, f16
row_kernel matmul_clamp_f16_f16_f16p4vsx2bf16_1x32vs_sme2_dot, single, fdot, h, f16, f16
row_kernel matmul_clamp_qai8_qai8_qsi8cxp2vlx4sb_1x16vl_sme2_dot, pair, sdot, b, 32, int8
row_kernel matmul_clamp_qai8_qai8_qsi8cxp4vsx4bi32sf32_1x32vs_sme2_dot, single, sdot, b, 32, int8
row_kernel matmul_clamp_qai8_qai8_qsi4cxp8vsx4sf32bi32_1x64vs_sme2_dot, nibbles, sdot, b, 32, int8
row_kernel matmul_clamp_qai8_qai8_qsu2cxp16vsx4sf32bi32_1x64vs_sme2_dot, codes, sdot, b, 32, int8
