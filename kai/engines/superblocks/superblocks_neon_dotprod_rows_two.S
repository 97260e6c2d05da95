// f32 <- qsi8d16x256p x super-blocks of 2 bits with SDOT: one row, 16 columns at a time.
//
//     I = sum of scale_j * S_j,         S_j = sum over sub-block j, 16 k, of lhs * rhs
//     J = sum of minimum_j * B_j,       B_j = sum over sub-block j of lhs
//     acc = fma(fma(-J, dmin, I * d), lhs_scale, acc)
//
// A byte has values of four sub-blocks: j, j + 2, j + 4, j + 6. They are multiplied where they are, the second ones as
// 4 times, the third ones as 16 times the values: scales make up for it, and I is 16 times too large until it becomes
// a float. J is bytes of the minima times the high and the low bytes of B.
//
// GROUP: 4 or 8, k of a column that are side by side. Groups of 8: vectors of products have columns 01 and 23, each
// twice; ADDP joins them.
//
//     for half in 0, 1 of 128 k, quads, the four vectors of bytes         add_half, add_four_sub_blocks
//         S of four sub-blocks += 4 or 8 k                                mac_two
//     acc += I, J, scaled                                                 add_quad
//
// Registers, and those of superblocks_neon_row.inc
//   v0 - v3    SUMS_A         integer sums of the super-block, a quad each: I
//   v4 - v7    SUMS_B         S of four sub-blocks of a quad; groups of 8: columns 01, each twice
//   v8 - v11   SUMS_T         groups of 8: columns 23
//   v12 - v15  SUMS_F         f32 sums, a quad each: acc
//   v16 - v19  k_0 - k_3      k of the four sub-blocks: 16, or 8 twice. At the end bytes of B
//   v20 - v23  RHS_B          bytes of a quad; scales. Groups of 8: v22, v23 the other 8 k of two sub-blocks
//   v24 - v27  RHS_C          values; groups of 8: v26, v27 the other 8 k of two sub-blocks
//   v28 - v30  mask, second_two, third_two     of values of the first, second, third sub-block
//   v31        row_scale      at the end of a super-block
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod

// Constants on the stack.
#define ZERO 0         // twice
#define LO 32
#define HI 48
#define OF_BITS 64
#define OF_TWO 64      // a mask of scales, shifts of them, indices of four words

#include "kai/engines/superblocks/superblocks_neon_row.inc"

regs 8, SUMS_T_0, SUMS_T_1, SUMS_T_2, SUMS_T_3
regs 12, SUMS_F_0, SUMS_F_1, SUMS_F_2, SUMS_F_3
regs 16, k_0, k_1, k_2, k_3
regs 16, lowest, highest
regs 28, mask, second_two, third_two, row_scale

// \do \q, \at for each quad: \q is its number.
.macro each_quad do, at=0
    \do     0, \at
    .if quads == 4
    \do     1, \at
    \do     2, \at
    \do     3, \at
    .endif
.endm

.macro clear_super q, at
    ldr     qSUMS_A_\q, [sp, #ZERO]
.endm

// What 16 bytes of a quad, \b, add to S of the four sub-blocks that share them. Values of the second one are multiplied
// by 4, those of the third by 16. Groups of 4: part \v of 4 k. Groups of 8: columns 01 or 23.
.macro mac_two v, b, x0, x1, x2, x3
    and     RHS_C_0.16b, \b\().16b, mask.16b
    and     RHS_C_1.16b, \b\().16b, second_two.16b
    .if GROUP == 4
    sdot    SUMS_B_0.4s, RHS_C_0.16b, \x0\().4b[\v]
    sdot    SUMS_B_1.4s, RHS_C_1.16b, \x1\().4b[\v]
    and     RHS_C_2.16b, \b\().16b, third_two.16b
    ushr    RHS_C_3.16b, \b\().16b, #6
    sdot    SUMS_B_2.4s, RHS_C_2.16b, \x2\().4b[\v]
    sdot    SUMS_B_3.4s, RHS_C_3.16b, \x3\().4b[\v]
    .elseif \v % 2 == 0
    sdot    SUMS_B_0.4s, RHS_C_0.16b, \x0\().16b
    sdot    SUMS_B_1.4s, RHS_C_1.16b, \x1\().16b
    and     RHS_C_0.16b, \b\().16b, third_two.16b
    ushr    RHS_C_1.16b, \b\().16b, #6
    sdot    SUMS_B_2.4s, RHS_C_0.16b, \x2\().16b
    sdot    SUMS_B_3.4s, RHS_C_1.16b, \x3\().16b
    .else
    sdot    SUMS_T_0.4s, RHS_C_0.16b, \x0\().16b
    sdot    SUMS_T_1.4s, RHS_C_1.16b, \x1\().16b
    and     RHS_C_0.16b, \b\().16b, third_two.16b
    ushr    RHS_C_1.16b, \b\().16b, #6
    sdot    SUMS_T_2.4s, RHS_C_0.16b, \x2\().16b
    sdot    SUMS_T_3.4s, RHS_C_1.16b, \x3\().16b
    .endif
.endm
// Sums \q0 to \q3 = 0.
.macro clear_four q0, q1, q2, q3
    ldp     q\q0, q\q1, [sp, #ZERO]
    ldp     q\q2, q\q3, [sp, #ZERO]
.endm

// I of quad \q, 16 times, += sub-blocks \half, \half + 2, + 4, + 6 of the next eight. Changes RHS_B, RHS_C, SUMS_B,
// SUMS_T, v31; groups of 8: v26, v27.
.macro add_four_sub_blocks q, half
    clear_four SUMS_B_0, SUMS_B_1, SUMS_B_2, SUMS_B_3
    .if GROUP == 4
    ldp     qRHS_B_0, qRHS_B_1, [quad_\q, #64 * \half]
    ldp     qRHS_B_2, qRHS_B_3, [quad_\q, #64 * \half + 32]
    mac_two 0, RHS_B_0, k_0, k_1, k_2, k_3
    mac_two 1, RHS_B_1, k_0, k_1, k_2, k_3
    mac_two 2, RHS_B_2, k_0, k_1, k_2, k_3
    mac_two 3, RHS_B_3, k_0, k_1, k_2, k_3
    .else
    clear_four SUMS_T_0, SUMS_T_1, SUMS_T_2, SUMS_T_3
    ldp     qRHS_B_0, qRHS_B_1, [quad_\q, #64 * \half]
    mac_two 0, RHS_B_0, k_0, k_1, k_2, k_3
    mac_two 1, RHS_B_1, k_0, k_1, k_2, k_3
    ldp     qRHS_B_0, qRHS_B_1, [quad_\q, #64 * \half + 32]
    mac_two 2, RHS_B_0, RHS_B_2, RHS_B_3, RHS_C_2, RHS_C_3
    mac_two 3, RHS_B_1, RHS_B_2, RHS_B_3, RHS_C_2, RHS_C_3
    addp    SUMS_B_0.4s, SUMS_B_0.4s, SUMS_T_0.4s
    addp    SUMS_B_1.4s, SUMS_B_1.4s, SUMS_T_1.4s
    addp    SUMS_B_2.4s, SUMS_B_2.4s, SUMS_T_2.4s
    addp    SUMS_B_3.4s, SUMS_B_3.4s, SUMS_T_3.4s
    .endif
    add     x16, quad_\q, x13
    ldp     qRHS_B_0, qRHS_B_1, [x16]
    ldp     qRHS_C_0, qRHS_C_1, [sp, #OF_TWO]
    .if \half
    uzp2    RHS_B_0.4s, RHS_B_0.4s, RHS_B_1.4s
    .else
    uzp1    RHS_B_0.4s, RHS_B_0.4s, RHS_B_1.4s
    .endif
    and     RHS_B_0.16b, RHS_B_0.16b, RHS_C_0.16b
    ushl    RHS_B_0.16b, RHS_B_0.16b, RHS_C_1.16b
    when    \half, 1, add quad_\q, quad_\q, #128
    add_with_scale \q, 0
    add_with_scale \q, 1
    add_with_scale \q, 2
    add_with_scale \q, 3
.endm
// I of quad \q += S of the four's sub-block \i times its scale, from RHS_B_0. Changes RHS_C_0, RHS_C_1.
.macro add_with_scale q, i
    ldr     qRHS_C_1, [sp, #OF_TWO + 32 + 16 * \i]
    tbl     RHS_C_0.16b, {RHS_B_0.16b}, RHS_C_1.16b
    mla     SUMS_A_\q\().4s, SUMS_B_\i\().4s, RHS_C_0.4s
.endm

// The row for add_four_sub_blocks of all quads.
.macro add_half half
    .if GROUP == 4
    ldr     qk_0, [x15, #16 * \half]
    ldr     qk_1, [x15, #16 * \half + 32]
    ldr     qk_2, [x15, #16 * \half + 64]
    ldr     qk_3, [x15, #16 * \half + 96]
    .else
    twice   k_0, (16 * \half)
    twice   k_1, (16 * \half + 32)
    twice   k_2, (16 * \half + 64)
    twice   k_3, (16 * \half + 96)
    .endif
    each_quad half_of_quad, \half
.endm
// \v = twice 8 k of the row. Changes x16.
.macro twice v, at
    add     x16, x15, #\at
    ld1r    {\v\().2d}, [x16]
.endm
// add_four_sub_blocks; groups of 8: with k 8 to 15 of the sub-blocks in v22, v23, v26, v27. Changes x16.
.macro half_of_quad q, half
    .if GROUP == 8
    twice   RHS_B_2, (16 * \half + 8)
    twice   RHS_B_3, (16 * \half + 40)
    twice   RHS_C_2, (16 * \half + 72)
    twice   RHS_C_3, (16 * \half + 104)
    .endif
    add_four_sub_blocks \q, \half
.endm

// SUMS_F of quad \q += the super-block. v16, v17: bytes high and low of B; groups of 8: v16, v17 high, v18, v19 low,
// eight sums twice each. row_scale: that of the row.
.macro add_quad q, at
    add     x16, quad_\q, x13
    ldp     qRHS_B_0, qRHS_B_1, [x16, #RHS_MINIMA - RHS_SCALES]
    ldp     qRHS_B_2, qRHS_B_3, [x16, #RHS_MINIMA - RHS_SCALES + 32]
    ldr     dRHS_C_0, [x16, #RHS_D - RHS_SCALES]
    ldr     dRHS_C_1, [x16, #RHS_DMIN - RHS_SCALES]
    add     quad_\q, quad_\q, #RHS_BLOCK - 256
    ushr    RHS_B_0.16b, RHS_B_0.16b, #4
    ushr    RHS_B_1.16b, RHS_B_1.16b, #4
    ushr    RHS_B_2.16b, RHS_B_2.16b, #4
    ushr    RHS_B_3.16b, RHS_B_3.16b, #4
    ldp     qSUMS_B_0, qSUMS_B_1, [sp, #ZERO]
    ldp     qSUMS_T_0, qSUMS_T_1, [sp, #ZERO]
    .if GROUP == 4
    sdot    SUMS_B_0.4s, RHS_B_0.16b, k_0.4b[0]
    sdot    SUMS_T_0.4s, RHS_B_0.16b, k_1.4b[0]
    sdot    SUMS_B_0.4s, RHS_B_1.16b, k_0.4b[1]
    sdot    SUMS_T_0.4s, RHS_B_1.16b, k_1.4b[1]
    sdot    SUMS_B_0.4s, RHS_B_2.16b, k_0.4b[2]
    sdot    SUMS_T_0.4s, RHS_B_2.16b, k_1.4b[2]
    sdot    SUMS_B_0.4s, RHS_B_3.16b, k_0.4b[3]
    sdot    SUMS_T_0.4s, RHS_B_3.16b, k_1.4b[3]
    .else
    sdot    SUMS_B_0.4s, RHS_B_0.16b, k_0.16b
    sdot    SUMS_B_1.4s, RHS_B_1.16b, k_0.16b
    sdot    SUMS_T_0.4s, RHS_B_0.16b, k_2.16b
    sdot    SUMS_T_1.4s, RHS_B_1.16b, k_2.16b
    sdot    SUMS_B_0.4s, RHS_B_2.16b, k_1.16b
    sdot    SUMS_B_1.4s, RHS_B_3.16b, k_1.16b
    sdot    SUMS_T_0.4s, RHS_B_2.16b, k_3.16b
    sdot    SUMS_T_1.4s, RHS_B_3.16b, k_3.16b
    addp    SUMS_B_0.4s, SUMS_B_0.4s, SUMS_B_1.4s
    addp    SUMS_T_0.4s, SUMS_T_0.4s, SUMS_T_1.4s
    .endif
    shl     SUMS_B_0.4s, SUMS_B_0.4s, #7
    fcvtl   RHS_C_0.4s, RHS_C_0.4h
    fcvtl   RHS_C_1.4s, RHS_C_1.4h
    add     SUMS_B_0.4s, SUMS_B_0.4s, SUMS_T_0.4s
    to_float SUMS_A_\q
    scvtf   SUMS_B_0.4s, SUMS_B_0.4s
    fmul    SUMS_A_\q\().4s, SUMS_A_\q\().4s, RHS_C_0.4s
    fmls    SUMS_A_\q\().4s, SUMS_B_0.4s, RHS_C_1.4s
    fmla    SUMS_F_\q\().4s, SUMS_A_\q\().4s, row_scale.s[0]
.endm

// I += 128 k. Flags: subs x14.
.macro add_sub_blocks
    add_half 0
    add_half 1
    add     x15, x15, #128
    add     x13, x13, #32 - 128
    subs    x14, x14, #1
.endm

// SUMS_F += the super-block.
.macro add_super_block
    sub     x13, x13, #64
    sub     x17, x15, #LHS_BLOCK(1)
    .if GROUP == 4
    ldr     qk_0, [x17, #LHS_HIGH(1)]
    ldr     qk_1, [x17, #LHS_LOW(1)]
    .else
    sub     x15, x15, #LHS_BLOCK(1) - LHS_HIGH(1)
    twice   k_0, 0
    twice   k_1, 8
    twice   k_2, 16
    twice   k_3, 24
    add     x15, x15, #LHS_BLOCK(1) - LHS_HIGH(1)
    .endif
    ldr     s31, [x17]                          // row_scale
    each_quad add_quad
.endm

// Masks in registers, OF_TWO on the stack. Changes x7, x16, x17, v0.
.macro constants
    movi    v0.16b, #15
    movi    mask.16b, #3
    movi    second_two.16b, #0x0C
    movi    third_two.16b, #0x30
    mov     w16, #0x04040404
    mov     w17, #0x02020202
    orr     x16, x16, x17, lsl #32
    mov     w17, #0x04040404
    lsl     x17, x17, #32
    stp     x16, x17, [sp, #OF_TWO + 16]
    str     q0, [sp, #OF_TWO]
    mov     x16, #-256                          // words of bytes 0, 1
    movk    x16, #0xFF01, lsl #32
    mov     x17, #0x0000000200000002
    add     x17, x16, x17
    mov     x7, #0x0000000400000004
    stp     x16, x17, [sp, #OF_TWO + 32]
    add     x16, x16, x7
    add     x17, x17, x7
    stp     x16, x17, [sp, #OF_TWO + 48]
    add     x16, x16, x7
    add     x17, x17, x7
    stp     x16, x17, [sp, #OF_TWO + 64]
    add     x16, x16, x7
    add     x17, x17, x7
    stp     x16, x17, [sp, #OF_TWO + 80]
.endm

.macro rows_of rhs, group
    .set    GROUP, \group
    row_function kai_row_qsi8d256p1x\group\()_\rhs\()4x\group\()_neon_dotprod, 2
.endm

    rows_of qau2c16x256p, 4
    rows_of qau2c16x256p, 8
