// f32 <- qsi8d256p x rows of Q4_K or Q6_K with SDOT, in place in a file: one row of the LHS, 8 of the RHS, 4 at a
// time.
//
//     I = sum of scale_j * S_j,   S_j = sum over sub-block j of lhs * quants       32 (Q4_K) or 16 (Q6_K) weights
//     Q4_K: J = sum of minimum_j * (sum of 32 of the LHS);   T = fma(-J, dmin, I * d)       Q6_K: T = I * d
//     sum[n] = fma(T, lhs_scale, sum[n])
//
// A vector holds four parts of the sum of one row until the end of a super-block, where three ADDP make the sums of
// four rows. S_j is multiplied by a lane: scales are in the lanes of vectors that cost few SIMD slots or none.
//
// Q4_K: the scales of a row are unpacked in integer registers, j and j + 4 to the lanes of one vector.
// Q6_K: SLI and SRI put two bits above a nibble. Quants are 32 more than the value: sums start at -32 * (sum of lhs).
//
// A super-block is two phases of two steps of 64 weights. A phase holds half of the scales.
//
//     void (const uint8_t* const rows[8], const uint8_t* lhs, const int32x4_t* starts, size_t blocks, float sums[8])
//
// lhs: from the first super-block on. starts: Q6_K, 16 of each super-block. Nothing beyond the last byte of a row is
// read.
//
//   Registers    name             holds
//   x0                            rows
//   x1, x2       lhs, starts      lhs: values
//   x3, x4                        super-blocks to go, sums
//   x5 - x8      row_0 - row_3    rows of the RHS
//   x9 - x12     word_0 - word_3  Q4_K: scales of the rows
//   x13 - x15                     scratch
//   x16, x17                      rows to go, super-blocks
//   v0 - v3      k_0 - k_3        64 values of the LHS
//   v4 - v7      I_0 - I_3        integer sums of the rows
//   v8, v9       mask, acc        mask of the quants; f32 sums
//   v10 - v17    c_0, d_0, c_1, d_1, ...   scales of each row in the phase, in lanes
//   v18 - v23, v24 - v29   e, o   Q4_K: scratch of a row, of the next one: quants e_q0, e_q1; low nibbles e_n0, e_n1; S
//                                 of two sub-blocks e_s0, e_s1
//   v18 - v27                     Q6_K: W_2, W_3, W_0, W_1 weights, P_0, P_1 packed, S_0 - S_3
//   v18 - v31                     scratch
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"

#define LHS_HEAD 20     // f32 scale, 8 bytes high, 8 bytes low
#define LHS_BLOCK 276
#define STARTS_BLOCK 256

#define Q4_K_D 0
#define Q4_K_DMIN 2
#define Q4_K_SCALES 4
#define Q4_K_QUANTS 16

#define Q6_K_HIGH 128   // two bits of each quant
#define Q6_K_SCALES 192
#define Q6_K_D 208

#define MINIMA 0        // on the stack

lhs     .req x1
starts  .req x2
row_0   .req x5
row_1   .req x6
row_2   .req x7
row_3   .req x8
word_0  .req x9
word_1  .req x10
word_2  .req x11
word_3  .req x12
regs 0, k_0, k_1, k_2, k_3, I_0, I_1, I_2, I_3, mask, acc
regs 10, c_0, d_0, c_1, d_1, c_2, d_2, c_3, d_3
regs 18, e_q0, e_q1, e_n0, e_n1, e_s0, e_s1, o_q0, o_q1, o_n0, o_n1, o_s0, o_s1
regs 18, W_2, W_3, W_0, W_1, P_0, P_1, S_0, S_1, S_2, S_3

// \do \r, args for each of four rows: its number.
.macro each_row do, args:vararg
    \do     0, \args
    \do     1, \args
    \do     2, \args
    \do     3, \args
.endm

.macro advance_row r, bytes
    add     row_\r, row_\r, #\bytes
.endm

// d \to: f16 scales of four rows.
.macro scales_of_four to, at
    ldrh    w13, [row_0, #\at]
    ldrh    w14, [row_1, #\at]
    orr     w13, w13, w14, lsl #16
    ldrh    w14, [row_2, #\at]
    ldrh    w15, [row_3, #\at]
    orr     w14, w14, w15, lsl #16
    orr     x13, x13, x14, lsl #32
    fmov    d\to, x13
.endm

// v4 = I of four rows.
.macro sums_of_four
    addp    I_0.4s, I_0.4s, I_1.4s
    addp    I_2.4s, I_2.4s, I_3.4s
    addp    I_0.4s, I_0.4s, I_2.4s
.endm

// ---- Q4_K

// x9 - x12: scales 0 - 7 as bytes. Stack: minima 0 - 3 of each row, then 4 - 7.
.macro unpack_q4_k r, at
    ldr     word_\r, [row_\r, #Q4_K_SCALES]
    ldr     w13, [row_\r, #Q4_K_SCALES + 8]
    and     x14, word_\r, #0xc0c0c0c0c0c0c0c0
    and     word_\r, word_\r, #0x3f3f3f3f3f3f3f3f     // scales, minima 0 - 3
    orr     x13, x13, x13, lsl #28
    and     x13, x13, #0x0f0f0f0f0f0f0f0f
    orr     x13, x13, x14, lsr #2                   // 4 - 7
    lsr     x14, word_\r, #32
    lsr     x15, x13, #32
    bfi     word_\r, x13, #32, #32
    str     w14, [sp, #MINIMA + 4 * \r]
    str     w15, [sp, #MINIMA + 16 + 4 * \r]
.endm

// Scales of the phase to the lanes of c_r and d_r. Changes x13, x14.
.macro phase_scales_q4_k r, phase
    .if \phase
    lsr     x13, word_\r, #16
    and     x13, x13, #0x000000ff000000ff
    .else
    and     x13, word_\r, #0x000000ff000000ff
    .endif
    lsr     x14, word_\r, #16 * \phase + 8
    and     x14, x14, #0x000000ff000000ff
    fmov    dc_\r, x13
    fmov    dd_\r, x14
.endm

// I_r += two sub-blocks of row \r, \at bytes from its super-block, times lane \lane of the scales. Changes set \set.
.macro row_q4_k r, set, at, lane
    ldr     q\set\()_q0, [row_\r, #\at]
    ldr     q\set\()_q1, [row_\r, #\at + 16]
    movi    \set\()_s0.2d, #0
    movi    \set\()_s1.2d, #0
    and     \set\()_n0.16b, \set\()_q0.16b, mask.16b
    and     \set\()_n1.16b, \set\()_q1.16b, mask.16b
    ushr    \set\()_q0.16b, \set\()_q0.16b, #4
    ushr    \set\()_q1.16b, \set\()_q1.16b, #4
    sdot    \set\()_s0.4s, \set\()_n0.16b, k_0.16b
    sdot    \set\()_s1.4s, \set\()_q0.16b, k_2.16b
    sdot    \set\()_s0.4s, \set\()_n1.16b, k_1.16b
    sdot    \set\()_s1.4s, \set\()_q1.16b, k_3.16b
    .if \at == Q4_K_QUANTS
    mul     I_\r\().4s, \set\()_s0.4s, c_\r\().s[\lane]
    .else
    mla     I_\r\().4s, \set\()_s0.4s, c_\r\().s[\lane]
    .endif
    mla     I_\r\().4s, \set\()_s1.4s, d_\r\().s[\lane]
.endm

// 64 weights, \t of four.
.macro step_q4_k t
    ldr     qk_0, [lhs, #64 * \t]
    ldr     qk_1, [lhs, #64 * \t + 16]
    ldr     qk_2, [lhs, #64 * \t + 32]
    ldr     qk_3, [lhs, #64 * \t + 48]
    row_q4_k 0, e, (Q4_K_QUANTS + 32 * \t), \t / 2
    row_q4_k 1, o, (Q4_K_QUANTS + 32 * \t), \t / 2
    row_q4_k 2, e, (Q4_K_QUANTS + 32 * \t), \t / 2
    row_q4_k 3, o, (Q4_K_QUANTS + 32 * \t), \t / 2
.endm

// I_0 = T of four rows: f32.
.macro superblock_q4_k
    each_row unpack_q4_k
    each_row phase_scales_q4_k, 0
    step_q4_k 0
    step_q4_k 2
    each_row phase_scales_q4_k, 1
    step_q4_k 1
    step_q4_k 3

    ldp     q20, q21, [sp, #MINIMA]
    ldur    q19, [lhs, #4 - LHS_HEAD]    // high, low bytes of the sums of the LHS
    movi    v22.2d, #0
    sdot    v22.4s, v20.16b, v19.4b[0]
    sdot    v22.4s, v21.16b, v19.4b[1]
    scales_of_four 24, Q4_K_D
    scales_of_four 25, Q4_K_DMIN
    shl     v22.4s, v22.4s, #7
    sums_of_four
    sdot    v22.4s, v20.16b, v19.4b[2]
    sdot    v22.4s, v21.16b, v19.4b[3]
    fcvtl   v24.4s, v24.4h
    scvtf   I_0.4s, I_0.4s
    fcvtl   v25.4s, v25.4h
    scvtf   v22.4s, v22.4s
    fmul    I_0.4s, I_0.4s, v24.4s
    fmls    I_0.4s, v22.4s, v25.4s
.endm

// ---- Q6_K

// Scales 4i + phase in the lanes of c_r, 4i + 2 + phase in those of d_r: each the highest byte of a lane.
.macro phase_scales_q6_k r, phase
    ldur    qc_\r, [row_\r, #Q6_K_SCALES - 3 + \phase]
    ldur    qd_\r, [row_\r, #Q6_K_SCALES - 1 + \phase]
    sshr    c_\r\().4s, c_\r\().4s, #24
    sshr    d_\r\().4s, d_\r\().4s, #24
.endm

// Sub-blocks \j, \j + 2, \j + 4, \j + 6. A vector of upper bits holds two for each of four vectors of quants:
//
//     bits 1, 0: low nibbles at \at,    5, 4: high nibbles        3, 2 and 7, 6: the same at \at + 32
//
// They stay in W_2 and W_3 until these are needed for weights.
.macro row_q6_k r, at, bits, j, half
    ldr     qW_2, [row_\r, #\bits]
    ldr     qW_0, [row_\r, #\at]
    ldr     qW_1, [row_\r, #\at + 32]
    ldr     qP_0, [row_\r, #\at]
    ldr     qP_1, [row_\r, #\at + 32]
    ushr    W_3.16b, W_2.16b, #2
    and     W_2.16b, W_2.16b, mask.16b
    ldr     qS_0, [starts, #16 * \j]
    and     W_3.16b, W_3.16b, mask.16b
    ldr     qS_1, [starts, #16 * \j + 32]
    sli     W_0.16b, W_2.16b, #4
    ldr     qS_2, [starts, #16 * \j + 64]
    sli     W_1.16b, W_3.16b, #4
    ldr     qS_3, [starts, #16 * \j + 96]
    sri     W_2.16b, P_0.16b, #4
    sri     W_3.16b, P_1.16b, #4
    sdot    S_0.4s, W_0.16b, k_0.16b
    sdot    S_1.4s, W_1.16b, k_1.16b
    sdot    S_2.4s, W_2.16b, k_2.16b
    sdot    S_3.4s, W_3.16b, k_3.16b
    .if \j == 0
    mul     I_\r\().4s, S_0.4s, c_\r\().s[2 * \half]
    .else
    mla     I_\r\().4s, S_0.4s, c_\r\().s[2 * \half]
    .endif
    mla     I_\r\().4s, S_1.4s, d_\r\().s[2 * \half]
    mla     I_\r\().4s, S_2.4s, c_\r\().s[2 * \half + 1]
    mla     I_\r\().4s, S_3.4s, d_\r\().s[2 * \half + 1]
.endm

// 64 weights: \half of 128, \phase of 16 in 32.
.macro step_q6_k half, phase
    ldr     qk_0, [lhs, #128 * \half + 16 * \phase]
    ldr     qk_1, [lhs, #128 * \half + 16 * \phase + 32]
    ldr     qk_2, [lhs, #128 * \half + 16 * \phase + 64]
    ldr     qk_3, [lhs, #128 * \half + 16 * \phase + 96]
    each_row row_q6_k, 64 * \half + 16 * \phase, Q6_K_HIGH + 32 * \half + 16 * \phase, (8 * \half + \phase), \half
.endm

// I_0 = T of four rows: f32.
.macro superblock_q6_k
    each_row phase_scales_q6_k, 0
    step_q6_k 0, 0
    step_q6_k 1, 0
    each_row phase_scales_q6_k, 1
    step_q6_k 0, 1
    step_q6_k 1, 1

    scales_of_four 24, Q6_K_D
    sums_of_four
    fcvtl   v24.4s, v24.4h
    scvtf   I_0.4s, I_0.4s
    fmul    I_0.4s, I_0.4s, v24.4s
    add     starts, starts, #STARTS_BLOCK
.endm

// ----

// \size: bytes of a super-block of the file.
.macro function type, size, mask
func kai_inplace_\type\()_neon_dotprod, hidden
    frame   d8-d15, space=32
    movi    mask.16b, #\mask
    add     lhs, lhs, #LHS_HEAD
    mov     x16, #8
    mov     x17, x3
    cbz     x3, 3f
1:  // four rows
    ldp     row_0, row_1, [x0], #16
    ldp     row_2, row_3, [x0], #16
    ldr     qacc, [x4]
2:  // a super-block
    superblock_\type
    ldur    s18, [lhs, #-LHS_HEAD]
    add     lhs, lhs, #LHS_BLOCK
    each_row advance_row, \size
    fmla    acc.4s, I_0.4s, v18.s[0]
    subs    x3, x3, #1
    b.ne    2b

    mov     x3, x17
    mov     w13, #LHS_BLOCK
    msub    lhs, x17, x13, lhs
    .ifc \type, q6_k
    sub     starts, starts, x17, lsl #8     // STARTS_BLOCK
    .endif
    str     qacc, [x4], #16
    subs    x16, x16, #4
    b.ne    1b
3:
    return
endfunc
.endm

    function q4_k, 144, 0x0f
    function q6_k, 210, 0x33
