// Results of few rows of the qai8dxp GEMM on NEON: kai_part_results_*, whose contract is in
// qai8dxp_neon_few_results.inc.
//
// Vectors come in pairs i = 0 - 3: results R<i>_a and R<i>_b, and their factors X<i>_a and X<i>_b:
//
//     x8, `quads` 2    pair i: row i, of the first and the second quad
//     x4, `quads` 1    pair i: row i of the first and of the second half of the rows
//     x16, `quads` 4   pairs 0, 1: four quads of row 0; pairs 2, 3: of row 1
//
//   R0_a R0_b ... R3_a R3_b   v16 - v23       X0_a X0_b ... X3_a X3_b   v0 - v7
//   scales_a, scales_b        v24, v25        of the columns
//   bias_a, bias_b            v26, v27
//   wide_c, wide_d            v30, v31        x16: scales, then bias, of the third and fourth quad; scales_a, scales_b:
//                                             of the others
//   row_scales_a, _b          v28, v29        lo, hi                    v28, v29
//   x9, x1 - x7               dst of the rows                           x13, x14   scales, bias of the quads
//
// The steps, in this order. Loads and integer instructions go between the vector operations, since in-order cores issue
// them together:
//
//     R = f32(sums)            columns_of_results: where results and fields are
//     X = scales of columns * scale of a row;  R *= X
//                              bias_and_clamps: bias; whether results may need a clamp
//     R += bias                rows_and_bounds: where rows are, bounds
//     clamp, convert, store
//
// Symbols: rows (of a quad, or of a half of it), quads, pairs.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_args.h"
#include "kai/engines/qai8dxp/qai8dxp_neon_few_results.inc"

args    .req x0

    regs    0, X0_a, X0_b, X1_a, X1_b, X2_a, X2_b, X3_a, X3_b
    regs    16, R0_a, R0_b, R1_a, R1_b, R2_a, R2_b, R3_a, R3_b
    regs    24, scales_a, scales_b, bias_a, bias_b, row_scales_a, row_scales_b, wide_c, wide_d
    regs    28, lo, hi

.macro nothing place
.endm
// \op i for the pairs, the last one first. After each, `places` places for other work: \meanwhile first,
// \meanwhile first + 1, ...
.macro each_pair op, meanwhile=nothing, first=0, places=1
    if_more pairs, 3, with_places \op, 3, \meanwhile, (\first + (pairs - 4) * (\places)), \places
    if_more pairs, 2, with_places \op, 2, \meanwhile, (\first + (pairs - 3) * (\places)), \places
    if_more pairs, 1, with_places \op, 1, \meanwhile, (\first + (pairs - 2) * (\places)), \places
    with_places \op, 0, \meanwhile, (\first + (pairs - 1) * (\places)), \places
.endm
// \op i, then \meanwhile at `places` places (1 to 4), from `first` on.
.macro with_places op, i, meanwhile, first, places
    \op     \i
    \meanwhile (\first)
    if_more \places, 1, \meanwhile (\first + 1)
    if_more \places, 2, \meanwhile (\first + 2)
    if_more \places, 3, \meanwhile (\first + 3)
.endm

// R = f32(sums), the first pair first. Of x16 the sums of pairs 1 and 3 are v8 - v11.
.macro to_float i, a, b
    scvtf   R\i\()_a.4s, v\a\().4s
    scvtf   R\i\()_b.4s, v\b\().4s
.endm
// R<i> = f32(sums of pair i).
.macro pair_to_float i
    .if quads == 4
    when \i, 0, to_float 0, 0, 1
    when \i, 1, to_float 1, 8, 9
    when \i, 2, to_float 2, 2, 3
    when \i, 3, to_float 3, 10, 11
    .else
    when \i, 0, to_float 0, 0, 1
    when \i, 1, to_float 1, 2, 3
    when \i, 2, to_float 2, 4, 5
    when \i, 3, to_float 3, 6, 7
    .endif
.endm
// All R = f32(sums), the first pair first; `places` places after each: columns_of_results.
.macro sums_to_float places
    with_places pair_to_float, 0, columns_of_results, 0, \places
    if_more pairs, 1, with_places pair_to_float, 1, columns_of_results, (\places), \places
    if_more pairs, 2, with_places pair_to_float, 2, columns_of_results, (2 * (\places)), \places
    if_more pairs, 3, with_places pair_to_float, 3, columns_of_results, (3 * (\places)), \places
.endm

// X = scales of columns * scale of a row.
.macro pair_factors i
    .if quads == 4
    .if \i & 1
    fmul    X\i\()_a.4s, wide_c.4s, row_scales_a.s[\i / 2]
    fmul    X\i\()_b.4s, wide_d.4s, row_scales_a.s[\i / 2]
    .else
    fmul    X\i\()_a.4s, scales_a.4s, row_scales_a.s[\i / 2]
    fmul    X\i\()_b.4s, scales_b.4s, row_scales_a.s[\i / 2]
    .endif
    .elseif quads == 2
    fmul    X\i\()_a.4s, scales_a.4s, row_scales_a.s[\i]
    fmul    X\i\()_b.4s, scales_b.4s, row_scales_a.s[\i]
    .else
    fmul    X\i\()_a.4s, scales_a.4s, row_scales_a.s[\i]
    fmul    X\i\()_b.4s, scales_a.4s, row_scales_b.s[\i]
    .endif
.endm
.macro pair_products i
    fmul    R\i\()_a.4s, R\i\()_a.4s, X\i\()_a.4s
    fmul    R\i\()_b.4s, R\i\()_b.4s, X\i\()_b.4s
.endm
// R += bias.
.macro pair_bias i
    .if quads == 4
    .if \i & 1
    fadd    R\i\()_a.4s, R\i\()_a.4s, wide_c.4s
    fadd    R\i\()_b.4s, R\i\()_b.4s, wide_d.4s
    .else
    fadd    R\i\()_a.4s, R\i\()_a.4s, scales_a.4s       // holds bias now
    fadd    R\i\()_b.4s, R\i\()_b.4s, scales_b.4s
    .endif
    .elseif quads == 2
    fadd    R\i\()_a.4s, R\i\()_a.4s, bias_a.4s
    fadd    R\i\()_b.4s, R\i\()_b.4s, bias_b.4s
    .else
    fadd    R\i\()_a.4s, R\i\()_a.4s, bias_a.4s
    fadd    R\i\()_b.4s, R\i\()_b.4s, bias_a.4s
    .endif
.endm
.macro pair_not_below i
    fmax    R\i\()_a.4s, R\i\()_a.4s, lo.4s
    fmax    R\i\()_b.4s, R\i\()_b.4s, lo.4s
.endm
.macro pair_not_above i
    fmin    R\i\()_a.4s, R\i\()_a.4s, hi.4s
    fmin    R\i\()_b.4s, R\i\()_b.4s, hi.4s
.endm
.macro pair_f16 i
    fcvtn   R\i\()_a.4h, R\i\()_a.4s
    fcvtn   R\i\()_b.4h, R\i\()_b.4s
.endm

// bf16, to nearest, ties to even: the lower half, less 1 if the upper half is even, decides about rounding up. v26 = 1.
// Each step for all pairs, since each waits for the previous one.
.macro each_pair_bf16
    each_pair bf16_halves
    each_pair bf16_even
    each_pair bf16_less
    each_pair bf16_round
    each_pair bf16_second
.endm
.macro bf16_halves i
    uzp1    X\i\()_a.8h, R\i\()_a.8h, R\i\()_b.8h
    uzp2    R\i\()_a.8h, R\i\()_a.8h, R\i\()_b.8h
.endm
.macro bf16_even i
    bic     X\i\()_b.16b, v26.16b, R\i\()_a.16b
.endm
.macro bf16_less i
    uqsub   X\i\()_a.8h, X\i\()_a.8h, X\i\()_b.8h
.endm
.macro bf16_round i
    ursra   R\i\()_a.8h, X\i\()_a.8h, #16
.endm
.macro bf16_second i
    mov     dR\i\()_b, R\i\()_a.d[1]
.endm
// NaN becomes the default NaN, v27.
.macro pair_default_nan i
    fcmeq   X\i\()_a.4s, R\i\()_a.4s, R\i\()_a.4s
    fcmeq   X\i\()_b.4s, R\i\()_b.4s, R\i\()_b.4s
    bif     R\i\()_a.16b, v27.16b, X\i\()_a.16b
    bif     R\i\()_b.16b, v27.16b, X\i\()_b.16b
.endm

// Stores R, `width` q or, after narrowing, d, and returns. The last row first: rows past the end of the output have its
// last row's address, so that row overwrites them.
.macro store_rows width, quad_bytes
    .if quads == 4
    .if rows > 1
    stp     \width\()R2_a, \width\()R2_b, [x1]
    stp     \width\()R3_a, \width\()R3_b, [x1, #2 * \quad_bytes]
    .endif
    stp     \width\()R0_a, \width\()R0_b, [x9]
    stp     \width\()R1_a, \width\()R1_b, [x9, #2 * \quad_bytes]
    .elseif quads == 2
    .ifc \width, d
    cbz     x26, 9f
    store_pairs d
    return
9:  // an odd quad
    .endif
    store_quads \width, a, x9, x1, x2, x3
    .elseif rows == 3
    store_quads \width, b, x3, x4, x5, none
    store_quads \width, a, x9, x1, x2, none
    .else
    store_quads \width, b, x4, x5, x6, x7
    store_quads \width, a, x9, x1, x2, x3
    .endif
    return
.endm
// Two quads of each row, side by side.
.macro store_pairs width
    if_more rows, 3, stp \width\()R3_a, \width\()R3_b, [x3]
    if_more rows, 2, stp \width\()R2_a, \width\()R2_b, [x2]
    if_more rows, 1, stp \width\()R1_a, \width\()R1_b, [x1]
    stp     \width\()R0_a, \width\()R0_b, [x9]
.endm
// Vectors a or b of the pairs.
.macro store_quads width, v, at0, at1, at2, at3
    if_more rows, 3, str \width\()R3_\v, [\at3]
    if_more rows, 2, str \width\()R2_\v, [\at2]
    if_more rows, 1, str \width\()R1_\v, [\at1]
    str     \width\()R0_\v, [\at0]
.endm

// row = the row after `before`, computed from row number - 2^shift, `base`: independent of the previous row's address,
// except for the last row.
.macro next_row row, number, before, base, shift
    .if \number == all_rows - 1
    add     \row, \before, x12
    .elseif \number < all_rows
    add     \row, \base, x11, lsl #\shift
    .endif
.endm

// Addresses of results and fields; scales of the first row and of the columns. Places 0 to 2; x16: 0 to 4.
.macro columns_of_results place_number
    when \place_number, 0, ldr qrow_scales_a, [x13, #16]
    when \place_number, 0, add x13, x20, x27
    when \place_number, 1, add x14, x13, x25
    when \place_number, 1, ldr qscales_a, [x13]
    when \place_number, 2, ldr qscales_b, [x14]
    when \place_number, 2, place
    .if quads == 4
    when \place_number, 3, add x5, x13, x24
    when \place_number, 3, add x6, x14, x24
    when \place_number, 4, ldr qwide_c, [x5]
    when \place_number, 4, ldr qwide_d, [x6]
    .endif
.endm

// Bias, and x15, x1: whether results may need a clamp. They do not if scales and bias of the columns are below 2 (bit
// 30) and that suffices (FewArgs::clamps). Places 0 to 7. For a tile `x16` clamping is cheaper than this test: places 0
// and 1 load bias.
.macro bias_and_clamps place_number
    .if quads == 4
    when \place_number, 0, ldr qwide_c, [x5, x27]
    when \place_number, 0, ldr qwide_d, [x6, x27]
    when \place_number, 1, ldr qscales_a, [x13, x27]
    when \place_number, 1, ldr qscales_b, [x14, x27]
    .else
    when \place_number, 0, ldp x1, x2, [x13]
    when \place_number, 1, ldr qbias_a, [x13, x27]
    when \place_number, 2, add x13, x13, x27
    when \place_number, 3, ldp x5, x6, [x13]
    when \place_number, 4, orr x1, x1, x2
    when \place_number, 5, ldr x15, [args, #FEW_ARGS_clamps]
    when \place_number, 6, orr x5, x5, x6
    when \place_number, 7, orr x1, x1, x5
    .endif
    .if quads == 2
    when \place_number, 0, ldp x3, x4, [x14]
    when \place_number, 1, ldr qbias_b, [x14, x27]
    when \place_number, 2, add x14, x14, x27
    when \place_number, 3, ldp x7, x8, [x14]
    when \place_number, 4, orr x3, x3, x4
    when \place_number, 5, orr x1, x1, x3
    when \place_number, 6, orr x7, x7, x8
    when \place_number, 7, orr x15, x15, x7
    .endif
.endm

// Bounds, x9, x1 - x7 = rows, x15 != 0: results may need a clamp. Places 0 to 3. x8: flags eq: f32 and a second quad.
.macro rows_and_bounds place_number
    .if quads < 4
    when \place_number, 0, orr x15, x15, x1
    .endif
    when \place_number, 0, ldp qlo, qhi, [args, #FEW_ARGS_lo]
    when \place_number, 1, next_row x1, 1, x9, x9, 0
    .if quads < 4
    when \place_number, 1, and x15, x15, #0x4000000040000000
    .endif
    when \place_number, 2, next_row x2, 2, x1, x9, 1
    when quads, 2, when \place_number, 2, cmp x26, #0
    when quads, 1, when \place_number, 2, next_row x4, 4, x3, x9, 2
    when \place_number, 3, next_row x3, 3, x2, x1, 1
    when \place_number, 3, next_row x5, 5, x4, x1, 2
    when quads, 2, when \place_number, 3, ccmp x16, #0, #0, ne
    when \place_number, 3, next_row x6, 6, x5, x2, 2
    when \place_number, 3, next_row x7, 7, x6, x3, 2
.endm

// The function of a size; rows_: of a quad, or of a half of it.
.macro results_function name, rows_, quads_
func kai_part_results_\name\()_neon, hidden
    .set    rows, \rows_
    .set    quads, \quads_
    .set    pairs, rows
    .set    all_rows, rows
    .if quads == 4
    .set    pairs, 2 * rows
    .elseif quads == 1
    .set    all_rows, 2 * rows
    .endif
    ldp     x11, x12, [args, #FEW_ARGS_row_stride]
    .if quads > 1
    cbnz    x15, 1f
    sums_to_float (4 / rows)
1:
    .endif
    ldr     x16, [args, #FEW_ARGS_out]
    tbnz    x15, #1, 2f
    .if quads == 4
    each_pair pair_factors
    each_pair pair_products, bias_and_clamps
    .elseif rows == 3           // a place after each pair, two at the end
    each_pair pair_factors, bias_and_clamps
    each_pair pair_products, bias_and_clamps, 3
    bias_and_clamps 6
    bias_and_clamps 7
    .else
    each_pair pair_factors, bias_and_clamps, 0, (4 / rows)
    each_pair pair_products, bias_and_clamps, 4, (4 / rows)
    .endif
2:
    each_pair pair_bias, rows_and_bounds
    .if pairs < 2
    rows_and_bounds 1
    .endif
    .if pairs < 3
    rows_and_bounds 2
    .endif
    .if pairs < 4
    rows_and_bounds 3
    .endif
    .if quads < 4
    cbz     x15, 3f
    .endif
    each_pair pair_not_below
    each_pair pair_not_above
3:
    .if quads == 2
    b.ne    4f
    store_pairs q
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
