// Tiles of low precision with SDOT and UDOT, rows and columns as they lie (qai8_nxk_neon_dotprod.cpp).
//
//     S = A x B               int8 or uint8 -> int32, A: 1 to 4 rows, B: 4 columns, of one row 8
//     K = sums of columns     of tiles that make them: a row of ones more
//
// A vector is 16 k of a row or of a column, a sum that of every fourth k; in the end four of them are added up.
//
//             | B_0    B_1    B_2    B_3       of one row also columns 4 to 7, in the same registers
//        -----+----------------------------
//        A0   | S0_0   S0_1   S0_2   S0_3
//        A1   | S1_0   S1_1   S1_2   S1_3
//        A2   | S2_0   S2_1   S2_2   S2_3
//        A3   | S3_0   S3_1   S3_2   S3_3
//        ones | K_0    K_1    K_2    K_3
//
//   A0 - A3  v0 - v3, B_0 - B_3  v4 - v7
//   S0_0 ... S3_3  v16 - v31; of one row S0_0 - S0_7  v16 - v23
//   K_0 - K_3  v8 - v11; of one row K_0 - K_7  v24 - v31; ones  v12
//   args  x0, row0 - row3  x1 - x4, column0 - column7  x5 - x12
//   at  x13, end  x14             k that is loaded next, in bytes; where the loop ends
//   columns  x15, out  x16        pointers and sums of the tile
//   left  x17                     columns to go
//   lhs_tail  x19, rhs_tail  x20
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8/qai8_nxk_args.h"

args     .req x0
row0     .req x1
row1     .req x2
row2     .req x3
row3     .req x4
column0  .req x5
column1  .req x6
column2  .req x7
column3  .req x8
column4  .req x9
column5  .req x10
column6  .req x11
column7  .req x12
at       .req x13
end      .req x14
columns  .req x15
out      .req x16
left     .req x17
lhs_tail .req x19
rhs_tail .req x20

    regs    0, A0, A1, A2, A3, B_0, B_1, B_2, B_3
    reg     ones, 12
    regs    16, S0_0, S0_1, S0_2, S0_3, S1_0, S1_1, S1_2, S1_3, S2_0, S2_1, S2_2, S2_3, S3_0, S3_1, S3_2, S3_3
    regs    8, K_0, K_1, K_2, K_3

// sum += a * b, unsigned where that symbol is 1.
.macro product sum, a, b
    .if unsigned
    udot    \sum\().4s, \a\().16b, \b\().16b
    .else
    sdot    \sum\().4s, \a\().16b, \b\().16b
    .endif
.endm
// Column c, which is in B_<b>, times all rows.
.macro column_16k c, b
    product S0_\c, A0, B_\b
    if_more rows, 1, product S1_\c, A1, B_\b
    if_more rows, 2, product S2_\c, A2, B_\b
    if_more rows, 3, product S3_\c, A3, B_\b
    if_more makes_sums, 0, product K_\c, ones, B_\b
.endm
// B = 16 k of four columns.
.macro load_columns a, b, c, d
    ldr     qB_0, [column\a, at]
    ldr     qB_1, [column\b, at]
    ldr     qB_2, [column\c, at]
    ldr     qB_3, [column\d, at]
.endm

// \op r for the rows of the tile.
.macro each_row op
    .irp r, 0, 1, 2, 3
    if_more rows, \r, \op \r
    .endr
.endm
.macro load_row r
    ldr     qA\r, [row\r, at]
.endm
.macro take_tail r
    add     row\r, lhs_tail, #16 * \r
.endm

// S<r>_<c> = the sums of four columns from c on, to `out`.
.macro store_four set, a, b, c, d, to
    addp    \set\()_\a\().4s, \set\()_\a\().4s, \set\()_\b\().4s
    addp    \set\()_\c\().4s, \set\()_\c\().4s, \set\()_\d\().4s
    addp    \set\()_\a\().4s, \set\()_\a\().4s, \set\()_\c\().4s
    str     q\set\()_\a, [out, #\to]
.endm
.macro store_row r
    store_four S\r, 0, 1, 2, 3, (64 * \r)
.endm

.macro zero v
    movi    \v\().2d, #0
.endm

// extern "C" void name(Qai8NxkArgs*): `rows` rows.
.macro nxk_tile name
func \name, hidden
    frame   d8-d15, x19-x20
    .if makes_sums
    movi    ones.16b, #1
    .endif
    add     columns, args, #QAI8_NXK_ARGS_columns
    add     out, args, #QAI8_NXK_ARGS_sums
    ldr     rhs_tail, [args, #QAI8_NXK_ARGS_rhs_tail]
    ldr     left, [args, #QAI8_NXK_ARGS_count]
0:  // a tile
    ldp     row0, row1, [args, #QAI8_NXK_ARGS_lhs]
    ldp     end, lhs_tail, [args, #QAI8_NXK_ARGS_whole]
    if_more rows, 3, add row3, row1, row1, lsl #1
    if_more rows, 2, add row2, row0, row1, lsl #1
    if_more rows, 3, add row3, row0, row3
    if_more rows, 1, add row1, row0, row1
    ldp     column0, column1, [columns]
    ldp     column2, column3, [columns, #16]
    .if rows == 1
    ldp     column4, column5, [columns, #32]
    ldp     column6, column7, [columns, #48]
    add     columns, columns, #64
    .else
    add     columns, columns, #32
    .endif
    .irp s, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        .if (rows == 1 && (\s < 24 || makes_sums)) || (rows > 1 && \s < 16 + 4 * rows)
    zero    v\s
        .endif
    .endr
    .if rows > 1 && makes_sums
    zero    K_0
    zero    K_1
    zero    K_2
    zero    K_3
    .endif
    mov     at, #0
    cbz     end, 2f
1:  // 16 k
    each_row load_row
    load_columns 0, 1, 2, 3
    column_16k 0, 0
    column_16k 1, 1
    column_16k 2, 2
    column_16k 3, 3
    .if rows == 1
    load_columns 4, 5, 6, 7
    column_16k 4, 0
    column_16k 5, 1
    column_16k 6, 2
    column_16k 7, 3
    .endif
    add     at, at, #16
    cmp     at, end
    b.ne    1b
2:  // the last k, padded
    cbz     lhs_tail, 3f
    each_row take_tail
    mov     lhs_tail, #0
    add     column0, rhs_tail, #0
    add     column1, rhs_tail, #16
    add     column2, rhs_tail, #32
    add     column3, rhs_tail, #48
    .if rows == 1
    add     column4, rhs_tail, #64
    add     column5, rhs_tail, #80
    add     column6, rhs_tail, #96
    add     column7, rhs_tail, #112
    add     rhs_tail, rhs_tail, #128
    .else
    add     rhs_tail, rhs_tail, #64
    .endif
    mov     at, #0
    mov     end, #16
    b       1b
3:
    each_row store_row
    .if makes_sums
    store_four K, 0, 1, 2, 3, 256
    .endif
    .if rows == 1
    store_four S0, 4, 5, 6, 7, 16
        .if makes_sums
    store_four K, 4, 5, 6, 7, 272
        .endif
    add     out, out, #32
    subs    left, left, #8
    .else
    add     out, out, #16
    subs    left, left, #4
    .endif
    b.gt    0b
    return
endfunc
.endm

// Those of some rows.
.macro nxk_tiles shape
    .set    unsigned, 0
    .set    makes_sums, 0
    nxk_tile kai_qai8_nxk_\shape\()_neon_dotprod
    .set    makes_sums, 1
    nxk_tile kai_qai8_nxk_\shape\()_sums_neon_dotprod
    .set    unsigned, 1
    nxk_tile kai_qau8_nxk_\shape\()_sums_neon_dotprod
    .set    makes_sums, 0
    nxk_tile kai_qau8_nxk_\shape\()_neon_dotprod
.endm
    .set    rows, 2
    nxk_tiles 2x4
    .set    rows, 3
    nxk_tiles 3x4
    .set    rows, 4
    nxk_tiles 4x4
    unreg   S1_0, S1_1, S1_2, S1_3, K_0, K_1, K_2, K_3
    regs    20, S0_4, S0_5, S0_6, S0_7
    unreg   S2_0, S2_1, S2_2, S2_3, S3_0, S3_1, S3_2, S3_3
    regs    24, K_0, K_1, K_2, K_3, K_4, K_5, K_6, K_7
    .set    rows, 1
    nxk_tiles 1x8
