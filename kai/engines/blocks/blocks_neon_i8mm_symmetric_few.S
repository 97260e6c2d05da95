// f32 <- qsi8d32p x qsi4c32p, qsi8c32p, qlu4c32p or qlu4c16p with SMMLA, blocks of 32: 2 rows x 16 columns, 4 rows x 8.
//
//     acc[m][n] += rhs_scale * (lhs_scale * S),     S = sum over the block of lhs * rhs
//
// Two steps share rows: 8 k of low nibbles, 8 k of high ones; the first has columns a, the second columns b.
//
//                 | columns a   columns b
//        ---------+----------------------
//        rows a   | S_aa        S_ab
//        rows b   | S_ba        S_bb            4 rows
//
// Frame and registers: blocks_neon_few.inc. After the products of a block
//   v24 - v27   LOW            scales of columns a, twice each: c0 c1 c0 c1
//   v16 - v19   RHS_A          scales of columns a and b; then of columns b, twice each
//   v28, v26    low_a, low_b   scales of the rows, twice each: r0 r0 r1 r1
//   v20 - v23   T_a, T_b       -C * scales of the rows, then scales * S of columns a. Of columns b: S_aa, S_ba
// C, and how sums start: blocks_neon_i8mm_symmetric_tiles.S.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#define LHS_BLOCK 136      // 4 x (f16 + 32 bytes)
#define LHS_ELEMENTS 8
#define FEW_PARTS _aa, _ab, _ba, _bb
#include "kai/engines/blocks/blocks_neon_few.inc"

// Constants of a format. bits: 4 (qsi4c32p) or 8 (qsi8c32p). table: 4 bits are indices (qlu4c32p, whose scales may be
// bf16). halves: and each half of a block has a scale (qlu4c16p). Scales, f16, are in front of the elements.
.macro format bits, table=0, halves=0
    .set    RHS_BITS, \bits
    .set    RHS_TABLE, \table
    .set    RHS_HALVES, \halves
    .set    RHS_ELEMENTS, 8 + 8 * \halves          // 4 x f16, with halves twice
    .set    RHS_BLOCK, RHS_ELEMENTS + 16 * \bits   // and 4 x 16 or 32 bytes
.endm

reg low_a, 28
reg low_b, 26
reg high_a, 29
reg high_b, 27

// One instruction for rows b, if there are any.
.macro rows_b insn:vararg
    if_more height, 2, \insn
.endm

.macro few_start
    each_part start_part
.endm
.macro start_part part
    load_all S\part, [few_args, #TILE_ARGS_start]
.endm

// The rows' 8 k of steps \step and \step + 1, low and high.
.macro load_low step
    .if (\step) % 2 == 0
    ldr     qlow_a, [row, #16 * (\step)]
    rows_b ldr qlow_b, [row, #16 * (\step) + 16]
    .endif
.endm
// The same 16 k further on.
.macro load_high step
    .if (\step) % 2 == 0
    ldr     qhigh_a, [row, #16 * (\step) + 64]
    rows_b ldr qhigh_b, [row, #16 * (\step) + 80]
    .endif
.endm

// S += rows times LOW, which has columns a in even steps, b in odd ones.
.macro multiply_low step
    .if (\step) % 2 == 0
    smmla_quads S_aa, low_a, LOW
    rows_b smmla_quads S_ba, low_b, LOW
    .else
    smmla_quads S_ab, low_a, LOW
    rows_b smmla_quads S_bb, low_b, LOW
    .endif
.endm
// S += rows times the high nibbles, in set \b; columns as in LOW.
.macro multiply_high step, b
    .if (\step) % 2 == 0
    smmla_quads S_aa, high_a, \b
    rows_b smmla_quads S_ba, high_b, \b
    .else
    smmla_quads S_ab, high_a, \b
    rows_b smmla_quads S_bb, high_b, \b
    .endif
.endm
// Set \s += rows \a times set \b.
.macro smmla_quads s, a, b
    smmla   \s\()_0.4s, \a\().16b, \b\()_0.16b
    smmla   \s\()_1.4s, \a\().16b, \b\()_1.16b
    if_more quads, 2, smmla \s\()_2.4s, \a\().16b, \b\()_2.16b
    if_more quads, 2, smmla \s\()_3.4s, \a\().16b, \b\()_3.16b
.endm

// Scratch sets T_a and T_b, in v20 - v23: for `accumulate`.
.macro name_scratch
    name_set T_a, 20, quads
    rows_b name_set T_b, 22, quads
.endm
.macro forget_scratch
    forget_set T_a, quads
    rows_b forget_set T_b, quads
.endm

// ---- After the products

// Place 0, 1: as blocks_neon_few.inc says.
.macro fields place
    .if \place == 0
    load_f16_scales
    .else
    ldr     qlow_a, [scales]
    rows_b ldr qlow_b, [scales, #16]
    widen_scales RHS_A
    .endif
.endm

// Set \d = two of the four scales in RHS_A, twice: \pair 0 or 1.
.macro spread_scales d, pair
    dup     \d\()_0.2d, RHS_A_0.d[\pair]
    dup     \d\()_1.2d, RHS_A_1.d[\pair]
    if_more quads, 2, dup \d\()_2.2d, RHS_A_2.d[\pair]
    if_more quads, 2, dup \d\()_3.2d, RHS_A_3.d[\pair]
.endm

// acc += scales of the columns * (scales of the rows * S). Changes S, T, RHS_A, LOW.
.macro accumulate
    name_scratch
    load_all T_a, [scales, #32]
    rows_b load_all T_b, [scales, #48]
    spread_scales LOW, 0
    spread_scales RHS_A, 1
    shared_quads fmla, 4s, T_a, S_aa, low_a.4s
    rows_b shared_quads fmla, 4s, T_b, S_ba, low_b.4s
    load_all S_aa, [scales, #32]
    rows_b load_all S_ba, [scales, #48]
    shared_quads fmla, 4s, S_aa, S_ab, low_a.4s
    rows_b shared_quads fmla, 4s, S_ba, S_bb, low_b.4s
    op_quads fmla, 4s, acc_aa, T_a, LOW
    rows_b op_quads fmla, 4s, acc_ba, T_b, LOW
    op_quads fmla, 4s, acc_ab, S_aa, RHS_A
    rows_b op_quads fmla, 4s, acc_bb, S_ba, RHS_A
    .if half == RHS_HALVES
    add     scales, scales, #64
    .endif
    forget_scratch
.endm

// The functions of a format.
.macro tiles_of rhs, bits, table=0, halves=0
    format  \bits, \table, \halves
    few_function kai_tile_qsi8d32p4x8_\rhs\()4x8_2x16_neon_i8mm, 2, 4, 2
    few_function kai_tile_qsi8d32p4x8_\rhs\()4x8_4x8_neon_i8mm, 4, 2, 4
.endm

    tiles_of qsi4c32p, 4
    tiles_of qsi8c32p, 8
    tiles_of qlu4c32p, 4, 1
    tiles_of qlu4c16p, 4, 1, 1
