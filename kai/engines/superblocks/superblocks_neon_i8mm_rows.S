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
// Registers: superblocks_neon_row.inc, and
//   v0 - v7   integer sums of the super-block, columns 01, 23 of a quad
//   v8 - v15  of a pair of sub-blocks          v16 - v19 f32 sums
//   v20 - v23 [-x, y] of 8 k each    v24       mask         v25       [x, 0]
//   v26, v27; v30, v31               quants of a quad, of the next one          v28, v29  16 h
// 5 bits: v26, v27, v28              quants, fifth bits, scratch                v30, v31  shifts
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

#define SUMS_F 16, 17, 18, 19
#define JOINED 0, 2, 4, 6   // integer sums, and what becomes of them
#define BOUNDS q30, q31
#define LOWEST v30.4s
#define HIGHEST v31.4s
#include "kai/engines/superblocks/superblocks_neon_row.inc"

// \do of a quad's f32 sums, quants, integer sums, sums of a pair of sub-blocks, scratch.
.macro each_quad do
    \do     16, x9, 0, 1, 8, 9, 20
    .if quads == 4
    \do     17, x10, 2, 3, 10, 11, 21
    \do     18, x11, 4, 5, 12, 13, 22
    \do     19, x12, 6, 7, 14, 15, 23
    .endif
.endm

// 8 k of a quad. Meanwhile come its next quants, to \n0 and \n1, or those of the next quad.
.macro mac y, s0, s1, b0, b1, n0, n1, quad, next
    and     v28.16b, v\b0\().16b, v24.16b
    and     v29.16b, v\b1\().16b, v24.16b
    usmmla  v\s0\().4s, v\b0\().16b, v25.16b
    usmmla  v\s1\().4s, v\b1\().16b, v25.16b
    .ifnb \quad
    ldp     q\n0, q\n1, [\quad, #\next]
    .endif
    usmmla  v\s0\().4s, v28.16b, v\y\().16b
    usmmla  v\s1\().4s, v29.16b, v\y\().16b
.endm

// 5 bits: 8 k of columns 01 or 23 of a quad. x16: fifth bits.
.macro mac_fifth y, s, quad, at
    ldr     q26, [\quad, #\at]
    ldr     q27, [x16, #\at]
    ushl    v28.16b, v27.16b, v30.16b
    ushl    v27.16b, v27.16b, v31.16b
    sri     v27.16b, v26.16b, #4
    sli     v26.16b, v28.16b, #4
    and     v27.16b, v27.16b, v24.16b
    and     v26.16b, v26.16b, v24.16b
    smmla   v\s\().4s, v26.16b, v25.16b
    smmla   v\s\().4s, v27.16b, v\y\().16b
.endm
.macro mac_fifths y, s0, s1, quad, at
    add     x16, \quad, x17
    mac_fifth \y, \s0, \quad, \at
    mac_fifth \y, \s1, \quad, \at + 16
.endm

.macro mac_8k y, at
    .if RHS_BITS == 5
    ldr     d25, [x15, #\at / 4]
    mac_fifths \y, 8, 9, x9, \at
    .if quads == 4
    mac_fifths \y, 10, 11, x10, \at
    mac_fifths \y, 12, 13, x11, \at
    mac_fifths \y, 14, 15, x12, \at
    .endif
    .else
    ldr     d25, [x15, #\at / 4]
    .if quads == 4
    mac     \y, 8, 9, 26, 27, 30, 31, x10, \at
    mac     \y, 10, 11, 30, 31, 26, 27, x11, \at
    mac     \y, 12, 13, 26, 27, 30, 31, x12, \at
    .if \at < 96
    mac     \y, 14, 15, 30, 31, 26, 27, x9, \at + 32
    .else
    mac     \y, 14, 15, 30, 31
    .endif
    .elseif \at < 96
    mac     \y, 8, 9, 26, 27, 26, 27, x9, \at + 32
    .else
    mac     \y, 8, 9, 26, 27
    .endif
    .endif
.endm

.macro clear_pair acc, quad, i0, i1, s0, s1, t
    ldp     q\s0, q\s1, [sp, #ZERO]
.endm

.macro clear_super acc, quad, i0, i1, s0, s1, t
    ldp     q\i0, q\i1, [sp, #ZERO]
.endm

.macro add_pair acc, quad, i0, i1, s0, s1, t
    ldr     d28, [\quad, x13]
    tbl     v30.16b, {v28.16b}, v26.16b
    tbl     v31.16b, {v28.16b}, v27.16b
    add     \quad, \quad, #128
    mla     v\i0\().4s, v\s0\().4s, v30.4s
    mla     v\i1\().4s, v\s1\().4s, v31.4s
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
.macro load_minima acc, quad, i0, i1, s0, s1, t
    add     x16, \quad, x13
    ldr     q\t, [sp, #C_HIGH]
    ldp     q30, q31, [x16, #RHS_MINIMA - RHS_SCALES]
    ldr     q29, [sp, #C_HIGH]
    smmla   v\t\().4s, v30.16b, v24.16b
    smmla   v29.4s, v31.16b, v24.16b
    ldr     d\s0, [x16, #RHS_D - RHS_SCALES]
    ldr     d\s1, [x16, #RHS_DMIN - RHS_SCALES]
    sshl    v\t\().4s, v\t\().4s, v25.4s
    sshl    v29.4s, v29.4s, v25.4s
    add     \quad, \quad, #RHS_BLOCK - 512
    addp    v\t\().4s, v\t\().4s, v29.4s
.endm
.macro join_sums acc, quad, i0, i1, s0, s1, t
    .if RHS_BITS == 4
    sshl    v\i0\().4s, v\i0\().4s, v26.4s
    sshl    v\i1\().4s, v\i1\().4s, v26.4s
    .endif
    fcvtl   v\s0\().4s, v\s0\().4h
    fcvtl   v\s1\().4s, v\s1\().4h
    addp    v\i0\().4s, v\i0\().4s, v\i1\().4s
    fsub    v\t\().4s, v\t\().4s, v27.4s
.endm
.macro scale_sums acc, quad, i0, i1, s0, s1, t
    .if RHS_BITS == 4
    scvtf   v\i0\().4s, v\i0\().4s, #4
    .else
    scvtf   v\i0\().4s, v\i0\().4s
    .endif
    fmul    v\i0\().4s, v\i0\().4s, v\s0\().4s
.endm

.macro add_sub_blocks
    load_row
    .if RHS_BITS == 4
    ldp     q26, q27, [x9]
    .endif
    each_quad clear_pair
    mac_8k  20, 0
    mac_8k  21, 32
    mac_8k  22, 64
    mac_8k  23, 96
    ldp     q26, q27, [sp, #OF_01]
    each_quad add_pair
    add     x13, x13, #8 - 128
    .if RHS_BITS == 5
    sub     x17, x17, #128
    .endif
    add     x15, x15, #64
    subs    x14, x14, #1
.endm

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
    op_quads fmls, 4s, JOINED, 20, 21, 22, 23, 9, 11, 13, 15
    shared_quads fmla, 4s, SUMS_F, JOINED, v28.s[0]
.endm

// Twice a doubleword whose upper word is 0.
.macro even_constant at, low, high=0
    mov     w16, #\low
    .if \high
    movk    w16, #\high, lsl #16
    .endif
    stp     x16, x16, [sp, #\at]
.endm

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
