// f32 <- qai8dxp1x4 x (qsi8cxp, qsi4cxp) 4vlx4, row by row: SME without SME2.
//
//     S   = sum over k of lhs[k] * rhs[n][k]                                 int32; int4: of 16 rhs[n][k]
//     acc = fma(f32(S + lhs_offset * rhs_sum[n]), rhs_scale[n] * lhs_scale, bias[n])
//
// SDOT in streaming-mode registers, nothing in ZA: sme_dot.inc. int4: the lower nibbles are the first 16 of 32 k, the
// upper ones the others; bytes are 16 times the values.
//
// z2, z3  lhs_offset, lhs_scale        z12, z13  bounds
// At a panel's end: z4-z7 rhs_sum, z16-z19 scale (products of the scales), z20-z23 bias, z24-z31 S of two panels
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_dot.inc"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/qai8dxp/qai8dxp_sme_row.inc"

problem     .req x0
steps       .req x2     // of 32 k
cols        .req x3     // from this panel on
left        .req x4     // steps of these panels
lhs         .req x5
lhs_row     .req x9
dst_row     .req x11
rows        .req x12    // from this one on
rhs_stride  .req x13

// name_4 bias, z20, z21, z22, z23: vectors of 4 VL columns, bias_0 to bias_3.
.macro name_4 name, z0, z1, z2, z3
    \name\()_0 .req \z0
    \name\()_1 .req \z1
    \name\()_2 .req \z2
    \name\()_3 .req \z3
.endm

    name_4  rhs_sum, z4, z5, z6, z7
    name_4  scale, z16, z17, z18, z19
    name_4  bias, z20, z21, z22, z23
lhs_offset  .req z2
lhs_scale   .req z3

// z\s0-z\s3, S of a panel -> dst. 8 vectors before \fields: rhs_sum, then rhs_scale and bias. Clobbers S, z4-z7,
// z16-z23.
.macro store_panel s0, s1, s2, s3, fields
    load_vectors ld1w, s, 4, 5, 6, 7, \fields, -8
    load_vectors ld1w, s, 16, 17, 18, 19, \fields, -4
    load_vectors ld1w, s, 20, 21, 22, 23, \fields, 0
    columns_4
    mla     z\s0\().s, p0/m, rhs_sum_0.s, lhs_offset.s
    mla     z\s1\().s, p0/m, rhs_sum_1.s, lhs_offset.s
    mla     z\s2\().s, p0/m, rhs_sum_2.s, lhs_offset.s
    mla     z\s3\().s, p0/m, rhs_sum_3.s, lhs_offset.s
    fmul    scale_0.s, scale_0.s, lhs_scale.s
    fmul    scale_1.s, scale_1.s, lhs_scale.s
    fmul    scale_2.s, scale_2.s, lhs_scale.s
    fmul    scale_3.s, scale_3.s, lhs_scale.s
    convert_4 \s0, \s1, \s2, \s3
    fmad    z\s0\().s, p0/m, scale_0.s, bias_0.s
    fmad    z\s1\().s, p0/m, scale_1.s, bias_1.s
    fmad    z\s2\().s, p0/m, scale_2.s, bias_2.s
    fmad    z\s3\().s, p0/m, scale_3.s, bias_3.s
    clamp_4 \s0, \s1, \s2, \s3, 12, 13
    store_columns_4 \s0, \s1, \s2, \s3
.endm

// One or two panels. Two: moves rhs0 past them.
.macro panels count, kind
    clear_sums \count
    .if \count == 2
    add     rhs1, rhs0, rhs_stride
    .endif
    mov     lhs, lhs_row
    mov     left, steps
    cbz     left, 2f
1:  dot_32  \kind, \count
    subs    left, left, #1
    b.ne    1b
2:  store_panel 24, 25, 26, 27, rhs0
    .if \count == 2
    sub     cols, cols, vl4
    store_panel 28, 29, 30, 31, rhs1
    addvl   rhs0, rhs1, #12
    .endif
.endm

// kai::Qai8dxpSmeFn. Assumes m, n >= 1.
.macro row_kernel name, kind
func kai_kernel_\name, hidden
    frame   d8-d15
    smstart
    all_true
    add     left, problem, #PROBLEM_lo
    ld1rw   {z12.s}, p0/z, [left]
    ld1rw   {z13.s}, p0/z, [left, #4]
    count_vectors
    ldr     rhs_stride, [problem, #PROBLEM_rhs_stride]
    first_row

3:  // a row
    ldr     cols, [problem, #PROBLEM_n]
    ldr     rhs0, [problem, #PROBLEM_rhs]
    addvl   rhs0, rhs0, #8
    mov     dst, dst_row
    add     lhs, lhs_row, steps, lsl #5
    ld1rw   {z2.s}, p0/z, [lhs]
    ld1rw   {z3.s}, p0/z, [lhs, #4]
    each_two_panels panels, \kind
    next_row
    b.ne    3b
    smstop
    return
endfunc
.endm

row_kernel matmul_clamp_f32_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_sme_dot, int8
row_kernel matmul_clamp_f32_qai8dxp1x4_qsi4cxp4vlx4_1x4vl_sme_dot, int4_halves
