// f32 <- qsi8d32p x qai4c32p with SMMLA, blocks of 32: 2 rows x 16 columns, 4 rows x 8.
//
//     acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//
// Tile and registers: blocks_neon_few.inc, blocks_neon_few_smmla.inc. After the products of a block
//   v16 - v19   RHS_A          zeros, then scales of columns a, twice each: c0 c1 c0 c1
//   v24 - v27   LOW            those of columns b
//   v28, v26    low_a, low_b   sums, then scales of the rows, twice each: r0 r0 r1 r1
//   v20 - v23   T_a, T_b       scales of rows * scales of columns a. Of columns b: S_aa, S_ba
//   x3, x5, x16, x17           fields of two columns of each quad
// C, and how sums start: blocks_neon_i8mm_qai4c32p_tiles.S.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/blocks/blocks_neon_qai4c32p.inc"
#include "kai/engines/blocks/blocks_neon_few_smmla.inc"

// Fields of two columns of each quad, and then set \d = them, twice. Through general registers: no SIMD slot on most
// cores.
.macro load_columns offset
    ldr     x3, [quad_0, #\offset]
    ldr     x5, [quad_1, #\offset]
    .if quads > 2
    ldr     x16, [quad_2, #\offset]
    ldr     x17, [quad_3, #\offset]
    .endif
.endm
// \d\()_0 - \d\()_3 = pairs of columns, twice each: x3, x5 and, of more than two quads, x16, x17.
.macro spread_columns d
    dup     \d\()_0.2d, x3
    dup     \d\()_1.2d, x5
    .if quads > 2
    dup     \d\()_2.2d, x16
    dup     \d\()_3.2d, x17
    .endif
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

    smmla_few_functions kai_tile_qsi8d32p4x8_qai4c32p4x8
