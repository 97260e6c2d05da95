// One row quantised at run time (qai8dxp) x a panel packed for SME, with SDOT (PanelRowFn of
// qai8dxp_neon_dotprod_panels_row.cpp).
//
//     sum    = sum over k of lhs * rhs + off * rsum                                 int32
//     dst[n] = clamp(fma(f32(sum), rs * ls, bias))
//
// A panel has 4 k of all its nr columns, then the next 4 k; in the end rsum, rs, bias of all columns. A tile is 64, 32
// or 16 of the columns, a quad 4. Vectors of 512 bits: a tile of 64 is the panel, which is read from start to end.
// OUT_SUMS: dst[n] = sum over k of lhs * rhs, as of static int8, whose panels begin and end with other fields.
//
//     int8           4 k of a quad are 16 bytes
//     int4           4 k of a quad are 8 bytes, k and k + 1 in each: S becomes 16 times the sum
//     int4_halves    4 k of a quad, and the 4 k that are 16 later, are 16 bytes: 16 times the sum, as the fields have
//     int2           4 k of a quad are 4 bytes, indices of k to k + 3 in each
//
//   Registers, and those of qai8dxp_neon_dotprod_panels.inc
//   S0, S1, S2, S3    v16 - v31   sums of 16 columns each.  Tiles of 16 columns: S0 and S1 are sums of the same columns
//   A_0, A_1          v8, v9      LHS, 32 k; int4: even k, odd k
//   N                 v11 - v14   int4: RHS that is loaded meanwhile
//   lowest, highest, off_ls  v0, v1, v2  results: bounds; off, ls
//   field, scale, result          v3, v4, v5
//
//   lhs   x0      rhs  x1   of the tile     dst   x2      steps  x4   of 32 k      nr    x5
//   first x7      column of the panel with which the first tile begins
//   row   x7      next x9   int4: the 4 k after those at `cursor`
//   at_0 - at_3   x8, x9, x15, x16  int2: the next groups
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/qai8dxp/qai8dxp_neon_dotprod_panels.inc"

#define OUT_SUMS 3  // OutKind::sums

first   .req x7
next    .req x9
at_0    .req x8
at_1    .req x9
at_2    .req x15
at_3    .req x16
    regs    8, A_0, A_1
    regs    11, N_0, N_1, N_2, N_3

// The columns of a half of S<set> += those of B<b> x 4 k of the row, \a.
.macro left_half set, b, a
    sdot    S\set\()_0.4s, \b\()_0.16b, \a
    sdot    S\set\()_1.4s, \b\()_1.16b, \a
.endm
.macro right_half set, b, a
    sdot    S\set\()_2.4s, \b\()_2.16b, \a
    sdot    S\set\()_3.4s, \b\()_3.16b, \a
.endm

// int8 and int4_halves: a group, 16 bytes of each quad, x what \a names of the row; \left and \right multiply halves of
// 16 columns. All of 64 columns; Ba is there, and is that of the next group afterwards.
.macro group_64 left, right, a
    ldp     qBb_0, qBb_1, [cursor, #64]
    \left   0, Ba, \a
    ldp     qBb_2, qBb_3, [cursor, #96]
    \right  0, Ba, \a
    ldp     qBa_0, qBa_1, [cursor, #128]
    \left   1, Bb, \a
    ldp     qBa_2, qBa_3, [cursor, #160]
    \right  1, Bb, \a
    ldp     qBb_0, qBb_1, [cursor, #192]
    \left   2, Ba, \a
    ldp     qBb_2, qBb_3, [cursor, #224]
    add     cursor, cursor, group
    \right  2, Ba, \a
    ldp     qBa_0, qBa_1, [cursor]
    \left   3, Bb, \a
    ldp     qBa_2, qBa_3, [cursor, #32]
    \right  3, Bb, \a
.endm
// The same of 32 columns. The second half is loaded singly: with pairs alone, dispatch limits Neoverse V2, in whose
// model a pair takes three slots; without pairs, in-order cores start too few instructions.
.macro group_32 left, right, a
    ldp     qBb_0, qBb_1, [cursor, #64]
    \left   0, Ba, \a
    ldp     qBb_2, qBb_3, [cursor, #96]
    add     cursor, cursor, group
    \right  0, Ba, \a
    ldr     qBa_0, [cursor]
    ldr     qBa_1, [cursor, #16]
    \left   1, Bb, \a
    ldr     qBa_2, [cursor, #32]
    ldr     qBa_3, [cursor, #48]
    \right  1, Bb, \a
.endm
// 16 columns of two groups, the first with \a, the second with \b. Ba as above.
.macro groups_16 left, right, a, b
    add     cursor, cursor, group
    ldp     qBb_0, qBb_1, [cursor]
    \left   0, Ba, \a
    ldp     qBb_2, qBb_3, [cursor, #32]
    \right  0, Ba, \a
    add     cursor, cursor, group
    ldp     qBa_0, qBa_1, [cursor]
    \left   1, Bb, \b
    ldp     qBa_2, qBa_3, [cursor, #32]
    \right  1, Bb, \b
.endm
// The first Ba. (Of no k, and after the last group, it is fields of the columns.)
.macro first_16
    ldp     qBa_0, qBa_1, [cursor]
    ldp     qBa_2, qBa_3, [cursor, #32]
.endm

// ---- int8. <rhs>_begin: before the first step, once a tile; <rhs>_step: 32 k.

.macro int8_begin
    first_16
.endm
// 32 k of a tile: A, eight groups. Changes A, B.
.macro int8_step tile
    ldp     qA_0, qA_1, [row], #32
    .if \tile == 64
    .irp    a, A_0.4b[0], A_0.4b[1], A_0.4b[2], A_0.4b[3], A_1.4b[0], A_1.4b[1], A_1.4b[2], A_1.4b[3]
    group_64 left_half, right_half, \a
    .endr
    .elseif \tile == 32
    .irp    a, A_0.4b[0], A_0.4b[1], A_0.4b[2], A_0.4b[3], A_1.4b[0], A_1.4b[1], A_1.4b[2], A_1.4b[3]
    group_32 left_half, right_half, \a
    .endr
    .else
    groups_16 left_half, right_half, A_0.4b[0], A_0.4b[1]
    groups_16 left_half, right_half, A_0.4b[2], A_0.4b[3]
    groups_16 left_half, right_half, A_1.4b[0], A_1.4b[1]
    groups_16 left_half, right_half, A_1.4b[2], A_1.4b[3]
    .endif
.endm

// ---- int4_halves. \lane: of A_0, low nibbles, and of A_1, high nibbles.

// S += the 8 k of a quad in \b, as said above. Changes N_0, \b.
.macro nibbles s, b, lane
    shl     N_0.16b, \b\().16b, #4
    and     \b\().16b, \b\().16b, mask.16b
    sdot    \s\().4s, N_0.16b, A_0.4b[\lane]
    sdot    \s\().4s, \b\().16b, A_1.4b[\lane]
.endm
.macro left_nibbles set, b, lane
    nibbles S\set\()_0, \b\()_0, \lane
    nibbles S\set\()_1, \b\()_1, \lane
.endm
.macro right_nibbles set, b, lane
    nibbles S\set\()_2, \b\()_2, \lane
    nibbles S\set\()_3, \b\()_3, \lane
.endm
.macro int4_halves_begin
    first_16
.endm
// 32 k of a tile: A, four groups. Changes A, B, N_0.
.macro int4_halves_step tile
    ldp     qA_0, qA_1, [row], #32
    .if \tile == 64
    .irp    lane, 0, 1, 2, 3
    group_64 left_nibbles, right_nibbles, \lane
    .endr
    .else
    groups_16 left_nibbles, right_nibbles, 0, 1
    groups_16 left_nibbles, right_nibbles, 2, 3
    .endif
.endm

// ---- int4, k and k + 1 in a byte. Of two groups of 4 k, pairs of bytes of a column, of the one and of the other,
// become 8 k of it: even k are the low nibbles, odd k the high ones.

// Loads 16 columns of both groups, the \i-th of the tile, to set \to.
.macro both_groups to, i
    ldp     q\to\()_0, q\to\()_1, [cursor, #32 * \i]
    ldp     q\to\()_2, q\to\()_3, [next, #32 * \i]
.endm
// 8 k of the 16 columns in set \b: S<even> += low nibbles x lane of A_0, S<odd> += high nibbles x lane of A_1. Changes
// \b and Bb.
.macro dots_8k b, even, odd, lane
    zip1    Bb_0.8h, \b\()_0.8h, \b\()_2.8h
    zip2    Bb_1.8h, \b\()_0.8h, \b\()_2.8h
    zip1    Bb_2.8h, \b\()_1.8h, \b\()_3.8h
    zip2    Bb_3.8h, \b\()_1.8h, \b\()_3.8h
    shl     \b\()_0.16b, Bb_0.16b, #4
    shl     \b\()_1.16b, Bb_1.16b, #4
    shl     \b\()_2.16b, Bb_2.16b, #4
    shl     \b\()_3.16b, Bb_3.16b, #4
    and     Bb_0.16b, Bb_0.16b, mask.16b
    and     Bb_1.16b, Bb_1.16b, mask.16b
    left_half \even, \b, A_0.4b[\lane]
    and     Bb_2.16b, Bb_2.16b, mask.16b
    and     Bb_3.16b, Bb_3.16b, mask.16b
    right_half \even, \b, A_0.4b[\lane]
    left_half \odd, Bb, A_1.4b[\lane]
    right_half \odd, Bb, A_1.4b[\lane]
.endm
.macro next_8k
    add     cursor, next, group
    add     next, cursor, group
.endm
// 8 k of a tile. Ba is there, and is that of the next 8 k afterwards.
.macro int4_8k tile, lane
    .if \tile == 64
    both_groups N, 1
    dots_8k Ba, 0, 0, \lane
    both_groups Ba, 2
    dots_8k N, 1, 1, \lane
    both_groups N, 3
    dots_8k Ba, 2, 2, \lane
    next_8k
    both_groups Ba, 0
    dots_8k N, 3, 3, \lane
    .elseif \lane % 2 == 0
    next_8k
    both_groups N, 0
    dots_8k Ba, 0, 1, \lane
    .else
    next_8k
    both_groups Ba, 0
    dots_8k N, 0, 1, \lane
    .endif
.endm
// After the last group, two groups of the fields are read: 4 * nr bytes of them.
.macro int4_begin
    add     next, cursor, group
    both_groups Ba, 0
.endm
// 32 k of a tile: A, even k and odd k, four times 8 k. Changes A, B, N.
.macro int4_step tile
    ldp     qBb_0, qBb_1, [row], #32
    uzp1    A_0.16b, Bb_0.16b, Bb_1.16b
    uzp2    A_1.16b, Bb_0.16b, Bb_1.16b
    .irp    lane, 0, 1, 2, 3
    int4_8k \tile, \lane
    .endr
.endm

// ---- int2. K: LD4 does what its order asks for, 16 k in each of both words. \half: of 32 k.

.macro int2_dots q, b, field, half, set
    sdot    S\set\()_\q\().4s, \b\().16b, K_\field\().4b[\half]
.endm
// Of the columns that begin int2_columns bytes behind the tile's first.
.macro int2_load g
    ldr     qBb_\g, [at_\g, #int2_columns]
.endm
// Four groups from at_0 on.
.macro int2_groups_at
    add     at_1, at_0, group
    add     at_2, at_1, group
    add     at_3, at_2, group
.endm
.macro int2_next_groups
    add     at_0, at_3, group
    int2_groups_at
.endm
// Bb_<g> = the first groups of all columns.
.macro int2_begin
    .set    int2_columns, 0
    int2_groups_at
    int2_load 0
    int2_load 1
    int2_load 2
    int2_load 3
.endm
// 16 k of a tile.
.macro int2_half tile, half
    .if \tile == 64
    .irp    set, 0, 1, 2
    .set    int2_columns, 16 * (\set + 1)
    int2_16k \half, \set
    .endr
    .endif
    .set    int2_columns, 0
    int2_next_groups
    .if \tile == 64
    int2_16k \half, 3
    .else
    int2_16k \half, 0
    .endif
.endm
// 32 k. Changes B, K.
.macro int2_step tile
    ld4     {K_0.8b, K_1.8b, K_2.8b, K_3.8b}, [row], #32
    int2_half \tile, 0
    int2_half \tile, 1
.endm

// ---- Results

    regs    0, lowest, highest, off_ls, field, scale, result
// The result of a quad whose sums are \s, stored at dst.
.macro quad_result s, i
    ldr     qfield, [rsum_at], #16
    ldr     qscale, [rs_at], #16
    mla     \s\().4s, field.4s, off_ls.s[0]
    ldr     qresult, [bias_at], #16
    fmul    scale.4s, scale.4s, off_ls.s[1]
    scvtf   \s\().4s, \s\().4s
    fmla    result.4s, \s\().4s, scale.4s
    fmax    result.4s, result.4s, lowest.4s
    fmin    result.4s, result.4s, highest.4s
    cbnz    out, 8f
    str     qresult, [dst], #16
    b       9f
8:  fcvtn   result.4h, result.4s
    str     dresult, [dst], #8
9:
.endm
.macro store_sums s
    str     q\s, [dst], #16
.endm
// \do the sums of each quad of a tile.
.macro each_quad tile, do
    .irp    s, S0_0, S0_1, S0_2, S0_3
    \do     \s
    .endr
    .if \tile > 16
    .irp    s, S1_0, S1_1, S1_2, S1_3
    \do     \s
    .endr
    .endif
    .if \tile > 32
    .irp    s, S2_0, S2_1, S2_2, S2_3, S3_0, S3_1, S3_2, S3_3
    \do     \s
    .endr
    .endif
.endm
// Tiles of 16 columns: the sums of a column.
.macro add_both
    add     S0_0.4s, S0_0.4s, S1_0.4s
    add     S0_1.4s, S0_1.4s, S1_1.4s
    add     S0_2.4s, S0_2.4s, S1_2.4s
    add     S0_3.4s, S0_3.4s, S1_3.4s
.endm

// PanelRowFn. lo and hi come in s0 and s1.
.macro panel_row rhs_, tile
func kai_panel_row_\rhs_\()_\tile\()_neon_dotprod, hidden
    panel_begin \rhs_
    add     rsum_at, rsum_at, first, lsl #2
    add     rhs, rhs, first, lsl #\rhs_\()_shift
    fields_begin
1:  // a tile
    mov     cursor, rhs
    mov     row, lhs
    each_sum \tile, clear
    \rhs_\()_begin
    mov     left, steps
    cbz     steps, 7f
    \rhs_\()_steps \tile
7:
    .if \tile == 16
    add_both
    .endif
    cmp     out, #OUT_SUMS
    b.eq    10f
    ldr     doff_ls, [row]
    load_bounds
    each_quad \tile, quad_result
    b       11f
10: each_quad \tile, store_sums
11:
    add     rhs, rhs, #\tile << \rhs_\()_shift
    subs    columns, columns, #\tile
    b.ne    1b
    return
endfunc
.endm

    panel_row int8, 64
    panel_row int8, 32
    panel_row int8, 16
    panel_row int4, 64
    panel_row int4, 16
    panel_row int4_halves, 64
    panel_row int4_halves, 16
    panel_row int2, 64
    panel_row int2, 16
