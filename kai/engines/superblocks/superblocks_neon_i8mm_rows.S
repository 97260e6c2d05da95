// f32 <- qsi8d256p x super-blocks of 4 or 5 bits with USMMLA or SMMLA: one row, 16 columns (four quads) at a time.
//
//     I = sum over j of sc_j * S_j      S_j = sum over sub-block j, 32 k, of lhs * rhs
//     J = sum over j of mn_j * B_j      B_j = sum over sub-block j of lhs
//     acc = fma(fma(-J, dmin, I * d), lhs_scale, acc)
//
// SMMLA multiplies two rows of the LHS, and this LHS has one. Sub-blocks come in pairs: a byte b holds a weight l of an
// even sub-block in its low nibble, and the weight h of the odd one, 32 k later, in its high nibble. So the second row
// is the same row, 32 k later. With x the row's k of the even sub-block, y those of the odd one:
//
//     4 bits, USMMLA    b * [x, 0] + (b & 0xF0) * [-x, y] = [l * x, 16 * h * y]
//     5 bits, SMMLA     l * [x, 0] + h * [0, y]           = [l * x, h * y]
//
// With 4 bits, the bytes are multiplied as they are: x times the high nibbles cancels out, and one AND serves 32
// weights. Products of odd sub-blocks are 16 times too large until the super-block ends. J: the two rows are the high
// and the low bytes of B.
//
// A vector of sums of a quad:      c0 even   c0 odd   c1 even   c1 odd       a: columns 0 1
//                                  c2 even   c2 odd   c3 even   c3 odd       b: columns 2 3
//
//   Registers, and those of superblocks_neon_row.inc. Sets have a register for each of the four quads
//   v0, v2, v4, v6       I_a              integer sums of the super-block
//   v1, v3, v5, v7       I_b
//   v8, v10, v12, v14    S_a              sums of a pair of sub-blocks; at the end of a super-block d
//   v9, v11, v13, v15    S_b              at the end dmin
//   v16 - v19            SUMS_F           acc
//   v20 - v23            y_0 - y_3        [-x, y], 8 k each; 5 bits: [0, y]
//   v24                  mask             0xF0; 5 bits: 0x1F
//   v25                  x_0              [x, 0]
//   v26, v27             even_a, even_b   bytes of quads 0 and 2
//   v30, v31             odd_a, odd_b     bytes of quads 1 and 3
//   v28, v29             high_a, high_b   their high nibbles
// 5 bits
//   v26, v27             nibbles, fifths  of 8 k of two columns; then l, h
//   v28                  fifth            fifth bits of l, in place
//   v30, v31             to_even, to_odd  shifts that bring fifth bits to their places
// At the end of a pair of sub-blocks
//   v26, v27             of_01, of_23     indices of TBL
//   v28, v30, v31        scales, scales_a, scales_b
// At the end of a super-block
//   v20 - v23            T                J
//   v24                  B_sums           high and low bytes of B
//   v25, v26             by_7, by_4       shifts
//   v27, v28             C, lhs_scale     C: where J starts, as a float
//   v29                  T_b              J of columns 2 3, before they are joined
//   v30, v31             minima_a, minima_b
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
regs 26, nibbles, fifths, fifth
regs 30, to_even, to_odd
regs 26, of_01, of_23, scales
regs 30, scales_a, scales_b
regs 24, B_sums, by_7, by_4, C, lhs_scale, T_b, minima_a, minima_b
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

// 4 bits: S of quad \q += 8 k, whose bytes are in set \b, even or odd. Meanwhile loads set \next, \at bytes from
// \from, unless it is none. Changes high.
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

// 5 bits: \s += 8 k of two columns of \quad, whose fifth bits are at x16. Changes v26 - v28.
.macro mac_fifth s, y, quad, at
    ldr     qnibbles, [\quad, #\at]
    ldr     qfifths, [x16, #\at]
    ushl    fifth.16b, fifths.16b, to_even.16b
    ushl    fifths.16b, fifths.16b, to_odd.16b
    sri     fifths.16b, nibbles.16b, #4
    sli     nibbles.16b, fifth.16b, #4
    and     fifths.16b, fifths.16b, mask.16b
    and     nibbles.16b, nibbles.16b, mask.16b
    smmla   \s\().4s, nibbles.16b, x_0.16b
    smmla   \s\().4s, fifths.16b, \y\().16b
.endm
// The four columns of quad \q.
.macro mac_fifths q, y, at
    add     x16, quad_\q, x17
    mac_fifth S_a_\q, \y, quad_\q, \at
    mac_fifth S_b_\q, \y, quad_\q, \at + 16
.endm

// S += 8 k of all quads, \at bytes from here. 4 bits: each quad loads the bytes of the next one meanwhile; the last one
// loads \next: even, the next 8 k of the first quad, or none after the last 8 k.
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

// I += S times sub-scales; quad_<q> moves on to the next pair. Changes v28, v30, v31.
.macro add_pair q
    ldr     dscales, [quad_\q, x13]
    tbl     scales_a.16b, {scales.16b}, of_01.16b
    tbl     scales_b.16b, {scales.16b}, of_23.16b
    add     quad_\q, quad_\q, #128
    mla     I_a_\q\().4s, S_a_\q\().4s, scales_a.4s
    mla     I_b_\q\().4s, S_b_\q\().4s, scales_b.4s
.endm

// y, mask; 5 bits: to_even, to_odd. Changes v24 - v27.
.macro load_row
    .if RHS_BITS == 5
    ldp     q26, q27, [x15, #32]
    movi    v24.2d, #0
    zip1    y_0.2d, v24.2d, v26.2d
    zip2    y_1.2d, v24.2d, v26.2d
    zip1    y_2.2d, v24.2d, v27.2d
    zip2    y_3.2d, v24.2d, v27.2d
    ldp     qto_even, qto_odd, [x7], #32
    .else
    ldp     qy_0, qy_2, [x15]
    ldp     q24, q25, [x15, #32]
    neg     y_0.16b, y_0.16b
    neg     y_2.16b, y_2.16b
    zip2    y_1.2d, y_0.2d, v24.2d
    zip1    y_0.2d, y_0.2d, v24.2d
    zip2    y_3.2d, y_2.2d, v25.2d
    zip1    y_2.2d, y_2.2d, v25.2d
    .endif
    ldr     qmask, [sp, #MASK]
.endm

// ---- The end of a super-block

// T = J of four columns, still with C; S_a, S_b = d, dmin as f16. quad_<q> moves on to the next super-block. Changes
// v29 - v31, x16.
.macro load_minima q
    add     x16, quad_\q, x13
    ldr     qT_\q, [sp, #C_HIGH]
    ldp     qminima_a, qminima_b, [x16, #RHS_MINIMA - RHS_SCALES]
    ldr     qT_b, [sp, #C_HIGH]
    smmla   T_\q\().4s, minima_a.16b, B_sums.16b
    smmla   T_b.4s, minima_b.16b, B_sums.16b
    ldr     dS_a_\q, [x16, #RHS_D - RHS_SCALES]
    ldr     dS_b_\q, [x16, #RHS_DMIN - RHS_SCALES]
    sshl    T_\q\().4s, T_\q\().4s, by_7.4s
    sshl    T_b.4s, T_b.4s, by_7.4s
    add     quad_\q, quad_\q, #RHS_BLOCK - 512
    addp    T_\q\().4s, T_\q\().4s, T_b.4s
.endm
// I_a = even and odd sub-blocks of four columns, 4 bits: 16 times; T = J; S_a, S_b as f32.
.macro join_sums q
    .if RHS_BITS == 4
    sshl    I_a_\q\().4s, I_a_\q\().4s, by_4.4s
    sshl    I_b_\q\().4s, I_b_\q\().4s, by_4.4s
    .endif
    fcvtl   S_a_\q\().4s, S_a_\q\().4h
    fcvtl   S_b_\q\().4s, S_b_\q\().4h
    addp    I_a_\q\().4s, I_a_\q\().4s, I_b_\q\().4s
    fsub    T_\q\().4s, T_\q\().4s, C.4s
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

// ---- What superblocks_neon_row.inc asks for

// I += the next pair of sub-blocks. Flags: subs x14.
.macro add_sub_blocks
    load_row
    when    RHS_BITS, 4, ldp qeven_a, qeven_b, [quad_0]
    each_quad clear_pair
    mac_8k  y_0, 0
    mac_8k  y_1, 32
    mac_8k  y_2, 64
    mac_8k  y_3, 96, none
    ldp     qof_01, qof_23, [sp, #OF_01]
    each_quad add_pair
    add     x13, x13, #8 - 128
    when    RHS_BITS, 5, sub x17, x17, #128
    add     x15, x15, #64
    subs    x14, x14, #1
.endm

// SUMS_F += the super-block.
.macro add_super_block
    sub     x13, x13, #32
    sub     x17, x15, #LHS_BLOCK(1)
    ldr     qB_sums, [x17, #LHS_HIGH(1)]
    ldr     qby_7, [sp, #BY_7]
    ldp     qby_4, qC, [sp, #BY_4]              // C comes later
    each_quad load_minima
    ldr     qC, [sp, #C_FLOAT]
    ldr     s28, [x17]                          // lhs_scale
    each_quad join_sums
    each_quad scale_sums
    op_quads fmls, 4s, I_a, T, S_b
    shared_quads fmla, 4s, SUMS_F, I_a, lhs_scale.s[0]
.endm

// Twice a doubleword whose upper word is 0, to the stack. Changes x16.
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
    mov     x7, #0x0000000200000002
    add     x16, x16, x7
    add     x17, x17, x7
    stp     x16, x17, [sp, #OF_23]
    even_constant C_HIGH, (J_START & 0xFFFF), (J_START >> 16)
    even_constant BY_7, 7
    even_constant BY_4, 4
    constant C_FLOAT, (J_C & 0xFFFF), (J_C >> 16)
.endm

    row_function kai_row_qsi8d256p1x8_qau4c32x256p4x8_neon_i8mm, 4
    row_function kai_row_qsi8d256p1x8_qau5c32x256p4x8_neon_i8mm, 5
