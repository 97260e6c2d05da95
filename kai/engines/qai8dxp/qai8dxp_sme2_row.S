// f32, f16 <- qai8dxp1x4 x (qsi8cxp, qsi4cxps1s0, qsu2cxp, qsi4c32ps1s0) 4vlx4, row by row.
//
// Per channel:
//     S   = sum over k of lhs[k] * rhs[n][k]                                 int32
//     acc = fma(f32(S + lhs_offset * rhs_sum[n]), rhs_scale[n] * lhs_scale, bias[n])
// In blocks of columns:
//     f   = rhs_sum[n] * f32(lhs_offset)
//     f   = fma(f32(S), rhs_scale[n][b], f)                                  blocks b ascending
//     acc = fma(f, lhs_scale, bias[n])
//
// One panel of 4 VL columns after the other. SDOT sums four vectors of RHS values, which LUTI4 or LUTI2 decode, in a
// group of four ZA vectors. Scaling is done in ZA, too, where possible: multiplying there costs less than in
// streaming-mode registers.
//
// group 0  S                     group 1  per channel: products of the scales          group 3  blocks: -f
// z0, z1   16 values of the LHS in each 128 bits         z2, z3  lhs_offset (blocks: f32), lhs_scale
// z4-z7    RHS bytes             z8-z15   RHS values
// z24-z27  result                p0, pn8  all    pn9  columns to store      w8, w12-w15  sme2_groups.inc
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_groups.inc"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/qai8dxp/qai8dxp_sme_row.inc"

    alias   problem, x0
    alias   table, x1
    alias   scales, x1      // blocks: of this one, when the table is in ZT0
    alias   steps, x2       // of 32 k
    alias   part, x3        // blocks: steps of a part of a block, whose S is exact in f32
    alias   parts, x4       // blocks: parts of a block
    alias   lhs, x5
    alias   rhs, x6
    alias   dst, x7
    alias   fields, x9      // of this panel; only when it begins
    alias   more, x9        // blocks: steps of this part
    alias   lhs_row, x10
    alias   dst_row, x11
    alias   rows, x16       // from this one on
    alias   cols, x17       // from this panel on
    alias   left, x19       // steps of this panel
    alias   parts_left, x20 // of this block

// name_4 bias, z20, z21, z22, z23: vectors of 4 VL columns, bias_0 to bias_3.
.macro name_4 name, z0, z1, z2, z3
    \name\()_0 .req \z0
    \name\()_1 .req \z1
    \name\()_2 .req \z2
    \name\()_3 .req \z3
.endm

    name_4  result, z24, z25, z26, z27
    name_4  rhs_sum, z16, z17, z18, z19         // per channel
    name_4  scale, z20, z21, z22, z23           // products of the scales
    name_4  bias, z28, z29, z30, z31
    name_4  block_bias, z16, z17, z18, z19      // in blocks
lhs_offset  .req z2
lhs_scale   .req z3

// ---- Group 0 += LHS x RHS of a step, by the kind of RHS. half_<kind>: words 0-3 of z\l, RHS \at halves of a step from
// rhs. advance_<kind>: rhs to the next step. All clobber z4-z15.

// Four vectors a word.
.macro half_int8 l, at
    ld1b    {z4.b-z7.b}, pn8/z, [rhs, 16 * \at, mul vl]
    sdot    za.s[w8, 0, vgx4], {z4.b-z7.b}, z\l\().b[0]
    ld1b    {z8.b-z11.b}, pn8/z, [rhs, 16 * \at + 4, mul vl]
    sdot    za.s[w8, 0, vgx4], {z8.b-z11.b}, z\l\().b[1]
    ld1b    {z12.b-z15.b}, pn8/z, [rhs, 16 * \at + 8, mul vl]
    sdot    za.s[w8, 0, vgx4], {z12.b-z15.b}, z\l\().b[2]
    ld1b    {z4.b-z7.b}, pn8/z, [rhs, 16 * \at + 12, mul vl]
    sdot    za.s[w8, 0, vgx4], {z4.b-z7.b}, z\l\().b[3]
.endm

.macro advance_int8
    addvl   rhs, rhs, #16
    addvl   rhs, rhs, #16
.endm

.macro half_int4 l, at
    dot_8_int4 0, \l, 0, 1, rhs, 8 * \at
    dot_8_int4 0, \l, 2, 3, rhs, 8 * \at + 4
.endm

.macro advance_int4
    addvl   rhs, rhs, #16
.endm

// One vector a word: LUTI2 makes four of it.
.macro half_int2 l, at
    ld1b    {z4.b-z7.b}, pn8/z, [rhs, 4 * \at, mul vl]
    luti2   {z8.b-z11.b}, zt0, z4[0]
    sdot    za.s[w8, 0, vgx4], {z8.b-z11.b}, z\l\().b[0]
    luti2   {z12.b-z15.b}, zt0, z5[0]
    sdot    za.s[w8, 0, vgx4], {z12.b-z15.b}, z\l\().b[1]
    luti2   {z8.b-z11.b}, zt0, z6[0]
    sdot    za.s[w8, 0, vgx4], {z8.b-z11.b}, z\l\().b[2]
    luti2   {z12.b-z15.b}, zt0, z7[0]
    sdot    za.s[w8, 0, vgx4], {z12.b-z15.b}, z\l\().b[3]
.endm

.macro advance_int2
    addvl   rhs, rhs, #8
.endm

// 32 k. Clobbers z0, z1 too. Advances lhs, rhs.
.macro step rhs_kind
    load_row_32 0, 1, lhs
    half_\rhs_kind 0, 0
    half_\rhs_kind 1, 1
    advance_\rhs_kind
.endm

// ---- A panel -> z24-z27, before the clamp, for each kind of scales. begin_<scaling>: once per row. In: rhs and lhs at
// the start of the panel; out: rhs at the next panel. A panel ends with `fields_<scaling>` vectors.

.equ fields_channels, 12                        // rhs_sum, rhs_scale, bias
.macro begin_channels
.endm

// The products of the scales are made first: then nothing writes ZA between the last SDOT of a panel and the first of
// the next. z16-z19 rhs_sum, z20-z23 products of the scales, z28-z31 bias
.macro panel_channels rhs_kind
    zero    {za0.s, za1.s}
    ld1w    {z20.s-z23.s}, pn8/z, [fields, #4, mul vl]
    fmla    za.s[w8, 1, vgx4], {z20.s-z23.s}, z3.s
    read_group 1, 20, 21, 22, 23
    mov     left, steps
    cbz     left, 2f
1:  step    \rhs_kind
    subs    left, left, #1
    b.ne    1b
2:  read_group 0, 24, 25, 26, 27
    ld1w    {z16.s-z19.s}, pn8/z, [rhs]
    ld1w    {z28.s-z31.s}, pn8/z, [rhs, #8, mul vl]
    addvl   rhs, rhs, #fields_channels
    mla     result_0.s, p0/m, rhs_sum_0.s, lhs_offset.s
    mla     result_1.s, p0/m, rhs_sum_1.s, lhs_offset.s
    mla     result_2.s, p0/m, rhs_sum_2.s, lhs_offset.s
    mla     result_3.s, p0/m, rhs_sum_3.s, lhs_offset.s
    convert_4 24, 25, 26, 27
    fmad    result_0.s, p0/m, scale_0.s, bias_0.s
    fmad    result_1.s, p0/m, scale_1.s, bias_1.s
    fmad    result_2.s, p0/m, scale_2.s, bias_2.s
    fmad    result_3.s, p0/m, scale_3.s, bias_3.s
.endm

.equ fields_blocks, 8                           // rhs_sum, bias
// lhs_offset as f32; z28-z31 = 1.5 * 2^23. Clobbers x9.
.macro begin_blocks
    scvtf   z2.s, p0/m, z2.s
    mov     w9, #0x4b400000
    mov     z28.s, w9
    mov     z29.d, z28.d
    mov     z30.d, z28.d
    mov     z31.d, z28.d
.endm

// S starts at the bits of the f32 1.5 * 2^23: one FSUB in ZA then converts it. The addend, z16-z19 times z20-z23, is
// added in the middle of the next part, so that nothing waits for it: first rhs_sum times the offset, then S times the
// scale of each part. FMLS collects -f (kai_cycles.py misreads FMLA of two groups).
// z16-z19 S of the previous part; bias  z20-z23 its scales    z24 0    z28-z31 1.5 * 2^23
.macro panel_blocks rhs_kind
    zero    {za3.s}
    ld1w    {z16.s-z19.s}, pn8/z, [fields]
    mov     z20.d, z2.d
    mov     z21.d, z2.d
    mov     z22.d, z2.d
    mov     z23.d, z2.d
    mov     z24.s, #0
    mov     parts_left, parts
    mov     left, steps
    cbz     left, 4f
1:  // a part
    mova    za.d[w8, 0, vgx4], {z28.d-z31.d}
    load_row_32 0, 1, lhs
    half_\rhs_kind 0, 0
    fmls    za.s[w8, 3, vgx4], {z16.s-z19.s}, {z20.s-z23.s}
    half_\rhs_kind 1, 1
    advance_\rhs_kind
    subs    more, part, #1
    b.eq    3f
2:  step    \rhs_kind
    subs    more, more, #1
    b.ne    2b
3:  fsub    za.s[w8, 0, vgx4], {z28.s-z31.s}
    read_group 0, 16, 17, 18, 19
    sub     parts_left, parts_left, #1
    rdvl    scales, #16                         // scales follow the remaining parts, 16 vectors per step
    mul     scales, scales, part
    madd    scales, scales, parts_left, rhs
    ld1h    {z4.h-z5.h}, pn8/z, [scales]        // bf16
    zip     {z20.h-z21.h}, z24.h, z4.h
    zip     {z22.h-z23.h}, z24.h, z5.h
    cbnz    parts_left, 5f
    mov     parts_left, parts
    addvl   rhs, rhs, #2
5:  subs    left, left, part
    b.ne    1b
4:  fmls    za.s[w8, 3, vgx4], {z16.s-z19.s}, {z20.s-z23.s}
    ld1w    {z16.s-z19.s}, pn8/z, [rhs, #4, mul vl]
    addvl   rhs, rhs, #fields_blocks
    read_group 3, 24, 25, 26, 27
    fmsb    result_0.s, p0/m, lhs_scale.s, block_bias_0.s
    fmsb    result_1.s, p0/m, lhs_scale.s, block_bias_1.s
    fmsb    result_2.s, p0/m, lhs_scale.s, block_bias_2.s
    fmsb    result_3.s, p0/m, lhs_scale.s, block_bias_3.s
.endm

// z24-z27 within the bounds. NaN stays NaN. Clobbers z4, z5, left.
.macro clamp
    add     left, problem, #PROBLEM_lo
    ld1rw   {z4.s}, p0/z, [left]
    ld1rw   {z5.s}, p0/z, [left, #4]
    clamp_4 24, 25, 26, 27, 4, 5
.endm

// Stores z24-z27, 4 VL columns or what remains. Advances dst. Clobbers left. any: f32 or f16, as the problem says.
.macro store_any
    ldr     left, [problem, #PROBLEM_out]
    cbnz    left, 8f
    store_f32
    b       9f
8:  store_f16
9:
.endm

.macro store_f32
    whilelo pn9.s, xzr, cols, vlx4
    st1w    {z24.s-z27.s}, pn9, [dst]
    addvl   dst, dst, #4
.endm

// As f16; clobbers z24, z25.
.macro store_f16
    whilelo pn9.h, xzr, cols, vlx2
    fcvt    z24.h, {z24.s-z25.s}
    fcvt    z25.h, {z26.s-z27.s}
    st1h    {z24.h-z25.h}, pn9, [dst]
    addvl   dst, dst, #2
.endm

// kai::Qai8dxpSmeFn. Assumes m, n >= 1.
.macro row_kernel name, scaling, rhs_kind, out
func kai_kernel_\name, hidden
    frame   d8-d15, x19-x20
    smstart
    .ifnc \rhs_kind, int8
    ldr     zt0, [table]
    .endif
    all_true
    address_groups
    first_row

6:  // a row
    ldr     cols, [problem, #PROBLEM_n]
    ldr     rhs, [problem, #PROBLEM_rhs]
    mov     dst, dst_row
    add     lhs, lhs_row, steps, lsl #5
    ld1rw   {z2.s}, p0/z, [lhs]
    ld1rw   {z3.s}, p0/z, [lhs, #4]
    begin_\scaling

7:  // a panel
    ldr     fields, [problem, #PROBLEM_rhs_stride]
    add     fields, rhs, fields
    addvl   fields, fields, #-fields_\scaling
    mov     lhs, lhs_row
    panel_\scaling \rhs_kind
    clamp
    store_\out
    addvl   cols, cols, #-1                     // 4 VL columns
    cmp     cols, #0
    b.gt    7b

    next_row
    b.ne    6b
    smstop
    return
endfunc
.endm

row_kernel matmul_clamp_f32_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_sme2_dot, channels, int8, any
row_kernel matmul_clamp_f32_qai8dxp1x4_qsi4cxp4vlx4_1x4vl_sme2_sdot, channels, int4, any
row_kernel matmul_clamp_f32_qai8dxp1x4_qsu2cxp4vlx4_1x4vl_sme2_dot, channels, int2, f32
row_kernel matmul_clamp_f32_qai8dxp1x4_qsi4c32p4vlx4_1x4vl_sme2_dot, blocks, int4, f32
same_func kai_kernel_matmul_clamp_f16_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_sme2_dot, \
    kai_kernel_matmul_clamp_f32_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_sme2_dot
same_func kai_kernel_matmul_clamp_f16_qai8dxp1x4_qsi4cxp4vlx4_1x4vl_sme2_sdot, \
    kai_kernel_matmul_clamp_f32_qai8dxp1x4_qsi4cxp4vlx4_1x4vl_sme2_sdot
