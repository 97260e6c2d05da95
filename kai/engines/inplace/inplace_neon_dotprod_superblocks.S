// f32 <- qsi8d256p x rows of Q4_K or Q6_K with SDOT, where they lie in a file: one row of the LHS, 8 of the RHS, of
// which 4 at a time.
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
// Registers
//   x0        rows                          v0 - v3   64 values of the row
//   x1, x2    lhs (values), starts          v4 - v7   integer sums of the rows
//   x3, x4    blocks to go, sums            v8        mask
//   x5 - x8   rows of the RHS               v9        f32 sums
//   x9 - x12  Q4_K: scales of the rows      v10, v11; v12, v13; ...  v16, v17: scales of the rows in the phase
//   x13 - x15 scratch                       v18 - v31 scratch
//   x16, x17  rows to go, blocks
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

// do row, sum, scales, scales, word of scales, scratch x 6
.macro each_row do, args:vararg
    \do     5, 4, 10, 11, 9, \args
    \do     6, 5, 12, 13, 10, \args
    \do     7, 6, 14, 15, 11, \args
    \do     8, 7, 16, 17, 12, \args
.endm

.macro advance_row row, sum, s0, s1, word, bytes
    add     x\row, x\row, #\bytes
.endm

// d \to: f16 scales of four rows.
.macro scales_of_four to, at
    ldrh    w13, [x5, #\at]
    ldrh    w14, [x6, #\at]
    orr     w13, w13, w14, lsl #16
    ldrh    w14, [x7, #\at]
    ldrh    w15, [x8, #\at]
    orr     w14, w14, w15, lsl #16
    orr     x13, x13, x14, lsl #32
    fmov    d\to, x13
.endm

// v4 = I of four rows.
.macro sums_of_four
    addp    v4.4s, v4.4s, v5.4s
    addp    v6.4s, v6.4s, v7.4s
    addp    v4.4s, v4.4s, v6.4s
.endm

// ---- Q4_K

// x9 - x12: scales 0 - 7 as bytes. Stack: minima 0 - 3 of each row, then 4 - 7.
.macro unpack_q4_k row, sum, s0, s1, word, at
    ldr     x\word, [x\row, #Q4_K_SCALES]
    ldr     w13, [x\row, #Q4_K_SCALES + 8]
    and     x14, x\word, #0xc0c0c0c0c0c0c0c0
    and     x\word, x\word, #0x3f3f3f3f3f3f3f3f     // scales, minima 0 - 3
    orr     x13, x13, x13, lsl #28
    and     x13, x13, #0x0f0f0f0f0f0f0f0f
    orr     x13, x13, x14, lsr #2                   // 4 - 7
    lsr     x14, x\word, #32
    lsr     x15, x13, #32
    bfi     x\word, x13, #32, #32
    str     w14, [sp, #MINIMA + 4 * (\row - 5)]
    str     w15, [sp, #MINIMA + 16 + 4 * (\row - 5)]
.endm

.macro phase_scales_q4_k row, sum, s0, s1, word, phase
    .if \phase
    lsr     x13, x\word, #16
    and     x13, x13, #0x000000ff000000ff
    .else
    and     x13, x\word, #0x000000ff000000ff
    .endif
    lsr     x14, x\word, #16 * \phase + 8
    and     x14, x14, #0x000000ff000000ff
    fmov    d\s0, x13
    fmov    d\s1, x14
.endm

.macro row_q4_k row, sum, s0, s1, word, at, lane, q0, q1, n0, n1, t0, t1
    ldr     q\q0, [x\row, #\at]
    ldr     q\q1, [x\row, #\at + 16]
    movi    v\t0\().2d, #0
    movi    v\t1\().2d, #0
    and     v\n0\().16b, v\q0\().16b, v8.16b
    and     v\n1\().16b, v\q1\().16b, v8.16b
    ushr    v\q0\().16b, v\q0\().16b, #4
    ushr    v\q1\().16b, v\q1\().16b, #4
    sdot    v\t0\().4s, v\n0\().16b, v0.16b
    sdot    v\t1\().4s, v\q0\().16b, v2.16b
    sdot    v\t0\().4s, v\n1\().16b, v1.16b
    sdot    v\t1\().4s, v\q1\().16b, v3.16b
    .if \at == Q4_K_QUANTS
    mul     v\sum\().4s, v\t0\().4s, v\s0\().s[\lane]
    .else
    mla     v\sum\().4s, v\t0\().4s, v\s0\().s[\lane]
    .endif
    mla     v\sum\().4s, v\t1\().4s, v\s1\().s[\lane]
.endm

// 64 weights, \t of four.
.macro step_q4_k t
    ldr     q0, [x1, #64 * \t]
    ldr     q1, [x1, #64 * \t + 16]
    ldr     q2, [x1, #64 * \t + 32]
    ldr     q3, [x1, #64 * \t + 48]
    row_q4_k 5, 4, 10, 11, 9, (Q4_K_QUANTS + 32 * \t), \t / 2, 18, 19, 20, 21, 22, 23
    row_q4_k 6, 5, 12, 13, 10, (Q4_K_QUANTS + 32 * \t), \t / 2, 24, 25, 26, 27, 28, 29
    row_q4_k 7, 6, 14, 15, 11, (Q4_K_QUANTS + 32 * \t), \t / 2, 18, 19, 20, 21, 22, 23
    row_q4_k 8, 7, 16, 17, 12, (Q4_K_QUANTS + 32 * \t), \t / 2, 24, 25, 26, 27, 28, 29
.endm

.macro superblock_q4_k
    each_row unpack_q4_k
    each_row phase_scales_q4_k, 0
    step_q4_k 0
    step_q4_k 2
    each_row phase_scales_q4_k, 1
    step_q4_k 1
    step_q4_k 3

    ldp     q20, q21, [sp, #MINIMA]
    ldur    q19, [x1, #4 - LHS_HEAD]    // high, low bytes of the sums of the LHS
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
    scvtf   v4.4s, v4.4s
    fcvtl   v25.4s, v25.4h
    scvtf   v22.4s, v22.4s
    fmul    v4.4s, v4.4s, v24.4s
    fmls    v4.4s, v22.4s, v25.4s
.endm

// ---- Q6_K

// Scales 4i + phase in the lanes of \s0, 4i + 2 + phase in those of \s1: each the highest byte of a lane.
.macro phase_scales_q6_k row, sum, s0, s1, word, phase
    ldur    q\s0, [x\row, #Q6_K_SCALES - 3 + \phase]
    ldur    q\s1, [x\row, #Q6_K_SCALES - 1 + \phase]
    sshr    v\s0\().4s, v\s0\().4s, #24
    sshr    v\s1\().4s, v\s1\().4s, #24
.endm

// Sub-blocks \j, \j + 2, \j + 4, \j + 6. A vector of two bits has those of four vectors of quants:
//
//     bits 1, 0: low nibbles at \at,    5, 4: high nibbles        3, 2 and 7, 6: the same at \at + 32
.macro row_q6_k row, sum, s0, s1, word, at, bits, j, half
    ldr     q18, [x\row, #\bits]
    ldr     q20, [x\row, #\at]
    ldr     q21, [x\row, #\at + 32]
    ldr     q22, [x\row, #\at]
    ldr     q23, [x\row, #\at + 32]
    ushr    v19.16b, v18.16b, #2
    and     v18.16b, v18.16b, v8.16b
    ldr     q24, [x2, #16 * \j]
    and     v19.16b, v19.16b, v8.16b
    ldr     q25, [x2, #16 * \j + 32]
    sli     v20.16b, v18.16b, #4
    ldr     q26, [x2, #16 * \j + 64]
    sli     v21.16b, v19.16b, #4
    ldr     q27, [x2, #16 * \j + 96]
    sri     v18.16b, v22.16b, #4
    sri     v19.16b, v23.16b, #4
    sdot    v24.4s, v20.16b, v0.16b
    sdot    v25.4s, v21.16b, v1.16b
    sdot    v26.4s, v18.16b, v2.16b
    sdot    v27.4s, v19.16b, v3.16b
    .if \j == 0
    mul     v\sum\().4s, v24.4s, v\s0\().s[2 * \half]
    .else
    mla     v\sum\().4s, v24.4s, v\s0\().s[2 * \half]
    .endif
    mla     v\sum\().4s, v25.4s, v\s1\().s[2 * \half]
    mla     v\sum\().4s, v26.4s, v\s0\().s[2 * \half + 1]
    mla     v\sum\().4s, v27.4s, v\s1\().s[2 * \half + 1]
.endm

.macro step_q6_k half, phase
    ldr     q0, [x1, #128 * \half + 16 * \phase]
    ldr     q1, [x1, #128 * \half + 16 * \phase + 32]
    ldr     q2, [x1, #128 * \half + 16 * \phase + 64]
    ldr     q3, [x1, #128 * \half + 16 * \phase + 96]
    each_row row_q6_k, 64 * \half + 16 * \phase, Q6_K_HIGH + 32 * \half + 16 * \phase, (8 * \half + \phase), \half
.endm

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
    scvtf   v4.4s, v4.4s
    fmul    v4.4s, v4.4s, v24.4s
    add     x2, x2, #STARTS_BLOCK
.endm

// ----

// \size: bytes of a super-block of the file.
.macro function type, size, mask
func kai_inplace_\type\()_neon_dotprod, hidden
    frame   d8-d15, space=32
    movi    v8.16b, #\mask
    add     x1, x1, #LHS_HEAD
    mov     x16, #8
    mov     x17, x3
    cbz     x3, 3f
1:  // four rows
    ldp     x5, x6, [x0], #16
    ldp     x7, x8, [x0], #16
    ldr     q9, [x4]
2:  // a super-block
    superblock_\type
    ldur    s18, [x1, #-LHS_HEAD]
    add     x1, x1, #LHS_BLOCK
    each_row advance_row, \size
    fmla    v9.4s, v4.4s, v18.s[0]
    subs    x3, x3, #1
    b.ne    2b

    mov     x3, x17
    mov     w13, #LHS_BLOCK
    msub    x1, x17, x13, x1
    .ifc \type, q6_k
    sub     x2, x2, x17, lsl #8     // STARTS_BLOCK
    .endif
    str     q9, [x4], #16
    subs    x16, x16, #4
    b.ne    1b
3:
    return
endfunc
.endm

    function q4_k, 144, 0x0f
    function q6_k, 210, 0x33
