// The tile of f8_neon_bf16.cpp: 8 rows x 12 columns, some blocks of k, with BFMMLA. Columns are bf16 already
// (f8_neon_bf16_decode.S).
//
//     sums = start + sum over blocks of scale * sum over k of lhs * rhs;   dst = clamp(sums)
//
// Tile, products and their registers: bf16_neon_bf16_groups.inc. Sums of the blocks before are in memory. After a
// block:
//
//   X_0 - X_5  v0-v5   scales of a pair of columns: both, twice
//   T_a, T_b   v6, v7  sums
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+bf16
#include "kai/engines/bf16/bf16_neon_bf16_groups.inc"
#include "kai/engines/f8/f8_args.h"

args        .req x0
sums        .req x1
scales      .req x3
blocks      .req x4
start       .req x5
start_step  .req x6

    regs    0, X_0, X_1, X_2, X_3, X_4, X_5, T_a, T_b

// S of pair of columns c = 0.
.macro clear c
    movi    S0_\c\().2d, #0
    movi    S1_\c\().2d, #0
    movi    S2_\c\().2d, #0
    movi    S3_\c\().2d, #0
.endm

// sums of row pair p += scale * S; the sums before this block are at start.
.macro scale_pair p
    scale_two \p, 0, 1, 0
    scale_two \p, 2, 3, 32
    scale_two \p, 4, 5, 64
    add     start, start, start_step
.endm
// Sums c and d of row pair p, scaled, to the results that `start` + at holds.
.macro scale_two p, c, d, at
    ldp     qT_a, qT_b, [start, #\at]
    fmla    T_a.4s, S\p\()_\c\().4s, X_\c\().4s
    fmla    T_b.4s, S\p\()_\d\().4s, X_\d\().4s
    stp     qT_a, qT_b, [sums, #96 * \p + \at]
.endm
// S of row pair p = its sums.
.macro load_pair p
    ldp     qS\p\()_0, qS\p\()_1, [sums, #96 * \p]
    ldp     qS\p\()_2, qS\p\()_3, [sums, #96 * \p + 32]
    ldp     qS\p\()_4, qS\p\()_5, [sums, #96 * \p + 64]
.endm

// void kai_tile_f8_8x12_neon_bf16(const F8TileArgs*)
func kai_tile_f8_8x12_neon_bf16, hidden
    frame   d8-d15
    ldp     lhs, rhs, [args, #F8_TILE_ARGS_lhs]
    ldp     scales, blocks, [args, #F8_TILE_ARGS_scales]
    ldp     groups, sums, [args, #F8_TILE_ARGS_groups]
    ldp     start, start_step, [args, #F8_TILE_ARGS_start]
9:  clear   0
    clear   1
    clear   2
    clear   3
    clear   4
    clear   5
    all_groups
    ldp     qX_0, qX_1, [scales]
    ldp     qX_2, qX_3, [scales, #32]
    ldp     qX_4, qX_5, [scales, #64]
    add     scales, scales, #96
    scale_pair 0
    scale_pair 1
    scale_pair 2
    scale_pair 3
    mov     start, sums
    mov     start_step, #96
    subs    blocks, blocks, #1
    b.ne    9b
    ldp     even, out_stride, [args, #F8_TILE_ARGS_dst]
    cbz     even, 8f
    load_pair 0
    load_pair 1
    load_pair 2
    load_pair 3
    ldp     qlow, qhigh, [args, #F8_TILE_ARGS_bounds]
    add     odd, even, out_stride
    clamp   0, 1
    store_4_rows_f32 0, 1
    clamp   2, 3
    store_4_rows_f32 2, 3
8:  return
endfunc
