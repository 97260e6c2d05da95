// f32, f16 <- qai8dxp1x4 x (qsi8cxp, qsi4cxps1s0) 4vlx4, row by row.
//
//     S   = sum over k of lhs[k] * rhs[n][k]                                 int32
//     acc = fma(f32(S + lhs_offset * rhs_sum[n]), rhs_scale[n] * lhs_scale, bias[n])
//
// One panel of 4 VL columns after the other. SDOT sums four vectors of RHS values, int4 decoded by LUTI4, in a group of
// four ZA vectors. The products of the scales are made in ZA too, where multiplying costs less than in streaming-mode
// registers, and before the panel: then nothing writes ZA between the last SDOT of a panel and the first of the next.
//
// A group of ZA vectors v, v + VL, v + 2 VL, v + 3 VL lies in one tile: rows 0, VL/4, VL/2, 3 VL/4 of za<v>.s.
// group 0  S                     group 1  products of the scales
// z0, z1   16 values of the LHS in each 128 bits         z2, z3  lhs_offset, lhs_scale
// z4-z7    RHS bytes             z8-z15   RHS values; z4, z5  also the bounds
// z16-z19  rhs_sum               z20-z23  products of the scales
// z24-z27  S, result             z28-z31  bias
// p0, pn8  all    pn9  columns to store      w8 0      w12-w15  the rows above
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/asm/asm.h"
#include "kai/asm/sme_args.h"

    alias   problem, x0
    alias   table, x1
    alias   steps, x2       // of 32 k
    alias   cols, x3        // from this panel on
    alias   left, x4        // steps of this panel
    alias   lhs, x5
    alias   rhs, x6
    alias   dst, x7
    alias   fields, x9      // of this panel: rhs_sum, rhs_scale, bias
    alias   lhs_row, x10
    alias   dst_row, x11
    alias   rows, x16       // from this one on
    alias   values, x17     // bytes of a panel before its fields

// 32 values of the LHS -> z0, z1.
.macro load_lhs
    ld1rqb  {z0.b}, p0/z, [lhs]
    ld1rqb  {z1.b}, p0/z, [lhs, #16]
    add     lhs, lhs, #32
.endm

// Group \g to z\r0-z\r3.
.macro read_group g, r0, r1, r2, r3
    mova    z\r0\().s, p0/m, za\g\()h.s[w12, 0]
    mova    z\r1\().s, p0/m, za\g\()h.s[w13, 0]
    mova    z\r2\().s, p0/m, za\g\()h.s[w14, 0]
    mova    z\r3\().s, p0/m, za\g\()h.s[w15, 0]
.endm

// Four times the instruction.
.macro each_of_4 insn, r, a, b, r1, a1, b1, r2, a2, b2, r3, a3, b3
    \insn   z\r\().s, p0/m, z\a\().s, z\b\().s
    \insn   z\r1\().s, p0/m, z\a1\().s, z\b1\().s
    \insn   z\r2\().s, p0/m, z\a2\().s, z\b2\().s
    \insn   z\r3\().s, p0/m, z\a3\().s, z\b3\().s
.endm

// Group 0 += word \i of z\l x 4 values of the RHS, at \at vectors from rhs. Clobbers \r0-\r3.
.macro dot_int8 l, i, at, r0, r3
    ld1b    {\r0\().b-\r3\().b}, pn8/z, [rhs, #\at, mul vl]
    sdot    za.s[w8, 0, vgx4], {\r0\().b-\r3\().b}, z\l\().b[\i]
.endm

// The same for words \i and \i1. Clobbers z4-z15.
.macro dot_2_int4 l, i, i1, at
    ld1b    {z4.b-z7.b}, pn8/z, [rhs, #\at, mul vl]
    luti4   {z8.b-z9.b}, zt0, z4[0]
    luti4   {z10.b-z11.b}, zt0, z5[0]
    sdot    za.s[w8, 0, vgx4], {z8.b-z11.b}, z\l\().b[\i]
    luti4   {z12.b-z13.b}, zt0, z6[0]
    luti4   {z14.b-z15.b}, zt0, z7[0]
    sdot    za.s[w8, 0, vgx4], {z12.b-z15.b}, z\l\().b[\i1]
.endm

// What a kind of RHS is: its bytes for a step of 32 k in vectors, and the step.

.equ vectors_int8, 32
.macro step_int8
    dot_int8 0, 0, 0, z4, z7
    dot_int8 0, 1, 4, z8, z11
    dot_int8 0, 2, 8, z12, z15
    dot_int8 0, 3, 12, z4, z7
    dot_int8 1, 0, 16, z8, z11
    dot_int8 1, 1, 20, z12, z15
    dot_int8 1, 2, 24, z4, z7
    dot_int8 1, 3, 28, z8, z11
    addvl   rhs, rhs, #16
    addvl   rhs, rhs, #16
.endm

.equ vectors_int4, 16
.macro step_int4
    dot_2_int4 0, 0, 1, 0
    dot_2_int4 0, 2, 3, 4
    dot_2_int4 1, 0, 1, 8
    dot_2_int4 1, 2, 3, 12
    addvl   rhs, rhs, #16
.endm

// z24-z27 within the bounds. NaN stays NaN.
.macro clamp
    add     left, problem, #KAI_PROBLEM_LO
    ld1rw   {z4.s}, p0/z, [left]
    ld1rw   {z5.s}, p0/z, [left, #4]
    fmax    {z24.s-z27.s}, {z24.s-z27.s}, z4.s
    fmin    {z24.s-z27.s}, {z24.s-z27.s}, z5.s
.endm

// z24-z27 -> the columns that are left of 4 VL. Advances dst.
.macro store_f32
    whilelo pn9.s, xzr, cols, vlx4
    st1w    {z24.s-z27.s}, pn9, [dst]
    addvl   dst, dst, #4
.endm

.macro store_f16
    whilelo pn9.h, xzr, cols, vlx2
    fcvt    z24.h, {z24.s-z25.s}
    fcvt    z25.h, {z26.s-z27.s}
    st1h    {z24.h-z25.h}, pn9, [dst]
    addvl   dst, dst, #2
.endm

// Assumes m, n >= 1.
.macro row_kernel name, rhs_kind, out
func kai_kernel_\name, hidden
    sme_enter
    .ifnc \rhs_kind, int8
    ldr     zt0, [table]
    .endif
    ptrue   p0.b
    ptrue   pn8.b
    mov     w8, #0
    cntd    x13
    mov     w12, #0
    lsr     w13, w13, #1                        // VL / 4
    lsl     w14, w13, #1
    add     w15, w13, w14
    rdvl    values, #(vectors_\rhs_kind - 1)
    addvl   values, values, #1
    mul     values, values, steps
    ldr     rows, [problem, #KAI_PROBLEM_M]
    ldr     lhs_row, [problem, #KAI_PROBLEM_LHS]
    ldr     dst_row, [problem, #KAI_PROBLEM_DST]

1:  // a row
    ldr     cols, [problem, #KAI_PROBLEM_N]
    ldr     rhs, [problem, #KAI_PROBLEM_RHS]
    mov     dst, dst_row
    add     lhs, lhs_row, steps, lsl #5
    ld1rw   {z2.s}, p0/z, [lhs]
    ld1rw   {z3.s}, p0/z, [lhs, #4]

2:  // a panel
    zero    {za0.s, za1.s}
    add     fields, rhs, values
    ld1w    {z20.s-z23.s}, pn8/z, [fields, #4, mul vl]
    fmla    za.s[w8, 1, vgx4], {z20.s-z23.s}, z3.s
    mov     lhs, lhs_row
    read_group 1, 20, 21, 22, 23
    mov     left, steps
    cbz     left, 4f

3:  load_lhs
    step_\rhs_kind
    subs    left, left, #1
    b.ne    3b

4:  read_group 0, 24, 25, 26, 27
    ld1w    {z16.s-z19.s}, pn8/z, [fields]
    ld1w    {z28.s-z31.s}, pn8/z, [fields, #8, mul vl]
    addvl   rhs, fields, #12
    each_of_4 mla,  24, 16, 2,  25, 17, 2,  26, 18, 2,  27, 19, 2
    scvtf   {z24.s-z27.s}, {z24.s-z27.s}
    each_of_4 fmad, 24, 20, 28, 25, 21, 29, 26, 22, 30, 27, 23, 31
    clamp
    store_\out
    addvl   cols, cols, #-1                     // 4 VL columns
    cmp     cols, #0
    b.gt    2b

    ldr     left, [problem, #KAI_PROBLEM_LHS_STRIDE]
    add     lhs_row, lhs_row, left
    ldr     left, [problem, #KAI_PROBLEM_DST_STRIDE]
    add     dst_row, dst_row, left
    subs    rows, rows, #1
    b.ne    1b
    sme_leave
    ret
endfunc
.endm

row_kernel matmul_clamp_f32_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_sme2_dot, int8, f32
row_kernel matmul_clamp_f16_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_sme2_dot, int8, f16
row_kernel matmul_clamp_f32_qai8dxp1x4_qsi4cxp4vlx4_1x4vl_sme2_sdot, int4, f32
row_kernel matmul_clamp_f16_qai8dxp1x4_qsi4cxp4vlx4_1x4vl_sme2_sdot, int4, f16
