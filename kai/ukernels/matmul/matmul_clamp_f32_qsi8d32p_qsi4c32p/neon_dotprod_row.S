// f32 <- qsi8d32p x qsi4c32p with SDOT, blocks of 32: one row, 16 columns at a time.
//
//     acc[n] = fma(S, lhs_scale * rhs_scale, acc[n]),     S = sum over the block of lhs * rhs
//
// Four panels of 4 columns share the LHS; they take turns, so that no sum waits for itself. The templates that do fewer
// columns have the same arithmetic.
//
// Sums arrive as 16 * S. They start at the bits of C = 1.5 * 2^19, where floats are 1/16 apart, so that they end as the
// float C + S: a subtraction replaces the conversion. Starts are loaded rather than moved: load pipes have time.
//
// Registers
//   x0        struct RowArgs (matmul_int_neon_blocks.hpp)    v0 - v3    accumulators, one per panel
//   x1 - x4   rhs, a panel each                              v4 - v7    sums; x8: of columns 01, two partial sums each
//   x5        lhs                                            v16 - v19  x8: sums of columns 23
//   x6        blocks to go                                   v20, v21   lhs: 16 k for low, high nibbles; x8: 8 k, twice
//   x9 - x12  start of lhs, of rhs, its stride, blocks       v22, v23   mask of high nibbles; lhs scale
//   x13, x14  dst, groups of columns to go                   v12, v13   clamp bounds
//   v24 - v27, v8 - v11  packed RHS of the panels, then high nibbles; v28 - v31  low nibbles
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/asm/asm.h"

#define ARG_START 0
#define ARG_C 16
#define ARG_MASK 32
#define ARG_LHS 48
#define ARG_RHS 56
#define ARG_RHS_STRIDE 64
#define ARG_BLOCKS 72
#define ARG_DST 80

#define LHS_BLOCK 34    // f16 + 32 bytes
#define RHS_BLOCK 72    // 4 x (f16 + 16 bytes)

args    .req x0
lhs     .req x5

.macro load_packed p0, p1, p2, p3, offset
    ldur    q\p0, [x1, #\offset]
    ldur    q\p1, [x2, #\offset]
    ldur    q\p2, [x3, #\offset]
    ldur    q\p3, [x4, #\offset]
.endm

// v28 - v31 = 16 * low nibbles; the other macro turns p0 - p3 into 16 * high nibbles.
.macro decode_low p0, p1, p2, p3
    shl     v28.16b, v\p0\().16b, #4
    shl     v29.16b, v\p1\().16b, #4
    shl     v30.16b, v\p2\().16b, #4
    shl     v31.16b, v\p3\().16b, #4
.endm

.macro decode_high p0, p1, p2, p3
    and     v\p0\().16b, v\p0\().16b, v22.16b
    and     v\p1\().16b, v\p1\().16b, v22.16b
    and     v\p2\().16b, v\p2\().16b, v22.16b
    and     v\p3\().16b, v\p3\().16b, v22.16b
.endm

// Sums s0 - s3 of the panels += low (high) nibbles * lhs.
.macro sdot_low s0, s1, s2, s3, element
    sdot    v\s0\().4s, v28.16b, v20.\element
    sdot    v\s1\().4s, v29.16b, v20.\element
    sdot    v\s2\().4s, v30.16b, v20.\element
    sdot    v\s3\().4s, v31.16b, v20.\element
.endm

.macro sdot_high s0, s1, s2, s3, p0, p1, p2, p3, element
    sdot    v\s0\().4s, v\p0\().16b, v21.\element
    sdot    v\s1\().4s, v\p1\().16b, v21.\element
    sdot    v\s2\().4s, v\p2\().16b, v21.\element
    sdot    v\s3\().4s, v\p3\().16b, v21.\element
.endm

.macro start s0, s1, s2, s3
    ldr     q\s0, [args, #ARG_START]
    ldr     q\s1, [args, #ARG_START]
    ldr     q\s2, [args, #ARG_START]
    ldr     q\s3, [args, #ARG_START]
.endm

// v24 - v27 = rhs scales
.macro load_scales
    ldr     d24, [x1], #RHS_BLOCK
    ldr     d25, [x2], #RHS_BLOCK
    ldr     d26, [x3], #RHS_BLOCK
    ldr     d27, [x4], #RHS_BLOCK
    fcvtl   v24.4s, v24.4h
    fcvtl   v25.4s, v25.4h
    fcvtl   v26.4s, v26.4h
    fcvtl   v27.4s, v27.4h
.endm

// v24 - v27 = rhs scales * lhs scale
.macro multiply_scales
    fmul    v24.4s, v24.4s, v23.s[0]
    fmul    v25.4s, v25.4s, v23.s[0]
    fmul    v26.4s, v26.4s, v23.s[0]
    fmul    v27.4s, v27.4s, v23.s[0]
.endm

.macro accumulate
    fsub    v4.4s, v4.4s, v28.4s
    fsub    v5.4s, v5.4s, v28.4s
    fsub    v6.4s, v6.4s, v28.4s
    fsub    v7.4s, v7.4s, v28.4s
    fmla    v0.4s, v4.4s, v24.4s
    fmla    v1.4s, v5.4s, v25.4s
    fmla    v2.4s, v6.4s, v26.4s
    fmla    v3.4s, v7.4s, v27.4s
.endm

// Decoding of the next vector stands between the two SDOTs of a sum.
.macro block_x4
    load_packed 24, 25, 26, 27, 8
    ldur    q20, [lhs, #2]
    decode_low 24, 25, 26, 27
    start   4, 5, 6, 7
    decode_high 24, 25, 26, 27
    ldur    q21, [lhs, #18]
    load_packed 8, 9, 10, 11, 24

    sdot_low 4, 5, 6, 7, 4b[0]
    decode_low 8, 9, 10, 11
    sdot_high 4, 5, 6, 7, 24, 25, 26, 27, 4b[0]
    load_packed 24, 25, 26, 27, 40
    decode_high 8, 9, 10, 11

    sdot_low 4, 5, 6, 7, 4b[1]
    decode_low 24, 25, 26, 27
    sdot_high 4, 5, 6, 7, 8, 9, 10, 11, 4b[1]
    load_packed 8, 9, 10, 11, 56
    decode_high 24, 25, 26, 27

    sdot_low 4, 5, 6, 7, 4b[2]
    decode_low 8, 9, 10, 11
    sdot_high 4, 5, 6, 7, 24, 25, 26, 27, 4b[2]
    ldr     h23, [lhs], #LHS_BLOCK
    decode_high 8, 9, 10, 11
    load_scales
    fcvt    s23, h23

    sdot_low 4, 5, 6, 7, 4b[3]
    ldr     q28, [args, #ARG_C]
    multiply_scales
    sdot_high 4, 5, 6, 7, 8, 9, 10, 11, 4b[3]
    accumulate
.endm

.macro block_x8
    load_packed 24, 25, 26, 27, 8
    add     x7, lhs, #2
    add     x8, lhs, #18
    ld1r    {v20.2d}, [x7]
    decode_low 24, 25, 26, 27
    start   4, 5, 6, 7
    decode_high 24, 25, 26, 27
    ld1r    {v21.2d}, [x8]
    load_packed 8, 9, 10, 11, 24
    add     x7, lhs, #10
    add     x8, lhs, #26

    sdot_low 4, 5, 6, 7, 16b
    decode_low 8, 9, 10, 11
    sdot_high 4, 5, 6, 7, 24, 25, 26, 27, 16b
    start   16, 17, 18, 19
    decode_high 8, 9, 10, 11
    load_packed 24, 25, 26, 27, 40

    sdot_low 16, 17, 18, 19, 16b
    ld1r    {v20.2d}, [x7]
    decode_low 24, 25, 26, 27
    sdot_high 16, 17, 18, 19, 8, 9, 10, 11, 16b
    ld1r    {v21.2d}, [x8]
    load_packed 8, 9, 10, 11, 56
    decode_high 24, 25, 26, 27

    sdot_low 4, 5, 6, 7, 16b
    decode_low 8, 9, 10, 11
    sdot_high 4, 5, 6, 7, 24, 25, 26, 27, 16b
    ldr     h23, [lhs], #LHS_BLOCK
    decode_high 8, 9, 10, 11
    load_scales
    fcvt    s23, h23

    sdot_low 16, 17, 18, 19, 16b
    ldr     q28, [args, #ARG_C]
    multiply_scales
    sdot_high 16, 17, 18, 19, 8, 9, 10, 11, 16b
    addp    v4.4s, v4.4s, v16.4s
    addp    v5.4s, v5.4s, v17.4s
    addp    v6.4s, v6.4s, v18.4s
    addp    v7.4s, v7.4s, v19.4s
    accumulate
.endm

.macro row_function name, block
func \name, hidden
    stp     d8, d9, [sp, #-48]!
    .cfi_adjust_cfa_offset 48
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    dup     v12.4s, v0.s[0]
    dup     v13.4s, v1.s[0]
    ldp     x9, x10, [args, #ARG_LHS]
    ldp     x11, x12, [args, #ARG_RHS_STRIDE]
    ldp     x13, x14, [args, #ARG_DST]
    ldr     q22, [args, #ARG_MASK]

1:  // 16 columns
    mov     lhs, x9
    mov     x1, x10
    add     x2, x10, x11
    add     x3, x10, x11, lsl #1
    add     x4, x2, x11, lsl #1
    add     x10, x10, x11, lsl #2
    mov     x6, x12
    movi    v0.2d, #0
    movi    v1.2d, #0
    movi    v2.2d, #0
    movi    v3.2d, #0
2:
    \block
    subs    x6, x6, #1
    b.ne    2b

    fmax    v0.4s, v0.4s, v12.4s
    fmax    v1.4s, v1.4s, v12.4s
    fmax    v2.4s, v2.4s, v12.4s
    fmax    v3.4s, v3.4s, v12.4s
    fmin    v0.4s, v0.4s, v13.4s
    fmin    v1.4s, v1.4s, v13.4s
    fmin    v2.4s, v2.4s, v13.4s
    fmin    v3.4s, v3.4s, v13.4s
    stp     q0, q1, [x13], #32
    subs    x14, x14, #1
    stp     q2, q3, [x13], #32
    b.ne    1b

    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d8, d9, [sp], #48
    .cfi_adjust_cfa_offset -48
    ret
endfunc
.endm

    row_function kai_row_qsi8d32p1x4_qsi4c32p4x4_1x16_neon_dotprod, block_x4
    row_function kai_row_qsi8d32p1x8_qsi4c32p4x8_1x16_neon_dotprod, block_x8
