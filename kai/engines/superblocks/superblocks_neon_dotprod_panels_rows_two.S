// f32 <- qsi8d16x256p x super-blocks of 2 bits, packed for SME, with SDOT: one row
// (superblocks_neon_dotprod_panels_row.inc). The operations are those of other rows:
//
//     I = sum of scale_j * S_j,         S_j = sum over sub-block j, 16 k, of lhs * rhs
//     J = sum of minimum_j * B_j,       B_j = sum over sub-block j of lhs
//     acc = fma(fma(-J, dmin, I * d), lhs_scale, acc)
//
// A byte has values of four sub-blocks: j, j + 2, j + 4, j + 6. They are multiplied where they are, the second ones as
// 4 times, the third ones as 16 times the values: scales make up for it, and I is 16 times too large until it becomes
// a float. J is bytes of the minima times the high and the low bytes of B.
//
// Scales and minima share bytes: low nibbles are 16 scales of a byte a column, high ones four groups of minima.
//
// Registers, and those of superblocks_neon_dotprod_panels_row.inc
//   x11        sub_blocks     scales of the next four sub-blocks
//   v4 - v7    SUMS_B         S of four sub-blocks of a quad; at the end the high part of J
//   v8 - v11   SCALES         of four sub-blocks, 16 columns each; at the end the low part of J, then d, dmin
//   v12 - v15  NEXT           values of 4 k; SUMS_F is on the stack meanwhile
//   v16 - v19  k_0 - k_3      16 k of the row for each of the four; at the end bytes of B, lhs_scale
//   v20 - v23  RHS_B          16 bytes of a quad; at the end minima
//   v24 - v27  RHS_C          values of other 4 k; of a sub-block the scales of a quad
//   v28 - v30  mask, second_two, third_two     of values of the first, second, third sub-block
//   v31        indices        of TBL: scales of a quad as words
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define OF_INDICES OF_FORMAT            // of each quad
#define OF_SUMS (OF_FORMAT + 64)        // SUMS_F
#define OF_BITS (OF_FORMAT + 128)
#include "kai/engines/superblocks/superblocks_neon_dotprod_panels_row.inc"

sub_blocks .req x11
regs 8, SCALES_0, SCALES_1, SCALES_2, SCALES_3
regs 12, NEXT_0, NEXT_1, NEXT_2, NEXT_3
regs 16, k_0, k_1, k_2, k_3
regs 16, B_high, B_low, lhs_scale
regs 28, mask, second_two, third_two, indices

// Indices of quad q: a word has byte 4 q + lane, and others that are out of range.
.macro constants
    movi    mask.16b, #3
    movi    second_two.16b, #0x0C
    movi    third_two.16b, #0x30
    mov     x16, #-256
    movk    x16, #0xFF01, lsl #32
    mov     x17, #0x0000000200000002
    add     x17, x16, x17
    stp     x16, x17, [sp, #OF_INDICES]
    ldr     qRHS_B_0, [sp, #OF_INDICES]
    movi    RHS_B_3.4s, #4
    add     RHS_B_1.4s, RHS_B_0.4s, RHS_B_3.4s
    add     RHS_B_2.4s, RHS_B_1.4s, RHS_B_3.4s
    add     RHS_B_3.4s, RHS_B_2.4s, RHS_B_3.4s
    stp     qRHS_B_0, qRHS_B_1, [sp, #OF_INDICES]
    stp     qRHS_B_2, qRHS_B_3, [sp, #OF_INDICES + 32]
.endm

.macro start_super_block
    stp     qSUMS_F_0, qSUMS_F_1, [sp, #OF_SUMS]
    stp     qSUMS_F_2, qSUMS_F_3, [sp, #OF_SUMS + 32]
    clear_set SUMS_A
.endm

// Set \c = values of three of four sub-blocks in the bytes \b, of which those of the fourth one remain.
.macro part_bytes c, b
    and     \c\()_0.16b, \b\().16b, mask.16b
    and     \c\()_1.16b, \b\().16b, second_two.16b
    and     \c\()_2.16b, \b\().16b, third_two.16b
    ushr    \b\().16b, \b\().16b, #6
.endm
// S of four sub-blocks += 4 k: set \c, and \b.
.macro sdot_parts c, b, lane
    sdot    SUMS_B_0.4s, \c\()_0.16b, k_0.4b[\lane]
    sdot    SUMS_B_1.4s, \c\()_1.16b, k_1.4b[\lane]
    sdot    SUMS_B_2.4s, \c\()_2.16b, k_2.4b[\lane]
    sdot    SUMS_B_3.4s, \b\().16b, k_3.4b[\lane]
.endm
// I of quad \q, 16 times, += the four sub-blocks. x16: the third of their four groups.
.macro add_quad q
    ldr     qRHS_B_0, [cursor]
    ldr     qRHS_B_1, [cursor, group]
    ldr     qRHS_B_2, [x16]
    ldr     qRHS_B_3, [x16, group]
    clear_set SUMS_B
    part_bytes NEXT, RHS_B_0
    part_bytes RHS_C, RHS_B_1
    ldr     qindices, [sp, #OF_INDICES + 16 * \q]
    sdot_parts NEXT, RHS_B_0, 0
    sdot_parts RHS_C, RHS_B_1, 1
    part_bytes NEXT, RHS_B_2
    part_bytes RHS_C, RHS_B_3
    add     cursor, cursor, #16
    add     x16, x16, #16
    sdot_parts NEXT, RHS_B_2, 2
    sdot_parts RHS_C, RHS_B_3, 3
    scale_of_quad 0
    scale_of_quad 1
    scale_of_quad 2
    scale_of_quad 3
    mla     SUMS_A_\q\().4s, SUMS_B_0.4s, RHS_C_0.4s
    mla     SUMS_A_\q\().4s, SUMS_B_1.4s, RHS_C_1.4s
    mla     SUMS_A_\q\().4s, SUMS_B_2.4s, RHS_C_2.4s
    mla     SUMS_A_\q\().4s, SUMS_B_3.4s, RHS_C_3.4s
.endm
.macro scale_of_quad i
    tbl     RHS_C_\i\().16b, {SCALES_\i\().16b}, indices.16b
.endm

// SUMS_A += sub-blocks \p, \p + 2, + 4, + 6 of the next eight.
.macro add_four_sub_blocks p
    add     sub_blocks, scales, nr, lsl #1
    ldr     qSCALES_0, [scales]
    ldr     qSCALES_1, [sub_blocks]
    ldr     qSCALES_2, [scales, group]
    ldr     qSCALES_3, [sub_blocks, group]
    ldr     qk_0, [x13, #16 * \p]
    ldr     qk_1, [x13, #16 * \p + 32]
    ldr     qk_2, [x13, #16 * \p + 64]
    ldr     qk_3, [x13, #16 * \p + 96]
    // 16, 4, 1, 16 times the low nibbles
    movi    indices.16b, #0x0F
    shl     SCALES_0.16b, SCALES_0.16b, #4
    shl     SCALES_1.16b, SCALES_1.16b, #4
    and     SCALES_2.16b, SCALES_2.16b, indices.16b
    shl     SCALES_3.16b, SCALES_3.16b, #4
    ushr    SCALES_1.16b, SCALES_1.16b, #2
    add     x16, cursor, group, lsl #1
    add_quad 0
    add_quad 1
    add_quad 2
    add_quad 3
    add     cursor, x16, group, lsl #1
    sub     cursor, cursor, #64
.endm
// SUMS_A += 128 k.
.macro add_sub_blocks
    add_four_sub_blocks 0
    add     scales, scales, nr
    add_four_sub_blocks 1
    add     scales, sub_blocks, group
    add     scales, scales, nr
    add     x13, x13, #128
.endm

// J += a group of minima at x16; to the next one.
.macro add_minima lane
    load_group RHS_B, x16
    add     x16, x16, group
    shared_quads ushr, 16b, RHS_B, RHS_B, #4
    sdot_quads SUMS_B, RHS_B, B_high.4b[\lane]
    sdot_quads SCALES, RHS_B, B_low.4b[\lane]
.endm
// SUMS_F += the super-block.
.macro add_super_block
    sub     x17, x13, #LHS_BLOCK(1)
    add     x16, x7, group                      // RHS_MINIMA / 4 * nr
    add     x16, x16, x6, lsl #2
    ldr     qB_high, [x17, #LHS_HIGH(1)]
    ldr     qB_low, [x17, #LHS_LOW(1)]
    clear_set SUMS_B
    clear_set SCALES
    add_minima 0
    add_minima 1
    add_minima 2
    add_minima 3
    ldr     s18, [x17]                          // lhs_scale
    add     x16, x7, x6, lsl #1
    shared_quads shl, 4s, SUMS_B, SUMS_B, #7
    load_f16 RHS_C, x16
    add     x16, x16, nr, lsl #1
    convert_quads SUMS_A
    op_quads add, 4s, SUMS_B, SUMS_B, SCALES
    op_quads fmul, 4s, SUMS_A, SUMS_A, RHS_C
    load_f16 RHS_C, x16
    convert_quads SUMS_B, 0
    op_quads fmls, 4s, SUMS_A, SUMS_B, RHS_C
    ldp     qSUMS_F_0, qSUMS_F_1, [sp, #OF_SUMS]
    ldp     qSUMS_F_2, qSUMS_F_3, [sp, #OF_SUMS + 32]
    shared_quads fmla, 4s, SUMS_F, SUMS_A, lhs_scale.s[0]
.endm

    panel_row kai_panel_row_qau2c16x256p_neon_dotprod, 2
