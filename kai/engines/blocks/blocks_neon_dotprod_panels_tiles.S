// f32 <- rows in blocks x quads that were decoded from panels of SME (blocks_neon_panels.hpp), with SDOT:
//
//     acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])                 with zeros
//     acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),         S = sum over the block of lhs * rhs
//
// Tile and registers: blocks_neon_tile_sdot.inc, and
//   x4             left      chunks of 32 k of a long block to go
//   v31            Z         zeros of the columns
//   v6; v12, v14   F; F0, F1 sums of the rows, tile of one panel; of two panels
//
// A block of a quad is f32 zeros, if it has them, f32 scales, then int8. `scales`: row scales, made in advance; with
// zeros, sums and scales of the rows follow the elements of a block. S starts at the bits of C =
// 1.5 * 2^23, so that it ends as the float C + S; in long blocks it starts at 0 and is converted.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define LHS_CHUNK 128       // 4 x 32 bytes
#define LHS_ELEMENTS 0
#define RHS_BITS 8
#define RHS_TABLE 0
#define ROW_SCALE_FIRST 0
#include "kai/engines/blocks/blocks_neon_tile_sdot.inc"

left    .req x4
reg Z, 31
reg F, 6
reg F0, 12
reg F1, 14

// Constants of a kind of blocks. long: any multiple of 32 k; runs: 32 k have two scales, of 16 k each; zeros: they have
// these.
.macro format long=0, runs=0, zeros=0
    .set    LONG, \long
    .set    RUNS, \runs
    .set    ZEROS, \zeros
    .set    RHS_ELEMENTS, 16 + 16 * \zeros
.endm

// C_scales = scales of the columns, Z = zeros. Long: `left`.
.macro start_block
    start   S0
    when    LONG, 1, ldr left, [args, #TILE_ARGS_bl]
    when    ZEROS, 1, ldur qZ, [rhs, #-32]
    ldur    qC_scales, [rhs, #-16]
.endm
// B_0 - B_3. rhs moves past them.
.macro load_16_k
    ldp     qB_0, qB_1, [rhs]
    ldp     qB_2, qB_3, [rhs, #32]
    add     rhs, rhs, #64
.endm
// All of B.
.macro load_32_k
    ldp     qB_0, qB_1, [rhs]
    ldp     qB_2, qB_3, [rhs, #32]
    ldp     qB_4, qB_5, [rhs, #64]
    ldp     qB_6, qB_7, [rhs, #96]
    add     rhs, rhs, #128
.endm
// \acc, of \rows rows, += zeros of the columns times the sums of the rows, in the lanes of \f.
.macro add_zeros acc, f, rows=4
    fmla    \acc\()_0.4s, Z.4s, \f\().s[0]
    if_more \rows, 1, fmla \acc\()_1.4s, Z.4s, \f\().s[1]
    if_more \rows, 2, fmla \acc\()_2.4s, Z.4s, \f\().s[2]
    if_more \rows, 3, fmla \acc\()_3.4s, Z.4s, \f\().s[3]
.endm
// L = scales of the rows; zeros are added to acc0.
.macro row_fields_1
    .if ZEROS
    ldp     qF, qL, [lhs_0], #32
    add_zeros acc0, F
    .else
    ldr     qL, [scales], #16
    .endif
.endm
// Two panels.
.macro row_fields_2
    .if ZEROS
    ldp     qF0, qL0, [lhs_0], #32
    ldp     qF1, qL1, [lhs_1], #32
    add_zeros acc0, F0
    add_zeros acc1, F1, last_rows
    .else
    ldp     qL0, qL1, [scales], #32
    .endif
.endm

// Long: \s of \rows rows, int32, becomes f32.
.macro convert s, rows=4
    .if LONG
    scvtf   \s\()_0.4s, \s\()_0.4s
    if_more \rows, 1, scvtf \s\()_1.4s, \s\()_1.4s
    if_more \rows, 2, scvtf \s\()_2.4s, \s\()_2.4s
    if_more \rows, 3, scvtf \s\()_3.4s, \s\()_3.4s
    .endif
.endm

// Half a block: 16 k of one panel. \at: where its rows are.
.macro run_1 at
    start_block
    load_rows_b x16, lhs_0, (\at)
    load_16_k
    load_rows A, x16, lhs_0, (\at)
    panel_4k S0, A, 0, lhs_0, (\at + 16)
    panel_4k S0, A, 1, lhs_0, (\at + 32)
    panel_4k S0, A, 2, lhs_0, (\at + 48)
    panel_4k S0, A, 3, lhs_0, none
    ldr     qL, [scales]
    add     rhs, rhs, #RHS_ELEMENTS
    add_block
.endm
// Two panels.
.macro run_2 at
    start_block
    start   S1, last_rows
    load_rows_b x16, lhs_0, (\at)
    load_rows_b x17, lhs_1, (\at), last_rows
    load_16_k
    load_rows A0, x16, lhs_0, (\at)
    load_rows A1, x17, lhs_1, (\at), last_rows
    two_panels_4k 0, (\at + 16)
    two_panels_4k 1, (\at + 32)
    two_panels_4k 2, (\at + 48)
    two_panels_4k 3, none
    ldp     qL0, qL1, [scales]
    add     rhs, rhs, #RHS_ELEMENTS
    add_block_of_two_panels
.endm

// acc0 += a block. Changes S0, A, B, L, P, C_scales, left, x16.
.macro tile_block_1
    .if RUNS
    run_1   0
    run_1   64
    add     scales, scales, #16
    add     lhs_0, lhs_0, #LHS_CHUNK
    .else
    start_block
4:
    load_rows_b x16, lhs_0, 0
    load_32_k
    load_rows A, x16, lhs_0, 0
    panel_28k
    panel_4k S0, A, 7, lhs_0, none
    add     lhs_0, lhs_0, #LHS_CHUNK
    when    LONG, 1, subs left, left, #1
    when    LONG, 1, b.ne 4b
    row_fields_1
    add     rhs, rhs, #RHS_ELEMENTS
    convert S0
    add_block
    .endif
.endm

// acc0, acc1 += a block. Changes S0, S1, A0, A1, B, L0, L1, P0, P1, C_scales, left, x16, x17.
.macro tile_block_2
    .if RUNS
    run_2   0
    run_2   64
    add     scales, scales, #32
    add     lhs_0, lhs_0, #LHS_CHUNK
    add     lhs_1, lhs_1, #LHS_CHUNK
    .else
    start_block
    start   S1, last_rows
4:
    load_rows_b x16, lhs_0, 0
    load_rows_b x17, lhs_1, 0, last_rows
    load_32_k
    load_rows A0, x16, lhs_0, 0
    load_rows A1, x17, lhs_1, 0, last_rows
    two_panels_28k
    two_panels_4k 7, none
    add     lhs_0, lhs_0, #LHS_CHUNK
    add     lhs_1, lhs_1, #LHS_CHUNK
    when    LONG, 1, subs left, left, #1
    when    LONG, 1, b.ne 4b
    row_fields_2
    add     rhs, rhs, #RHS_ELEMENTS
    convert S0
    convert S1, last_rows
    add_block_of_two_panels
    .endif
.endm

    format
    sdot_tile_functions kai_tile_panels
    format  long=1
    sdot_tile_functions kai_tile_panels_long
    format  runs=1
    sdot_tile_functions kai_tile_panels_runs
    format  zeros=1
    sdot_tile_functions kai_tile_panels_zeros
    format  long=1, zeros=1
    sdot_tile_functions kai_tile_panels_zeros_long
