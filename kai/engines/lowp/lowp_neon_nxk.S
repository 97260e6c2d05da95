// Tiles of low precision on Armv8.0 whose columns are as they lie: lowp_neon_tiles.inc, and what only they need.
// `raw` is plain, or the instruction that adds the bytes of columns: sadalp, uadalp. These sums hold 127 steps at most.
//
//   K0 - K7    sums of the bytes of a column each, 16 bits: v24 - v31 (8 columns), v28 - v31, or v12 - v15 in place of
//              Tb (4 x 4)
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/lowp/lowp_args.h"
#include "kai/engines/lowp/lowp_neon_tiles.inc"

// 16 k of column c to B_<b>.
.macro column c, b
    ldr     qB_\b, [column\c]
    add     column\c, column\c, #16
.endm
// Adds the bytes of a column to its sum.
.macro add_bytes column, op, b
    \op     K\column\().8h, \b\().16b
.endm

// Sums of columns occupy Tb, so there are registers for only four products at once: other work separates dependent
// instructions.
.macro step_4x4_sums raw
    columns \raw, 0, 4
    load_rows 4
    ready   \raw, 0, 4
    ready_rows 4
    last_4x4_sums
    column_of_4x4 \raw, 0, 4, 5
    column_of_4x4 \raw, 1, 5, 4
    column_of_4x4 \raw, 2, 4, 5
    products_4x1 lower, a, 5
    products_4x1 upper, a, 5
.endm
// Column c, which is in B_<b>; the next one goes to B<other>.
.macro column_of_4x4 raw, c, b, other
    products_4x1 lower, a, \b
    columns \raw, (\c + 1), \other
    products_4x1 upper, a, \b
    ready   \raw, (\c + 1), \other
    add_up  a, \c
.endm
.macro last_4x4_sums
    add_up  a, 3
.endm

// Stores the sums of columns, which it changes. widen: saddlp or uaddlp, to 32 bits.
.macro column_sums columns, widen
    widen_4 \widen, K0, K1, K2, K3
    .if \columns > 4
    widen_4 \widen, K4, K5, K6, K7
    join_4  K4, K5, K6, K7
    join_4  K0, K1, K2, K3
    stp     qK0, qK4, [out, #256]
    .else
    join_4  K0, K1, K2, K3
    str     qK0, [out, #256]
    .endif
.endm
// Four vectors of 8 sums become vectors of 4.
.macro widen_4 widen, a, b, c, d
    \widen    \a\().4s, \a\().8h
    \widen    \b\().4s, \b\().8h
    \widen    \c\().4s, \c\().8h
    \widen    \d\().4s, \d\().8h
.endm
.macro join_4 a, b, c, d
    join    \a, \b
    join    \c, \d
    join    \a, \c
.endm

tile kai_lowp_nxk_1x8, 1x8, 1, 8, plain
tile kai_lowp_nxk_1x4, 1x4, 1, 4, plain
tile kai_lowp_nxk_2x8, 2x8, 2, 8, plain
tile kai_lowp_nxk_2x4, 2x4, 2, 4, plain
tile kai_lowp_nxk_3x4, 3x4, 3, 4, plain
tile kai_lowp_nxk_4x4, 4x4, 4, 4, plain
tile kai_lowp_nxk_s8_1x8, 1x8, 1, 8, sadalp
tile kai_lowp_nxk_s8_1x4, 1x4, 1, 4, sadalp
tile kai_lowp_nxk_s8_2x4, 2x4, 2, 4, sadalp
tile kai_lowp_nxk_s8_3x4, 3x4, 3, 4, sadalp
tile kai_lowp_nxk_s8_4x4, 4x4_sums, 4, 4, sadalp
tile kai_lowp_nxk_u8_1x8, 1x8, 1, 8, uadalp
tile kai_lowp_nxk_u8_1x4, 1x4, 1, 4, uadalp
tile kai_lowp_nxk_u8_2x4, 2x4, 2, 4, uadalp
tile kai_lowp_nxk_u8_3x4, 3x4, 3, 4, uadalp
tile kai_lowp_nxk_u8_4x4, 4x4_sums, 4, 4, uadalp
