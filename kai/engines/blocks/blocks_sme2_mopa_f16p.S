// f32 <- f16p1vlx2 x qsi4c32p4vlx2 or qai4c32p16vsx4, many rows.
//
//     w = f16(q[n][k] * scale[n][b]), qai4: f16(fma(q[n][k], scale[n][b], zero[n][b]))
//     acc = acc + (lhs[m][k] * w[n][k] + lhs[m][k + 1] * w[n][k + 1])        k = 0, 2, 4, ... ascending
//     dst = clamp(acc)
//
// FMOPA, f16 to f32: a tile adds the products of 2 k of V rows and V columns (V = SVL / 32). A step computes V rows x
// 4 V columns, a panel of either side, in four tiles. The outer loop is over columns, the inner loop over rows.
//
// 4 k of a column are two bytes of the RHS: a vector with the first byte of all columns and one with the second (UZP)
// are 2 k of 4 V columns each, which LUTI4 and FMUL turn into f16 weights; FMAD those of qai4.
//
// Scales of qsi4 follow the values of a panel. After 32 values of qai4 there are zeros, then scales, each of a column
// of the left half of the panel and one of the right half in turn.
//
// z0-z3    8 k of the LHS: V rows x 2 k each      z4-z7    8 k of the RHS: 2 V columns x 4 k each
// z8-z11   nibbles, 2 k of 4 V columns each       z12-z23  weights      z24-z27  scales, twice each
// z28-z31  qai4: zeros, twice each
// za0-za3  sums                                   in the end: z0-z3 a row, z4, z5 bounds
// p0, pn8  all    pn9  columns to store
//
// Assumes m, n >= 1. Rows of the panel beyond m are computed, not stored.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/blocks/blocks_sme_args.h"

    alias   args, x0
    alias   lhs, x1             // cursor
    alias   rhs, x2             // cursor
    alias   more, x3            // 8 k of the block left
    alias   left, x4            // blocks left
    alias   scales, x5          // cursor
    alias   rows, x6            // left, from this panel on
    alias   cols, x7            // left, from this panel on
    alias   dst_stride, x8
    alias   blocks, x9
    alias   block_steps, x10    // 8 k in a block
    alias   rhs_panel, x11
    alias   dst_columns, x13    // row 0 at the columns of the panel
    alias   dst, x14
    alias   vl, x15
    alias   count, x16
    alias   values, x17         // bytes of the values of a panel of either side

// At the start of a block: z24-z27 = its scales, f16, each of them twice; qai4: z28-z31 = its zeros. Advances scales
// (qsi4). Clobbers z12-z15.
.macro load_fields_qsi4
    ld1h    {z12.h}, p0/z, [scales]
    ld1h    {z13.h}, p0/z, [scales, #1, mul vl]
    addvl   scales, scales, #2
    zip1    z24.h, z12.h, z12.h
    zip2    z25.h, z12.h, z12.h
    zip1    z26.h, z13.h, z13.h
    zip2    z27.h, z13.h, z13.h
.endm
// Likewise; rhs is at the values of the block.
.macro load_fields_qai4
    ld1b    {z12.b-z15.b}, pn8/z, [rhs, #16, mul vl]
    trn1    z24.h, z14.h, z14.h
    trn1    z25.h, z15.h, z15.h
    trn2    z26.h, z14.h, z14.h
    trn2    z27.h, z15.h, z15.h
    trn1    z28.h, z12.h, z12.h
    trn1    z29.h, z13.h, z13.h
    trn2    z30.h, z12.h, z12.h
    trn2    z31.h, z13.h, z13.h
.endm

// rhs is past the values of a block.
.macro end_block_qsi4
.endm
.macro end_block_qai4
    addvl   rhs, rhs, #4
.endm

// Weights of 2 k of V columns: z\w = f16(z\w * scale), qai4: with the zero.
.macro weights_qsi4 w, s, z
    fmul    z\w\().h, z\w\().h, z\s\().h
.endm
.macro weights_qai4 w, s, z
    fmad    z\w\().h, p0/m, z\s\().h, z\z\().h
.endm

// Tiles += 2 k: rows z\l, columns from the nibbles of z\n. z\a, z\b (a, b even) and the next ones: weights.
.macro mopa_2_k rhs, l, n, a, a1, b, b1
    luti4   {z\a\().h-z\a1\().h}, zt0, z\n[0]
    luti4   {z\b\().h-z\b1\().h}, zt0, z\n[1]
    weights_\rhs \a, 24, 28
    weights_\rhs \a1, 25, 29
    weights_\rhs \b, 26, 30
    weights_\rhs \b1, 27, 31
    fmopa   za0.s, p0/m, p0/m, z\l\().h, z\a\().h
    fmopa   za1.s, p0/m, p0/m, z\l\().h, z\a1\().h
    fmopa   za2.s, p0/m, p0/m, z\l\().h, z\b\().h
    fmopa   za3.s, p0/m, p0/m, z\l\().h, z\b1\().h
.endm

// The kernel: void(const kai::BlockArgs*). rhs: qsi4 or qai4
.macro mopa_f16p name, rhs
func \name, hidden
    frame   d8-d15
    smstart
    ldr     count, [args, #BLOCK_ARGS_table]
    ldr     zt0, [count]
    all_true
    cntw    vl
    ldr     cols, [args, #BLOCK_ARGS_n]
    ldp     blocks, block_steps, [args, #BLOCK_ARGS_blocks]
    mul     values, blocks, block_steps
    lsl     block_steps, block_steps, #2
    mul     values, values, vl
    lsl     values, values, #6                  // 32 k of 4 V columns, half a byte each
    ldr     rhs_panel, [args, #BLOCK_ARGS_rhs]
    ldp     dst_columns, dst_stride, [args, #BLOCK_ARGS_dst]

0:  // a panel of the RHS
    ldr     rows, [args, #BLOCK_ARGS_m]
    ldr     lhs, [args, #BLOCK_ARGS_lhs]
    mov     dst, dst_columns
    whilelo pn9.s, xzr, cols, vlx4

1:  // a panel of the LHS
    mov     rhs, rhs_panel
    add     scales, rhs_panel, values
    zero    {za}
    subs    left, blocks, #1
    b.lo    4f
2:  // a block
    load_fields_\rhs
    mov     more, block_steps
3:  // 8 k
    ld1b    {z4.b-z7.b}, pn8/z, [rhs]
    ld1b    {z0.b-z3.b}, pn8/z, [lhs]
    addvl   rhs, rhs, #4
    addvl   lhs, lhs, #4
    uzp1    z8.b, z4.b, z5.b
    uzp2    z9.b, z4.b, z5.b
    uzp1    z10.b, z6.b, z7.b
    uzp2    z11.b, z6.b, z7.b
    mopa_2_k \rhs, 0, 8, 12, 13, 14, 15
    mopa_2_k \rhs, 1, 9, 16, 17, 18, 19
    mopa_2_k \rhs, 2, 10, 20, 21, 22, 23
    mopa_2_k \rhs, 3, 11, 12, 13, 14, 15
    subs    more, more, #1
    b.ne    3b
    end_block_\rhs
    subs    left, left, #1
    b.hs    2b

4:  // store
    ld1rw   {z4.s}, p0/z, [args, #BLOCK_ARGS_lo]
    ld1rw   {z5.s}, p0/z, [args, #BLOCK_ARGS_hi]
    cmp     rows, vl
    csel    count, rows, vl, lo
    mov     w12, #0
5:
    read_4_slices 0, 3, 0, 1, 2, 3              // row w12 / 4 of za0-za3
    add     w12, w12, #4
    clamp_4 0, 1, 2, 3, 4, 5
    st1w    {z0.s-z3.s}, pn9, [dst]
    add     dst, dst, dst_stride
    subs    count, count, #1
    b.ne    5b
    ldr     count, [args, #BLOCK_ARGS_lhs_stride]   // lhs is past the values of the panel
    sub     count, count, values
    add     lhs, lhs, count
    subs    rows, rows, vl
    b.hi    1b
    ldr     count, [args, #BLOCK_ARGS_rhs_stride]
    add     rhs_panel, rhs_panel, count
    addvl   dst_columns, dst_columns, #4
    sub     cols, cols, vl, lsl #2
    cmp     cols, #0
    b.gt    0b
    smstop
    return
endfunc
.endm

    mopa_f16p kai_kernel_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa, qsi4
    mopa_f16p kai_kernel_matmul_clamp_f32_f16p4vsx2_qai4c32p16vsx4s1s0sf16_4vsx16vs_sme2_mopa, qai4
