// f32 <- qai8dxp1x4 x qsi4c32p16vsx4s4s0, one row: SME without SME2.
//
//     S = sum over a block of lhs[k] * 16 rhs[n][k]                          int32
//     f = fma(f32(S), rhs_scale[n][b] / 16, f)                               blocks b ascending
//     f = fma(rhs_sum[n], f32(lhs_offset), f)
//     dst = clamp(fma(f, lhs_scale, bias[n]))
//
// SDOT in streaming-mode registers, nothing in ZA: sme_dot.inc. A word of the RHS is 8 k of a column.
//
// z2, z3  in the end lhs_offset, lhs_scale, then bounds      z8-z11, z12-z15  f      z2  0 until then
// At a block's end: z4-z7, z16-z19 scales; at a panel's: z4-z7 rhs_sum, z16-z19 bias
//
// Assumes m = 1, n >= 1.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_dot.inc"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/qai8dxp/qai8dxp_args.h"

problem     .req x0
cols        .req x1     // from this panel on
steps       .req x2     // of 32 k
chunks      .req x3     // steps of a block
left        .req x4     // steps of this panel
more        .req x5     // steps of the block
lhs         .req x8
panel       .req x9     // the first one
fields      .req x11    // of a panel

// f z\f0-z\f3 += S z\s0-z\s3 times the scales at \rhs, which moves to the next block. Clobbers z\v0-z\v3.
.macro add_block rhs, v0, v1, v2, v3, s0, s1, s2, s3, f0, f1, f2, f3
    ld1h    {z\v1\().h}, p0/z, [\rhs, #-8, mul vl]
    ld1h    {z\v3\().h}, p0/z, [\rhs, #-7, mul vl]
    addvl   \rhs, \rhs, #2
    zip1    z\v0\().h, z2.h, z\v1\().h          // bf16 to f32
    zip2    z\v1\().h, z2.h, z\v1\().h
    zip1    z\v2\().h, z2.h, z\v3\().h
    zip2    z\v3\().h, z2.h, z\v3\().h
    convert_4 \s0, \s1, \s2, \s3
    binary_4 fmla, \f0, \f1, \f2, \f3, \s0, \s1, \s2, \s3, \v0, \v1, \v2, \v3
.endm

// Results of a panel, whose fields are at \rhs, to dst, which advances.
.macro finish rhs, f0, f1, f2, f3
    columns_4
    ld1rw   {z2.s}, p0/z, [lhs]
    ld1rw   {z3.s}, p0/z, [lhs, #4]
    scvtf   z2.s, p0/m, z2.s
    load_vectors ld1w, s, 4, 5, 6, 7, \rhs, -8
    load_vectors ld1w, s, 16, 17, 18, 19, \rhs, -4
    binary_4 fmla, \f0, \f1, \f2, \f3, 4, 5, 6, 7, 2, 2, 2, 2
    binary_4 fmad, \f0, \f1, \f2, \f3, 3, 3, 3, 3, 16, 17, 18, 19
    add     fields, problem, #PROBLEM_lo
    ld1rw   {z2.s}, p0/z, [fields]
    ld1rw   {z3.s}, p0/z, [fields, #4]
    clamp_4 \f0, \f1, \f2, \f3, 2, 3
    store_columns_4 \f0, \f1, \f2, \f3
.endm

// One or two panels, from `panel` on, which advances.
.macro multiply panels, kind
    addvl   rhs0, panel, #8
    clear_4 8, 9, 10, 11
    ldr     more, [problem, #PROBLEM_rhs_stride]
    add     panel, panel, more
    .if \panels == 2
    addvl   rhs1, panel, #8
    add     panel, panel, more
    clear_4 12, 13, 14, 15
    .endif
    mov     z2.d, #0
    ldr     lhs, [problem, #PROBLEM_lhs]
    mov     left, steps
    cbz     left, 3f
1:  // a block
    mov     more, chunks
    clear_sums \panels
2:
    dot_32  \kind, \panels
    subs    more, more, #1
    b.ne    2b
    add_block rhs0, 4, 5, 6, 7, 24, 25, 26, 27, 8, 9, 10, 11
    .if \panels == 2
    add_block rhs1, 16, 17, 18, 19, 28, 29, 30, 31, 12, 13, 14, 15
    .endif
    subs    left, left, chunks
    b.ne    1b
3:  finish  rhs0, 8, 9, 10, 11
    .if \panels == 2
    sub     cols, cols, vl4
    finish  rhs1, 12, 13, 14, 15
    .endif
.endm

// kai::Qai8dxpSmeFn: const kai::Problem*, const kai::Table*, steps of 32 k, and blocks of part * parts steps.
func kai_kernel_matmul_clamp_f32_qai8dxp1x4_qsi4c32p16vsx4_1x16vs_sme_dot, hidden
    frame   d8-d15
    smstart
    all_true
    count_vectors
    mul     chunks, x3, x4
    ldr     cols, [problem, #PROBLEM_n]
    ldr     panel, [problem, #PROBLEM_rhs]
    ldr     dst, [problem, #PROBLEM_dst]
    each_two_panels multiply, int4_pairs
    smstop
    return
endfunc
