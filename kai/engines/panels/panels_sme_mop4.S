// Few rows of two packed sides, at most V / 2, with quarter-tile outer products. Formulas, panels and registers:
// panels_sme.inc. Parts that store are those of SME2: panels_sme2_floats.S, panels_sme2_int8.S.
//
// An outer product of V rows would leave half of a tile unused. Here each vector of the LHS has the V / 2 rows twice,
// and the lower half of a tile multiplies them with other columns: steps of 4 V columns in two tiles, of which the
// upper halves are what an ordinary step has in za0, za1, and the lower halves those of the next step.
//
//                            za0                      za1
//     rows 0 ... V / 2 - 1   columns 0 ... V - 1      columns V ... 2 V - 1        cursors rhs0, rhs1
//     the same rows again    columns 2 V ... 3 V - 1  columns 3 V ... 4 V - 1      cursors rhs2, rhs3
//
// Each element is the same chain of sums as in an ordinary step: the same bits.
//
// z0, z2, z4, z6    LHS, rows twice, of depth groups 0-3
// z16-z31           RHS: pairs of a vector for the upper and one for the lower half of a tile
//
//     depth group       0 (e)           1 (e)           2 (o)           3 (o)
//     split   za0, za1  z16-17, z18-19  z24-25, z26-27  z20-21, z22-23  z28-29, z30-31
//     pair    za0, za1  z16-17, z24-25  z18-19, z26-27  z20-21, z28-29  z22-23, z30-31
//
// z8-z11            nibbles or codes
// p1, p2            the rows of the upper, of the lower half
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/asm/sme_mop4.inc"
#include "kai/engines/panels/panels_sme.inc"

    .purgem load_2_pair         // arrangements have other registers here
    .purgem load_1_pair
    .purgem load_2_split
    .purgem load_1_split

    alias   rhs2, x3            // cursors of columns 2 V ... 3 V - 1 and 3 V ...; where they are none, those of others
    alias   rhs3, x12
    alias   half, x26           // V / 2

// p1, p2.
.macro halves_of_rows
    whilelo p1.s, xzr, half
    not     p2.b, p0/z, p1.b
.endm

// ---- loads of depth groups. Sets as in panels_sme.inc: e has groups 0 and 1 of four, o groups 2 and 3.

// z\l = the rows in vector \at from lhs0, twice.
.macro load_rows_twice l, at
    ld1w    {z\l\().s}, p1/z, [lhs0, #(\at), mul vl]
    splice  z\l\().s, p1, z\l\().s, z\l\().s
.endm
.macro load_lhs_e at0, at1
    load_rows_twice 0, \at0
    load_rows_twice 2, \at1
.endm
.macro load_lhs_o at0, at1
    load_rows_twice 4, \at0
    load_rows_twice 6, \at1
.endm

// z\r, z\r8, 8 further on, = vectors \at, \at + 1 from \from.
.macro load_apart r, r8, from, at
    ld1b    {z\r\().b, z\r8\().b}, pn8/z, [\from, \at, mul vl]
.endm
// z16 and z24 from \u, z17 and z25 from \l, both \at0; z18 and z26, z19 and z27 from \v, \m, \at1.
.macro load_rhs_e u, l, at0, v, m, at1
    load_apart 16, 24, \u, \at0
    load_apart 17, 25, \l, \at0
    load_apart 18, 26, \v, \at1
    load_apart 19, 27, \m, \at1
.endm
// The same 4 further on.
.macro load_rhs_o u, l, at0, v, m, at1
    load_apart 20, 28, \u, \at0
    load_apart 21, 29, \l, \at0
    load_apart 22, 30, \v, \at1
    load_apart 23, 31, \m, \at1
.endm

// ---- arrangements: of either one
//
//     load_2_<arrangement> set, first     depth groups \first and \first + 1 from the cursors on -> the set
//     load_1_<arrangement>                depth group 0 -> z0, z16-z19 (split), z16, z17, z24, z25 (pair)
//     mopa_1_<arrangement> insn           za0, za1 += that group; `insn tile, LHS, pair of the RHS`
//     mopa_e_<arrangement>, mopa_o_<...>  za0, za1 += both groups of the set
//     advance_<arrangement> groups        the cursors move

// A panel of V columns at each cursor.
.macro load_2_split set, first
    load_lhs_\set \first, (\first + 1)
    load_rhs_\set rhs0, rhs2, \first, rhs1, rhs3, \first
.endm
// One group: no vector in between.
.macro load_1_split
    load_rows_twice 0, 0
    load_words_1 16, rhs0
    load_words_1 17, rhs2
    load_words_1 18, rhs1
    load_words_1 19, rhs3
.endm
.macro mopa_1_split insn
    \insn   0, 0, 16
    \insn   1, 0, 18
.endm
.macro mopa_e_split insn
    mopa_1_split \insn
    \insn   0, 2, 24
    \insn   1, 2, 26
.endm
// Of set o.
.macro mopa_o_split insn
    \insn   0, 4, 20
    \insn   1, 4, 22
    \insn   0, 6, 28
    \insn   1, 6, 30
.endm
// A vector a group.
.macro advance_split groups
    addvl   lhs0, lhs0, #\groups
    addvl   rhs0, rhs0, #\groups
    addvl   rhs1, rhs1, #\groups
    addvl   rhs2, rhs2, #\groups
    addvl   rhs3, rhs3, #\groups
.endm

// Panels of 2 V rows and columns at lhs0, rhs0, rhs2: two vectors a depth group.
.macro load_2_pair set, first
    load_lhs_\set (2 * \first), (2 * \first + 2)
    load_rhs_\set rhs0, rhs2, (2 * \first), rhs0, rhs2, (2 * \first + 2)
.endm
.macro load_1_pair
    load_rows_twice 0, 0
    load_apart 16, 24, rhs0, 0
    load_apart 17, 25, rhs2, 0
.endm
.macro mopa_1_pair insn
    \insn   0, 0, 16
    \insn   1, 0, 24
.endm
.macro mopa_e_pair insn
    mopa_1_pair \insn
    \insn   0, 2, 18
    \insn   1, 2, 26
.endm
// Of set o.
.macro mopa_o_pair insn
    \insn   0, 4, 20
    \insn   1, 4, 28
    \insn   0, 6, 22
    \insn   1, 6, 30
.endm
.macro advance_pair groups
    addvl   lhs0, lhs0, #2 * \groups
    addvl   rhs0, rhs0, #2 * \groups
    addvl   rhs2, rhs2, #2 * \groups
.endm

// Panels as those of pair, with a vector of nibbles or codes a depth group: panels_sme2_int8.S. UZP1 takes the rows
// twice, as SPLICE shares a unit of C1-SME2 with LUTI2 and LUTI4: the cursor of the LHS is 4 vectors ahead.
.macro load_2_pair_nibbles set, first, luti=luti4_apart
    load_lhs_halves_\set (2 * \first), (2 * \first + 2)
    load_words_2 8, 9, rhs0, \first
    load_words_2 10, 11, rhs2, \first
    decode_\set \luti
.endm
// One group. Clobbers z8, z10.
.macro load_1_pair_nibbles luti=luti4_apart
    load_halves_twice 0, 0
    load_words_1 8, rhs0
    load_words_1 10, rhs2
    \luti   16, 8
    \luti   17, 10
.endm
.macro load_2_pair_codes set, first
    load_2_pair_nibbles \set, \first, luti2_lower
.endm
.macro load_1_pair_codes
    load_1_pair_nibbles luti2_lower
.endm
.macro luti2_lower zd, zn
    luti2_apart \zd, \zn, 0
.endm
// The set's RHS from z8-z11.
.macro decode_e luti
    \luti   16, 8
    \luti   17, 10
    \luti   18, 9
    \luti   19, 11
.endm
// Of set o.
.macro decode_o luti
    \luti   20, 8
    \luti   21, 10
    \luti   22, 9
    \luti   23, 11
.endm
// load_lhs_<set> for the cursor ahead: z\l = words in double words, of which the even halves are taken twice.
.macro load_halves_twice l, at
    ld1w    {z\l\().d}, p0/z, [lhs0, #(2 * (\at) - 8), mul vl]
    uzp1    z\l\().s, z\l\().s, z\l\().s
.endm
.macro load_lhs_halves_e at0, at1
    load_halves_twice 0, \at0
    load_halves_twice 2, \at1
.endm
.macro load_lhs_halves_o at0, at1
    load_halves_twice 4, \at0
    load_halves_twice 6, \at1
.endm
.macro advance_pair_nibbles groups
    addvl   lhs0, lhs0, #2 * \groups
    addvl   rhs0, rhs0, #\groups
    addvl   rhs2, rhs2, #\groups
.endm
.macro advance_pair_codes groups
    advance_pair_nibbles \groups
.endm

// ---- the parts

// za0, za1 += LHS x RHS over the whole depth; a set is multiplied while the other one is loaded, as in panels_sme.inc.
// \products: the arrangement whose outer products it has. \ahead: vectors that lhs0 is ahead.
.macro multiply_quarters_part name, arrangement, products, insn, ahead=0
func kai_part_panels_multiply_\name, hidden
    halves_of_rows
    addvl   lhs0, lhs0, #\ahead
    subs    count, depth, #4
    b.lo    2f
    load_2_\arrangement e, 0
    load_2_\arrangement o, 2
    advance_\arrangement 4
    subs    count, count, #4
    b.lo    1f
0:  // 4 depth groups, while the next 4 are loaded
    mopa_e_\products \insn
    load_2_\arrangement e, 0
    mopa_o_\products \insn
    load_2_\arrangement o, 2
    advance_\arrangement 4
    subs    count, count, #4
    b.hs    0b
1:  // the last 4 that are loaded
    mopa_e_\products \insn
    mopa_o_\products \insn
2:  adds    count, count, #4
    b.eq    4f
3:  // up to 3 that are left
    load_1_\arrangement
    advance_\arrangement 1
    mopa_1_\products \insn
    subs    count, count, #1
    b.ne    3b
4:  return
endfunc
.endm

    multiply_quarters_part quarters_split_s8_sme_mop4, split, split, smop4a_pair
    multiply_quarters_part quarters_split_f32_sme_mop4, split, split, fmop4a_pair_f32
    multiply_quarters_part quarters_split_f16_sme_mop4, split, split, fmop4a_pair_f16
    multiply_quarters_part quarters_pair_s8_sme_mop4, pair, pair, smop4a_pair
    multiply_quarters_part quarters_pair_f32_sme_mop4, pair, pair, fmop4a_pair_f32
    multiply_quarters_part quarters_pair_f16_sme_mop4, pair, pair, fmop4a_pair_f16
    multiply_quarters_part quarters_pair_bf16_sme_mop4, pair, pair, bfmop4a_pair
    multiply_quarters_part quarters_pair_nibbles_sme_mop4, pair_nibbles, pair, smop4a_pair, 4
    multiply_quarters_part quarters_pair_codes_sme_mop4, pair_codes, pair, smop4a_pair, 4

// za0, za1 = z16-z19, the starts of the columns at rhs0-rhs3, bit by bit, in every row.
.macro start_quarters_with_z16_z19
    halves_of_rows
    zero    {za0.s, za1.s}
    addha   za0.s, p1/m, p0/m, z16.s
    addha   za1.s, p1/m, p0/m, z17.s
    addha   za0.s, p2/m, p0/m, z18.s
    addha   za1.s, p2/m, p0/m, z19.s
.endm

// The 32 bits per column in the heads.
func kai_part_panels_start_quarters_words_sme_mop4, hidden
    load_words_1 16, rhs0
    load_words_1 17, rhs1
    load_words_1 18, rhs2
    load_words_1 19, rhs3
    start_quarters_with_z16_z19
    return
endfunc

// The f16 of a column.
func kai_part_panels_start_quarters_f16_sme_mop4, hidden
    ld1h    {z16.s}, p0/z, [rhs0]
    ld1h    {z17.s}, p0/z, [rhs1]
    ld1h    {z18.s}, p0/z, [rhs2]
    ld1h    {z19.s}, p0/z, [rhs3]
    unary_4 fcvt, 16, 17, 18, 19, s, h
    start_quarters_with_z16_z19
    return
endfunc

// ---- the loop: void kai_kernel_panels_few_sme_mop4(const kai::PanelArgs*). m = 1 ... V / 2, n >= 1, V >= 8; start and
// multiply are of this file.
func kai_kernel_panels_few_sme_mop4, hidden
    frame   x29, d8-d15, x19-x26
    smstart
    all_true
    cntw    vl
    lsr     half, vl, #1
    ldr     t0, [args, #PANEL_ARGS_table]
    cbz     t0, 0f
    ldr     zt0, [t0]
0:
    ldp     rows, cols, [args, #PANEL_ARGS_m]
    ldp     depth, lhs_panel, [args, #PANEL_ARGS_depth]
    ldr     rhs_panel, [args, #PANEL_ARGS_rhs]
    ldp     dst_columns, dst_stride, [args, #PANEL_ARGS_dst]
    ldr     rhs_half, [args, #PANEL_ARGS_rhs_half]
    ldp     rhs_heads, start, [args, #PANEL_ARGS_rhs_heads]
    ldp     multiply, store, [args, #PANEL_ARGS_multiply]

0:  // 4 V columns
    mov     lhs0, lhs_panel
    mov     rhs0, rhs_panel
    other_half rhs1, rhs0, cols, rhs_half
    mov     rhs2, rhs0
    mov     rhs3, rhs1
    subs    count, cols, vl, lsl #1
    b.ls    1f
    add_field rhs2, rhs_panel, rhs_step
    other_half rhs3, rhs2, count, rhs_half
1:  blr     start
    add     rhs0, rhs0, rhs_heads
    add     rhs1, rhs1, rhs_heads
    add     rhs2, rhs2, rhs_heads
    add     rhs3, rhs3, rhs_heads
    blr     multiply
    mov     first_row, #0
2:  // 2 V columns: an ordinary step, whose rows begin with first_row
    mov     dst, dst_columns
    blr     store
    add_field rhs_panel, rhs_panel, rhs_step
    add_field dst_columns, dst_columns, dst_step
    subs    cols, cols, vl, lsl #1
    b.ls    3f
    add     first_row, first_row, half
    cmp     first_row, vl
    b.lo    2b
    b       0b
3:  smstop
    return
endfunc
