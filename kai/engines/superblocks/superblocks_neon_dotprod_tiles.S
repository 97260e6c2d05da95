// f32 <- qsi8d256p x super-blocks with SDOT: tiles of 2 to 16 rows x 4 columns (formula: superblocks_neon_tile.inc).
//
// A vector of sums holds a row of 4 columns; a vector of a panel has 4 k of its rows. Group g of 4 k, 0 to 7:
//
//                   | B_<g>
//        -----------+--------
//        row 0 of a | S_a0
//        row 1      | S_a1
//        row 2, b   | S_b0
//        row 3      | S_b1
//
// With few sums, in-order cores wait for the previous addition. Tiles of up to 8 rows have six or eight sums in turn
// (2 rows: four), where registers suffice: 2 rows, or 4 rows of nibbles, two sub-blocks at once
// (superblocks_neon_dotprod_two_blocks.inc); 6 or 8 rows two panels at once (superblocks_neon_dotprod_two_panels.inc).
//
//   Registers, and those of superblocks_neon_tile.inc
//   v24           scale                sub-scales; at the end of a super-block: scales of the rows
//   v25           indices              of sub-scales
//   v30, v31      even_k, odd_k        4 k of a panel
//   v18, v20      D_0 = D_1, DMIN_0 = DMIN_1
//   v2            mask_of_two_rows     0xf0; 2 rows
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/superblocks/superblocks_neon_tile.inc"
#include "kai/engines/superblocks/superblocks_neon_dotprod_two_blocks.inc"
#include "kai/engines/superblocks/superblocks_neon_dotprod_two_panels.inc"

reg D_0, 18
reg D_1, 18
reg DMIN_0, 20
reg DMIN_1, 20
regs 24, scale, indices
regs 30, even_k, odd_k
reg mask_of_two_rows, 2

.macro index_constants
    stp     x16, x17, [sp, #INDICES]
    ldr     qindices, [sp, #INDICES]
.endm
// indices: a byte of a scale for each of 4 k. On the stack, too. Changes x16, x17.
.macro scaled_indices
    mov     w16, #0x01010101
    lsl     x16, x16, #32
    mov     x17, #0x0202020202020202
    add     x17, x16, x17
    index_constants
.endm
.macro tile_constants
    .if pairs == 1
    ldr     qmask_of_two_rows, [args, #TILE_ARGS_mask]
    .endif
.endm

// I += the next TILE_K.
.macro some_sub_blocks
    .if RHS_BITS == 2
    eight_sub_blocks
    .elseif SUB == 32 && (pairs == 1 || (pairs == 2 && RHS_BITS == 4))
    both_sub_blocks
    .elseif (pairs == 3 || pairs == 4) && !SCALED
    two_panels 0
    two_panels 1
    .else
    sub_block 0
    sub_block 1
    .endif
.endm

// scale of sub-block \odd of a pair.
.macro sub_scales odd
    ldr     s24, [subs, #4 * \odd]
    when    RHS_BITS, 3, neg scale.8b, scale.8b
    when    RHS_BITS, 2, ldr q26, [sp, #OF_BITS + 16]
    when    RHS_BITS, 2, and scale.8b, scale.8b, v26.8b
    tbl     scale.16b, {scale.16b}, indices.16b
    .if SCALED
    op_4    mul, B_0, B_1, B_2, B_3, scale.16b
    .elseif !HAS_MINIMA
    sshr    scale.4s, scale.4s, #24
    .endif
.endm

// ---- Panel after panel

.macro first_lhs both, lhs
    ldp     qeven_k, qodd_k, [\lhs, #sub_offset]
.endm

// Sums \s += 4 k of a panel, \k, times columns \b.
.macro dot_4k both, s, b, k
    sdot    \s\()_a0.4s, \b\().16b, \k\().4b[0]
    sdot    \s\()_a1.4s, \b\().16b, \k\().4b[1]
    .if \both
    sdot    \s\()_b0.4s, \b\().16b, \k\().4b[2]
    sdot    \s\()_b1.4s, \b\().16b, \k\().4b[3]
    .endif
.endm

// Sums \s += a sub-block of a panel, whose first k are in even_k and odd_k.
.macro multiply both, lhs, s
    dot_4k  \both, \s, B_0, even_k
    ldr     qeven_k, [\lhs, #sub_offset + 32]
    dot_4k  \both, \s, B_1, odd_k
    ldr     qodd_k, [\lhs, #sub_offset + 48]
    dot_4k  \both, \s, B_2, even_k
    when    SUB, 32, ldr qeven_k, [\lhs, #sub_offset + 64]
    dot_4k  \both, \s, B_3, odd_k
    .if SUB == 32
    ldr     qodd_k, [\lhs, #sub_offset + 80]
    dot_4k  \both, \s, B_4, even_k
    ldr     qeven_k, [\lhs, #sub_offset + 96]
    dot_4k  \both, \s, B_5, odd_k
    ldr     qodd_k, [\lhs, #sub_offset + 112]
    dot_4k  \both, \s, B_6, even_k
    dot_4k  \both, \s, B_7, odd_k
    .endif
.endm

// I<p> += sums \s * sub-scales \scale_.
.macro add_scaled_sums both, p, s, scale_
    mla     I\p\()_a0.4s, \s\()_a0.4s, \scale_\().4s
    mla     I\p\()_a1.4s, \s\()_a1.4s, \scale_\().4s
    .if \both
    mla     I\p\()_b0.4s, \s\()_b0.4s, \scale_\().4s
    mla     I\p\()_b1.4s, \s\()_b1.4s, \scale_\().4s
    .endif
.endm
.macro add_sub both, p
    add_scaled_sums \both, \p, S, scale
.endm

// 4 k of a panel, or of its first two rows.
.macro load_4k both, k, lhs, at
    .if \both
    ldr     q\k, [\lhs, #\at]
    .else
    ldr     d\k, [\lhs, #\at]
    .endif
.endm

// ---- The end of a super-block

// d and dmin, from the super-block at x16.
.macro super_scales
    ldr     dD_0, [x16, #RHS_D]
    fcvtl   D_0.4s, D_0.4h
    when    RHS_BITS, 3, movi DMIN_0.2d, #0             // D = 0 - D: a NaN stays as it is
    when    RHS_BITS, 3, fsub D_0.4s, DMIN_0.4s, D_0.4s
    .if HAS_MINIMA
    ldr     dDMIN_0, [x16, #RHS_DMIN]
    fcvtl   DMIN_0.4s, DMIN_0.4h
    .endif
.endm

// J_0, J_1 += minima times half of the sums of two rows.
.macro sums_of_minima lhs, m0, m1
    sdot    J_0.4s, \m0\().16b, \lhs\().4b[0]
    sdot    J_1.4s, \m0\().16b, \lhs\().4b[2]
    sdot    J_0.4s, \m1\().16b, \lhs\().4b[1]
    sdot    J_1.4s, \m1\().16b, \lhs\().4b[3]
.endm

// acc += I, scaled, of a pair of rows.
.macro add_scaled p, r, at
    .ifc \r, a
    ldr     qscale, [lhs_\p]
    add_pair \p, \r, \at, scale.s[0], scale.s[1]
    .else
    add_pair \p, \r, \at, scale.s[2], scale.s[3]
    .endif
.endm

    tile_functions kai_tile_qsi8d256p4x4_qau4c32x256p4x4, neon_dotprod, 4
    tile_functions kai_tile_qsi8d256p4x4_qau5c32x256p4x4, neon_dotprod, 5
    tile_functions kai_tile_qsi8d256p4x4_qlu4c32x256p4x4, neon_dotprod, 4, 1
    tile_functions kai_tile_qsi8d256p4x4_qsi6c16x256p4x4, neon_dotprod, 6
    tile_functions kai_tile_qsi8d256p4x4_qsi3c16x256p4x4, neon_dotprod, 3
    tile_functions kai_tile_qsi8d256p4x4_qau2c16x256p4x4, neon_dotprod, 2
