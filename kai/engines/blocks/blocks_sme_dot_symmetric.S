// f32 <- qsi8d32p1x4 x an int4 or int8 RHS with f16 scales, one row: SME without SME2.
//
//     S   = sum over a block of lhs[k] * rhs[n][k]                           int32
//     acc = fma(f32(S), lhs_scale[b] * rhs_scale[n][b], acc)                 blocks b ascending
//     dst = clamp(acc)
//
// SDOT in streaming-mode registers, nothing in ZA: sme_dot.inc. int4: a word of the RHS is 8 k of a column; bytes are
// 16 times the values, the RHS scales a sixteenth.
//
// z2, z3  bounds in the end      z2  LHS scale      z8-z11, z12-z15  running sums
// At a block's end: z4-z7, z16-z19 products of the scales
//
// Assumes n, chunks >= 1.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_dot.inc"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/blocks/blocks_args.h"

args        .req x0
cols        .req x1     // from this panel on
left        .req x2     // blocks
more        .req x3     // chunks of 32 k of the block
lhs         .req x4
lhs_scale   .req x5
scale0      .req x8
scale1      .req x9
blocks      .req x11
chunks      .req x12
values      .req x13    // bytes of the values of a panel
panel       .req x19    // the first one
lhs_row     .req x20

// Running sums z\a0-z\a3 += S in z\s0-z\s3 times the scales, z2 and those at \scale, which advances. Clobbers
// z\v0-z\v3.
.macro add_block scale, v0, v1, v2, v3, s0, s1, s2, s3, a0, a1, a2, a3
    ld1h    {z\v1\().h}, p0/z, [\scale]
    ld1h    {z\v3\().h}, p0/z, [\scale, #1, mul vl]
    addvl   \scale, \scale, #2
    zip1    z\v0\().h, z\v1\().h, z\v1\().h     // the conversion takes the lower half of a word
    zip2    z\v1\().h, z\v1\().h, z\v1\().h
    zip1    z\v2\().h, z\v3\().h, z\v3\().h
    zip2    z\v3\().h, z\v3\().h, z\v3\().h
    unary_4 fcvt, \v0, \v1, \v2, \v3, s, h
    convert_4 \s0, \s1, \s2, \s3
    plain_4 fmul, \v0, \v1, \v2, \v3, \v0, \v1, \v2, \v3, 2, 2, 2, 2
    binary_4 fmla, \a0, \a1, \a2, \a3, \s0, \s1, \s2, \s3, \v0, \v1, \v2, \v3
.endm

// Results of a panel to dst, which advances.
.macro finish a0, a1, a2, a3
    columns_4
    clamp_4 \a0, \a1, \a2, \a3, 2, 3
    store_columns_4 \a0, \a1, \a2, \a3
.endm

// One or two panels, from `panel` on, which advances.
.macro multiply panels, kind
    addvl   rhs0, panel, #8
    add     scale0, panel, values
    clear_4 8, 9, 10, 11
    .if \panels == 2
    ldr     more, [args, #BLOCK_ARGS_rhs_stride]
    add     rhs1, rhs0, more
    add     scale1, scale0, more
    clear_4 12, 13, 14, 15
    .endif
    mov     lhs, lhs_row
    madd    lhs_scale, blocks, chunks, xzr
    add     lhs_scale, lhs, lhs_scale, lsl #5
    subs    left, blocks, #1
    b.lo    3f
1:  // a block
    mov     more, chunks
    clear_sums \panels
2:
    dot_32  \kind, \panels
    subs    more, more, #1
    b.ne    2b
    ld1rh   {z2.s}, p0/z, [lhs_scale]
    add     lhs_scale, lhs_scale, #2
    fcvt    z2.s, p0/m, z2.h
    add_block scale0, 4, 5, 6, 7, 24, 25, 26, 27, 8, 9, 10, 11
    .if \panels == 2
    add_block scale1, 16, 17, 18, 19, 28, 29, 30, 31, 12, 13, 14, 15
    .endif
    subs    left, left, #1
    b.hs    1b
3:  ld1rw   {z2.s}, p0/z, [args, #BLOCK_ARGS_lo]
    ld1rw   {z3.s}, p0/z, [args, #BLOCK_ARGS_hi]
    finish  8, 9, 10, 11
    .if \panels == 2
    sub     cols, cols, vl4
    finish  12, 13, 14, 15
    mov     panel, scale1
    .endif
.endm

.macro sme_dot rhs, kind, bits
func kai_kernel_matmul_clamp_f32_qsi8d32p1x4_\rhs\()_1x4vl_sme_dot, hidden
    frame   d8-d15, x19-x20
    smstart
    all_true
    count_vectors
    ldp     blocks, chunks, [args, #BLOCK_ARGS_blocks]
    mul     values, blocks, chunks
    mul     values, values, vl4
    lsl     values, values, #(3 + \bits / 4)  // 32 k, half a byte or a byte each
    ldr     cols, [args, #BLOCK_ARGS_n]
    ldr     lhs_row, [args, #BLOCK_ARGS_lhs]
    ldr     panel, [args, #BLOCK_ARGS_rhs]
    ldr     dst, [args, #BLOCK_ARGS_dst]
    each_two_panels multiply, \kind
    smstop
    return
endfunc
.endm

    sme_dot qsi4c32p4vlx4, int4_pairs, 4
    sme_dot qsi8c32p4vlx4, int8, 8
