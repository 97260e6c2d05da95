// Tiles of the qai8dxp GEMM with SDOT (qai8dxp_neon.hpp) for columns in blocks, which have a scale each.
//
//     S += f32(T / 16) * block scale for each block, T = A x B: int8 x int8 -> int32, B: 16 times the weights
//     result = clamp(fma(column sum, row offset, S) * row scale + bias)
//
// T starts at the bits of C = 1.5 * 2^19, where floats are 1/16 apart, so that it ends as the float C + T / 16: a
// subtraction replaces the conversion. The start is duplicated from a general register: no SIMD pipe on most cores, and
// half the time of a load on others.
//
//             | Be                       even groups of 4 k; odd ones: Bo
//         ----+----------------------
//         A0  | T0_0 T0_1 T0_2 T0_3      a row of the panel each
//         A1  | T1_0 ...                 up to 3 panels
//
//   S0_0 S0_1 S0_2 S0_3, S1_0 ... S2_3     v0 - v11     f32 sums
//   T0_0 T0_1 T0_2 T0_3, T1_0 ... T2_3     v20 - v31    int32 sums of a block
//   Be, Bo                                 v12, v13     B, 4 columns x 4 k
//   A0, A1, A2                             v16 - v18    A, 4 rows x 4 k of a panel each
//   C                                      v14, w12     block_scale   v15
//   lhs0 - lhs2  x1 - x3, rhs  x5          cursors: 16 bytes for 4 k
//   left  x7, steps_left  x17              blocks to go, steps of 32 k of a block to go
//   scales  x14                            of the next block, a vector
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon.inc"
#include "kai/engines/qai8dxp/qai8dxp_neon_dotprod_results.inc"

    regs    20, T0_0, T0_1, T0_2, T0_3, T1_0, T1_1, T1_2, T1_3, T2_0, T2_1, T2_2, T2_3
    regs    12, Be, Bo, C, block_scale, A0, A1, A2
C_bits     .req w12
steps_left .req x17

// 4 k of rows 0 and 1, of rows 2 and 3: sums += B * A, names without their row; `a` has all four rows. Cores that issue
// three instructions in order need one other instruction between two of these macros.
.macro sdot_01 sums, b, a
    sdot    \sums\()_0.4s, \b\().16b, \a\().4b[0]
    sdot    \sums\()_1.4s, \b\().16b, \a\().4b[1]
.endm
.macro sdot_23 sums, b, a
    sdot    \sums\()_2.4s, \b\().16b, \a\().4b[2]
    sdot    \sums\()_3.4s, \b\().16b, \a\().4b[3]
.endm

// 4 k of panel p; then loads its A from byte `next`, to which the pointer moves if `update` is !.
.macro panel_4k p, set, next, update
    sdot_01 T\p, B\set, A\p
    sdot_23 T\p, B\set, A\p
    ldr     qA\p, [lhs\p, #\next]\update
.endm
// 4 k of the tile with B<set>. Loads B<other> and A of the next 4 k from byte `next`, to which the pointers move if
// `update` is !.
.macro tile_4k panel_count, set, other, next, update
    sdot_01 T0, B\set, A0
    ldr     qB\other, [rhs, #\next]\update
    sdot_23 T0, B\set, A0
    ldr     qA0, [lhs0, #\next]\update
    if_more \panel_count, 1, panel_4k 1, \set, \next, \update
    if_more \panel_count, 2, panel_4k 2, \set, \next, \update
.endm

// T of panel p = C.
.macro start p
    dup     T\p\()_0.4s, C_bits
    dup     T\p\()_1.4s, C_bits
    dup     T\p\()_2.4s, C_bits
    dup     T\p\()_3.4s, C_bits
.endm
// T of panel p -= C, as floats.
.macro less_c p
    fsub    T\p\()_0.4s, T\p\()_0.4s, C.4s
    fsub    T\p\()_1.4s, T\p\()_1.4s, C.4s
    fsub    T\p\()_2.4s, T\p\()_2.4s, C.4s
    fsub    T\p\()_3.4s, T\p\()_3.4s, C.4s
.endm
// S += T * scales of panel p; T starts anew.
.macro add_scaled p
    fmla    S\p\()_0.4s, T\p\()_0.4s, block_scale.4s
    dup     T\p\()_0.4s, C_bits
    fmla    S\p\()_1.4s, T\p\()_1.4s, block_scale.4s
    dup     T\p\()_1.4s, C_bits
    fmla    S\p\()_2.4s, T\p\()_2.4s, block_scale.4s
    dup     T\p\()_2.4s, C_bits
    fmla    S\p\()_3.4s, T\p\()_3.4s, block_scale.4s
    dup     T\p\()_3.4s, C_bits
.endm

// A block.
.macro block_step panel_count
    ldr     steps_left, [args, #GEMM_ARGS_steps]
    ldr     qblock_scale, [scales], #16
8:  // 32 k
    tile_4k \panel_count, e, o, 16
    tile_4k \panel_count, o, e, 32
    tile_4k \panel_count, e, o, 48
    tile_4k \panel_count, o, e, 64
    tile_4k \panel_count, e, o, 80
    tile_4k \panel_count, o, e, 96
    tile_4k \panel_count, e, o, 112
    subs    steps_left, steps_left, #1
    tile_4k \panel_count, o, e, 128, !
    b.ne    8b
    each_panel \panel_count, less_c
    each_panel \panel_count, add_scaled
    subs    left, left, #1
.endm

// C, A and Be of the first 4 k, T = C.
.macro block_load panel_count
    ldr     qC, [args, #GEMM_ARGS_start]
    ldr     C_bits, [args, #GEMM_ARGS_start]
    ldr     qBe, [rhs]
    ldr     qA0, [lhs0]
    start   0
    if_more \panel_count, 1, ldr qA1, [lhs1]
    if_more \panel_count, 1, start 1
    if_more \panel_count, 2, ldr qA2, [lhs2]
    if_more \panel_count, 2, start 2
.endm
.macro block_start panel_count
    each_panel \panel_count, zero_sums
.endm
.macro block_end panel_count
.endm

    gemm_function kai_block_sums_4x4_neon_dotprod, 1, block
    gemm_function kai_block_sums_8x4_neon_dotprod, 2, block
    gemm_function kai_block_sums_12x4_neon_dotprod, 3, block
