// FP8 x FP8 with FDOT: 8 rows or one times a panel of 12 columns, blocks of k (f8_neon_fp8dot4.cpp).
//
//     sums = start + sum over blocks of (S * rhs_scale) * lhs_scale;   dst = clamp(sums)
//
// FDOT adds the products of 4 k of a row and 4 k of 4 columns to 4 sums. FPMR says what codes are, E4M3 or E5M2; it
// belongs to nobody after a call, so that every function sets it.
//
//            | B_0      B_1      B_2          columns 0-3, 4-7, 8-11
//     -------+---------------------------
//     A_0[0] | S0_0     S0_1     S0_2         row 0
//     ...    | ...
//     A_1[3] | S7_0     S7_1     S7_2         row 7
//
//   A_0, A_1         v0, v1   4 k of 4 rows each
//   B_0 - B_2        v2 - v4  4 k of 12 columns
//   S0_0 ... S7_2    v8 - v31  sums of this block
//
// After the k of a block v0 - v7 are those of f8_codes.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a

#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/fp8.inc"
#include "kai/engines/f8/f8_codes.inc"

    regs    0, A_0, A_1, B_0, B_1, B_2
    regs    8, S0_0, S0_1, S0_2, S1_0, S1_1, S1_2, S2_0, S2_1, S2_2, S3_0, S3_1, S3_2
    regs    20, S4_0, S4_1, S4_2, S5_0, S5_1, S5_2, S6_0, S6_1, S6_2, S7_0, S7_1, S7_2

.macro clear r
    movi    S\r\()_0.2d, #0
    movi    S\r\()_1.2d, #0
    movi    S\r\()_2.2d, #0
.endm

// S<r>_0 - S<r>_2 += products of 4 k: B_0 - B_2 (v2 - v4) times lane i of A_<a> (v<a>).
.macro add_products r, a, i
    fdot_lane 8 + 3 * \r, 2, \a, \i
    fdot_lane 9 + 3 * \r, 3, \a, \i
    fdot_lane 10 + 3 * \r, 4, \a, \i
.endm

// A row of dst = that of start + S * scales.
.macro add_block r, a, i
    fmul    S\r\()_0.4s, S\r\()_0.4s, R_0.4s
    fmul    S\r\()_1.4s, S\r\()_1.4s, R_1.4s
    fmul    S\r\()_2.4s, S\r\()_2.4s, R_2.4s
    add_row S\r\()_0, S\r\()_1, S\r\()_2, L_\a, \i
.endm

// void kai_tile_f8_8x12_neon_fp8dot4(const F8CodesArgs*)
func kai_tile_f8_8x12_neon_fp8dot4, hidden
    frame   d8-d15
    load_args
0:  all_rows clear
    mov     count, groups
1:  // 4 k
    ldp     qA_0, qA_1, [lhs], #32
    ldp     qB_0, qB_1, [rhs]
    ldr     qB_2, [rhs, #32]
    add     rhs, rhs, #48
    subs    count, count, #1
    add_products 0, 0, 0
    add_products 1, 0, 1
    add_products 2, 0, 2
    add_products 3, 0, 3
    add_products 4, 1, 0
    add_products 5, 1, 1
    add_products 6, 1, 2
    add_products 7, 1, 3
    b.ne    1b
    load_scales
    add_block 0, 0, 0
    add_block 1, 0, 1
    add_block 2, 0, 2
    add_block 3, 0, 3
    add_block 4, 1, 0
    add_block 5, 1, 1
    add_block 6, 1, 2
    add_block 7, 1, 3
    next_block 0b
    all_rows clamp_row
    return
endfunc

// ---- One row: 4 groups of k at a time, in sums of their own, S<g>_0 - S<g>_2

// S<g> += products of 4 k.
.macro row_products g, at
    ldp     qB_0, qB_1, [rhs, #\at]
    ldr     qB_2, [rhs, #\at + 32]
    add_products \g, 0, \g
.endm
.macro join r, other
    fadd    S\r\()_0.4s, S\r\()_0.4s, S\other\()_0.4s
    fadd    S\r\()_1.4s, S\r\()_1.4s, S\other\()_1.4s
    fadd    S\r\()_2.4s, S\r\()_2.4s, S\other\()_2.4s
.endm

// void kai_row_f8_1x12_neon_fp8dot4(const F8CodesArgs*)
func kai_row_f8_1x12_neon_fp8dot4, hidden
    frame   d8-d15
    load_args
0:  clear   0
    clear   1
    clear   2
    clear   3
    mov     count, groups
1:  // 16 k
    ldr     qA_0, [lhs], #16
    row_products 0, 0
    row_products 1, 48
    row_products 2, 96
    row_products 3, 144
    add     rhs, rhs, #192
    subs    count, count, #4
    b.ne    1b
    join    0, 1
    join    2, 3
    join    0, 2
    load_scales_of_row
    add_block 0, 0, 0
    next_block 0b
    clamp_row 0
    return
endfunc
