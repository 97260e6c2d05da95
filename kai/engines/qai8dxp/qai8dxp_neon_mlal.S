// Rows quantised at run time (qai8dxp) on Armv8.0: tiles of 1 to 4 rows x 4 columns (int_neon_mlal.inc). off, ls are
// the offset and the scale of a row, which follow the panel.
//
// int8, int4: a scale per column; fields rsum, rs, bias after a panel
//     sum = sum over k of lhs * rhs + off * rsum                                    int32; int4: 16 times that
//     dst = clamp(f32(sum) * (rs * ls) + bias)
//
// blocks_int4: a scale per column and block, after its elements; fields rsum, bias after a panel
//     sum = fma(f32(S), scale, sum) for each block, S = sum over the block of lhs * rhs; then fma(rsum, off, sum)
//     dst = clamp(sum * ls + bias)
//
// int8: the sum of two products -128 * -128 does not fit in an int16. a * b - c * ~d does: it is a * b + c * (d + 1),
// within +-32640, since ~d = -d - 1. So in every second group of 8 k the columns are inverted and the products
// subtracted, and sums start at minus the sum of the LHS of these k.
//
// Registers: int_neon_mlal.inc: results in v0 - v3, sums of blocks in v4 - v7. Fields: v21, v23 - v27, v30; of blocks
// v16, v17, v25.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_mlal.inc"

// ---- Results of a scale per column

// Fields of a quad, rsum1 ... of a second one; first_fields, second_fields: offsets and scales of the rows.
regs 24, rsum, rs, bias, bias1
reg rsum1, 23
reg rs1, 21
.macro result_row row
    mla     R_\row\().4s, rsum.4s, first_fields.s[\row]
    by_scale fmul, F_\row, rs, \row
.endm
.macro convert_row row
    scvtf   R_\row\().4s, R_\row\().4s
.endm
.macro scale_row row
    fmul    R_\row\().4s, R_\row\().4s, F_\row\().4s
.endm
.macro bias_row row
    fadd    R_\row\().4s, R_\row\().4s, bias.4s
.endm
// R_0 - R_3, int32, become f32 with offsets, scales and bias of one or two quads, and are stored. rhs: at the fields.
.macro store_results
    row_fields
    ldp     qrsum, qrs, [rhs]
    ldr     qbias, [rhs, #32]
    .if quads > 1
    add     x11, rhs, x5
    ldp     qrsum1, qrs1, [x11]
    ldr     qbias1, [x11, #32]
    result_row 0
    mla     R_1.4s, rsum1.4s, first_fields.s[0]
    by_scale fmul, F_1, rs1, 0
    each_row convert_row
    each_row scale_row
    bias_row 0
    fadd    R_1.4s, R_1.4s, bias1.4s
    .else
    each_row result_row
    each_row convert_row
    each_row scale_row
    each_row bias_row
    .endif
    clamp_and_store
.endm

// ---- int8: v0 - v15: S0 - S3, four sums of each row, a column each; lanes are groups of k

regs 0, S0_0, S0_1, S0_2, S0_3, S1_0, S1_1, S1_2, S1_3, S2_0, S2_1, S2_2, S2_3, S3_0, S3_1, S3_2, S3_3

// Every second group of 8 k: the multiply instruction; the factor of the LHS in the start of the sums; the columns.
#define SECOND smlsl
#define SECOND_START #0xFF
.macro second_columns b
    mvn     \b\()_a.16b, \b\()_a.16b
    mvn     \b\()_b.16b, \b\()_b.16b
.endm

// What sums start from: row i collects four in R_i, then they go to the stack. P_i: its products, which the next step
// adds while it loads.
regs 10, P_0, P_1, P_2, P_3
reg second_start, 24
// P_0 - P_3 = or, smlal, += SECOND_START times 8 k of each row: minus these k.
.macro start_products op, rows01, rows23
    \op     P_0.8h, second_start.8b, \rows01\().8b
    if_more rows, 1, \op\()2 P_1.8h, second_start.16b, \rows01\().16b
    if_more rows, 2, \op P_2.8h, second_start.8b, \rows23\().8b
    if_more rows, 3, \op\()2 P_3.8h, second_start.16b, \rows23\().16b
.endm
.macro add_start row
    sadalp  R_\row\().4s, P_\row\().8h
.endm
.macro zero row
    movi    R_\row\().2d, #0
    movi    P_\row\().2d, #0
.endm
.macro keep_start row
    str     qR_\row, [sp, #16 * \row]
.endm
// Stores what sums start from, a vector for each row, to the stack. Changes R, P, lhs, x9, v24, v28 - v31.
.macro prepare_starts
    each_row zero
    movi    second_start.16b, SECOND_START
    mov     lhs, x3
    mov     x9, x10
    cbz     x9, 3f
2:
    .if height == 1
    ldp     q28, q29, [lhs]
    add_start 0
    smull2  P_0.8h, second_start.16b, v28.16b
    smlal2  P_0.8h, second_start.16b, v29.16b
    .else
    ldr     q28, [lhs, #32]
    ldr     q29, [lhs, #96]
    .if rows > 2
    ldr     q30, [lhs, #48]
    ldr     q31, [lhs, #112]
    .endif
    each_row add_start
    start_products smull, v28, v30
    start_products smlal, v29, v31
    .endif
    add     lhs, lhs, #32 * height
    subs    x9, x9, #1
    b.ne    2b
3:
    each_row add_start
    each_row keep_start
.endm

// Sums S<row>_0 - S<row>_3 start from what prepare_starts left.
.macro start_row row
    ldr     qS\row\()_0, [sp, #16 * \row]
    ldr     qS\row\()_1, [sp, #16 * \row]
    ldr     qS\row\()_2, [sp, #16 * \row]
    ldr     qS\row\()_3, [sp, #16 * \row]
.endm

// Sums \s of a row += products \t, ROW_A or ROW_B.
.macro add_four s, t
    sadalp  \s\()_0.4s, \t\()_0.8h
    sadalp  \s\()_1.4s, \t\()_1.8h
    sadalp  \s\()_2.4s, \t\()_2.8h
    sadalp  \s\()_3.4s, \t\()_3.8h
.endm

// A0, A1 = 16 k of rows 0 and 1, then of rows 2 and 3, at byte \at of the LHS. Other work comes between these loads and
// order_rows, which uses them.
.macro load_rows at
    ldr     qA0, [lhs, #\at]
    ldr     qA1, [lhs, #\at + 32]
.endm
.macro order_rows
    other_order A0
    other_order A1
.endm
// 16 k of 2 to 4 rows x 4 columns, at byte \at of lhs and rhs: products of 16 bits, added in pairs to S0 - S3.
.macro tile_16k at
    load_rows \at
    ldp     qB0_a, qB0_b, [rhs, #\at]
    ldp     qB1_a, qB1_b, [rhs, #\at + 32]
    order_rows
    second_columns B1
    products smull, ROW_A, B0, A0, A0x
    products smull, ROW_B, B0, A0x, A0
    products SECOND, ROW_A, B1, A1, A1x
    products SECOND, ROW_B, B1, A1x, A1
    if_more rows, 2, load_rows \at + 16
    add_four S0, ROW_A
    if_more rows, 2, order_rows
    add_four S1, ROW_B
    .if rows > 2
    products smull, ROW_A, B0, A0, A0x
    if_more rows, 3, products smull, ROW_B, B0, A0x, A0
    products SECOND, ROW_A, B1, A1, A1x
    if_more rows, 3, products SECOND, ROW_B, B1, A1x, A1
    add_four S2, ROW_A
    if_more rows, 3, add_four S3, ROW_B
    .endif
.endm

// One row: B2, B3 hold the columns of the second 16 k; A2, A3, in a panel of four, its rows.
.macro one_row
    .if height == 1
    ldp     qA0, qA1, [lhs]
    .else
    ldr     qA0, [lhs]
    ldr     qA1, [lhs, #32]
    ldr     qA2, [lhs, #64]
    ldr     qA3, [lhs, #96]
    .endif
    ldp     qB0_a, qB0_b, [rhs]
    ldp     qB1_a, qB1_b, [rhs, #32]
    ldp     qB2_a, qB2_b, [rhs, #64]
    ldp     qB3_a, qB3_b, [rhs, #96]
    order_rows
    second_columns B1
    second_columns B3
    .if height == 1
    products smull, ROW_A, B0, A0, A0x
    products smull, ROW_B, B2, A1, A1x
    products SECOND, ROW_A, B1, A0x, A0
    products SECOND, ROW_B, B3, A1x, A1
    .else
    other_order A2
    other_order A3
    products smull, ROW_A, B0, A0, A0x
    products smull, ROW_B, B2, A2, A2x
    products SECOND, ROW_A, B1, A1, A1x
    products SECOND, ROW_B, B3, A3, A3x
    .endif
    add_four S0, ROW_A
    add_four S0, ROW_B
.endm

// R_row = the four columns of its sums.
.macro sum_row row
    addp    S\row\()_0.4s, S\row\()_0.4s, S\row\()_1.4s
    addp    S\row\()_2.4s, S\row\()_2.4s, S\row\()_3.4s
    addp    R_\row\().4s, S\row\()_0.4s, S\row\()_2.4s
.endm
// A tile of int8: x10 steps, then store_results. Changes lhs, rhs, x9.
.macro int8_tile
    each_row start_row
    mov     x9, x10
    cbz     x9, 5f
4:  // 32 k
    .if rows == 1
    one_row
    .else
    tile_16k 0
    tile_16k 64
    .endif
    add     lhs, lhs, #32 * height
    add     rhs, rhs, #128
    subs    x9, x9, #1
    b.ne    4b
5:
    each_row sum_row
    store_results
.endm

    mlal_functions kai_mlal_int8, 1, prepare_starts, int8_tile, 64

// ---- int4

.macro times_16 row
    shl     R_\row\().4s, R_\row\().4s, #4
.endm

// A tile of int4: x10 steps, 16 times the sums, then store_results. Changes x9.
.macro int4_tile
    each_row zero_row
    mov     x9, x10
    cbz     x9, 5f
4:  // 32 k
    int4_32k sadalp
    subs    x9, x9, #1
    b.ne    4b
5:
    each_row times_16
    store_results
.endm

    mlal_functions kai_mlal_int4, 2, nothing, int4_tile

// ---- int4 in blocks
//
// A long block is several short ones that share its scales: x13 counts down to them. x12 blocks to go, x14 bytes from
// the end of the first part of a block to its scales, x15 bytes of a part.

// Scales of the columns of a block; offsets of the rows, as floats. The bias follows rsum: bias, and of the second
// quad.
regs 16, scales, scales1
reg offsets, 30
reg block_rsum1, 25
.macro add_block row, by=scales
    scvtf   R_\row\().4s, R_\row\().4s
    fmla    sums_\row\().4s, R_\row\().4s, \by\().4s
.endm
.macro offset_row row
    fmla    sums_\row\().4s, rsum.4s, offsets.s[\row]
.endm
.macro blocks_prepare
    ldp     x16, x14, [args, #MLAL_ARGS_blocks]
    lsl     x15, x10, #6
.endm
// A tile of int4 in blocks: x16 parts of blocks, x14 bytes from a part to its scales; then rsum, offsets, scales, bias.
.macro blocks_tile
    each_row zero_sums
    mov     x12, x16
    mov     x13, x14
    cbz     x12, 7f
3:  // a block, or a part of it
    int4_block
    ldr     dscales, [rhs, x13]
    shll    scales.4s, scales.4h, #16
    .if quads > 1
    add     x11, rhs, x5
    ldr     dscales1, [x11, x13]
    shll    scales1.4s, scales1.4h, #16
    add_block 0
    add_block 1, scales1
    .else
    each_row add_block
    .endif
    subs    x13, x13, x15
    b.hs    3b
    add     rhs, rhs, #8
    mov     x13, x14
    subs    x12, x12, #1
    b.ne    3b
7:
    row_fields
    ldp     qrsum, qbias, [rhs]
    scvtf   offsets.4s, first_fields.4s
    .if quads > 1
    add     x11, rhs, x5
    ldp     qblock_rsum1, qbias1, [x11]
    offset_row 0
    fmla    sums_1.4s, block_rsum1.4s, offsets.s[0]
    by_scale fmul, R_0, sums_0, 0
    by_scale fmul, R_1, sums_1, 0
    bias_row 0
    fadd    R_1.4s, R_1.4s, bias1.4s
    .else
    each_row offset_row
    by_scale fmul, R_0, sums_0, 0
    if_more rows, 1, by_scale fmul, R_1, sums_1, 1
    if_more rows, 2, by_scale fmul, R_2, sums_2, 2
    if_more rows, 3, by_scale fmul, R_3, sums_3, 3
    each_row bias_row
    .endif
    clamp_and_store
.endm

    mlal_functions kai_mlal_blocks_int4, 2, blocks_prepare, blocks_tile
