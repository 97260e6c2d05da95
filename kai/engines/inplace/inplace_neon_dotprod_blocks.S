// f32 <- qsi8d32p x rows of Q8_0 or Q4_0 with SDOT, in place in a file: one row of the LHS, 8 of the RHS.
//
//     Q8_0: sum[n] = fma(S * lhs_scale, scale, sum[n]),     S = sum over the block of lhs * rhs
//     Q4_0: sum[n] = fma(S, lhs_scale * scale, sum[n])
//
// A vector holds four parts of the sum of one row; three ADDP make the sums of four rows. Integer sums start at the
// bits of C = 1.5 * 2^23, so that they end as the float C + S. For Q4_0, whose nibbles are 8 more than the value, at
// those of C - 8 * (sum of lhs). Four f16 scales are assembled in an integer register: no SIMD slot.
//
//     void (const uint8_t* const rows[8], const uint8_t* lhs, const BlockStart* starts, size_t blocks, float sums[8])
//
// lhs: from the first block on. Nothing beyond the last byte of a row is read.
//
//   Registers    name          holds
//   x1, x2       lhs, starts
//   x3, x4                     blocks to go, sums
//   x5 - x12     row_0 - row_7 rows of the RHS
//   x13 - x17, x0              scales, start
//   v0, v1       k_0, k_1      32 values of the LHS
//   v2           lhs_scale
//   v3           low           low nibbles
//   v4, v5       scales_0, scales_1   scales of rows 0 - 3, 4 - 7
//   v8, v9       acc_0, acc_1  f32 sums
//   v14, v15     mask, C       0x0f; C
//   v16 - v23    S_0 - S_7     sums of a block, a row each
//   v24 - v31    W_0 - W_7     weights, a row each
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"

#define LHS_BLOCK 34    // f16 + 32 bytes
#define STARTS_BLOCK 8
#define C_BITS 0x4b40   // upper half

lhs     .req x1
starts  .req x2
regs 0, k_0, k_1, lhs_scale, low, scales_0, scales_1
regs 8, acc_0, acc_1
regs 14, mask, C
regs 16, S_0, S_1, S_2, S_3, S_4, S_5, S_6, S_7
regs 24, W_0, W_1, W_2, W_3, W_4, W_5, W_6, W_7
.macro row_names r, x, s
row_\r .req x\x
sS_\r  .req s\s
.endm
    row_names 0, 5, 16
    row_names 1, 6, 17
    row_names 2, 7, 18
    row_names 3, 8, 19
    row_names 4, 9, 20
    row_names 5, 10, 21
    row_names 6, 11, 22
    row_names 7, 12, 23

// \do \r, \at for each row: its number.
.macro each_row do, at=0
    \do     0, \at
    \do     1, \at
    \do     2, \at
    \do     3, \at
    \do     4, \at
    \do     5, \at
    \do     6, \at
    \do     7, \at
.endm

.macro first_weights r, at
    ldur    qW_\r, [row_\r, #\at]
.endm
.macro start_sum r, at
    fmov    sS_\r, w13
.endm
.macro q8_0_low r, at
    sdot    S_\r\().4s, k_0.16b, W_\r\().16b
    ldur    qW_\r, [row_\r, #\at]
.endm
.macro q8_0_high r, at
    sdot    S_\r\().4s, k_1.16b, W_\r\().16b
.endm
// S_\r += a row: low nibbles times k_0, high ones times k_1. Changes low; W_\r keeps the high nibbles.
.macro q4_0_both r, at
    and     low.16b, W_\r\().16b, mask.16b
    ushr    W_\r\().16b, W_\r\().16b, #4
    sdot    S_\r\().4s, k_0.16b, low.16b
    sdot    S_\r\().4s, k_1.16b, W_\r\().16b
.endm

// S of all rows = a block, \at bytes from here.
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

// \to = f16 scales of four rows, \at bytes from here. Changes x14 - x17.
.macro scales_of_four to, at, r0, r1, r2, r3
    ldrh    w14, [\r0, #\at]
    ldrh    w15, [\r1, #\at]
    ldrh    w16, [\r2, #\at]
    ldrh    w17, [\r3, #\at]
    orr     w14, w14, w15, lsl #16
    orr     w16, w16, w17, lsl #16
    orr     x14, x14, x16, lsl #32
    fmov    d\to, x14
.endm

// Block number \i from where the pointers are.
.macro block type, size, i
    ldur    qk_0, [lhs, #\i * LHS_BLOCK + 2]
    ldur    qk_1, [lhs, #\i * LHS_BLOCK + 18]
    ldr     w13, [starts, #\i * STARTS_BLOCK + 4]
    ldr     s2, [starts, #\i * STARTS_BLOCK]
    multiply_\type (\i * \size)
    scales_of_four scales_0, (\i * \size), row_0, row_1, row_2, row_3
    scales_of_four scales_1, (\i * \size), row_4, row_5, row_6, row_7
    addp    S_0.4s, S_0.4s, S_1.4s
    addp    S_2.4s, S_2.4s, S_3.4s
    addp    S_4.4s, S_4.4s, S_5.4s
    addp    S_6.4s, S_6.4s, S_7.4s
    fcvtl   scales_0.4s, scales_0.4h
    fcvtl   scales_1.4s, scales_1.4h
    addp    S_0.4s, S_0.4s, S_2.4s
    addp    S_4.4s, S_4.4s, S_6.4s
    fsub    S_0.4s, S_0.4s, C.4s
    fsub    S_4.4s, S_4.4s, C.4s
    .ifc \type, q8_0
    fmul    S_0.4s, S_0.4s, lhs_scale.s[0]
    fmul    S_4.4s, S_4.4s, lhs_scale.s[0]
    .else
    fmul    scales_0.4s, scales_0.4s, lhs_scale.s[0]
    fmul    scales_1.4s, scales_1.4s, lhs_scale.s[0]
    .endif
    fmla    acc_0.4s, S_0.4s, scales_0.4s
    fmla    acc_1.4s, S_4.4s, scales_1.4s
.endm

.macro advance_row r, bytes
    add     row_\r, row_\r, #\bytes
.endm
.macro advance size, count
    add     lhs, lhs, #\count * LHS_BLOCK
    add     starts, starts, #\count * STARTS_BLOCK
    each_row advance_row, (\count * \size)
.endm

// \size: bytes of a block of the file.
.macro function type, size
func kai_inplace_\type\()_neon_dotprod, hidden
    frame   d8-d15
    ldp     row_0, row_1, [x0]
    ldp     row_2, row_3, [x0, #16]
    ldp     row_4, row_5, [x0, #32]
    ldp     row_6, row_7, [x0, #48]
    mov     w13, #C_BITS << 16
    dup     C.4s, w13
    movi    mask.16b, #15
    ldp     qacc_0, qacc_1, [x4]
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
    stp     qacc_0, qacc_1, [x4]
    return
endfunc
.endm

    function q8_0, 34
    function q4_0, 18
