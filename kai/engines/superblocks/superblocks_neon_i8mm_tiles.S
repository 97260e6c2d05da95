// f32 <- qsi8d256p x super-blocks with SMMLA: tiles of 2 to 16 rows x 4 columns (formula: superblocks_neon_tile.inc).
//
// A vector of sums holds 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1. Group g of 8 k, 0 to 3:
//
//               | B_<2g>   B_<2g+1>     columns 0 1, columns 2 3
//        -------+--------------------
//        A_a    | S_a0     S_a1         rows 0 1 of a panel
//        A_b    | S_b0     S_b1         rows 2 3
//
// Tiles of 2 and 4 rows, 4 bits: superblocks_neon_i8mm_two_blocks.inc.
//
//   Registers, and those of superblocks_neon_tile.inc
//   v24, v25     scale_0, scale_1   sub-scales of columns 0 1, of columns 2 3, twice each
//   v30, v31     A_a, A_b           8 k of a panel
//   v22, v23     of_01, of_23       6, 3 bits: the indices of sub-scales; else v26, v27: index_01, index_23
//   v18 - v21    D_0, D_1, DMIN_0, DMIN_1
// At the end of a super-block v24, v25: scales of rows a, b, twice each
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/superblocks/superblocks_neon_tile.inc"
#include "kai/engines/superblocks/superblocks_neon_i8mm_two_blocks.inc"

regs 18, D_0, D_1, DMIN_0, DMIN_1
regs 24, scale_0, scale_1
regs 24, rows_a, rows_b
regs 30, A_a, A_b
regs 22, of_01, of_23
regs 26, index_01, index_23

// Indices from x16, x17 to the stack; 6 bits: to v22, v23, too.
.macro index_constants
    stp     x16, x16, [sp, #INDICES]
    stp     x17, x17, [sp, #INDICES + 16]
    .if SUB == 16
    ldp     qof_01, qof_23, [sp, #INDICES]
    .endif
.endm

.macro tile_constants
.endm

// I += the next TILE_K.
.macro some_sub_blocks
    .if RHS_BITS == 2
    ldp     qof_01, qof_23, [sp, #INDICES]
    eight_sub_blocks
    .elseif RHS_BITS == 4 && pairs <= 2
    both_sub_blocks
    .else
    sub_block 0
    sub_block 1
    .endif
.endm

// of_01: columns 0, 1; of_23: 2, 3, a byte of a scale for each of 8 k. On the stack, too. Changes x16, x17.
.macro scaled_indices
    mov     x16, #0
    mov     x17, #0x0101010101010101
    stp     x16, x17, [sp, #INDICES]
    mov     x16, #0x0202020202020202
    orr     x17, x16, x17
    stp     x16, x17, [sp, #INDICES + 16]
    ldp     qof_01, qof_23, [sp, #INDICES]
.endm

// scale_0, scale_1 of sub-block \odd of a pair. Changes v26, v27.
.macro sub_scales odd
    ldr     s25, [subs, #4 * \odd]
    .if RHS_BITS == 3
    neg     scale_1.8b, scale_1.8b
    .elseif RHS_BITS == 2
    ldr     qindex_01, [sp, #OF_BITS + 16]
    and     scale_1.8b, scale_1.8b, index_01.8b
    .endif
    .if SUB == 16
    tbl     scale_0.16b, {scale_1.16b}, of_01.16b
    tbl     scale_1.16b, {scale_1.16b}, of_23.16b
    .else
    ldp     qindex_01, qindex_23, [sp, #INDICES]
    tbl     scale_0.16b, {scale_1.16b}, index_01.16b
    tbl     scale_1.16b, {scale_1.16b}, index_23.16b
    .endif
    .if SCALED
    mul     B_0.16b, B_0.16b, scale_0.16b
    mul     B_1.16b, B_1.16b, scale_1.16b
    mul     B_2.16b, B_2.16b, scale_0.16b
    mul     B_3.16b, B_3.16b, scale_1.16b
    .elseif !HAS_MINIMA
    sshr    scale_0.4s, scale_0.4s, #24
    sshr    scale_1.4s, scale_1.4s, #24
    .endif
.endm

// A = the first 8 k of a sub-block.
.macro first_lhs both, lhs
    ldr     qA_a, [\lhs, #sub_offset]
    .if \both
    ldr     qA_b, [\lhs, #sub_offset + 16]
    .endif
.endm

// Sums \s += 8 k of a panel; then loads those at \next, unless that is none. Four sums in turn, so that in-order cores
// do not wait for the previous addition.
.macro sums_8k both, s, c0, c1, lhs, next
    smmla   \s\()_a0.4s, A_a.16b, \c0\().16b
    smmla   \s\()_a1.4s, A_a.16b, \c1\().16b
    .ifnc \next, none
    ldr     qA_a, [\lhs, #sub_offset + \next]
    .endif
    .if \both
    smmla   \s\()_b0.4s, A_b.16b, \c0\().16b
    smmla   \s\()_b1.4s, A_b.16b, \c1\().16b
    .ifnc \next, none
    ldr     qA_b, [\lhs, #sub_offset + \next + 16]
    .endif
    .endif
.endm

// Sums \s += a sub-block.
.macro multiply both, lhs, s
    sums_8k \both, \s, B_0, B_1, \lhs, 32
    .if SUB == 32
    sums_8k \both, \s, B_2, B_3, \lhs, 64
    sums_8k \both, \s, B_4, B_5, \lhs, 96
    sums_8k \both, \s, B_6, B_7, \lhs, none
    .else
    sums_8k \both, \s, B_2, B_3, \lhs, none
    .endif
.endm

// I<p> += S times sub-scales.
.macro add_sub both, p
    mla     I\p\()_a0.4s, S_a0.4s, scale_0.4s
    mla     I\p\()_a1.4s, S_a1.4s, scale_1.4s
    .if \both
    mla     I\p\()_b0.4s, S_b0.4s, scale_0.4s
    mla     I\p\()_b1.4s, S_b1.4s, scale_1.4s
    .endif
.endm

// d and dmin, from the super-block at x16.
.macro super_scales
    ldr     dD_0, [x16, #RHS_D]
    fcvtl   D_0.4s, D_0.4h
    when    RHS_BITS, 3, movi DMIN_0.2d, #0             // D = 0 - D: a NaN stays as it is
    when    RHS_BITS, 3, fsub D_0.4s, DMIN_0.4s, D_0.4s
    dup     D_1.2d, D_0.d[1]
    dup     D_0.2d, D_0.d[0]
    .if HAS_MINIMA
    ldr     dDMIN_0, [x16, #RHS_DMIN]
    fcvtl   DMIN_0.4s, DMIN_0.4h
    dup     DMIN_1.2d, DMIN_0.d[1]
    dup     DMIN_0.2d, DMIN_0.d[0]
    .endif
.endm

// J_0, J_1 += minima times half of the sums of two rows, \lhs.
.macro sums_of_minima lhs, m0, m1
    smmla   J_0.4s, \lhs\().16b, \m0\().16b
    smmla   J_1.4s, \lhs\().16b, \m1\().16b
.endm

// acc += I, scaled, of a pair of rows. Changes rows_a, rows_b.
.macro add_scaled p, r, at
    .ifc \r, a
    ldr     qrows_a, [lhs_\p]
    zip2    rows_b.4s, rows_a.4s, rows_a.4s
    zip1    rows_a.4s, rows_a.4s, rows_a.4s
    .endif
    add_pair \p, \r, \at, rows_\r\().4s, rows_\r\().4s
.endm

    tile_functions kai_tile_qsi8d256p4x8_qau4c32x256p4x8, neon_i8mm, 4
    tile_functions kai_tile_qsi8d256p4x8_qau5c32x256p4x8, neon_i8mm, 5
    tile_functions kai_tile_qsi8d256p4x8_qlu4c32x256p4x8, neon_i8mm, 4, 1
    tile_functions kai_tile_qsi8d256p4x8_qsi6c16x256p4x8, neon_i8mm, 6
    tile_functions kai_tile_qsi8d256p4x8_qsi3c16x256p4x8, neon_i8mm, 3
    tile_functions kai_tile_qsi8d256p4x8_qau2c16x256p4x8, neon_i8mm, 2
