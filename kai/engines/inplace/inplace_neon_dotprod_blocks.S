// f32 <- qsi8d32p x rows of Q8_0 or Q4_0 with SDOT, where they lie in a file: one row of the LHS, 8 of the RHS.
//
//     Q8_0: sum[n] = fma(S * lhs_scale, scale, sum[n]),     S = sum over the block of lhs * rhs
//     Q4_0: sum[n] = fma(S, lhs_scale * scale, sum[n])
//
// A vector holds four parts of the sum of one row; three ADDP make the sums of four rows. Integer sums start at the
// bits of C = 1.5 * 2^23, so that they end as the float C + S. For Q4_0, whose nibbles are 8 more than the value, at
// those of C - 8 * (sum of lhs). Four f16 scales come together in an integer register: no SIMD slot.
//
//     void (const uint8_t* const rows[8], const uint8_t* lhs, const BlockStart* starts, size_t blocks, float sums[8])
//
// lhs: from the first block on. Nothing beyond the last byte of a row is read.
//
// Registers
//   x1, x2    lhs, starts                   v0, v1    32 values of the row      v8, v9     f32 sums
//   x3, x4    blocks to go, sums            v2        scale of the row          v14        0x0f
//   x5 - x12  rows of the RHS               v3        low nibbles               v15        C
//   x13 - x17, x0  scales, start            v4, v5    scales of the rows        v16 - v23  sums of a block
//                                                                               v24 - v31  weights
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"

#define LHS_BLOCK 34    // f16 + 32 bytes
#define STARTS_BLOCK 8
#define C_BITS 0x4b40   // upper half

// do at, row, sum, weights
.macro each_row do, at=0
    \do \at, 5, 16, 24
    \do \at, 6, 17, 25
    \do \at, 7, 18, 26
    \do \at, 8, 19, 27
    \do \at, 9, 20, 28
    \do \at, 10, 21, 29
    \do \at, 11, 22, 30
    \do \at, 12, 23, 31
.endm

.macro first_weights at, row, sum, w
    ldur    q\w, [x\row, #\at]
.endm
.macro start_sum at, row, sum, w
    fmov    s\sum, w13
.endm
.macro q8_0_low at, row, sum, w
    sdot    v\sum\().4s, v0.16b, v\w\().16b
    ldur    q\w, [x\row, #\at]
.endm
.macro q8_0_high at, row, sum, w
    sdot    v\sum\().4s, v1.16b, v\w\().16b
.endm
.macro q4_0_both at, row, sum, w
    and     v3.16b, v\w\().16b, v14.16b
    ushr    v\w\().16b, v\w\().16b, #4
    sdot    v\sum\().4s, v0.16b, v3.16b
    sdot    v\sum\().4s, v1.16b, v\w\().16b
.endm

.macro multiply_q8_0 at
    each_row first_weights, (\at + 2)
    each_row start_sum
    each_row q8_0_low, (\at + 18)
    each_row q8_0_high
.endm
.macro multiply_q4_0 at
    each_row first_weights, (\at + 2)
    each_row start_sum
    each_row q4_0_both
.endm

.macro scales_of_four at, to, r0, r1, r2, r3
    ldrh    w14, [x\r0, #\at]
    ldrh    w15, [x\r1, #\at]
    ldrh    w16, [x\r2, #\at]
    ldrh    w17, [x\r3, #\at]
    orr     w14, w14, w15, lsl #16
    orr     w16, w16, w17, lsl #16
    orr     x14, x14, x16, lsl #32
    fmov    d\to, x14
.endm

// Block number \i from where the pointers are.
.macro block type, size, i
    ldur    q0, [x1, #\i * LHS_BLOCK + 2]
    ldur    q1, [x1, #\i * LHS_BLOCK + 18]
    ldr     w13, [x2, #\i * STARTS_BLOCK + 4]
    ldr     s2, [x2, #\i * STARTS_BLOCK]
    multiply_\type (\i * \size)
    scales_of_four (\i * \size), 4, 5, 6, 7, 8
    scales_of_four (\i * \size), 5, 9, 10, 11, 12
    addp    v16.4s, v16.4s, v17.4s
    addp    v18.4s, v18.4s, v19.4s
    addp    v20.4s, v20.4s, v21.4s
    addp    v22.4s, v22.4s, v23.4s
    fcvtl   v4.4s, v4.4h
    fcvtl   v5.4s, v5.4h
    addp    v16.4s, v16.4s, v18.4s
    addp    v20.4s, v20.4s, v22.4s
    fsub    v16.4s, v16.4s, v15.4s
    fsub    v20.4s, v20.4s, v15.4s
    .ifc \type, q8_0
    fmul    v16.4s, v16.4s, v2.s[0]
    fmul    v20.4s, v20.4s, v2.s[0]
    .else
    fmul    v4.4s, v4.4s, v2.s[0]
    fmul    v5.4s, v5.4s, v2.s[0]
    .endif
    fmla    v8.4s, v16.4s, v4.4s
    fmla    v9.4s, v20.4s, v5.4s
.endm

.macro advance_row bytes, row, sum, w
    add     x\row, x\row, #\bytes
.endm
.macro advance size, count
    add     x1, x1, #\count * LHS_BLOCK
    add     x2, x2, #\count * STARTS_BLOCK
    each_row advance_row, (\count * \size)
.endm

// \size: bytes of a block of the file.
.macro function type, size
func kai_inplace_\type\()_neon_dotprod, hidden
    frame   d8-d15
    ldp     x5, x6, [x0]
    ldp     x7, x8, [x0, #16]
    ldp     x9, x10, [x0, #32]
    ldp     x11, x12, [x0, #48]
    mov     w13, #C_BITS << 16
    dup     v15.4s, w13
    movi    v14.16b, #15
    ldp     q8, q9, [x4]
    subs    x3, x3, #4
    b.lo    2f
1:
    block \type, \size, 0
    block \type, \size, 1
    block \type, \size, 2
    block \type, \size, 3
    advance \size, 4
    subs    x3, x3, #4
    b.hs    1b
2:
    adds    x3, x3, #4
    b.eq    4f
3:
    block \type, \size, 0
    advance \size, 1
    subs    x3, x3, #1
    b.ne    3b
4:
    stp     q8, q9, [x4]
    return
endfunc
.endm

    function q8_0, 34
    function q4_0, 18
