// f32 <- qsi8d32p x qsi4c32p, qsi8c32p, qlu4c32p or qlu4c16p with SMMLA, blocks of 32: the K loop.
//
//     acc[m][n] += rhs_scale * (lhs_scale * S),     S = sum over the block of lhs * rhs
//
// Tile and registers: blocks_neon_tile_smmla.inc, and
//   v28, v29              C         scales of columns a, twice each: c0 c1 c0 c1; b: c2 c3 c2 c3
// After the products of a block:
//   v12, v13; v18, v19    L0; L1    tile of two panels: scales of rows a, b, twice each: r0 r0 r1 r1
//   v14 - v17; v20 - v23  P0; P1    -C * scales of the rows, then scales * S
//   v30                   L         other tiles: scales of rows a, then b
//   v31, v24 - v26        P         -C * scales of the rows, then scales * S; in registers that S0 no longer needs
//
// int4: the sums are 16 * S. They start at the bits of C = 1.5 * 2^19, where floats are 1/16 apart, so that they end as
// the float C + S without a conversion; int8, indices: S, and C = 1.5 * 2^23. fma(C + S, lhs_scale, -C * lhs_scale) is
// lhs_scale * S, rounded once. `scales`: row scales and -C times them, made in advance (pairs_of_scales), 64 bytes a
// panel: a, b; -C * a, -C * b. Starts and -C * lhs_scale are loaded rather than moved: the load pipes have slack, the
// SIMD pipes have none.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#define LHS_BLOCK 136      // 4 x (f16 + 32 bytes)
#define LHS_ELEMENTS 8
#include "kai/engines/blocks/blocks_neon_tile_smmla.inc"

// Constants of a format. bits: 4 (qsi4c32p) or 8 (qsi8c32p). table: 4 bits are indices (qlu4c32p, whose scales may be
// bf16). halves: and each half of a block has a scale (qlu4c16p). Scales, f16, are in front of the elements.
.macro format bits, table=0, halves=0
    .set    RHS_BITS, \bits
    .set    RHS_TABLE, \table
    .set    RHS_HALVES, \halves
    .set    RHS_ELEMENTS, 8 + 8 * \halves          // 4 x f16, with halves twice
    .set    RHS_BLOCK, RHS_ELEMENTS + 16 * \bits   // and 4 x 16 or 32 bytes
.endm

regs 28, C_a, C_b
regs 12, L0_a, L0_b, P0_aa, P0_ab, P0_ba, P0_bb, L1_a, L1_b, P1_aa, P1_ab, P1_ba, P1_bb
reg L, 30
reg P_aa, 31
regs 24, P_ab, P_ba, P_bb
reg columns, 31

// B0 - B3 = the columns of a block, C = their scales. Changes v29 - v31.
.macro load_columns
    .if RHS_TABLE
    ldp     qmask, qtable, [args, #TILE_ARGS_mask]
    .elseif RHS_BITS == 4
    ldr     qmask, [args, #TILE_ARGS_mask]
    .endif
    load_rhs_f16 columns
    widen_scales columns
    decode  B0_a, B0_b, B2_a, B2_b
    decode  B1_a, B1_b, B3_a, B3_b
    dup     C_a.2d, columns.d[0]
    dup     C_b.2d, columns.d[1]
.endm
// The same for half a block of indices: B0, B1.
.macro load_half_columns half
    ldp     qmask, qtable, [args, #TILE_ARGS_mask]
    load_half \half, columns
    dup     C_a.2d, columns.d[0]
    dup     C_b.2d, columns.d[1]
.endm

// \acc, of \rows rows, += \p times the scales of the columns.
.macro add_scaled acc, p, rows=4
    fmla    \acc\()_aa.4s, \p\()_aa.4s, C_a.4s
    fmla    \acc\()_ab.4s, \p\()_ab.4s, C_b.4s
    .if \rows > 2
    fmla    \acc\()_ba.4s, \p\()_ba.4s, C_a.4s
    fmla    \acc\()_bb.4s, \p\()_bb.4s, C_b.4s
    .endif
.endm

// Panel \p. Panels take turns: the accumulators of 16 rows leave registers for the sums of one panel.
.macro add_panel p
    ldr     qA_a, [lhs_\p]
    start   S0
    ldr     qA_b, [lhs_\p, #16]
    panel_8k S0, A, B0, lhs_\p, 32
    panel_8k S0, A, B1, lhs_\p, 64
    panel_8k S0, A, B2, lhs_\p, 96
    panel_8k S0, A, B3, scales, (64 * \p), a
    add     lhs_\p, lhs_\p, #LHS_BLOCK
    add_sums \p
.endm
// Half a block of panel \p.
.macro add_half_panel p, half
    ldr     qA_a, [lhs_\p, #64 * \half]
    start   S0
    ldr     qA_b, [lhs_\p, #64 * \half + 16]
    panel_8k S0, A, B0, lhs_\p, (64 * \half + 32)
    panel_8k S0, A, B1, scales, (64 * \p), a
    when \half, 1, add lhs_\p, lhs_\p, #LHS_BLOCK
    add_sums \p
.endm
// The accumulators of panel \p += S0, scaled. L = scales of rows a.
.macro add_sums p
    ldr     qP_aa, [scales, #64 * \p + 32]
    fmla    P_aa.4s, S0_aa.4s, L.4s
    ldr     qP_ab, [scales, #64 * \p + 32]
    fmla    P_ab.4s, S0_ab.4s, L.4s
    ldr     qL, [scales, #64 * \p + 16]
    ldr     qP_ba, [scales, #64 * \p + 48]
    fmla    P_ba.4s, S0_ba.4s, L.4s
    ldr     qP_bb, [scales, #64 * \p + 48]
    fmla    P_bb.4s, S0_bb.4s, L.4s
    add_scaled acc\p, P
.endm

// Half a block of the second panel, which has two rows.
reg Q_aa, 31
reg Q_ab, 26
// The same of the second panel where it has two rows.
.macro add_half_of_two_rows half
    ldr     qA_a, [lhs_1, #64 * \half]
    start   S0, 2
    panel_8k S0, A, B0, lhs_1, (64 * \half + 32), a, 2
    ldr     qQ_aa, [scales, #64 + 32]
    panel_8k S0, A, B1, scales, 64, a, 2
    ldr     qQ_ab, [scales, #64 + 32]
    when \half, 1, add lhs_1, lhs_1, #LHS_BLOCK
    fmla    Q_aa.4s, S0_aa.4s, L.4s
    fmla    Q_ab.4s, S0_ab.4s, L.4s
    add_scaled acc1, Q, 2
.endm

// Half a block, panel after panel.
.macro half_block panels, half
    load_half_columns \half
    each_panel \panels, add_half_\half
.endm
.macro add_half_0 p
    add_half_panel \p, 0
.endm
.macro add_half_1 p
    add_half_panel \p, 1
.endm
// The same of a tile of two panels.
.macro half_block_of_two half
    load_half_columns \half
    add_half_panel 0, \half
    .if last_rows == 2
    add_half_of_two_rows \half
    .else
    add_half_panel 1, \half
    .endif
.endm

// The accumulators += a block, panel after panel. Changes S0, A, B, C, L, P, x16.
.macro block_by_panels panels
    .if RHS_HALVES
    half_block \panels, 0
    half_block \panels, 1
    .else
    load_columns
    each_panel \panels, add_panel
    .endif
    add     scales, scales, #64 * \panels
.endm
.macro tile_block_1
    block_by_panels 1
.endm
.macro tile_block_4
    block_by_panels 4
.endm

// acc0, acc1 += a block. Changes S0, S1, A0, A1, B, C, L, P, v12 - v23, x16.
.macro tile_block_2
    .if RHS_HALVES
    half_block_of_two 0
    half_block_of_two 1
    add     scales, scales, #2 * 64
    .else
    two_panels_block
    .endif
.endm

// Both panels at once. Unscheduled:
//
//     for g in 0 - 3: S0 += A0 * B<g>, S1 += A1 * B<g>, next rows
//     P0 = -C * scales of the rows + S0 * L0, P1 likewise
//     acc0 += P0 * C, acc1 += P1 * C
.macro two_panels_block
    ldr     qA0_a, [lhs_0]
    ldr     qA0_b, [lhs_0, #16]
    load_columns
    ldr     qA1_a, [lhs_1]
    ldr     qA1_b, [lhs_1, #16]
    start   S0
    start   S1, last_rows
    two_panels_8k B0, 32
    two_panels_8k B1, 64
    two_panels_8k B2, 96
    panel_8k S0, A0, B3, scales, 0                      // L0
    panel_8k S1, A1, B3, scales, 32, a, last_rows       // P0_aa
    ldr     qP0_ab, [scales, #32]
    ldr     qP0_ba, [scales, #48]
    ldr     qP0_bb, [scales, #48]
    fmla    P0_aa.4s, S0_aa.4s, L0_a.4s
    ldr     qL1_a, [scales, #64]
    ldr     qP1_aa, [scales, #96]
    fmla    P0_ab.4s, S0_ab.4s, L0_a.4s
    ldr     qP1_ab, [scales, #96]
    fmla    P0_ba.4s, S0_ba.4s, L0_b.4s
    fmla    P0_bb.4s, S0_bb.4s, L0_b.4s
    .if last_rows > 2
    ldr     qL1_b, [scales, #80]
    ldr     qP1_ba, [scales, #112]
    .endif
    fmla    P1_aa.4s, S1_aa.4s, L1_a.4s
    if_more last_rows, 2, ldr qP1_bb, [scales, #112]
    fmla    P1_ab.4s, S1_ab.4s, L1_a.4s
    add     lhs_0, lhs_0, #LHS_BLOCK
    add     lhs_1, lhs_1, #LHS_BLOCK
    .if last_rows > 2
    fmla    P1_ba.4s, S1_ba.4s, L1_b.4s
    fmla    P1_bb.4s, S1_bb.4s, L1_b.4s
    .endif
    add     scales, scales, #2 * 64
    add_scaled acc0, P0
    add_scaled acc1, P1, last_rows
.endm

// The functions of a format.
.macro tiles rhs, bits, table=0, halves=0
    format  \bits, \table, \halves
    smmla_tile_functions kai_tile_qsi8d32p4x8_\rhs\()4x8
    tile_function kai_tile_qsi8d32p4x8_\rhs\()4x8_16x4_neon_i8mm, 4
.endm

    tiles qsi4c32p, 4
    tiles qsi8c32p, 8
    tiles qlu4c32p, 4, 1
    tiles qlu4c16p, 4, 1, 1
