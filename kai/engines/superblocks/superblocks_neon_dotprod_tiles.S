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
// (2 rows: four), where registers suffice: 2 rows, or 4 rows of nibbles, two sub-blocks at once (both_sub_blocks); 6 or
// 8 rows two panels at once (two_panels).
//
//   Registers, and those of superblocks_neon_tile.inc
//   v24           scale                sub-scales; at the end of a super-block: scales of the rows
//   v25           indices              of sub-scales
//   v30, v31      even_k, odd_k        4 k of a panel
//   v18, v20      D_0 = D_1, DMIN_0 = DMIN_1
// Two sub-blocks at once: columns E, sums U; columns B, sums S
//   v8 - v15      E_0 - E_7            the columns of the first sub-block; those of the second one are in B
//   v4 - v7       U                    sums of the first sub-block
//   v24, v30      fst0, fst1           k of the panel, first sub-block; the others take the place of columns in E
//   v25, v31      snd0, snd1           second sub-block; likewise in B
//   v30, v31      fst_scale, snd_scale sub-scales
//   v2            mask_of_two_rows     0xf0; 2 rows
// Two panels at once
//   v8 - v11      T                    sums of the second panel
//   v12, v13, v30 up0, up1, up2        k of the first panel, in turns
//   v14, v15, v31 down0, down1, down2  of the second one
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/superblocks/superblocks_neon_tile.inc"

reg D_0, 18
reg D_1, 18
reg DMIN_0, 20
reg DMIN_1, 20
regs 24, scale, indices
regs 30, even_k, odd_k
regs 8, E_0, E_1, E_2, E_3, E_4, E_5, E_6, E_7
regs 4, U_a0, U_a1, U_b0, U_b1
regs 24, fst0, snd0
regs 30, fst1, snd1
regs 30, fst_scale, snd_scale
regs 8, T_a0, T_a1, T_b0, T_b1
regs 12, up0, up1, down0, down1
regs 30, up2, down2
reg mask_of_two_rows, 2

.macro index_constants
    stp     x16, x17, [sp, #INDICES]
    ldr     qindices, [sp, #INDICES]
.endm
.macro tile_constants
    .if pairs == 1
    ldr     qmask_of_two_rows, [args, #TILE_ARGS_mask]
    .endif
.endm

// I += the next two sub-blocks.
.macro two_sub_blocks
    .if SUB == 32 && (pairs == 1 || (pairs == 2 && RHS_BITS == 4))
    both_sub_blocks
    .elseif pairs == 3 || pairs == 4
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
    tbl     scale.16b, {scale.16b}, indices.16b
    .if !HAS_MINIMA
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

// S += a sub-block of a panel, whose first k are in even_k and odd_k.
.macro multiply both, lhs
    dot_4k  \both, S, B_0, even_k
    ldr     qeven_k, [\lhs, #sub_offset + 32]
    dot_4k  \both, S, B_1, odd_k
    ldr     qodd_k, [\lhs, #sub_offset + 48]
    dot_4k  \both, S, B_2, even_k
    when    SUB, 32, ldr qeven_k, [\lhs, #sub_offset + 64]
    dot_4k  \both, S, B_3, odd_k
    .if SUB == 32
    ldr     qodd_k, [\lhs, #sub_offset + 80]
    dot_4k  \both, S, B_4, even_k
    ldr     qeven_k, [\lhs, #sub_offset + 96]
    dot_4k  \both, S, B_5, odd_k
    ldr     qodd_k, [\lhs, #sub_offset + 112]
    dot_4k  \both, S, B_6, even_k
    dot_4k  \both, S, B_7, odd_k
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

// ---- Two sub-blocks at once. Unscheduled:
//
//     for g in 0 - 7: U += E_<g> x k of the first sub-block, S += B_<g> x k of the second one
//     I0 += U * fst_scale + S * snd_scale

// E = the next sub-block, B = the one after it; rhs moves on. Nibbles, two rows: only the first vector of each;
// next_columns adds the others.
.macro both_columns
    .if RHS_TABLE
    ldp     qE_4, qE_5, [rhs]
    ldp     qE_6, qE_7, [rhs, #32]
    ldp     qB_4, qB_5, [rhs, #64]
    ldp     qB_6, qB_7, [rhs, #96]
    ldp     qmask, qtable, [args, #TILE_ARGS_mask]
    add     rhs, rhs, #128
    low_indices E
    low_indices B
    op_4    ushr, E_4, E_5, E_6, E_7, #4
    op_4    ushr, B_4, B_5, B_6, B_7, #4
    look_up E_0, E_1, E_2, E_3
    look_up B_0, B_1, B_2, B_3
    look_up E_4, E_5, E_6, E_7
    look_up B_4, B_5, B_6, B_7
    .elseif RHS_BITS == 4
    ldp     qB_0, qB_1, [rhs]
    ldp     qB_2, qB_3, [rhs, #32]
    .if pairs == 1
    next_columns 0
    .endif
    ldp     qB_4, qB_5, [rhs, #64]
    ldp     qB_6, qB_7, [rhs, #96]
    add     rhs, rhs, #128
    .if pairs > 1
    ldr     qmask, [args, #TILE_ARGS_mask]
    low_nibbles_to_e
    op_8    ushr, B, #4
    .endif
    .else
    columns 0, E
    columns 1
    .endif
.endm
// E = the factors that the low nibbles in B stand for.
.macro low_nibbles_to_e
    bic     E_0.16b, B_0.16b, mask.16b
    bic     E_1.16b, B_1.16b, mask.16b
    bic     E_2.16b, B_2.16b, mask.16b
    bic     E_3.16b, B_3.16b, mask.16b
    bic     E_4.16b, B_4.16b, mask.16b
    bic     E_5.16b, B_5.16b, mask.16b
    bic     E_6.16b, B_6.16b, mask.16b
    bic     E_7.16b, B_7.16b, mask.16b
.endm
// Vector \i of E and B, where both_columns leaves it out: mask_of_two_rows = 0xf0.
.macro next_columns i
    .if RHS_BITS == 4 && !RHS_TABLE && pairs == 1
    bic     E_\i\().16b, B_\i\().16b, mask_of_two_rows.16b
    ushr    B_\i\().16b, B_\i\().16b, #4
    .endif
.endm

// \b times \k; then loads the k at \at of the sub-block, unless none, to \n: columns no longer used, or \k.
.macro first_sub b, k, n, at
    dot_4k  (pairs > 1), U, \b, \k
    .ifnc \n, none
    load_4k (pairs > 1), \n, lhs_0, \at
    .endif
.endm
// As first_sub, for the second sub-block: S, and k 128 bytes further on.
.macro second_sub b, k, n, at
    dot_4k  (pairs > 1), S, \b, \k
    .ifnc \n, none
    load_4k (pairs > 1), \n, lhs_0, \at + 128
    .endif
.endm
.macro load_subs at, n0, n1
    load_4k (pairs > 1), \n0, lhs_0, \at
    load_4k (pairs > 1), \n1, lhs_0, \at + 128
.endm

// I0 += the next two sub-blocks. Changes E, B, U, S, v24, v25, v30, v31.
.macro both_sub_blocks
    load_subs 0, fst0, snd0
    both_columns
    load_subs 16, fst1, snd1
    start   U_a, S_a
    .if pairs > 1
    start   U_b, S_b
    .endif
    next_columns 1
    first_sub E_0, fst0, E_0, 32
    next_columns 2
    first_sub E_1, fst1, E_1, 48
    second_sub B_0, snd0, B_0, 32
    next_columns 3
    first_sub E_2, E_0, E_2, 64
    second_sub B_1, snd1, B_1, 48
    next_columns 4
    first_sub E_3, E_1, E_3, 80
    second_sub B_2, B_0, B_2, 64
    next_columns 5
    first_sub E_4, E_2, E_4, 96
    second_sub B_3, B_1, B_3, 80
    ldr     qscale, [sp, #INDICES]
    ldr     s30, [subs]
    ldr     s31, [subs, #4]
    next_columns 6
    first_sub E_5, E_3, E_5, 112
    second_sub B_4, B_2, B_4, 96
    next_columns 7
    first_sub E_6, E_4, none
    second_sub B_5, B_3, B_5, 112
    tbl     fst_scale.16b, {fst_scale.16b}, scale.16b
    tbl     snd_scale.16b, {snd_scale.16b}, scale.16b
    .if !HAS_MINIMA
    sshr    fst_scale.4s, fst_scale.4s, #24
    sshr    snd_scale.4s, snd_scale.4s, #24
    .endif
    first_sub E_7, E_5, none
    second_sub B_6, B_4, none
    add_scaled_sums (pairs > 1), 0, U, fst_scale
    second_sub B_7, B_5, none
    add_scaled_sums (pairs > 1), 0, S, snd_scale
.endm

// ---- Two panels at once: the second one is 4 k behind, so that sums are not all complete at once. Unscheduled:
//
//     for g in 0 - 7: S += B_<g> x k of the first panel, T += B_<g> x k of the second one
//     I0 += S * scale, I1 += T * scale

// \b times \k; then loads \k from \next, unless that is none.
.macro up b, k, next
    dot_4k  1, S, \b, \k
    .ifnc \next, none
    load_4k 1, \k, lhs_0, sub_offset + \next
    .endif
.endm
// As up, for the second panel: T.
.macro down b, k, next
    dot_4k  (pairs > 3), T, \b, \k
    .ifnc \next, none
    load_4k (pairs > 3), \k, lhs_1, sub_offset + \next
    .endif
.endm
.macro load_panels at, k0, k1
    load_4k 1, \k0, lhs_0, sub_offset + \at
    load_4k (pairs > 3), \k1, lhs_1, sub_offset + \at
.endm

// I0, I1 += sub-block \odd of a pair. Changes B, S, T, v12 - v15, v24, v30, v31.
.macro two_panels odd
    .set    sub_offset, 4 * SUB * \odd
    load_panels 0, up0, down0
    load_panels 16, up1, down1
    columns \odd
    sub_scales \odd
    load_panels 32, up2, down2
    start   S_a, S_b, T_a
    .if pairs > 3
    start   T_b
    .endif
    up      B_0, up0, 48
    .if SUB == 32
    up      B_1, up1, 64
    down    B_0, down0, 48
    up      B_2, up2, 80
    down    B_1, down1, 64
    up      B_3, up0, 96
    down    B_2, down2, 80
    up      B_4, up1, 112
    down    B_3, down0, 96
    up      B_5, up2, none
    down    B_4, down1, 112
    up      B_6, up0, none
    down    B_5, down2, none
    up      B_7, up1, none
    down    B_6, down0, none
    add_scaled_sums 1, 0, S, scale
    down    B_7, down1, none
    .else
    up      B_1, up1, none
    down    B_0, down0, 48
    up      B_2, up2, none
    down    B_1, down1, none
    up      B_3, up0, none
    down    B_2, down2, none
    add_scaled_sums 1, 0, S, scale
    down    B_3, down0, none
    .endif
    add_scaled_sums (pairs > 3), 1, T, scale
.endm

// ---- The end of a super-block

// d and dmin, from the super-block at x16.
.macro super_scales
    ldr     dD_0, [x16, #RHS_D]
    fcvtl   D_0.4s, D_0.4h
    .if HAS_MINIMA
    ldr     dDMIN_0, [x16, #RHS_DMIN]
    fcvtl   DMIN_0.4s, DMIN_0.4h
    .endif
.endm

// J_0, J_1 += minima times half of the sums of two rows.
.macro sums_of_minima lhs
    sdot    J_0.4s, minima_0.16b, \lhs\().4b[0]
    sdot    J_1.4s, minima_0.16b, \lhs\().4b[2]
    sdot    J_0.4s, minima_1.16b, \lhs\().4b[1]
    sdot    J_1.4s, minima_1.16b, \lhs\().4b[3]
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
