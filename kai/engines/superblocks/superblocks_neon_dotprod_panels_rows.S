// f32 <- qsi8d256p x super-blocks of 4 or 5 bits, packed for SME, with SDOT: one row
// (superblocks_neon_dotprod_panels_row.inc). The operations are those of other rows:
//
//     I = sum of scale_j * S_j,     S_j = sum over the sub-block of lhs * rhs
//     J = sum of mn_j * B_j,        B_j = sum over the sub-block of lhs
//     acc = fma(fma(-J, dmin, I * d), lhs_scale, acc)
//
// Minima are two groups, scales 8 of a byte a column; 5 bits: fifth bits, 8 groups; nibbles, 32 groups, k and k + 32.
//
// Registers, and those of superblocks_neon_dotprod_panels_row.inc
//   x11        fifths         5 bits: next fifth bits
//   v4 - v7    SUMS_B         sums of a sub-block; at the end J
//   v8 - v11   SUMS_T         of the sub-block after it; at the end d, dmin
//   v16 - v19  k_0 - k_3      64 k of the row; then scratch
//   v20 - v23  RHS_B          16 bytes of each quad, values of the first sub-block
//   v24 - v27  RHS_C          values of the second one
//   v28        mask
//   v29, v30   first, second  5 bits: shifts of fifth bits        v31  fifth
// At the end of a super-block
//   v16 - v18  B_sums, lhs_scale, C      high, then low bytes of B; C: where J starts, as a float
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define OF_BITS OF_FORMAT
#include "kai/engines/superblocks/superblocks_neon_dotprod_panels_row.inc"

fifths  .req x11
regs 8, SUMS_T_0, SUMS_T_1, SUMS_T_2, SUMS_T_3
regs 16, k_0, k_1, k_2, k_3
regs 16, B_sums, lhs_scale, C
regs 28, mask, first, second, fifth

// Once: the mask of values.
.macro constants
    .if RHS_BITS == 5
    movi    mask.16b, #0x1F
    .else
    movi    mask.16b, #0xF0
    .endif
.endm

// SUMS_A = 0; 5 bits: where fifth bits are, and their shifts.
.macro start_super_block
    .if RHS_BITS == 5
    add     fifths, scales, nr, lsl #3
    sub     fifths, fifths, x6
    add     fifths, fifths, x6, lsl #2
    movi    first.16b, #0
    movi    second.16b, #3
    .endif
    clear_set SUMS_A
.endm

// 5 bits: RHS_B of a quad, nibbles, and RHS_C, fifth bits, become the values of the first and of the second sub-block.
.macro add_fifths q
    ushl    fifth.16b, RHS_C_\q\().16b, first.16b
    ushl    RHS_C_\q\().16b, RHS_C_\q\().16b, second.16b
    sri     RHS_C_\q\().16b, RHS_B_\q\().16b, #4
    sli     RHS_B_\q\().16b, fifth.16b, #4
    and     RHS_C_\q\().16b, RHS_C_\q\().16b, mask.16b
    and     RHS_B_\q\().16b, RHS_B_\q\().16b, mask.16b
.endm
// SUMS_B, SUMS_T += 4 k of two sub-blocks: lane \lane of \x and of \y holds the row.
.macro mac_4k x, y, lane
    load_group RHS_B, cursor
    add     cursor, cursor, group
    .if RHS_BITS == 5
    load_group RHS_C, fifths
    add     fifths, fifths, group
    add_fifths 0
    add_fifths 1
    add_fifths 2
    add_fifths 3
    sdot_quads SUMS_B, RHS_B, \x\().4b[\lane]
    sdot_quads SUMS_T, RHS_C, \y\().4b[\lane]
    .else
    shared_quads bic, 16b, RHS_C, RHS_B, mask.16b
    sdot_quads SUMS_B, RHS_C, \x\().4b[\lane]
    shared_quads ushr, 16b, RHS_B, RHS_B, #4
    sdot_quads SUMS_T, RHS_B, \y\().4b[\lane]
    .endif
.endm

// SUMS_A += scaled sums of two sub-blocks.
.macro add_sub_blocks
    ldp     qk_0, qk_1, [x13], #32
    ldp     qk_2, qk_3, [x13], #32
    clear_set SUMS_B
    clear_set SUMS_T
    mac_4k  k_0, k_2, 0
    mac_4k  k_0, k_2, 1
    mac_4k  k_0, k_2, 2
    mac_4k  k_0, k_2, 3
    mac_4k  k_1, k_3, 0
    mac_4k  k_1, k_3, 1
    mac_4k  k_1, k_3, 2
    mac_4k  k_1, k_3, 3
    ldr     qk_0, [scales]
    ldr     qk_1, [scales, nr]
    add     scales, scales, nr, lsl #1
    widen_bytes RHS_B, k_0
    widen_bytes RHS_C, k_1
    op_quads mla, 4s, SUMS_A, SUMS_B, RHS_B
    op_quads mla, 4s, SUMS_A, SUMS_T, RHS_C
    .if RHS_BITS == 5
    movi    k_0.16b, #2
    sub     fifths, fifths, group, lsl #3
    sub     first.16b, first.16b, k_0.16b
    sub     second.16b, second.16b, k_0.16b
    .endif
.endm

// SUMS_F += the super-block at x7, whose sums are in SUMS_A; x13 is past the row's block.
.macro add_super_block
    sub     x17, x13, #LHS_BLOCK(1)
    mov     w16, #(J_START & 0xFFFF)
    movk    w16, #(J_START >> 16), lsl #16
    shared_dup SUMS_B, w16
    ldr     qB_sums, [x17, #LHS_HIGH(1)]
    add     x16, x7, group
    add     x16, x16, x6, lsl #2
    load_group RHS_B, x16                       // minima
    add     x16, x16, group
    load_group RHS_C, x16
    sdot_quads SUMS_B, RHS_B, B_sums.4b[0]
    add     x16, x7, x6, lsl #1
    load_f16 SUMS_T, x16
    sdot_quads SUMS_B, RHS_C, B_sums.4b[1]
    convert_quads SUMS_A
    shared_quads shl, 4s, SUMS_B, SUMS_B, #7
    op_quads fmul, 4s, SUMS_A, SUMS_A, SUMS_T
    sdot_quads SUMS_B, RHS_B, B_sums.4b[2]
    add     x16, x16, nr, lsl #1
    load_f16 SUMS_T, x16
    sdot_quads SUMS_B, RHS_C, B_sums.4b[3]
    mov     w16, #(J_C >> 16) << 16
    dup     C.4s, w16
    ldr     s17, [x17]                          // lhs_scale
    shared_quads fsub, 4s, SUMS_B, SUMS_B, C.4s
    op_quads fmls, 4s, SUMS_A, SUMS_B, SUMS_T
    shared_quads fmla, 4s, SUMS_F, SUMS_A, lhs_scale.s[0]
.endm
// Set \s = \from in every lane.
.macro shared_dup s, from
    dup     \s\()_0.4s, \from
    dup     \s\()_1.4s, \from
    dup     \s\()_2.4s, \from
    dup     \s\()_3.4s, \from
.endm

    panel_row kai_panel_row_qau4c32x256p_neon_dotprod, 4
    panel_row kai_panel_row_qau5c32x256p_neon_dotprod, 5
