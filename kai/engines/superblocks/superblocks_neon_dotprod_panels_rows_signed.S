// f32 <- qsi8d256p x super-blocks of 6 or 3 bits or of indices, packed for SME, with SDOT: one row
// (superblocks_neon_dotprod_panels_row.inc). The operations are those of other rows:
//
//     I = sum of scale_j * S_j,     S_j = sum over the sub-block of lhs * rhs
//     acc = fma(I * d, lhs_scale, acc)
//
// 6 bits: a sub-block, 16 k, is three groups, of whose bytes the lower two bits are the fourth vector (Six of
// superblocks.hpp). 3 bits: two sub-blocks are one of those (Three); the even one has the upper bits. Indices: a
// sub-block, 32 k, is eight groups of 2 bytes, k and k + 1; two of them are zipped, so that low nibbles are even k of
// 8, high ones odd k. The table is in front of the panel.
//
// Registers, and those of superblocks_neon_dotprod_panels_row.inc
//   x11        second             the group after cursor's
//   v4 - v7    SUMS_B             sums of a sub-block; at the end d
//   v8         k_0                6, 3 bits: 16 k of the row      v9   mask, of these bits
//   v10        lhs_scale          at the end of a super-block     v11  sub-scales of 16 columns
//              k_1                3 bits: the next 16 k of the row
//   v16 - v19  RHS_A              values, or indices; then sub-scales
//   v20 - v23  RHS_B              the same        v24 - v27  RHS_C  the same
//   v28 - v31  LAST              6, 3 bits: the same
// Indices
//   v8 - v11   N                  bytes; then indices
//   v28, v29   even, odd          16 k of the row each            v30  nibbles, a mask      v31  table
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define OF_BITS OF_FORMAT
#include "kai/engines/superblocks/superblocks_neon_dotprod_panels_row.inc"

second  .req x11
regs 8, k_0, mask, lhs_scale, sub_scales
reg k_1, 10
regs 28, LAST_0, LAST_1, LAST_2, LAST_3
regs 8, N_0, N_1, N_2, N_3
regs 28, even, odd, nibbles, table

// Once: the table, or masks.
.macro constants
    .if RHS_TABLE
    ldr     qtable, [x1]
    add     x1, x1, nr, lsl #2
    movi    nibbles.16b, #0x0F
    .else
    movi    mask.16b, #QUANT_BITS
    .endif
.endm

.macro start_super_block
    clear_set SUMS_A
.endm

// ---- 6 and 3 bits

// SUMS_B += 8 of 16 k; RHS_C = 4 more, LAST = bits of the last 4, from bit 0 on. x17: the last of three groups.
.macro mac_three
    add     x16, cursor, group
    add     x17, cursor, group, lsl #1
    load_group RHS_B, x16
    load_group LAST, x17
    load_group RHS_A, cursor
    shared_quads sli, 16b, LAST, RHS_B, #2
    shared_quads and, 16b, RHS_B, RHS_B, mask.16b
    load_group RHS_C, x17
    shared_quads sli, 16b, LAST, RHS_A, #4
    sdot_quads SUMS_B, RHS_B, k_0.4b[1]
    shared_quads and, 16b, RHS_A, RHS_A, mask.16b
    shared_quads and, 16b, RHS_C, RHS_C, mask.16b
    sdot_quads SUMS_B, RHS_A, k_0.4b[0]
.endm
// SUMS_B += 16 k of 6 bits.
.macro mac_six_bits
    ldr     qk_0, [x13], #16
    mac_three
    add     cursor, x17, group
    shared_quads shl, 16b, LAST, LAST, #2
    sdot_quads SUMS_B, RHS_C, k_0.4b[2]
    sdot_quads SUMS_B, LAST, k_0.4b[3]
.endm
// SUMS_B += 16 k, of the even sub-block of two.
.macro mac_even
    ldp     qk_0, qk_1, [x13], #32
    mac_three
    shared_quads shl, 16b, RHS_A, LAST, #2
    shared_quads and, 16b, RHS_A, RHS_A, mask.16b
    sdot_quads SUMS_B, RHS_C, k_0.4b[2]
    sdot_quads SUMS_B, RHS_A, k_0.4b[3]
.endm
// Set \r = a vector of the odd sub-block at cursor. To the next one.
.macro load_odd r
    load_group \r, cursor
    add     cursor, cursor, group
    shared_quads shl, 16b, \r, \r, #3
    shared_quads and, 16b, \r, \r, mask.16b
.endm
// SUMS_B += 16 k, of the odd sub-block.
.macro mac_odd
    load_odd RHS_A
    load_odd RHS_B
    load_odd RHS_C
    shared_quads shl, 16b, LAST, LAST, #5
    sdot_quads SUMS_B, RHS_A, k_1.4b[0]
    sdot_quads SUMS_B, RHS_B, k_1.4b[1]
    sdot_quads SUMS_B, RHS_C, k_1.4b[2]
    sdot_quads SUMS_B, LAST, k_1.4b[3]
.endm

// ---- Indices

// Set \r = two groups; to the next ones. Changes N.
.macro load_two_groups r
    ldp     qN_0, qN_1, [cursor]
    ldp     qN_2, qN_3, [second]
    add     cursor, cursor, group
    add     second, second, group
    zip1    \r\()_0.8h, N_0.8h, N_2.8h
    zip2    \r\()_1.8h, N_0.8h, N_2.8h
    zip1    \r\()_2.8h, N_1.8h, N_3.8h
    zip2    \r\()_3.8h, N_1.8h, N_3.8h
.endm
// SUMS_B += 16 k: words \i and \j of even and of odd k.
.macro mac_indices i, j
    load_two_groups RHS_A
    load_two_groups RHS_B
    shared_quads and, 16b, RHS_C, RHS_A, nibbles.16b
    shared_quads ushr, 16b, RHS_A, RHS_A, #4
    shared_quads and, 16b, N, RHS_B, nibbles.16b
    shared_quads ushr, 16b, RHS_B, RHS_B, #4
    tbl_quads RHS_C, table, RHS_C
    tbl_quads RHS_A, table, RHS_A
    tbl_quads N, table, N
    tbl_quads RHS_B, table, RHS_B
    sdot_quads SUMS_B, RHS_C, even.4b[\i]
    sdot_quads SUMS_B, RHS_A, odd.4b[\i]
    sdot_quads SUMS_B, N, even.4b[\j]
    sdot_quads SUMS_B, RHS_B, odd.4b[\j]
.endm
// SUMS_B += 32 k.
.macro mac_32_indices
    ldp     qRHS_C_0, qRHS_C_1, [x13], #32
    add     second, cursor, nr, lsl #1
    uzp1    even.16b, RHS_C_0.16b, RHS_C_1.16b
    uzp2    odd.16b, RHS_C_0.16b, RHS_C_1.16b
    mac_indices 0, 1
    mac_indices 2, 3
.endm

// ---- all

// SUMS_A += a sub-block, scaled: what \mac adds to SUMS_B.
.macro add_sub_block mac
    clear_set SUMS_B
    \mac
    ldr     qsub_scales, [scales]
    add     scales, scales, nr
    widen_bytes RHS_A, sub_scales, s
    op_quads mla, 4s, SUMS_A, SUMS_B, RHS_A
.endm
// SUMS_A += ROW_K.
.macro add_sub_blocks
    .if RHS_TABLE
    add_sub_block mac_32_indices
    .elseif RHS_BITS == 6
    add_sub_block mac_six_bits
    .else
    add_sub_block mac_even
    add_sub_block mac_odd
    .endif
.endm

// SUMS_F += SUMS_A * d * the scale of the row's block.
.macro add_super_block
    sub     x17, x13, #LHS_BLOCK(1)
    add     x16, x7, x6, lsl #1
    ldr     s10, [x17]                          // lhs_scale
    load_f16 SUMS_B, x16
    convert_quads SUMS_A
    op_quads fmul, 4s, SUMS_A, SUMS_A, SUMS_B
    shared_quads fmla, 4s, SUMS_F, SUMS_A, lhs_scale.s[0]
.endm

    panel_row kai_panel_row_qsi6c16x256pnrx4_neon_dotprod, 6
    panel_row kai_panel_row_qsi3c16x256pnrx4_neon_dotprod, 3
    panel_row kai_panel_row_qlu4c32x256ps1s0_neon_dotprod, 4, 1
