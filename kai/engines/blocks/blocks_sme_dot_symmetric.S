// f32 <- qsi8d32p1x4 x an int4 or int8 RHS with f16 scales, one row: SME without SME2.
//
//     S   = sum over a block of lhs[k] * rhs[n][k]                           int32
//     acc = fma(f32(S), lhs_scale[b] * rhs_scale[n][b], acc)                 blocks b ascending
//     dst = clamp(acc)
//
// SDOT in streaming-mode registers, nothing in ZA: sme_dot.inc. int4: a word of the RHS is 8 k of a column; bytes are
// 16 times the values, the RHS scales a sixteenth.
//
// A<p>_0-A<p>_3  running sums of panel p: z8-z11, z12-z15      z2  LHS scale      z2, z3  bounds in the end
// At a block's end: V products of the scales                   S, V, z0, z1, p0-p4: sme_dot.inc
//
// Assumes n, chunks >= 1.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_dot.inc"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/blocks/blocks_sme_args.h"

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

A0_0        .req z8
A0_1        .req z9
A0_2        .req z10
A0_3        .req z11
A1_0        .req z12
A1_1        .req z13
A1_2        .req z14
A1_3        .req z15

// Running sums A of panel \p += S times the scales, z2 and those at scale<p>, which advances. Clobbers S and V of the
// panel.
.macro add_block p
    ld1h    {V\p\()_1.h}, p0/z, [scale\p]
    ld1h    {V\p\()_3.h}, p0/z, [scale\p, #1, mul vl]
    addvl   scale\p, scale\p, #2
    zip1    V\p\()_0.h, V\p\()_1.h, V\p\()_1.h   // the conversion takes the lower half of a word
    zip2    V\p\()_1.h, V\p\()_1.h, V\p\()_1.h
    zip1    V\p\()_2.h, V\p\()_3.h, V\p\()_3.h
    zip2    V\p\()_3.h, V\p\()_3.h, V\p\()_3.h
    fcvt    V\p\()_0.s, p0/m, V\p\()_0.h
    fcvt    V\p\()_1.s, p0/m, V\p\()_1.h
    fcvt    V\p\()_2.s, p0/m, V\p\()_2.h
    fcvt    V\p\()_3.s, p0/m, V\p\()_3.h
    scvtf   S\p\()_0.s, p0/m, S\p\()_0.s
    scvtf   S\p\()_1.s, p0/m, S\p\()_1.s
    scvtf   S\p\()_2.s, p0/m, S\p\()_2.s
    scvtf   S\p\()_3.s, p0/m, S\p\()_3.s
    fmul    V\p\()_0.s, V\p\()_0.s, z2.s
    fmul    V\p\()_1.s, V\p\()_1.s, z2.s
    fmul    V\p\()_2.s, V\p\()_2.s, z2.s
    fmul    V\p\()_3.s, V\p\()_3.s, z2.s
    fmla    A\p\()_0.s, p0/m, S\p\()_0.s, V\p\()_0.s
    fmla    A\p\()_1.s, p0/m, S\p\()_1.s, V\p\()_1.s
    fmla    A\p\()_2.s, p0/m, S\p\()_2.s, V\p\()_2.s
    fmla    A\p\()_3.s, p0/m, S\p\()_3.s, V\p\()_3.s
.endm

// Results of a panel, z\a0-z\a3, to dst, which advances. z2, z3: bounds.
.macro store_panel a0, a1, a2, a3
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
    add_block 0
    .if \panels == 2
    add_block 1
    .endif
    subs    left, left, #1
    b.hs    1b
3:  ld1rw   {z2.s}, p0/z, [args, #BLOCK_ARGS_lo]
    ld1rw   {z3.s}, p0/z, [args, #BLOCK_ARGS_hi]
    store_panel 8, 9, 10, 11
    .if \panels == 2
    sub     cols, cols, vl4
    store_panel 12, 13, 14, 15
    mov     panel, scale1
    .endif
.endm

// The function for an RHS of int<bits>; kind: dot_32.
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
