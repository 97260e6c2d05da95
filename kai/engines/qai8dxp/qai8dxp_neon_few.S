// Few rows of the qai8dxp GEMM on NEON (struct FewArgs of qai8dxp_neon.hpp): the loop over columns, whose tiles are in
// qai8dxp_neon_dotprod_few.S and qai8dxp_neon_i8mm_few_*.S, and what becomes of their sums (qai8dxp_neon_few.inc).
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon_few.inc"

// x16 = the tile function of a kind, or 0.
.macro load_tile kind
    ldr     x16, [args, #FEW_ARGS_tiles + FEW_TILES_\kind]
.endm

func kai_few_neon, hidden
    frame   d8-d15, x19-x28, x29
    ldp     x19, x24, [args, #FEW_ARGS_rhs]
    ldp     x23, x25, [args, #FEW_ARGS_second]
    ldp     x20, x21, [args, #FEW_ARGS_fields]
    ldr     x22, [args, #FEW_ARGS_quads]
    ldr     x27, [args, #FEW_ARGS_nr]
    ldr     x1, [args, #FEW_ARGS_out]
    add     x20, x20, x19
    mov     x26, #16
    mov     x2, #8
    cmp     x1, #0
    lsl     x27, x27, #2
    csel    x26, x26, x2, eq

    load_tile four
    cbz     x16, 3f
    b       2f
1:
    blr     x16
    load_tile four
    add     x19, x19, x24, lsl #1
    add     x20, x20, x24, lsl #1
    add     x21, x21, x26, lsl #2
2:
    subs    x22, x22, #4
    b.hs    1b
    add     x22, x22, #4
3:
    load_tile two
    cbz     x16, 6f
    b       5f
4:
    blr     x16
    load_tile two
    add     x19, x19, x24
    add     x20, x20, x24
    add     x21, x21, x26, lsl #1
5:
    subs    x22, x22, #2
    b.hs    4b
    adds    x22, x22, #2
    b.eq    8f
    load_tile one
    cbnz    x16, 7f
    mov     x23, #0
    mov     x25, #0
    mov     x26, #0
    load_tile two
    blr     x16
    b       8f
6:
    load_tile one
7:
    blr     x16
    load_tile one
    add     x19, x19, x23
    sub     x23, x24, x23
    add     x20, x20, x25
    sub     x25, x24, x25
    add     x21, x21, x26
    subs    x22, x22, #1
    b.ne    7b
8:
    return
endfunc

// \op for each pair of vectors: those, factors, scales and bias of columns, scales of rows. The last rows first.
.macro each_pair op, rest:vararg
    .if quads == 4
    .if rows > 1
    \op     22, 23, 6, 7, 30, 31, 30, 31, 28, 28, 1, \rest
    \op     20, 21, 4, 5, 24, 25, 24, 25, 28, 28, 1, \rest
    .endif
    \op     18, 19, 2, 3, 30, 31, 30, 31, 28, 28, 0, \rest
    \op     16, 17, 0, 1, 24, 25, 24, 25, 28, 28, 0, \rest
    .elseif quads == 2
    each_pair_of 24, 25, 26, 27, 28, 28, \op, \rest
    .else
    each_pair_of 24, 24, 26, 26, 28, 29, \op, \rest
    .endif
.endm
.macro each_pair_of c, d, a, b, l, m, op, rest:vararg
    if_more rows, 3, \op 22, 23, 6, 7, \c, \d, \a, \b, \l, \m, 3, \rest
    if_more rows, 2, \op 20, 21, 4, 5, \c, \d, \a, \b, \l, \m, 2, \rest
    if_more rows, 1, \op 18, 19, 2, 3, \c, \d, \a, \b, \l, \m, 1, \rest
    \op     16, 17, 0, 1, \c, \d, \a, \b, \l, \m, 0, \rest
.endm

.macro pair_factors s, t, f, g, c, d, a, b, l, m, row, rest:vararg
    fmul    v\f\().4s, v\c\().4s, v\l\().s[\row]
    fmul    v\g\().4s, v\d\().4s, v\m\().s[\row]
    between density
.endm
.macro pair_products s, t, f, g, rest:vararg
    fmul    v\s\().4s, v\s\().4s, v\f\().4s
    fmul    v\t\().4s, v\t\().4s, v\g\().4s
    between density
.endm
.macro pair_bias s, t, f, g, c, d, a, b, rest:vararg
    fadd    v\s\().4s, v\s\().4s, v\a\().4s
    fadd    v\t\().4s, v\t\().4s, v\b\().4s
    between 2
.endm
.macro pair_bound s, t, f, g, c, d, a, b, l, m, row, op, bound
    \op     v\s\().4s, v\s\().4s, v\bound\().4s
    \op     v\t\().4s, v\t\().4s, v\bound\().4s
.endm
.macro pair_f16 s, t, rest:vararg
    fcvtn   v\s\().4h, v\s\().4s
    fcvtn   v\t\().4h, v\t\().4s
.endm
// To nearest, ties to even: lower halves, less 1 if the upper half is even, round this half up. v26 = 1. Step by step
// for all pairs, since each step waits for the previous one.
.macro each_pair_bf16
    each_pair bf16_halves
    each_pair bf16_even
    each_pair bf16_less
    each_pair bf16_round
    each_pair bf16_second
.endm
.macro bf16_halves s, t, f, rest:vararg
    uzp1    v\f\().8h, v\s\().8h, v\t\().8h
    uzp2    v\s\().8h, v\s\().8h, v\t\().8h
.endm
.macro bf16_even s, t, f, g, rest:vararg
    bic     v\g\().16b, v26.16b, v\s\().16b
.endm
.macro bf16_less s, t, f, g, rest:vararg
    uqsub   v\f\().8h, v\f\().8h, v\g\().8h
.endm
.macro bf16_round s, t, f, rest:vararg
    ursra   v\s\().8h, v\f\().8h, #16
.endm
.macro bf16_second s, t, rest:vararg
    mov     d\t, v\s\().d[1]
.endm
// v27 = the NaN that it becomes.
.macro pair_default_nan s, t, f, g, rest:vararg
    fcmeq   v\f\().4s, v\s\().4s, v\s\().4s
    fcmeq   v\g\().4s, v\t\().4s, v\t\().4s
    bif     v\s\().16b, v27.16b, v\f\().16b
    bif     v\t\().16b, v27.16b, v\g\().16b
.endm

// \reg: q, or d after narrowing. The last row first: rows past the last one of the output are where that is.
.macro store_rows reg, quad_bytes
    .if quads == 4
    .if rows > 1
    stp     \reg\()20, \reg\()21, [x1]
    stp     \reg\()22, \reg\()23, [x1, #2 * \quad_bytes]
    .endif
    stp     \reg\()16, \reg\()17, [x9]
    stp     \reg\()18, \reg\()19, [x9, #2 * \quad_bytes]
    .elseif quads == 2
    .ifc \reg, d
    cbz     x26, 9f
    store_pairs \reg\()16, \reg\()17, \reg\()18, \reg\()19, \reg\()20, \reg\()21, \reg\()22, \reg\()23
    return
9:  // an odd quad
    .endif
    store_quads \reg\()16, \reg\()18, \reg\()20, \reg\()22, x9, x1, x2, x3
    .elseif rows == 3
    store_quads \reg\()17, \reg\()19, \reg\()21, \reg\()23, x3, x4, x5
    store_quads \reg\()16, \reg\()18, \reg\()20, \reg\()22, x9, x1, x2
    .else
    store_quads \reg\()17, \reg\()19, \reg\()21, \reg\()23, x4, x5, x6, x7
    store_quads \reg\()16, \reg\()18, \reg\()20, \reg\()22, x9, x1, x2, x3
    .endif
    return
.endm
.macro store_pairs s0, t0, s1, t1, s2, t2, s3, t3
    if_more rows, 3, stp \s3, \t3, [x3]
    if_more rows, 2, stp \s2, \t2, [x2]
    if_more rows, 1, stp \s1, \t1, [x1]
    stp     \s0, \t0, [x9]
.endm
.macro store_quads s0, s1, s2, s3, at0, at1, at2, at3
    if_more rows, 3, str \s3, [\at3]
    if_more rows, 2, str \s2, [\at2]
    if_more rows, 1, str \s1, [\at1]
    str     \s0, [\at0]
.endm

.macro to_float s, t, a, b
    scvtf   v\s\().4s, v\a\().4s
    scvtf   v\t\().4s, v\b\().4s
    between density
.endm
.macro sums_to_float
    .if quads == 4
    to_float 16, 17, 0, 1
    to_float 18, 19, 8, 9
    .if rows > 1
    to_float 20, 21, 2, 3
    to_float 22, 23, 10, 11
    .endif
    .else
    to_float 16, 17, 0, 1
    if_more rows, 1, to_float 18, 19, 2, 3
    if_more rows, 2, to_float 20, 21, 4, 5
    if_more rows, 3, to_float 22, 23, 6, 7
    .endif
.endm

// The row after `before`, or that of number `number` less 2^shift with `base`, as no chain of additions.
.macro next_row row, number, before, base, shift
    .if \number == all_rows - 1
    add     \row, \before, x12
    .elseif \number < all_rows
    add     \row, \base, x11, lsl #\shift
    .endif
.endm

// Between sums that become floats: where results and fields are. Between products: bias, and x15: whether results may
// need a clamp. They do not if scales and bias of the columns are below 2 (bit 30) and that suffices
// (FewArgs::clamps). For a tile `x16` clamping costs less than that. Between sums with bias: bounds, and where rows
// are: x9, x1 - x7.
.macro instruction
    when slot, 1, ldr q28, [x13, #16]
    when slot, 2, add x13, x20, x27
    when slot, 3, add x14, x13, x25
    when slot, 4, ldr q24, [x13]
    when slot, 5, ldr q25, [x14]
    when slot, 6, place
    .if quads == 4
    when slot, 7, add x5, x13, x24
    when slot, 8, add x6, x14, x24
    when slot, 9, ldr q30, [x5]
    when slot, 10, ldr q31, [x6]
    when slot, 21, ldr q30, [x5, x27]
    when slot, 22, ldr q31, [x6, x27]
    when slot, 23, ldr q24, [x13, x27]
    when slot, 24, ldr q25, [x14, x27]
    .else
    when slot, 11, ldp x1, x2, [x13]
    when slot, 13, ldr q26, [x13, x27]
    when slot, 15, add x13, x13, x27
    when slot, 17, ldp x5, x6, [x13]
    when slot, 19, orr x1, x1, x2
    when slot, 21, ldr x15, [args, #FEW_ARGS_clamps]
    when slot, 23, orr x5, x5, x6
    when slot, 25, orr x1, x1, x5
    when slot, 31, orr x15, x15, x1
    when slot, 34, and x15, x15, #0x4000000040000000
    .endif
    .if quads == 2
    when slot, 12, ldp x3, x4, [x14]
    when slot, 14, ldr q27, [x14, x27]
    when slot, 16, add x14, x14, x27
    when slot, 18, ldp x7, x8, [x14]
    when slot, 20, orr x3, x3, x4
    when slot, 22, orr x1, x1, x3
    when slot, 24, orr x7, x7, x8
    when slot, 26, orr x15, x15, x7
    when slot, 36, cmp x26, #0
    when slot, 38, ccmp x16, #0, #0, ne         // eq: f32 and a second quad
    .elseif quads == 1
    when slot, 36, next_row x4, 4, x3, x9, 2
    .endif
    when slot, 32, ldp q28, q29, [args, #FEW_ARGS_lo]
    when slot, 33, next_row x1, 1, x9, x9, 0
    when slot, 35, next_row x2, 2, x1, x9, 1
    when slot, 37, next_row x3, 3, x2, x1, 1
    when slot, 37, next_row x5, 5, x4, x1, 2
    when slot, 38, next_row x6, 6, x5, x2, 2
    when slot, 38, next_row x7, 7, x6, x3, 2
.endm

.macro results_function name, rows_, quads_
func kai_part_results_\name\()_neon, hidden
    .set    rows, \rows_               // of a quad, or of a half of it
    .set    quads, \quads_
    .set    density, 8 / rows
    .set    all_rows, rows
    .if quads == 1
    .set    all_rows, 2 * rows
    .endif
    ldp     x11, x12, [args, #FEW_ARGS_row_stride]
    .if quads > 1
    cbnz    x15, 1f
    .set    slot, 0
    sums_to_float
    between_until 6
    when quads, 4, between_until 10
1:
    .endif
    ldr     x16, [args, #FEW_ARGS_out]
    tbnz    x15, #1, 2f
    .if quads == 4
    .set    density, 0
    .endif
    .set    slot, 10
    each_pair pair_factors
    .if quads == 4
    .set    density, 2
    .set    slot, 20
    .endif
    each_pair pair_products
    between_until 26
2:
    .set    slot, 30
    each_pair pair_bias
    between_until 38
    .if quads < 4
    cbz     x15, 3f
    .endif
    each_pair pair_bound, fmax, 28
    each_pair pair_bound, fmin, 29
3:
    .if quads == 2
    b.ne    4f
    store_pairs q16, q17, q18, q19, q20, q21, q22, q23
    return
4:
    .endif
    cbnz    x16, 4f
    store_rows q, 16
4:
    tbnz    x16, #1, 6f
    each_pair pair_f16
5:
    store_rows d, 8
6:
    .if quads < 4
    cbz     x15, 7f
    .endif
    mov     w16, #0x7FC00000
    dup     v27.4s, w16
    each_pair pair_default_nan
7:
    movi    v26.8h, #1
    each_pair_bf16
    b       5b
endfunc
.endm

    results_function 1x8, 1, 2
    results_function 2x8, 2, 2
    results_function 3x8, 3, 2
    results_function 4x8, 4, 2
    results_function 6x4, 3, 1
    results_function 8x4, 4, 1
    results_function 1x16, 1, 4
    results_function 2x16, 2, 4
