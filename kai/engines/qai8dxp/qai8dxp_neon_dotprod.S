// Tiles of the qai8dxp GEMM with SDOT (qai8dxp_neon.hpp).
//
// A vector of the LHS holds 4 k of the 4 rows of a panel, one of the RHS 4 k of 4 columns, one of sums a row. Vectors
// are loaded for the next 4 k as soon as they have been used.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define COLUMN_0 v16.4s
#define COLUMN_1 v16.4s
#define COLUMN_2 v16.4s
#define COLUMN_3 v16.4s
#define ROW_0 v18.s[0]
#define ROW_1 v18.s[1]
#define ROW_2 v18.s[2]
#define ROW_3 v18.s[3]
#define FACTOR_0 v22.s[0]
#define FACTOR_1 v22.s[1]
#define FACTOR_2 v22.s[2]
#define FACTOR_3 v22.s[3]
#define ORDERED(s, t) s
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon.inc"

.macro load_columns v, w, at:vararg
    ldr     q\v, \at
.endm
.macro load_rows v, w, at:vararg
    ldr     q\v, \at
.endm
.macro rows s0, s1, s2, s3, t0, t2
.endm
    narrow_functions neon_dotprod

// 4 k of rows 01, of rows 23 of a panel. Cores that issue three instructions in order need one other instruction
// between two of these.
.macro sdot_01 s0, s1, columns, rows
    sdot    v\s0\().4s, v\columns\().16b, v\rows\().4b[0]
    sdot    v\s1\().4s, v\columns\().16b, v\rows\().4b[1]
.endm
.macro sdot_23 s2, s3, columns, rows
    sdot    v\s2\().4s, v\columns\().16b, v\rows\().4b[2]
    sdot    v\s3\().4s, v\columns\().16b, v\rows\().4b[3]
.endm

// ---- Per channel: accumulators are integers
//
// v16 - v19 LHS, a panel each; v20, v21 RHS, alternately

.macro multiply_offsets s0, s1, s2, s3, rows, columns=22
    mul     v\s0\().4s, v\columns\().4s, v\rows\().s[0]
    mul     v\s1\().4s, v\columns\().4s, v\rows\().s[1]
    mul     v\s2\().4s, v\columns\().4s, v\rows\().s[2]
    mul     v\s3\().4s, v\columns\().4s, v\rows\().s[3]
.endm
.macro sums_start count
    when \count, 4, load_rows 26, 26, [panels, #2 * PANEL + PANEL_offsets]
    when \count, 4, load_rows 27, 27, [panels, #3 * PANEL + PANEL_offsets]
    if_more \count, 1, load_rows 25, 25, [panels, #PANEL + PANEL_offsets]
    load_columns 22, 22, [quad, #QUAD_column_sums]
    load_rows 24, 24, [panels, #PANEL_offsets]
    multiply_offsets 0, 1, 2, 3, 24
    if_more \count, 1, multiply_offsets 4, 5, 6, 7, 25
    when \count, 4, multiply_offsets 8, 9, 10, 11, 26
    when \count, 4, multiply_offsets 12, 13, 14, 15, 27
.endm

.macro sums_first_1
    ldr     q16, [x1]
    ldr     q20, [rhs]
.endm
.macro sums_first_2
    sums_first_1
    ldr     q17, [x2]
.endm
.macro sums_first_4
    sums_first_2
    ldr     q18, [x3]
    ldr     q19, [x4]
.endm

// 4 k, then operands at byte `next`; `update` is ! if that is where pointers are next.
.macro sums_4k_1 columns, next_columns, next, update
    sdot_01 0, 1, \columns, 16
    ldr     q\next_columns, [rhs, #\next]\update
    sdot_23 2, 3, \columns, 16
    ldr     q16, [x1, #\next]\update
.endm
.macro sums_4k_of s0, s1, s2, s3, columns, rows, next:vararg
    sdot_01 \s0, \s1, \columns, \rows
    sdot_23 \s2, \s3, \columns, \rows
    ldr     q\rows, \next
.endm
.macro sums_4k_2 columns, next_columns, next, update
    sums_4k_1 \columns, \next_columns, \next, \update
    sums_4k_of 4, 5, 6, 7, \columns, 17, [x2, #\next]\update
.endm
.macro sums_4k_4 columns, next_columns, next, update
    sums_4k_2 \columns, \next_columns, \next, \update
    sums_4k_of 8, 9, 10, 11, \columns, 18, [x3, #\next]\update
    sums_4k_of 12, 13, 14, 15, \columns, 19, [x4, #\next]\update
.endm
.macro sums_step panels
    sums_4k_\panels 20, 21, 16
    sums_4k_\panels 21, 20, 32
    sums_4k_\panels 20, 21, 48
    sums_4k_\panels 21, 20, 64
    sums_4k_\panels 20, 21, 80
    sums_4k_\panels 21, 20, 96
    sums_4k_\panels 20, 21, 112
    subs    x7, x7, #1
    sums_4k_\panels 21, 20, 128, !
.endm
.macro sums_last count
.endm

    gemm_function kai_sums_4x4_neon_dotprod, 1, sums
    gemm_function kai_sums_8x4_neon_dotprod, 2, sums
    gemm_function kai_sums_16x4_neon_dotprod, 4, sums

// ---- Per channel, two quads: 3 panels, sums v0 - v11 and v12 - v23
//
// More products per operand, for cores on which loads use SIMD pipes. quad_count is even, sums neither resume
// nor stay. v24 - v27 RHS, of each quad alternately; v28 - v30 LHS. x4 RHS of the second quad, x12, x7 dst of a tile
// and of the next one.

.macro wide_start
    load_columns 24, 24, [quad, #QUAD_column_sums]
    load_columns 25, 25, [quad, #QUAD + QUAD_column_sums]
    load_rows 28, 28, [panels, #PANEL_offsets]
    load_rows 29, 29, [panels, #PANEL + PANEL_offsets]
    load_rows 30, 30, [panels, #2 * PANEL + PANEL_offsets]
    multiply_offsets 0, 1, 2, 3, 28, 24
    multiply_offsets 4, 5, 6, 7, 29, 24
    multiply_offsets 8, 9, 10, 11, 30, 24
    multiply_offsets 12, 13, 14, 15, 28, 25
    multiply_offsets 16, 17, 18, 19, 29, 25
    multiply_offsets 20, 21, 22, 23, 30, 25
.endm

.macro wide_4k first, second, next_first, next_second, next, update
    sdot_01 0, 1, \first, 28
    ldr     q\next_first, [rhs, #\next]\update
    sdot_23 2, 3, \first, 28
    ldr     q\next_second, [x4, #\next]\update
    sdot_01 4, 5, \first, 29
    sdot_23 6, 7, \first, 29
    sdot_01 8, 9, \first, 30
    sdot_23 10, 11, \first, 30
    sdot_01 12, 13, \second, 28
    sdot_23 14, 15, \second, 28
    ldr     q28, [x1, #\next]\update
    sdot_01 16, 17, \second, 29
    sdot_23 18, 19, \second, 29
    ldr     q29, [x2, #\next]\update
    sdot_01 20, 21, \second, 30
    sdot_23 22, 23, \second, 30
    ldr     q30, [x3, #\next]\update
.endm

// The first quad, then the other, whose sums wait in the panels.
.macro wide_finish
    mov     x12, dst
    store_sums 0, 12, 13, 14, 15
    store_sums 1, 16, 17, 18, 19
    store_sums 2, 20, 21, 22, 23
    finish  3, sums
    ldr     x5, [quad, #QUAD_dst]
    mov     x7, dst
    add     quad, quad, #QUAD
    ldr     x16, [quad, #QUAD_dst]
    sub     dst, x12, x5
    add     dst, dst, x16
    load_sums 0, 0, 1, 2, 3
    load_sums 1, 4, 5, 6, 7
    load_sums 2, 8, 9, 10, 11
    finish  3, sums
    sub     quad, quad, #QUAD
    mov     dst, x7
.endm

func kai_sums_12x8_neon_dotprod, hidden
    gemm_enter

0:  // two quads
    quad_begin
1:  // a tile
    mov     x1, x9
    add     x2, x9, x10
    add     x3, x2, x10
    add     x9, x3, x10
    mov     rhs, x11
    ldr     x4, [quad, #QUAD + QUAD_rhs]
    ldr     x7, [args, #GEMM_ARGS_steps]
    wide_start
    ldr     q24, [rhs]
    ldr     q25, [x4]
    ldr     q28, [x1]
    ldr     q29, [x2]
    ldr     q30, [x3]
    cbz     x7, 4f
3:  // 32 k
    wide_4k 24, 25, 26, 27, 16
    wide_4k 26, 27, 24, 25, 32
    wide_4k 24, 25, 26, 27, 48
    wide_4k 26, 27, 24, 25, 64
    wide_4k 24, 25, 26, 27, 80
    wide_4k 26, 27, 24, 25, 96
    wide_4k 24, 25, 26, 27, 112
    subs    x7, x7, #1
    wide_4k 26, 27, 24, 25, 128, !
    b.ne    3b
4:
    wide_finish
    add     panels, panels, #3 * PANEL
    subs    x8, x8, #1
    b.ne    1b
    add     quad, quad, #2 * QUAD
    subs    x20, x20, #2
    b.ne    0b

    return
endfunc

// ---- Blocks: accumulators are floats
//
// Up to 3 panels, sums v0 - v11, whose S are v20 - v31. v12, v13 RHS, alternately; v16 - v18 LHS, a panel each; v15
// scales.
//
// RHS elements are 16 times the weights. S starts at the bits of C = 1.5 * 2^19, v14 and w12, where floats are 1/16
// apart, so that it ends as the float C + S / 16: a subtraction replaces the conversion. Starts come from a general
// register: that takes no SIMD pipe on most cores, and half the time of a load on others.

// 4 k, then operands at byte `next`; `update` is ! if that is where pointers are next.
.macro block_4k panels, columns, next_columns, next, update
    sdot_01 20, 21, \columns, 16
    ldr     q\next_columns, [rhs, #\next]\update
    sdot_23 22, 23, \columns, 16
    ldr     q16, [x1, #\next]\update
    if_more \panels, 1, sums_4k_of 24, 25, 26, 27, \columns, 17, [x2, #\next]\update
    if_more \panels, 2, sums_4k_of 28, 29, 30, 31, \columns, 18, [x3, #\next]\update
.endm

.macro start s, rest:vararg
    dup     v\s\().4s, w12
    .ifnb \rest
    start   \rest
    .endif
.endm

.macro subtract_c s, rest:vararg
    fsub    v\s\().4s, v\s\().4s, v14.4s
    .ifnb \rest
    subtract_c \rest
    .endif
.endm

// v\sum += S * scales; S starts anew.
.macro add_scaled sum, s, rest:vararg
    fmla    v\sum\().4s, v\s\().4s, v15.4s
    start   \s
    .ifnb \rest
    add_scaled \rest
    .endif
.endm

.macro block_first_1
    ldr     q14, [args, #GEMM_ARGS_start]
    ldr     w12, [args, #GEMM_ARGS_start]
    ldr     q12, [rhs]
    ldr     q16, [x1]
    start   20, 21, 22, 23
.endm
.macro block_first_2
    block_first_1
    ldr     q17, [x2]
    start   24, 25, 26, 27
.endm
.macro block_first_3
    block_first_2
    ldr     q18, [x3]
    start   28, 29, 30, 31
.endm

.macro block_step panels
    ldr     x17, [args, #GEMM_ARGS_steps]
    ldr     q15, [scales], #16
8:  // 32 k
    block_4k \panels, 12, 13, 16
    block_4k \panels, 13, 12, 32
    block_4k \panels, 12, 13, 48
    block_4k \panels, 13, 12, 64
    block_4k \panels, 12, 13, 80
    block_4k \panels, 13, 12, 96
    block_4k \panels, 12, 13, 112
    subs    x17, x17, #1
    block_4k \panels, 13, 12, 128, !
    b.ne    8b
    subtract_c 20, 21, 22, 23
    if_more \panels, 1, subtract_c 24, 25, 26, 27
    if_more \panels, 2, subtract_c 28, 29, 30, 31
    add_scaled 0, 20, 1, 21, 2, 22, 3, 23
    if_more \panels, 1, add_scaled 4, 24, 5, 25, 6, 26, 7, 27
    if_more \panels, 2, add_scaled 8, 28, 9, 29, 10, 30, 11, 31
    subs    x7, x7, #1
.endm

    gemm_function kai_block_sums_4x4_neon_dotprod, 1, block
    gemm_function kai_block_sums_8x4_neon_dotprod, 2, block
    gemm_function kai_block_sums_12x4_neon_dotprod, 3, block
