// 2 to 4 rows quantised at run time (qai8dxp, a panel of 4 rows) x a panel packed for SME, with SDOT (PanelFewFn of
// qai8dxp_neon_dotprod_panels.cpp).
//
//     sum       = sum over k of lhs * rhs + off[m] * rsum[n]                        int32
//     dst[m][n] = clamp(f32(sum) * (rs[n] * ls[m]) + bias[n])      rounded twice, as the SMOPA kernels do
//
// A panel has 4 k of all its nr columns, then the next 4 k (qai8dxp_neon_dotprod_panels_row.S: how a quad is stored);
// in the end rsum, rs, bias of all columns. A tile is 16 columns, of which a step multiplies 4 k after 4 k:
//
//              B_0     B_1     B_2     B_3      int4: nibbles of a byte, k and k + 1, become neighbours. int4_halves:
//     A[0]    S0_0    S0_1    S0_2    S0_3      low nibbles meet A_0 or A_2, high ones A_1 or A_3, which are 16 k later
//     A[1]    S1_0    S1_1    S1_2    S1_3
//     A[2]    S2_0    S2_1    S2_2    S2_3      A row that does not exist is computed (one row: as two), or left out
//     A[3]    S3_0    S3_1    S3_2    S3_3
//
//   Registers, and those of qai8dxp_neon_dotprod_panels.inc
//   A_0 - A_3         v8, v9, v13, v14   LHS, 4 k of 4 rows each
//   N_0, N_1          v13, v14           int4: nibbles of 16 columns
//   T_0, T_1          v11, v12           low nibbles
//   lowest, highest, off, ls  v0 - v3    results: bounds; of the rows
//   field, scales, scale, bias, result  v4 - v8
//
//   lhs   x0      rhs  x1   of the tile     dst   x2      steps  x4   of 32 k      nr    x5
//   stride x7, x9  of dst, 0: one row       row   x7      at     x7   results: a row of dst
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/qai8dxp/qai8dxp_neon_dotprod_panels.inc"

at      .req x7
stride  .req x9
    regs    8, A_0, A_1
    regs    11, T_0, T_1, A_2, A_3
    regs    13, N_0, N_1

// The sums of quad \q += 4 k of its columns, \b, x the rows in \a.
.macro dots q, b, a, rows
    sdot    S0_\q\().4s, \b\().16b, \a\().4b[0]
    sdot    S1_\q\().4s, \b\().16b, \a\().4b[1]
    if_more \rows, 2, sdot S2_\q\().4s, \b\().16b, \a\().4b[2]
    if_more \rows, 3, sdot S3_\q\().4s, \b\().16b, \a\().4b[3]
.endm

// ---- int8. <rhs>_begin: before the first step, once a tile; <rhs>_step: 32 k. What is loaded after the last group is
// fields, of the columns and of the rows.

// The first set of B, the first A.
.macro int8_begin
    ldp     qBa_0, qBa_1, [cursor]
    ldp     qBa_2, qBa_3, [cursor, #32]
    ldr     qA_0, [row], #16
.endm
// 4 k. Set \b and \a are there; loads those of the next group.
.macro int8_group b, a, next_b, next_a, rows
    add     cursor, cursor, group
    ldp     q\next_b\()_0, q\next_b\()_1, [cursor]
    dots    0, \b\()_0, \a, \rows
    ldp     q\next_b\()_2, q\next_b\()_3, [cursor, #32]
    dots    1, \b\()_1, \a, \rows
    ldr     q\next_a, [row], #16
    dots    2, \b\()_2, \a, \rows
    dots    3, \b\()_3, \a, \rows
.endm
// 32 k. Changes A, B.
.macro int8_step rows
    .rept   4
    int8_group Ba, A_0, Bb, A_1, \rows
    int8_group Bb, A_1, Ba, A_0, \rows
    .endr
.endm

// ---- int4, k and k + 1 in a byte

.macro next_nibbles
    add     cursor, cursor, group
    ldp     qN_0, qN_1, [cursor]
.endm
// T_\i, N_\i = low and high nibbles of N_\i.
.macro split i
    shl     T_\i\().16b, N_\i\().16b, #4
    and     N_\i\().16b, N_\i\().16b, mask.16b
.endm
// \left, \right = two quads, 4 k, of T_\i and N_\i.
.macro join left, right, i
    zip1    \left\().16b, T_\i\().16b, N_\i\().16b
    zip2    \right\().16b, T_\i\().16b, N_\i\().16b
.endm
// The first set of B, the first A, the nibbles of the second group. Changes T.
.macro int4_begin
    ldp     qN_0, qN_1, [cursor]
    split   0
    split   1
    join    Ba_0, Ba_1, 0
    join    Ba_2, Ba_3, 1
    next_nibbles
    ldr     qA_0, [row], #16
.endm
// 4 k. Set \b, \a and the nibbles of the next group, N, are there; decodes these, loads those after them.
.macro int4_group b, a, next_b, next_a, rows
    split   0
    dots    0, \b\()_0, \a, \rows
    split   1
    dots    1, \b\()_1, \a, \rows
    join    \next_b\()_0, \next_b\()_1, 0
    ldr     q\next_a, [row], #16
    dots    2, \b\()_2, \a, \rows
    join    \next_b\()_2, \next_b\()_3, 1
    next_nibbles
    dots    3, \b\()_3, \a, \rows
.endm
// 32 k. Changes A, B, N, T.
.macro int4_step rows
    .rept   4
    int4_group Ba, A_0, Bb, A_1, \rows
    int4_group Bb, A_1, Ba, A_0, \rows
    .endr
.endm

// ---- int4_halves

// Quads \q and \r += their low nibbles x \low, their high ones x \high. Changes T and these.
.macro two_quads q, r, b, low, high, rows
    shl     T_0.16b, \b\()_\q\().16b, #4
    and     \b\()_\q\().16b, \b\()_\q\().16b, mask.16b
    shl     T_1.16b, \b\()_\r\().16b, #4
    and     \b\()_\r\().16b, \b\()_\r\().16b, mask.16b
    dots    \q, T_0, \low, \rows
    dots    \r, T_1, \low, \rows
    dots    \q, \b\()_\q, \high, \rows
    dots    \r, \b\()_\r, \high, \rows
.endm
.macro int4_halves_begin
    ldp     qBa_0, qBa_1, [cursor]
    ldp     qBa_2, qBa_3, [cursor, #32]
.endm
// 4 k and the 4 k that are 16 later. Set \b is there; loads that of the next group, and of A what is at \k and 64 bytes
// after it.
.macro int4_halves_group b, next_b, low, high, k, rows
    ldr     q\low, [row, #\k]
    ldr     q\high, [row, #\k + 64]
    add     cursor, cursor, group
    ldp     q\next_b\()_0, q\next_b\()_1, [cursor]
    two_quads 0, 1, \b, \low, \high, \rows
    ldp     q\next_b\()_2, q\next_b\()_3, [cursor, #32]
    two_quads 2, 3, \b, \low, \high, \rows
.endm
// 32 k. Changes A, B, T.
.macro int4_halves_step rows
    int4_halves_group Ba, Bb, A_0, A_1, 0, \rows
    int4_halves_group Bb, Ba, A_2, A_3, 16, \rows
    int4_halves_group Ba, Bb, A_0, A_1, 32, \rows
    int4_halves_group Bb, Ba, A_2, A_3, 48, \rows
    add     row, row, #128
.endm

// ---- int2: S of the rows \rows.

.macro int2_dots q, b, field, rows
    dots    \q, \b, K_\field, \rows
.endm
.macro int2_load g
    ld1     {Bb_\g\().16b}, [cursor], group
.endm
// Bb_0 - Bb_3 = the first groups; at_3 behind them.
.macro int2_begin
    int2_load 0
    int2_load 1
    int2_load 2
    int2_load 3
.endm
// 32 k. Words of A are bytes of a field then: 4 x 4 are transposed. Changes B, K.
.macro int2_step rows
    .rept   2
    ldp     qK_0, qK_1, [row], #32
    ldp     qK_2, qK_3, [row], #32
    trn1    Ba_0.16b, K_0.16b, K_1.16b
    trn2    Ba_1.16b, K_0.16b, K_1.16b
    trn1    Ba_2.16b, K_2.16b, K_3.16b
    trn2    Ba_3.16b, K_2.16b, K_3.16b
    trn1    K_0.8h, Ba_0.8h, Ba_2.8h
    trn1    K_1.8h, Ba_1.8h, Ba_3.8h
    trn2    K_2.8h, Ba_0.8h, Ba_2.8h
    trn2    K_3.8h, Ba_1.8h, Ba_3.8h
    int2_16k \rows
    .endr
.endm

// ---- Results

    regs    0, lowest, highest, off, ls, field, scales, scale, bias, result

// S<r>_<q> becomes the result. Changes scale, result.
.macro row_result s, r
    mla     \s\().4s, field.4s, off.s[\r]
    fmul    scale.4s, scales.4s, ls.s[\r]
    scvtf   \s\().4s, \s\().4s
    fmul    result.4s, \s\().4s, scale.4s
    fadd    result.4s, result.4s, bias.4s
    fmax    result.4s, result.4s, lowest.4s
    fmin    \s\().4s, result.4s, highest.4s
.endm
// Those of quad \q. To the fields of the next one.
.macro quad_results q, rows
    ldr     qfield, [rsum_at], #16
    ldr     qscales, [rs_at], #16
    ldr     qbias, [bias_at], #16
    row_result S0_\q, 0
    row_result S1_\q, 1
    if_more \rows, 2, row_result S2_\q, 2
    if_more \rows, 3, row_result S3_\q, 3
.endm
// Row \r at `at`, and to the row before it.
.macro store_f32 r
    stp     qS\r\()_0, qS\r\()_1, [at]
    stp     qS\r\()_2, qS\r\()_3, [at, #32]
    sub     at, at, stride
.endm
// The same. Changes field, scale.
.macro store_f16 r
    fcvtn   field.4h, S\r\()_0.4s
    fcvtn   scale.4h, S\r\()_2.4s
    fcvtn2  field.8h, S\r\()_1.4s
    fcvtn2  scale.8h, S\r\()_3.4s
    stp     qfield, qscale, [at]
    sub     at, at, stride
.endm
// The last row first: if it does not exist, it is written over. Changes at.
.macro store_rows to, rows
    if_more \rows, 3, \to 3
    if_more \rows, 2, \to 2
    \to     1
    \to     0
.endm

// PanelFewFn.
.macro panel_few rhs_, rows
func kai_panel_few_\rhs_\()_\rows\()x16_neon_dotprod, hidden
    panel_begin \rhs_
    fields_begin
    mov     stride, x7
1:  // a tile
    mov     cursor, rhs
    mov     row, lhs
    each_sum \rows, clear
    \rhs_\()_begin
    mov     left, steps
    cbz     steps, 7f
    \rhs_\()_steps \rows
7:
    load_bounds
    add     row, lhs, steps, lsl #7
    ldp     qoff, qls, [row]
    quad_results 0, \rows
    quad_results 1, \rows
    quad_results 2, \rows
    quad_results 3, \rows
    mov     x16, #\rows - 1
    madd    at, stride, x16, dst
    cbnz    out, 8f
    store_rows store_f32, \rows
    add     dst, dst, #64
    b       9f
8:  store_rows store_f16, \rows
    add     dst, dst, #32
9:
    add     rhs, rhs, #16 << \rhs_\()_shift
    subs    columns, columns, #16
    b.ne    1b
    return
endfunc
.endm

    .irp    rows, 2, 3, 4
    panel_few int8, \rows
    panel_few int4, \rows
    panel_few int4_halves, \rows
    panel_few int2, \rows
    .endr
