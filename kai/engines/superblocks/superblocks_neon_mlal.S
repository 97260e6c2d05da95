// f32 <- int8 in blocks of 256 x super-blocks of 3 and of 2 bits on Armv8.0: tiles of 1 to 4 rows x 4 columns
// (int_neon_mlal.inc; formula: superblocks.hpp).
//
//     for super-blocks
//         I = 0
//         for two sub-blocks j, j + 1 of 16 k      `two_sub_blocks`
//             columns = their weights
//             I += scale_j * S_j + scale_(j + 1) * S_(j + 1)
//         sum = fma(f32(I) * d, lhs_scale, sum)    with minima: less f32(J) * dmin
//
// Products of 16 k fit in an int16: 16 * 4 * 128. So S of a row and 4 columns is made by ADDP alone; two of them are a
// vector, whose halves SMLAL and SMLAL2 multiply by scales. J is one more group of 16 k, minima times sums of the LHS,
// whose upper and lower bytes are apart: J = 128 * high + low.
//
//   Registers, and those of int_neon_mlal.inc: I is R_0 - R_3; ROW_A and ROW_B are of two rows, of one row of two
//   sub-blocks
//   x11                            scratch
//   x12, x13                       super-blocks to go; pairs of sub-blocks
//   x14       subs                 scales of the next two sub-blocks
//   x15, x17  columns_at, rows_at  the super-block of the columns, of the rows
//   x16                            super-blocks
//   v8 - v11; v24 - v27  B2, B3; B0, B1   weights of the even sub-block; of the odd one
//   v12, v13  scales_e, scales_o   of the even one, twice; of the odd one. One row: both in scales_e
//   v12 - v15 d, dmin, lhs_scales, sums_high   after the sub-blocks
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/superblocks/superblocks_neon_formats.inc"
#include "kai/engines/int_neon/int_neon_mlal.inc"

subs    .req x14
columns_at .req x15
rows_at .req x17
regs 12, scales_e, scales_o
regs 12, d, dmin, lhs_scales, sums_high

// ---- Columns of two sub-blocks: B2, B3 and B0, B1

// B2, B3, B0, B1 = columns of two sub-blocks, three bits each. Changes rhs.
.macro columns_of_3_bits
    ldp     qB2_a, qB2_b, [rhs]
    ldr     qB3_a, [rhs, #32]
    mov     B3_b.16b, B3_a.16b
    mov     B0_a.16b, B2_a.16b
    mov     B0_b.16b, B2_b.16b
    mov     B1_a.16b, B3_a.16b
    mov     B1_b.16b, B3_a.16b
    add     rhs, rhs, #48
    three_bits 0, B2_a, B2_b, B3_a, B3_b
    three_bits 1, B0_a, B0_b, B1_a, B1_b
.endm

// Bits 2 s and 2 s + 1, s = \s, of the bytes of half a super-block; the last ones move rhs on. Changes v28.
.macro columns_of_2_bits s
    ldp     qB2_a, qB2_b, [rhs]
    ldp     qB3_a, qB3_b, [rhs, #32]
    ldp     qB0_a, qB0_b, [rhs, #64]
    ldp     qB1_a, qB1_b, [rhs, #96]
    .if \s > 0
    shift_right 2 * \s, B2_a, B2_b, B3_a, B3_b, B0_a, B0_b, B1_a, B1_b
    .endif
    .if \s < 3
    movi    v28.16b, #3
    mask_by v28, B2_a, B2_b, B3_a, B3_b, B0_a, B0_b, B1_a, B1_b
    .else
    add     rhs, rhs, #128
    .endif
.endm
// Each vector >>= \by, in bytes.
.macro shift_right by, vector, rest:vararg
    ushr    \vector\().16b, \vector\().16b, #(\by)
    .ifnb \rest
    shift_right \by, \rest
    .endif
.endm
// Each vector &= \mask.
.macro mask_by mask, vector, rest:vararg
    and     \vector\().16b, \vector\().16b, \mask\().16b
    .ifnb \rest
    mask_by \mask, \rest
    .endif
.endm

// ---- Rows

// \t\()_0 = sums of the products \t of each column, twice: c0 c0 c1 c1 c2 c2 c3 c3.
.macro fold t
    addp    \t\()_0.8h, \t\()_0.8h, \t\()_1.8h
    addp    \t\()_2.8h, \t\()_2.8h, \t\()_3.8h
    addp    \t\()_0.8h, \t\()_0.8h, \t\()_2.8h
.endm
// ROW_A_0 = S of ROW_A and of ROW_B, each of 4 columns.
.macro fold_both
    fold    ROW_A
    fold    ROW_B
    addp    ROW_A_0.8h, ROW_A_0.8h, ROW_B_0.8h
.endm

// ROW_A and, if there is row \r1, ROW_B = 16 k of two rows of a panel of 4, \at bytes from \from, times \b0 and \b1.
.macro multiply_two_rows r1, from, at, b0, b1
    ldr     qA0, [\from, #(\at)]
    ldr     qA1, [\from, #(\at + 32)]
    other_order A0
    other_order A1
    products smull, ROW_A, \b0, A0, A0x
    if_more rows, \r1, products smull, ROW_B, \b0, A0x, A0
    products smlal, ROW_A, \b1, A1, A1x
    if_more rows, \r1, products smlal, ROW_B, \b1, A1x, A1
.endm
// Of a panel of one row: ROW_A = 16 k at \from + \at times \a0 and \a1, ROW_B = those at \next times \b0 and \b1.
.macro multiply_one_row_twice from, at, a0, a1, next, b0, b1
    ldr     qA0, [\from, #(\at)]
    ldr     qA1, [\from, #(\next)]
    other_order A0
    other_order A1
    products smull, ROW_A, \a0, A0, A0x
    products smull, ROW_B, \b0, A1, A1x
    products smlal, ROW_A, \a1, A0x, A0
    products smlal, ROW_B, \b1, A1x, A1
.endm

// I of two rows += a sub-block.
.macro add_two_rows r0, r1, at, b0, b1, scales
    multiply_two_rows \r1, lhs, \at, \b0, \b1
    .if \r1 < rows
    fold_both
    smlal   R_\r0\().4s, ROW_A_0.4h, \scales\().4h
    smlal2  R_\r1\().4s, ROW_A_0.8h, \scales\().8h
    .else
    fold    ROW_A
    addp    ROW_A_0.8h, ROW_A_0.8h, ROW_A_0.8h
    smlal   R_\r0\().4s, ROW_A_0.4h, \scales\().4h
    .endif
.endm

// scales_e, scales_o; one row of a panel of one: scales_e.
.macro load_scales
    ldr     dscales_e, [subs], #8
    .if HAS_MINIMA
    movi    scales_o.8b, #15
    and     scales_e.8b, scales_e.8b, scales_o.8b
    .endif
    sxtl    scales_e.8h, scales_e.8b
    .if height == 4
    dup     scales_o.2d, scales_e.d[1]
    dup     scales_e.2d, scales_e.d[0]
    .endif
.endm

// I += two sub-blocks, whose columns are \columns; lhs moves on.
.macro two_sub_blocks columns:vararg
    \columns
    load_scales
    .if height == 1
    multiply_one_row_twice lhs, 0, B2, B3, 16, B0, B1
    fold_both
    smlal   R_0.4s, ROW_A_0.4h, scales_e.4h
    smlal2  R_0.4s, ROW_A_0.8h, scales_e.8h
    .else
    add_two_rows 0, 1, 0, B2, B3, scales_e
    add_two_rows 0, 1, 64, B0, B1, scales_o
    .if rows > 2
    add_two_rows 2, 3, 16, B2, B3, scales_e
    add_two_rows 2, 3, 80, B0, B1, scales_o
    .endif
    .endif
    add     lhs, lhs, #32 * height
.endm

// ---- The end of a super-block

// B2, B3 = minima.
.macro load_minima
    add     x11, columns_at, #RHS_MINIMA
    ldp     qB2_a, qB2_b, [x11]
    ldp     qB3_a, qB3_b, [x11, #32]
    shift_right 4, B2_a, B2_b, B3_a, B3_b
.endm

// I of row \r, f32(I) * d, less f32(J) * dmin. sums_high and \low: the parts of J of two rows; \top: 2 for the second
// one. One row: sums_high has both.
.macro subtract_minima r, low, top
    .if \top == 2
    sshll2  ROW_B_1.4s, sums_high.8h, #7
    saddw2  ROW_B_1.4s, ROW_B_1.4s, \low\().8h
    .else
    sshll   ROW_B_1.4s, sums_high.4h, #7
    .if height == 1
    saddw2  ROW_B_1.4s, ROW_B_1.4s, sums_high.8h
    .else
    saddw   ROW_B_1.4s, ROW_B_1.4s, \low\().4h
    .endif
    .endif
    scvtf   ROW_B_1.4s, ROW_B_1.4s
    fmls    R_\r\().4s, ROW_B_1.4s, dmin.4s
.endm

// The parts of J of rows \r0 and \r1: sums_high, ROW_A_0.
.macro minima_of_two_rows r0, r1
    multiply_two_rows \r1, rows_at, (LHS_HIGH(4) + 8 * \r0), B2, B3
    fold_rows \r1
    mov     sums_high.16b, ROW_A_0.16b
    multiply_two_rows \r1, rows_at, (LHS_LOW(4) + 8 * \r0), B2, B3
    fold_rows \r1
.endm
// ROW_A_0 = sums of one row, of two if \r1 is one.
.macro fold_rows r1
    .if \r1 < rows
    fold_both
    .else
    fold    ROW_A
    addp    ROW_A_0.8h, ROW_A_0.8h, ROW_A_0.8h
    .endif
.endm
// Sums of all rows -= minima * sums of their sub-blocks.
.macro subtract_minima_of_rows
    load_minima
    .if height == 1
    multiply_one_row_twice rows_at, LHS_HIGH(1), B2, B3, LHS_LOW(1), B2, B3
    fold_both
    mov     sums_high.16b, ROW_A_0.16b
    subtract_minima 0, ROW_A_0, 1
    .else
    minima_of_two_rows 0, 1
    subtract_minima 0, ROW_A_0, 1
    if_more rows, 1, subtract_minima 1, ROW_A_0, 2
    .if rows > 2
    minima_of_two_rows 2, 3
    subtract_minima 2, ROW_A_0, 1
    if_more rows, 3, subtract_minima 3, ROW_A_0, 2
    .endif
    .endif
.endm

.macro clear_row row
    movi    R_\row\().2d, #0
.endm
.macro scale_row row
    scvtf   R_\row\().4s, R_\row\().4s
    fmul    R_\row\().4s, R_\row\().4s, d.4s
.endm
.macro add_row row
    fmla    sums_\row\().4s, R_\row\().4s, lhs_scales.s[\row]
.endm
.macro result_row row
    mov     R_\row\().16b, sums_\row\().16b
.endm

.macro superblocks_prepare
    ldr     x16, [args, #MLAL_ARGS_blocks]
.endm
// A tile: rows, super-blocks; the results are clamped and stored.
.macro superblocks_tile
    each_row zero_sums
    mov     x12, x16
    cbz     x12, 6f
3:  // a super-block
    mov     columns_at, rhs
    mov     rows_at, lhs
    add     subs, rhs, #RHS_SCALES
    add     rhs, rhs, #RHS_QUANTS
    add     lhs, lhs, #LHS_VALUES(height)
    each_row clear_row
    mov     x13, #256 / TILE_K
4:
    .if RHS_BITS == 2
    two_sub_blocks columns_of_2_bits 0
    two_sub_blocks columns_of_2_bits 1
    two_sub_blocks columns_of_2_bits 2
    two_sub_blocks columns_of_2_bits 3
    .else
    two_sub_blocks columns_of_3_bits
    .endif
    subs    x13, x13, #1
    b.ne    4b

    ldr     dd, [columns_at, #RHS_D]
    fcvtl   d.4s, d.4h
    each_row scale_row
    .if HAS_MINIMA
    ldr     ddmin, [columns_at, #RHS_DMIN]
    fcvtl   dmin.4s, dmin.4h
    subtract_minima_of_rows
    .endif
    .if height == 1
    ldr     s14, [rows_at]
    .else
    ldr     qlhs_scales, [rows_at]
    .endif
    each_row add_row
    subs    x12, x12, #1
    b.ne    3b
6:
    each_row result_row
    clamp_and_store
.endm

    format  3
    mlal_functions kai_mlal_qsi8d256p_qsi3c16x256p, 1, superblocks_prepare, superblocks_tile
    format  2
    mlal_functions kai_mlal_qsi8d16x256p_qau2c16x256p, 1, superblocks_prepare, superblocks_tile
