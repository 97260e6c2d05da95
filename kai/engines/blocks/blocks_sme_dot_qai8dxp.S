// f32 <- qai8dxp1x4 x qsi4c32p16vsx4s4s0, one row: SME without SME2.
//
//     S = sum over a block of lhs[k] * 16 rhs[n][k]                          int32
//     f = fma(f32(S), rhs_scale[n][b] / 16, f)                               blocks b ascending
//     f = fma(rhs_sum[n], f32(lhs_offset), f)
//     dst = clamp(fma(f, lhs_scale, bias[n]))
//
// SDOT in streaming-mode registers, nothing in ZA: sme_dot.inc. A word of the RHS is 8 k of a column.
//
// F<p>_0-F<p>_3  f of panel p: z8-z11, z12-z15      z2, z3  in the end lhs_offset, lhs_scale, then bounds
// z2             0 until then                       S, V, z0, z1, p0-p4: sme_dot.inc
// At a block's end: V scales; at a panel's: V0 rhs_sum, V1 bias
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

F0_0        .req z8
F0_1        .req z9
F0_2        .req z10
F0_3        .req z11
F1_0        .req z12
F1_1        .req z13
F1_2        .req z14
F1_3        .req z15

// f of panel \p += S times the scales at its cursor, which moves to the next block. Clobbers S and V of the panel.
.macro add_block p
    ld1h    {V\p\()_1.h}, p0/z, [rhs\p, #-8, mul vl]
    ld1h    {V\p\()_3.h}, p0/z, [rhs\p, #-7, mul vl]
    addvl   rhs\p, rhs\p, #2
    zip1    V\p\()_0.h, z2.h, V\p\()_1.h        // bf16 to f32
    zip2    V\p\()_1.h, z2.h, V\p\()_1.h
    zip1    V\p\()_2.h, z2.h, V\p\()_3.h
    zip2    V\p\()_3.h, z2.h, V\p\()_3.h
    scvtf   S\p\()_0.s, p0/m, S\p\()_0.s
    scvtf   S\p\()_1.s, p0/m, S\p\()_1.s
    scvtf   S\p\()_2.s, p0/m, S\p\()_2.s
    scvtf   S\p\()_3.s, p0/m, S\p\()_3.s
    fmla    F\p\()_0.s, p0/m, S\p\()_0.s, V\p\()_0.s
    fmla    F\p\()_1.s, p0/m, S\p\()_1.s, V\p\()_1.s
    fmla    F\p\()_2.s, p0/m, S\p\()_2.s, V\p\()_2.s
    fmla    F\p\()_3.s, p0/m, S\p\()_3.s, V\p\()_3.s
.endm

// Results of panel \p, whose fields are at its cursor, from F, z\f0-z\f3, to dst, which advances. Clobbers V of
// both, z2, z3, fields.
.macro store_panel p, f0, f1, f2, f3
    columns_4
    ld1rw   {z2.s}, p0/z, [lhs]
    ld1rw   {z3.s}, p0/z, [lhs, #4]
    scvtf   z2.s, p0/m, z2.s
    load_vectors ld1w, s, 4, 5, 6, 7, rhs\p, -8
    load_vectors ld1w, s, 16, 17, 18, 19, rhs\p, -4
    fmla    F\p\()_0.s, p0/m, V0_0.s, z2.s
    fmla    F\p\()_1.s, p0/m, V0_1.s, z2.s
    fmla    F\p\()_2.s, p0/m, V0_2.s, z2.s
    fmla    F\p\()_3.s, p0/m, V0_3.s, z2.s
    fmad    F\p\()_0.s, p0/m, z3.s, V1_0.s
    fmad    F\p\()_1.s, p0/m, z3.s, V1_1.s
    fmad    F\p\()_2.s, p0/m, z3.s, V1_2.s
    fmad    F\p\()_3.s, p0/m, z3.s, V1_3.s
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
    add_block 0
    .if \panels == 2
    add_block 1
    .endif
    subs    left, left, chunks
    b.ne    1b
3:  store_panel 0, 8, 9, 10, 11
    .if \panels == 2
    sub     cols, cols, vl4
    store_panel 1, 12, 13, 14, 15
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
