// f32 <- qsi8d256p x super-blocks of 4 or 5 bits, packed for SME, with SDOT: one row, 16 columns at a time, read where
// they are (PanelSuperRowFn of superblocks_neon_panels.hpp). The operations are those of other rows:
//
//     I = sum of scale_j * S_j,     S_j = sum over the sub-block of lhs * rhs
//     J = sum of mn_j * B_j,        B_j = sum over the sub-block of lhs
//     acc = fma(fma(-J, dmin, I * d), lhs_scale, acc)
//
// A super-block of a panel of nr columns: d, dmin, 2 bytes a column each; minima, two groups of 4 bytes; scales, 8 of
// a byte; 5 bits: fifth bits, 8 groups of 4 bytes; 32 groups of 4 bytes of nibbles, k and k + 32. A group has all
// columns.
//
// Registers, and those of int_neon_quads.inc. A set has a register for each of the four quads.
//   x0   the row                x1   panel           x2   nr          x3   dst
//   x4   tiles to go            x5   super-blocks    x6   column      x8   super-blocks to go
//   x7   super-block            x9   cursor: next nibbles             x10  scales
//   x11  fifth bits             x12  4 * nr          x13  lhs         x14  steps of 64 k to go
//   x15  bytes of a super-block x16, x17  scratch
//   v0 - v3    SUMS_A         integer sums of the super-block: I
//   v4 - v7    SUMS_B         sums of a sub-block; at the end J
//   v8 - v11   SUMS_T         of the sub-block after it; at the end d, dmin
//   v12 - v15  SUMS_F         f32 sums: acc
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
#define QUAD_LOADS
#include "kai/engines/superblocks/superblocks_neon_formats.inc"
#include "kai/engines/int_neon/int_neon_quads.inc"

#define ZERO 0      // on the stack: twice
#define LO 32
#define HI 48

cursor  .req x9
scales  .req x10
fifths  .req x11
group   .req x12
nr      .req x2
regs 8, SUMS_T_0, SUMS_T_1, SUMS_T_2, SUMS_T_3
regs 12, SUMS_F_0, SUMS_F_1, SUMS_F_2, SUMS_F_3
regs 16, k_0, k_1, k_2, k_3
regs 16, B_sums, lhs_scale, C
regs 28, mask, first, second, fifth
    .set    quads, 4

// Set \r = 16 bytes of each quad at \from.
.macro load_group r, from
    ldp     q\r\()_0, q\r\()_1, [\from]
    ldp     q\r\()_2, q\r\()_3, [\from, #32]
.endm
// Sums of quad \q of two sub-blocks = 0.
.macro clear_sums q
    ldp     qSUMS_B_\q, qSUMS_T_\q, [sp, #ZERO]
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

// Set \r = words of the 16 bytes of \from.
.macro widen_bytes r, from
    uxtl    \r\()_0.8h, \from\().8b
    uxtl2   \r\()_2.8h, \from\().16b
    uxtl2   \r\()_1.4s, \r\()_0.8h
    uxtl    \r\()_0.4s, \r\()_0.4h
    uxtl2   \r\()_3.4s, \r\()_2.8h
    uxtl    \r\()_2.4s, \r\()_2.4h
.endm
// SUMS_T = f32 of 16 f16 at \from.
.macro load_f16 from
    ldp     qSUMS_T_0, qSUMS_T_2, [\from]
    fcvtl2  SUMS_T_1.4s, SUMS_T_0.8h
    fcvtl   SUMS_T_0.4s, SUMS_T_0.4h
    fcvtl2  SUMS_T_3.4s, SUMS_T_2.8h
    fcvtl   SUMS_T_2.4s, SUMS_T_2.4h
.endm

// SUMS_A += scaled sums of two sub-blocks.
.macro add_sub_blocks
    ldp     qk_0, qk_1, [x13], #32
    ldp     qk_2, qk_3, [x13], #32
    clear_sums 0
    clear_sums 1
    clear_sums 2
    clear_sums 3
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
    load_f16 x16
    sdot_quads SUMS_B, RHS_C, B_sums.4b[1]
    convert_quads SUMS_A
    shared_quads shl, 4s, SUMS_B, SUMS_B, #7
    op_quads fmul, 4s, SUMS_A, SUMS_A, SUMS_T
    sdot_quads SUMS_B, RHS_B, B_sums.4b[2]
    add     x16, x16, nr, lsl #1
    load_f16 x16
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
// Set \s, int32, becomes f32.
.macro convert_quads s
    scvtf   \s\()_0.4s, \s\()_0.4s
    scvtf   \s\()_1.4s, \s\()_1.4s
    scvtf   \s\()_2.4s, \s\()_2.4s
    scvtf   \s\()_3.4s, \s\()_3.4s
.endm

// A function (PanelSuperRowFn).
.macro panel_row name, bits
    format  \bits
func \name, hidden
    frame   d8-d15, space=64
    dup     v0.4s, v0.s[0]
    dup     v1.4s, v1.s[0]
    stp     q0, q1, [sp, #LO]
    movi    v0.2d, #0
    stp     q0, q0, [sp, #ZERO]
    .if RHS_BITS == 5
    movi    mask.16b, #0x1F
    .else
    movi    mask.16b, #0xF0
    .endif
    lsl     group, nr, #2
    mov     x15, #RHS_BLOCK / 4
    mul     x15, x15, nr
1:  // 16 columns
    mov     x7, x1
    add     x13, x0, #LHS_VALUES(1)
    mov     x8, x5
    zero_quads SUMS_F
    cbz     x8, 4f
2:  // a super-block
    add     scales, x7, group, lsl #1
    add     scales, scales, group               // 12 * nr
    add     cursor, scales, nr, lsl #3
    add     scales, scales, x6
    add     cursor, cursor, x6, lsl #2
    .if RHS_BITS == 5
    mov     fifths, cursor
    add     cursor, cursor, nr, lsl #5
    movi    first.16b, #0
    movi    second.16b, #3
    .endif
    mov     x14, #4
    zero_quads SUMS_A
3:
    add_sub_blocks
    subs    x14, x14, #1
    b.ne    3b
    add_super_block
    add     x7, x7, x15
    add     x13, x13, #LHS_VALUES(1)
    subs    x8, x8, #1
    b.ne    2b
4:
    ldp     q0, q1, [sp, #LO]
    shared_quads fmax, 4s, SUMS_F, SUMS_F, v0.4s
    shared_quads fmin, 4s, SUMS_F, SUMS_F, v1.4s
    stp     qSUMS_F_0, qSUMS_F_1, [x3], #32
    stp     qSUMS_F_2, qSUMS_F_3, [x3], #32
    add     x6, x6, #16
    subs    x4, x4, #1
    b.ne    1b
    return
endfunc
.endm

    panel_row kai_panel_row_qau4c32x256p_neon_dotprod, 4
    panel_row kai_panel_row_qau5c32x256p_neon_dotprod, 5
