// f32 <- qsi8d32p x qai4c32p with SMMLA, blocks of 32: 2 rows x 16 columns, 4 rows x 8.
//
//     acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// Two steps share rows: 8 k of low nibbles, 8 k of high ones; the first has columns a, the second columns b.
//
//                 | columns a   columns b
//        ---------+----------------------
//        rows a   | S_aa        S_ab
//        rows b   | S_ba        S_bb            4 rows
//
// Frame and registers: blocks_neon_few.inc. After the products of a block
//   v16 - v19   RHS_A          zeros, then scales of columns a, twice each: c0 c1 c0 c1
//   v24 - v27   LOW            those of columns b
//   v28, v26    low_a, low_b   sums, then scales of the rows, twice each: r0 r0 r1 r1
//   v20 - v23   T_a, T_b       scales of rows * scales of columns a. Of columns b: S_aa, S_ba
//   x3, x5, x16, x17           fields of two columns of each quad
// C, and how sums start: blocks_neon_i8mm_qai4c32p_tiles.S.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#define LHS_BLOCK 160      // 4 x (32 bytes + 2 x f32)
#define LHS_ELEMENTS 0
#define RHS_BLOCK 96       // 4 x (16 bytes + 2 x f32)
#define RHS_ELEMENTS 0
#define RHS_BITS 4
#define RHS_TABLE 0
#define RHS_HALVES 0
#define FEW_PARTS _aa, _ab, _ba, _bb
#include "kai/engines/blocks/blocks_neon_few.inc"

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

// Fields of two columns of each quad, to general registers: spread_columns needs no SIMD slot on most cores.
.macro load_columns offset
    ldr     x3, [quad_0, #\offset]
    ldr     x5, [quad_1, #\offset]
    if_more quads, 2, ldr x16, [quad_2, #\offset]
    if_more quads, 2, ldr x17, [quad_3, #\offset]
.endm
// \d\()_0 - \d\()_3 = pairs of columns, twice each: x3, x5 and, of more than two quads, x16, x17.
.macro spread_columns d
    dup     \d\()_0.2d, x3
    dup     \d\()_1.2d, x5
    if_more quads, 2, dup \d\()_2.2d, x16
    if_more quads, 2, dup \d\()_3.2d, x17
.endm

// Place 0, 1: as blocks_neon_few.inc says.
.macro fields place
    .if \place == 0
    load_columns 64
    .else
    ldr     qlow_a, [scales]
    rows_b ldr qlow_b, [scales, #16]
    spread_columns RHS_A
    load_columns 72
    .endif
.endm

// acc += zeros * sums of the rows, then (S - C) * scales. Changes S, T, RHS_A, LOW.
.macro accumulate
    name_scratch
    spread_columns LOW
    load_columns 80
    shared_quads fmla, 4s, acc_aa, RHS_A, low_a.4s
    shared_quads fmla, 4s, acc_ab, LOW, low_a.4s
    rows_b shared_quads fmla, 4s, acc_ba, RHS_A, low_b.4s
    rows_b shared_quads fmla, 4s, acc_bb, LOW, low_b.4s
    spread_columns RHS_A
    ldr     qlow_a, [scales, #32]
    rows_b ldr qlow_b, [scales, #48]
    load_columns 88
    shared_quads fsub, 4s, S_aa, S_aa, start.4s
    rows_b shared_quads fsub, 4s, S_ba, S_ba, start.4s
    shared_quads fmul, 4s, T_a, RHS_A, low_a.4s
    rows_b shared_quads fmul, 4s, T_b, RHS_A, low_b.4s
    spread_columns LOW
    op_quads fmla, 4s, acc_aa, S_aa, T_a
    rows_b op_quads fmla, 4s, acc_ba, S_ba, T_b
    shared_quads fmul, 4s, S_aa, LOW, low_a.4s
    rows_b shared_quads fmul, 4s, S_ba, LOW, low_b.4s
    shared_quads fsub, 4s, S_ab, S_ab, start.4s
    rows_b shared_quads fsub, 4s, S_bb, S_bb, start.4s
    op_quads fmla, 4s, acc_ab, S_ab, S_aa
    rows_b op_quads fmla, 4s, acc_bb, S_bb, S_ba
    add     scales, scales, #64
    forget_scratch
.endm

    few_function kai_tile_qsi8d32p4x8_qai4c32p4x8_2x16_neon_i8mm, 2, 4, 2
    few_function kai_tile_qsi8d32p4x8_qai4c32p4x8_4x8_neon_i8mm, 4, 2, 4
