// FP8 x FP8 with FMMLA: 8 rows or one times a panel of 12 columns, blocks of k (f8_neon_f8f32mm.cpp).
//
//     sums = start + sum over blocks of (S * rhs_scale) * lhs_scale;   dst = clamp(sums)
//
// FMMLA multiplies 8 k of 2 rows and 8 k of 2 columns: 2 x 2 sums, row by row, each of 8 products. FPMR says what codes
// are, E4M3 or E5M2; it belongs to nobody after a call, so that every function sets it.
//
//          | B_0    B_1    B_2    B_3    B_0    B_1        columns 0-1, 2-3, ..., 10-11
//     -----+--------------------------------------------
//     A_0  | S0_0   S0_1   S0_2   S0_3   S0_4   S0_5       rows 0, 1
//     A_1  | S1_0   ...                                    rows 2, 3
//     A_2  | S2_0   ...                                    rows 4, 5
//     A_3  | S3_0   ...                                    rows 6, 7
//
//   A_0 - A_3        v0 - v3  8 k of 2 rows each
//   B_0 - B_3        v4 - v7  8 k of 2 columns each
//   S0_0 ... S3_5    v8 - v31  sums of this block
//
// After the k of a block v0 - v7 are those of f8_codes.inc. One row is lanes 0 and 1 of S0_0 - S0_5, in the same order
// of operations.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a

#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/fp8.inc"
#include "kai/engines/f8/f8_codes.inc"

    regs    0, A_0, A_1, A_2, A_3, B_0, B_1, B_2, B_3
    regs    8, S0_0, S0_1, S0_2, S0_3, S0_4, S0_5, S1_0, S1_1, S1_2, S1_3, S1_4, S1_5
    regs    20, S2_0, S2_1, S2_2, S2_3, S2_4, S2_5, S3_0, S3_1, S3_2, S3_3, S3_4, S3_5

// Sums of rows 2 * p and 2 * p + 1.
.macro clear p
    movi    S\p\()_0.2d, #0
    movi    S\p\()_1.2d, #0
    movi    S\p\()_2.2d, #0
    movi    S\p\()_3.2d, #0
    movi    S\p\()_4.2d, #0
    movi    S\p\()_5.2d, #0
.endm

// S<p>_<c> += products of 8 k of two rows, A_<p>, and two columns, B_<b>.
.macro add_products p, c, b
    fmmla_f8 8 + 6 * \p + \c, \p, 4 + \b
.endm
// The same for all rows.
.macro multiply_columns c, b
    add_products 0, \c, \b
    add_products 1, \c, \b
    add_products 2, \c, \b
    add_products 3, \c, \b
.endm

// Two rows of dst = those of start + S * scales, whose lanes are i and j.
.macro add_block p, scales, i, j
    scale_columns S\p\()_0, S\p\()_1, R_0
    scale_columns S\p\()_2, S\p\()_3, R_1
    scale_columns S\p\()_4, S\p\()_5, R_2
    add_row S\p\()_0, S\p\()_2, S\p\()_4, \scales, \i
    add_row S\p\()_1, S\p\()_3, S\p\()_5, \scales, \j
.endm
// 2 x 2 sums of columns 0, 1 and of columns 2, 3, times scales of these: those of row 0, those of row 1. Clobbers T_0.
.macro scale_columns left, right, scales
    zip1    T_0.2d, \left\().2d, \right\().2d
    zip2    \right\().2d, \left\().2d, \right\().2d
    fmul    \left\().4s, T_0.4s, \scales\().4s
    fmul    \right\().4s, \right\().4s, \scales\().4s
.endm

// void kai_tile_f8_8x12_neon_f8f32mm(const F8CodesArgs*)
func kai_tile_f8_8x12_neon_f8f32mm, hidden
    frame   d8-d15
    load_args
0:  clear   0
    clear   1
    clear   2
    clear   3
    mov     count, groups
1:  // 8 k
    ldp     qA_0, qA_1, [lhs]
    ldp     qB_0, qB_1, [rhs]
    ldp     qA_2, qA_3, [lhs, #32]
    ldp     qB_2, qB_3, [rhs, #32]
    add     lhs, lhs, #64
    subs    count, count, #1
    multiply_columns 0, 0
    multiply_columns 1, 1
    ldp     qB_0, qB_1, [rhs, #64]
    add     rhs, rhs, #96
    multiply_columns 2, 2
    multiply_columns 3, 3
    multiply_columns 4, 0
    multiply_columns 5, 1
    b.ne    1b
    load_scales
    add_block 0, L_0, 0, 1
    add_block 1, L_0, 2, 3
    add_block 2, L_1, 0, 1
    add_block 3, L_1, 2, 3
    next_block 0b
    all_rows clamp_row
    return
endfunc

// ---- One row

// S0_<c>, S0_<c + 1> += products of 8 k, columns from `at` on.
.macro row_products c, a, at
    ldp     qB_0, qB_1, [rhs, #\at]
    fmmla_f8 8 + \c, \a, 4
    fmmla_f8 9 + \c, \a, 5
.endm

// void kai_row_f8_1x12_neon_f8f32mm(const F8CodesArgs*)
func kai_row_f8_1x12_neon_f8f32mm, hidden
    frame   d8-d15
    load_args
0:  clear   0
    mov     count, groups
1:  // 16 k. The second row of A_0 and A_1 is zero
    ldp     dA_0, dA_1, [lhs], #16
    row_products 0, 0, 0
    row_products 2, 0, 32
    row_products 4, 0, 64
    row_products 0, 1, 96
    row_products 2, 1, 128
    row_products 4, 1, 160
    add     rhs, rhs, #192
    subs    count, count, #2
    b.ne    1b
    load_scales_of_row
    scale_columns S0_0, S0_1, R_0
    scale_columns S0_2, S0_3, R_1
    scale_columns S0_4, S0_5, R_2
    add_row S0_0, S0_2, S0_4, L_0, 0
    next_block 0b
    clamp_row 0
    return
endfunc
