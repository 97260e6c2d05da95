// f32 <- qsi8d256p x super-blocks of 4 or 5 bits with USMMLA or SMMLA: one row, 16 columns at a time.
//
//     I = sum of sc_j * S_j,     J = sum of mn_j * B_j,     S_j = sum over 32 k of lhs * rhs,     B_j = sum of lhs
//     T = fma(-J, dmin, I * d),     acc = fma(T, lhs_scale, acc)
//
// SMMLA multiplies two rows, and there is one: the second one is the same row 32 k on, which the high nibbles belong
// to. A byte b of two columns has the nibbles l + 16 h; x and y are the row for l and for h. Two products make
//
//     b * [x, 0] + 16 h * [-x, y] = [l * x, 16 h * y]
//
// and no nibble is shifted or moved: one AND for 32 weights. A vector of sums is c0 even, c0 odd, c1 even, c1 odd,
// where odd sub-blocks count 16 times, until the super-block ends. J: the two rows are the high and the low bytes of B.
//
// 5 bits: [x, 0] and [0, y], and sums of odd sub-blocks count once.
//
// Registers, and those of superblocks_neon_row.inc. A set has a register for each of the four quads; a: columns 01 of
// the quad, b: columns 23.
//   v0, v2, v4, v6       I_a          integer sums of the super-block
//   v1, v3, v5, v7       I_b
//   v8, v10, v12, v14    S_a          sums of a pair of sub-blocks
//   v9, v11, v13, v15    S_b
//   v16 - v19            SUMS_F       f32 sums: acc
//   v20 - v23            y_0 - y_3    [-x, y] of 8 k each; 5 bits: [0, y]; after the sub-blocks T
//   v24                  mask
//   v25                  x_0          [x, 0]
//   v26, v27             even_a, even_b   quants of a quad
//   v30, v31             odd_a, odd_b     of the next one; 5 bits: shifts
//   v28, v29             high_a, high_b   16 h; 5 bits: v28 scratch, and v26, v27 are quants and fifth bits
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm

// Constants on the stack.
#define OF_01 0        // indices of TBL: sub-scales even, odd of columns 0, 1, a word each
#define OF_23 16
#define C_HIGH 32      // J_START, 0, J_START, 0
#define BY_7 48        // shifts: 7, 0, 7, 0
#define BY_4 64
#define ZERO 80        // twice
#define MASK 112
#define C_FLOAT 128    // J_C
#define LO 144
#define HI 160
#define OF_BITS 176    // SHIFTS

#include "kai/engines/superblocks/superblocks_neon_row.inc"

regs 0, I_a_0, I_b_0, I_a_1, I_b_1, I_a_2, I_b_2, I_a_3, I_b_3
regs 8, S_a_0, S_b_0, S_a_1, S_b_1, S_a_2, S_b_2, S_a_3, S_b_3
regs 16, SUMS_F_0, SUMS_F_1, SUMS_F_2, SUMS_F_3
regs 20, T_0, T_1, T_2, T_3
regs 20, y_0, y_1, y_2, y_3
regs 24, mask, x_0, even_a, even_b, high_a, high_b, odd_a, odd_b
regs 30, lowest, highest

// \do \q for each quad: \q is its number.
.macro each_quad do
    \do     0
    .if quads == 4
    \do     1
    \do     2
    \do     3
    .endif
.endm

// 8 k of quad \q, whose quants are in \b\()_a, \b\()_b. Meanwhile loads the following ones, \at bytes from \from, to
// \next\()_a, \next\()_b; next=none: nothing.
.macro mac q, y, b, next, from, at
    and     high_a.16b, \b\()_a.16b, mask.16b
    and     high_b.16b, \b\()_b.16b, mask.16b
    usmmla  S_a_\q\().4s, \b\()_a.16b, x_0.16b
    usmmla  S_b_\q\().4s, \b\()_b.16b, x_0.16b
    .ifnc \next, none
    ldp     q\next\()_a, q\next\()_b, [\from, #\at]
    .endif
    usmmla  S_a_\q\().4s, high_a.16b, \y\().16b
    usmmla  S_b_\q\().4s, high_b.16b, \y\().16b
.endm

// 5 bits: 8 k of columns 01 or 23 of a quad. x16: fifth bits.
.macro mac_fifth s, y, quad, at
    ldr     q26, [\quad, #\at]
    ldr     q27, [x16, #\at]
    ushl    v28.16b, v27.16b, v30.16b
    ushl    v27.16b, v27.16b, v31.16b
    sri     v27.16b, v26.16b, #4
    sli     v26.16b, v28.16b, #4
    and     v27.16b, v27.16b, mask.16b
    and     v26.16b, v26.16b, mask.16b
    smmla   \s\().4s, v26.16b, x_0.16b
    smmla   \s\().4s, v27.16b, \y\().16b
.endm
.macro mac_fifths q, y, at
    add     x16, quad_\q, x17
    mac_fifth S_a_\q, \y, quad_\q, \at
    mac_fifth S_b_\q, \y, quad_\q, \at + 16
.endm

// 8 k of all quads, \at bytes from here. Each loads the quants of the next quad meanwhile; the last one \next: `even`,
// those of the next 8 k of the first quad, or `none` after the last 8 k.
.macro mac_8k y, at, next=even
    ldr     dx_0, [x15, #\at / 4]
    .if RHS_BITS == 5
    mac_fifths 0, \y, \at
    .if quads == 4
    mac_fifths 1, \y, \at
    mac_fifths 2, \y, \at
    mac_fifths 3, \y, \at
    .endif
    .elseif quads == 4
    mac     0, \y, even, odd, quad_1, \at
    mac     1, \y, odd, even, quad_2, \at
    mac     2, \y, even, odd, quad_3, \at
    mac     3, \y, odd, \next, quad_0, (\at + 32)
    .else
    mac     0, \y, even, \next, quad_0, (\at + 32)
    .endif
.endm

.macro clear_pair q
    ldp     qS_a_\q, qS_b_\q, [sp, #ZERO]
.endm

.macro clear_super q
    ldp     qI_a_\q, qI_b_\q, [sp, #ZERO]
.endm

// I += sums of a pair of sub-blocks, times sub-scales. Changes v28, v30, v31.
.macro add_pair q
    ldr     d28, [quad_\q, x13]
    tbl     v30.16b, {v28.16b}, v26.16b
    tbl     v31.16b, {v28.16b}, v27.16b
    add     quad_\q, quad_\q, #128
    mla     I_a_\q\().4s, S_a_\q\().4s, v30.4s
    mla     I_b_\q\().4s, S_b_\q\().4s, v31.4s
.endm

// v20 - v23 = [-x, y] of 8 k each; 5 bits: [0, y].
.macro load_row
    .if RHS_BITS == 5
    ldp     q26, q27, [x15, #32]
    movi    v24.2d, #0
    zip1    v20.2d, v24.2d, v26.2d
    zip2    v21.2d, v24.2d, v26.2d
    zip1    v22.2d, v24.2d, v27.2d
    zip2    v23.2d, v24.2d, v27.2d
    ldp     q30, q31, [x7], #32
    .else
    ldp     q20, q22, [x15]
    ldp     q24, q25, [x15, #32]
    neg     v20.16b, v20.16b
    neg     v22.16b, v22.16b
    zip2    v21.2d, v20.2d, v24.2d
    zip1    v20.2d, v20.2d, v24.2d
    zip2    v23.2d, v22.2d, v25.2d
    zip1    v22.2d, v22.2d, v25.2d
    .endif
    ldr     q24, [sp, #MASK]
.endm

// From here on in a super-block: v24 = [high, low] of B, v25 = shifts by 7, v26 = by 4, v27 = C, v28 = lhs_scale.
.macro load_minima q
    add     x16, quad_\q, x13
    ldr     qT_\q, [sp, #C_HIGH]
    ldp     q30, q31, [x16, #RHS_MINIMA - RHS_SCALES]
    ldr     q29, [sp, #C_HIGH]
    smmla   T_\q\().4s, v30.16b, v24.16b
    smmla   v29.4s, v31.16b, v24.16b
    ldr     dS_a_\q, [x16, #RHS_D - RHS_SCALES]
    ldr     dS_b_\q, [x16, #RHS_DMIN - RHS_SCALES]
    sshl    T_\q\().4s, T_\q\().4s, v25.4s
    sshl    v29.4s, v29.4s, v25.4s
    add     quad_\q, quad_\q, #RHS_BLOCK - 512
    addp    T_\q\().4s, T_\q\().4s, v29.4s
.endm
// I_a = both sub-blocks of four columns; T = J.
.macro join_sums q
    .if RHS_BITS == 4
    sshl    I_a_\q\().4s, I_a_\q\().4s, v26.4s
    sshl    I_b_\q\().4s, I_b_\q\().4s, v26.4s
    .endif
    fcvtl   S_a_\q\().4s, S_a_\q\().4h
    fcvtl   S_b_\q\().4s, S_b_\q\().4h
    addp    I_a_\q\().4s, I_a_\q\().4s, I_b_\q\().4s
    fsub    T_\q\().4s, T_\q\().4s, v27.4s
.endm
// I_a = I * d.
.macro scale_sums q
    .if RHS_BITS == 4
    scvtf   I_a_\q\().4s, I_a_\q\().4s, #4
    .else
    scvtf   I_a_\q\().4s, I_a_\q\().4s
    .endif
    fmul    I_a_\q\().4s, I_a_\q\().4s, S_a_\q\().4s
.endm

// I += the next pair of sub-blocks. Flags: subs x14.
.macro add_sub_blocks
    load_row
    .if RHS_BITS == 4
    ldp     q26, q27, [x9]
    .endif
    each_quad clear_pair
    mac_8k  y_0, 0
    mac_8k  y_1, 32
    mac_8k  y_2, 64
    mac_8k  y_3, 96, none
    ldp     q26, q27, [sp, #OF_01]
    each_quad add_pair
    add     x13, x13, #8 - 128
    .if RHS_BITS == 5
    sub     x17, x17, #128
    .endif
    add     x15, x15, #64
    subs    x14, x14, #1
.endm

// SUMS_F += the super-block.
.macro add_super_block
    sub     x13, x13, #32
    sub     x17, x15, #LHS_BLOCK(1)
    ldr     q24, [x17, #LHS_HIGH(1)]
    ldr     q25, [sp, #BY_7]
    ldp     q26, q27, [sp, #BY_4]
    each_quad load_minima
    ldr     q27, [sp, #C_FLOAT]
    ldr     s28, [x17]
    each_quad join_sums
    each_quad scale_sums
    op_quads fmls, 4s, I_a, T, S_b
    shared_quads fmla, 4s, SUMS_F, I_a, v28.s[0]
.endm

// Twice a doubleword whose upper word is 0.
.macro even_constant at, low, high=0
    mov     w16, #\low
    .if \high
    movk    w16, #\high, lsl #16
    .endif
    stp     x16, x16, [sp, #\at]
.endm

// Constants on the stack.
.macro constants
    .if RHS_BITS == 5
    row_shifts OF_BITS
    movi    v0.16b, #0x1F
    .else
    movi    v0.16b, #0xF0
    .endif
    str     q0, [sp, #MASK]
    mov     x16, #-256                          // 0, 4
    movk    x16, #0xFF04, lsl #32
    mov     x17, #0x0000000100000001
    add     x17, x16, x17                       // 1, 5
    stp     x16, x17, [sp, #OF_01]
    mov     x6, #0x0000000200000002
    add     x16, x16, x6
    add     x17, x17, x6
    stp     x16, x17, [sp, #OF_23]
    even_constant C_HIGH, (J_START & 0xFFFF), (J_START >> 16)
    even_constant BY_7, 7
    even_constant BY_4, 4
    constant C_FLOAT, (J_C & 0xFFFF), (J_C >> 16)
.endm

    row_function kai_row_qsi8d256p1x8_qau4c32x256p4x8_neon_i8mm, 4
    row_function kai_row_qsi8d256p1x8_qau5c32x256p4x8_neon_i8mm, 5
