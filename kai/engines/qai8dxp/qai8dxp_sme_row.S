// f32 <- qai8dxp1x4 x (qsi8cxp, qsi4cxp) 4vlx4, row by row: SME without SME2.
//
//     S   = sum over k of lhs[k] * rhs[n][k]                                 int32; int4: of 16 rhs[n][k]
//     acc = fma(f32(S + lhs_offset * rhs_sum[n]), rhs_scale[n] * lhs_scale, bias[n])
//
// SDOT in streaming-mode registers, nothing in ZA. Two panels of 4 VL columns at a time, because with the sums of one
// alone SDOT would wait for itself; they share what is loaded of the LHS. If their number is odd, the last one is
// alone. int4: the bytes shifted left by 4 are 16 times the values of the first 16 k, their upper halves those of the
// others.
//
// z0, z1   16 values of the LHS in each 128 bits         z2, z3  lhs_offset, lhs_scale        z12, z13  bounds
// z4-z7    RHS bytes, first panel       z16-z19  second        z8-z11, z20-z23  int4 shifted
// z24-z27  S, first panel               z28-z31  second
// At a panel's end: z4-z7 rhs_sum, z16-z19 products of the scales, z20-z23 bias
// p0  all      p1-p4  columns to store
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

// rhs0, of 2 panels rhs1 too, \vectors further.
.macro advance panels, vectors
    addvl   rhs0, rhs0, #\vectors
    .if \panels == 2
    addvl   rhs1, rhs1, #\vectors
    .endif
.endm

// ---- S += LHS x RHS of a step, by the kind of RHS: step_<kind> panels.

.macro quarter_int8 panels, l, i, at
    load_vectors ld1b, b, 4, 5, 6, 7, rhs0, \at
    .if \panels == 2
    load_vectors ld1b, b, 16, 17, 18, 19, rhs1, \at
    .endif
    dot_4   24, 25, 26, 27, 4, 5, 6, 7, \l, \i
    .if \panels == 2
    dot_4   28, 29, 30, 31, 16, 17, 18, 19, \l, \i
    .endif
.endm

.macro half_int8 panels, l
    quarter_int8 \panels, \l, 0, -8
    quarter_int8 \panels, \l, 1, -4
    quarter_int8 \panels, \l, 2, 0
    quarter_int8 \panels, \l, 3, 4
    advance \panels, 16
.endm

.macro step_int8 panels
    half_int8 \panels, 0
    half_int8 \panels, 1
.endm

.macro quarter_int4 panels, i, at
    load_vectors ld1b, b, 4, 5, 6, 7, rhs0, \at
    nibbles 4, 5, 6, 7, 8, 9, 10, 11
    .if \panels == 2
    load_vectors ld1b, b, 16, 17, 18, 19, rhs1, \at
    nibbles 16, 17, 18, 19, 20, 21, 22, 23
    .endif
    dot_4   24, 25, 26, 27, 8, 9, 10, 11, 0, \i
    .if \panels == 2
    dot_4   28, 29, 30, 31, 20, 21, 22, 23, 0, \i
    .endif
    dot_4   24, 25, 26, 27, 4, 5, 6, 7, 1, \i
    .if \panels == 2
    dot_4   28, 29, 30, 31, 16, 17, 18, 19, 1, \i
    .endif
.endm

.macro step_int4 panels
    quarter_int4 \panels, 0, -8
    quarter_int4 \panels, 1, -4
    quarter_int4 \panels, 2, 0
    quarter_int4 \panels, 3, 4
    advance \panels, 16
.endm

// ---- S of one or two panels; then z\s0-z\s3, S of a panel -> dst. \fields: rhs_sum, rhs_scale and bias.

.macro multiply panels, rhs_kind
    .irp s, z24.s, z25.s, z26.s, z27.s, z28.s, z29.s, z30.s, z31.s
    mov     \s, #0
    .endr
    .if \panels == 2
    add     rhs1, rhs0, rhs_stride
    .endif
    mov     lhs, lhs_row
    mov     left, steps
    cbz     left, 2f
1:  ld1rqb  {z0.b}, p0/z, [lhs]
    ld1rqb  {z1.b}, p0/z, [lhs, #16]
    add     lhs, lhs, #32
    step_\rhs_kind \panels
    subs    left, left, #1
    b.ne    1b
2:
.endm

.macro finish s0, s1, s2, s3, fields
    load_vectors ld1w, s, 4, 5, 6, 7, \fields, -8
    load_vectors ld1w, s, 16, 17, 18, 19, \fields, -4
    load_vectors ld1w, s, 20, 21, 22, 23, \fields, 0
    columns_4
    binary_4 mla, \s0, \s1, \s2, \s3, 4, 5, 6, 7, 2, 2, 2, 2
    plain_4 fmul, 16, 17, 18, 19, 16, 17, 18, 19, 3, 3, 3, 3
    convert_4 \s0, \s1, \s2, \s3
    binary_4 fmad, \s0, \s1, \s2, \s3, 16, 17, 18, 19, 20, 21, 22, 23
    clamp_4 \s0, \s1, \s2, \s3, 12, 13
    store_columns_4 \s0, \s1, \s2, \s3
.endm

// kai::SmeKernelFn. Assumes m, n >= 1.
.macro row_kernel name, rhs_kind
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
    cmp     cols, vl4
    b.ls    5f

4:  // two panels
    multiply 2, \rhs_kind
    finish  24, 25, 26, 27, rhs0
    sub     cols, cols, vl4
    finish  28, 29, 30, 31, rhs1
    addvl   rhs0, rhs1, #12
    subs    cols, cols, vl4
    b.ls    6f
    cmp     cols, vl4
    b.hi    4b

5:  // one panel
    multiply 1, \rhs_kind
    finish  24, 25, 26, 27, rhs0

6:  // the next row
    next_row
    b.ne    3b
    smstop
    return
endfunc
.endm

row_kernel matmul_clamp_f32_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_sme_dot, int8
row_kernel matmul_clamp_f32_qai8dxp1x4_qsi4cxp4vlx4_1x4vl_sme_dot, int4
