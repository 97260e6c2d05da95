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
// int8: two products of -128 * -128 do not fit in an int16. a * b - c * ~d does: it is a * b + c * (d + 1), within
// +-32640, since ~d = -d - 1. So in every second group of 8 k the columns are inverted and the products subtracted, and
// sums start at minus the sum of the LHS of these k.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_mlal.inc"

// ---- Results of a scale per column

// Fields: v24 - v26 of a quad, v23, v21, v27 of a second one; v28, v29 offsets and scales of the rows, of a panel of
// one row both in v28.
.macro result_row row
    mla     v\row\().4s, v24.4s, v28.s[\row]
    by_scale fmul, 2\row, 25, \row
.endm
.macro convert_row row
    scvtf   v\row\().4s, v\row\().4s
.endm
.macro scale_row row
    fmul    v\row\().4s, v\row\().4s, v2\row\().4s
.endm
.macro bias_row row
    fadd    v\row\().4s, v\row\().4s, v26.4s
.endm
.macro finish
    row_fields
    ldp     q24, q25, [x2]
    ldr     q26, [x2, #32]
    .if quads > 1
    add     x11, x2, x5
    ldp     q23, q21, [x11]
    ldr     q27, [x11, #32]
    result_row 0
    mla     v1.4s, v23.4s, v28.s[0]
    by_scale fmul, 21, 21, 0
    each_row convert_row
    each_row scale_row
    bias_row 0
    fadd    v1.4s, v1.4s, v27.4s
    .else
    each_row result_row
    each_row convert_row
    each_row scale_row
    each_row bias_row
    .endif
    clamp_and_store
.endm

// ---- int8: v0 - v15 = four sums of each row and column

// Every second group of 8 k: the product, by which the LHS is multiplied for the start of the sums, columns.
#define SECOND smlsl
#define SECOND_START #0xFF
.macro second_columns c01, c23
    mvn     v\c01\().16b, v\c01\().16b
    mvn     v\c23\().16b, v\c23\().16b
.endm

// Where sums start: four of row i in v\i, then on the stack. Its products are v1\i: the next step adds them, while it
// loads.
.macro start_products op, rows01, rows23
    \op     v10.8h, v24.8b, v\rows01\().8b
    if_more rows, 1, \op\()2 v11.8h, v24.16b, v\rows01\().16b
    if_more rows, 2, \op v12.8h, v24.8b, v\rows23\().8b
    if_more rows, 3, \op\()2 v13.8h, v24.16b, v\rows23\().16b
.endm
.macro add_start row
    sadalp  v\row\().4s, v1\row\().8h
.endm
.macro zero row
    movi    v\row\().2d, #0
    movi    v1\row\().2d, #0
.endm
.macro keep_start row
    str     q\row, [sp, #16 * \row]
.endm
.macro prepare_starts
    each_row zero
    movi    v24.16b, SECOND_START
    mov     x1, x3
    mov     x9, x10
    cbz     x9, 3f
2:
    .if height == 1
    ldp     q28, q29, [x1]
    add_start 0
    smull2  v10.8h, v24.16b, v28.16b
    smlal2  v10.8h, v24.16b, v29.16b
    .else
    ldr     q28, [x1, #32]
    ldr     q29, [x1, #96]
    .if rows > 2
    ldr     q30, [x1, #48]
    ldr     q31, [x1, #112]
    .endif
    each_row add_start
    start_products smull, 28, 30
    start_products smlal, 29, 31
    .endif
    add     x1, x1, #32 * height
    subs    x9, x9, #1
    b.ne    2b
3:
    each_row add_start
    each_row keep_start
.endm

.macro start_all row
    when \row, 0, start_four 0, 1, 2, 3, 0
    when \row, 1, start_four 4, 5, 6, 7, 1
    when \row, 2, start_four 8, 9, 10, 11, 2
    when \row, 3, start_four 12, 13, 14, 15, 3
.endm
.macro start_four s0, s1, s2, s3, row
    ldr     q\s0, [sp, #16 * \row]
    ldr     q\s1, [sp, #16 * \row]
    ldr     q\s2, [sp, #16 * \row]
    ldr     q\s3, [sp, #16 * \row]
.endm

.macro add_four s0, s1, s2, s3, t0, t1, t2, t3
    sadalp  v\s0\().4s, v\t0\().8h
    sadalp  v\s1\().4s, v\t1\().8h
    sadalp  v\s2\().4s, v\t2\().8h
    sadalp  v\s3\().4s, v\t3\().8h
.endm

// 16 k of rows 0 and 1, of rows 2 and 3, at byte `at` of the LHS. Other work comes between these
// loads and order_rows, which needs them.
.macro load_rows at
    ldr     q28, [x1, #\at]
    ldr     q30, [x1, #\at + 32]
.endm
.macro order_rows
    other_order 29, 28
    other_order 31, 30
.endm
.macro tile_16k at
    load_rows \at
    ldp     q24, q25, [x2, #\at]
    ldp     q26, q27, [x2, #\at + 32]
    order_rows
    second_columns 26, 27
    products smull, ROW_A, 24, 25, 28, 29
    products smull, ROW_B, 24, 25, 29, 28
    products SECOND, ROW_A, 26, 27, 30, 31
    products SECOND, ROW_B, 26, 27, 31, 30
    if_more rows, 2, load_rows \at + 16
    add_four 0, 1, 2, 3, ROW_A
    if_more rows, 2, order_rows
    add_four 4, 5, 6, 7, ROW_B
    .if rows > 2
    products smull, ROW_A, 24, 25, 28, 29
    if_more rows, 3, products smull, ROW_B, 24, 25, 29, 28
    products SECOND, ROW_A, 26, 27, 30, 31
    if_more rows, 3, products SECOND, ROW_B, 26, 27, 31, 30
    add_four 8, 9, 10, 11, ROW_A
    if_more rows, 3, add_four 12, 13, 14, 15, ROW_B
    .endif
.endm

// One row: v8 - v11 are columns of the second 16 k. Of a panel of four rows v28 - v31, v12 - v15 are 8 k each in both
// orders.
.macro one_row
    .if height == 1
    ldp     q28, q30, [x1]
    .else
    ldr     q28, [x1]
    ldr     q30, [x1, #32]
    ldr     q12, [x1, #64]
    ldr     q14, [x1, #96]
    .endif
    ldp     q24, q25, [x2]
    ldp     q26, q27, [x2, #32]
    ldp     q8, q9, [x2, #64]
    ldp     q10, q11, [x2, #96]
    order_rows
    second_columns 26, 27
    second_columns 10, 11
    .if height == 1
    products smull, ROW_A, 24, 25, 28, 29
    products smull, ROW_B, 8, 9, 30, 31
    products SECOND, ROW_A, 26, 27, 29, 28
    products SECOND, ROW_B, 10, 11, 31, 30
    .else
    other_order 13, 12
    other_order 15, 14
    products smull, ROW_A, 24, 25, 28, 29
    products smull, ROW_B, 8, 9, 12, 13
    products SECOND, ROW_A, 26, 27, 30, 31
    products SECOND, ROW_B, 10, 11, 14, 15
    .endif
    add_four 0, 1, 2, 3, ROW_A
    add_four 0, 1, 2, 3, ROW_B
.endm

.macro sum_row row
    when \row, 0, sum_four 0, 0, 1, 2, 3
    when \row, 1, sum_four 1, 4, 5, 6, 7
    when \row, 2, sum_four 2, 8, 9, 10, 11
    when \row, 3, sum_four 3, 12, 13, 14, 15
.endm
.macro sum_four to, s0, s1, s2, s3
    addp    v\s0\().4s, v\s0\().4s, v\s1\().4s
    addp    v\s2\().4s, v\s2\().4s, v\s3\().4s
    addp    v\to\().4s, v\s0\().4s, v\s2\().4s
.endm
.macro int8_tile
    each_row start_all
    mov     x9, x10
    cbz     x9, 5f
4:  // 32 k
    .if rows == 1
    one_row
    .else
    tile_16k 0
    tile_16k 64
    .endif
    add     x1, x1, #32 * height
    add     x2, x2, #128
    subs    x9, x9, #1
    b.ne    4b
5:
    each_row sum_row
    finish
.endm

    mlal_functions kai_mlal_int8, 1, prepare_starts, int8_tile, 64

// ---- int4

.macro times_16 row
    shl     v\row\().4s, v\row\().4s, #4
.endm

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
    finish
.endm

    mlal_functions kai_mlal_int4, 2, nothing, int4_tile

// ---- int4 in blocks
//
// A long block is several short ones that share its scales: x13 counts down to them. x12 blocks to go, x14 bytes from
// the end of the first part of a block to its scales, x15 bytes of a part.

.macro add_block row, scales=16
    scvtf   v\row\().4s, v\row\().4s
    fmla    sums_\row\().4s, v\row\().4s, v\scales\().4s
.endm
.macro offset_row row
    fmla    sums_\row\().4s, v24.4s, v30.s[\row]
.endm
.macro blocks_prepare
    ldp     x16, x14, [args, #MLAL_ARGS_blocks]
    lsl     x15, x10, #6
.endm
.macro blocks_tile
    each_row zero_sums
    mov     x12, x16
    mov     x13, x14
    cbz     x12, 7f
3:  // a block, or a part of it
    int4_block
    ldr     d16, [x2, x13]
    shll    v16.4s, v16.4h, #16
    .if quads > 1
    add     x11, x2, x5
    ldr     d17, [x11, x13]
    shll    v17.4s, v17.4h, #16
    add_block 0
    add_block 1, 17
    .else
    each_row add_block
    .endif
    subs    x13, x13, x15
    b.hs    3b
    add     x2, x2, #8
    mov     x13, x14
    subs    x12, x12, #1
    b.ne    3b
7:
    row_fields
    ldp     q24, q26, [x2]
    scvtf   v30.4s, v28.4s
    .if quads > 1
    add     x11, x2, x5
    ldp     q25, q27, [x11]
    offset_row 0
    fmla    sums_1.4s, v25.4s, v30.s[0]
    by_scale fmul, 0, 4, 0
    by_scale fmul, 1, 5, 0
    bias_row 0
    fadd    v1.4s, v1.4s, v27.4s
    .else
    each_row offset_row
    by_scale fmul, 0, 4, 0
    if_more rows, 1, by_scale fmul, 1, 5, 1
    if_more rows, 2, by_scale fmul, 2, 6, 2
    if_more rows, 3, by_scale fmul, 3, 7, 3
    each_row bias_row
    .endif
    clamp_and_store
.endm

    mlal_functions kai_mlal_blocks_int4, 2, blocks_prepare, blocks_tile
