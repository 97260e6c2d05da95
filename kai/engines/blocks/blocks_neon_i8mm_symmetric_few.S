// f32 <- qsi8d32p x qsi4c32p, qsi8c32p, qlu4c32p or qlu4c16p with SMMLA, blocks of 32: 2 rows x 16 columns, 4 rows x 8.
//
//     acc[m][n] += rhs_scale * (lhs_scale * S),     S = sum over the block of lhs * rhs
//
// Tile and registers: blocks_neon_few.inc, blocks_neon_few_smmla.inc. After the products of a block
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
#include "kai/engines/blocks/blocks_neon_symmetric.inc"
#include "kai/engines/blocks/blocks_neon_few_smmla.inc"

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
    .if quads > 2
    dup     \d\()_2.2d, RHS_A_2.d[\pair]
    dup     \d\()_3.2d, RHS_A_3.d[\pair]
    .endif
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

.macro tiles_of rhs
    smmla_few_functions kai_tile_qsi8d32p4x8_\rhs\()4x8
.endm

    each_format tiles_of
