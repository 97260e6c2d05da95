// int8 x int8 with SDOT: tiles of 1, 2 or 4 panels of 4 rows x 4 columns (SumsFn, BlockSumsFn in matmul_qai8dxp_neon.hpp).
//
//     per channel  sums[m][n] += S                                    S = sum over k of lhs * rhs, int32
//     per block    sums[m][n] = fma(S / 16, scale[n], sums[m][n])     S of each block, one after the other
//
// A vector of the LHS holds 4 k of the 4 rows of a panel, one of the RHS 4 k of 4 columns, one of sums a row. Vectors are
// loaded for the next 4 k as soon as they have been used; at the end this reads 16 bytes past the last k of a panel.
//
// Registers
//   x0        struct SumsArgs, BlockSumsArgs      x8   tiles to go          x12  steps
//   x1 - x4   lhs: the panels                     x9   lhs of the next tile x13  scales
//   x5        rhs                                 x10  stride of a panel    x14  blocks to go
//   x6        sums                                x11  start of the rhs     x15  start of a block of the rhs
//   x7        steps to go                         x16  scratch
//   v0 - v3   LHS, a panel each                   v4, v5  RHS, in turns     v16 - v31  sums, four per panel
//   blocks:   v6  C                               v7      scales            v8 - v15   S of two panels
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/asm/asm.h"

args    .req x0
rhs     .req x5
sums    .req x6
steps   .req x7
tiles   .req x8

// The panels of a tile; x9 goes on to the next tile.
.macro lhs_panels panels
    mov     x1, x9
    add     x9, x9, x10
    .if \panels > 1
    mov     x2, x9
    add     x9, x9, x10
    .endif
    .if \panels > 2
    mov     x3, x9
    add     x9, x9, x10
    mov     x4, x9
    add     x9, x9, x10
    .endif
.endm

// 4 k of a panel; then its rows are those at byte `next` of the panel.
.macro sdot_4k s0, s1, s2, s3, columns, rows, panel, next
    sdot    v\s0\().4s, v\columns\().16b, v\rows\().4b[0]
    sdot    v\s1\().4s, v\columns\().16b, v\rows\().4b[1]
    sdot    v\s2\().4s, v\columns\().16b, v\rows\().4b[2]
    sdot    v\s3\().4s, v\columns\().16b, v\rows\().4b[3]
    .ifnb \next
    ldr     q\rows, [\panel, #\next]
    .endif
.endm

.macro zero_sums panel, rest:vararg
    movi    v\panel\().2d, #0
    .ifnb \rest
    zero_sums \rest
    .endif
.endm

// resume ? sums : 0
.macro start_sums panels, resume
    ldr     x16, [args, #\resume]
    cbz     x16, 8f
    ldp     q16, q17, [sums]
    ldp     q18, q19, [sums, #32]
    .if \panels > 1
    ldp     q20, q21, [sums, #64]
    ldp     q22, q23, [sums, #96]
    .endif
    .if \panels > 2
    ldp     q24, q25, [sums, #128]
    ldp     q26, q27, [sums, #160]
    ldp     q28, q29, [sums, #192]
    ldp     q30, q31, [sums, #224]
    .endif
    b       9f
8:
    zero_sums 16, 17, 18, 19
    .if \panels > 1
    zero_sums 20, 21, 22, 23
    .endif
    .if \panels > 2
    zero_sums 24, 25, 26, 27
    zero_sums 28, 29, 30, 31
    .endif
9:
.endm

.macro store_sums panels
    stp     q16, q17, [sums], #32
    stp     q18, q19, [sums], #32
    .if \panels > 1
    stp     q20, q21, [sums], #32
    stp     q22, q23, [sums], #32
    .endif
    .if \panels > 2
    stp     q24, q25, [sums], #32
    stp     q26, q27, [sums], #32
    stp     q28, q29, [sums], #32
    stp     q30, q31, [sums], #32
    .endif
.endm

// Per channel: all panels at once.

#define ARG_LHS 0
#define ARG_RHS 16
#define ARG_SUMS 32
#define ARG_RESUME 48

.macro tile_4k panels, columns, next
    sdot_4k 16, 17, 18, 19, \columns, 0, x1, \next
    .if \panels > 1
    sdot_4k 20, 21, 22, 23, \columns, 1, x2, \next
    .endif
    .if \panels > 2
    sdot_4k 24, 25, 26, 27, \columns, 2, x3, \next
    sdot_4k 28, 29, 30, 31, \columns, 3, x4, \next
    .endif
.endm

.macro sums_function name, panels
func \name, hidden
    ldp     x9, x10, [args, #ARG_LHS]
    ldp     x11, x12, [args, #ARG_RHS]
    ldp     sums, tiles, [args, #ARG_SUMS]
    mov     rhs, x11
    ldr     q4, [rhs]

1:  // a tile
    lhs_panels \panels
    mov     steps, x12
    ldr     q0, [x1]
    .if \panels > 1
    ldr     q1, [x2]
    .endif
    .if \panels > 2
    ldr     q2, [x3]
    ldr     q3, [x4]
    .endif
    start_sums \panels, ARG_RESUME

2:  // 32 k
    ldr     q5, [rhs, #16]
    tile_4k \panels, 4, 16
    ldr     q4, [rhs, #32]
    tile_4k \panels, 5, 32
    ldr     q5, [rhs, #48]
    tile_4k \panels, 4, 48
    ldr     q4, [rhs, #64]
    tile_4k \panels, 5, 64
    ldr     q5, [rhs, #80]
    tile_4k \panels, 4, 80
    ldr     q4, [rhs, #96]
    tile_4k \panels, 5, 96
    ldr     q5, [rhs, #112]
    add     rhs, rhs, #128
    subs    steps, steps, #1
    tile_4k \panels, 4, 112
    csel    rhs, rhs, x11, ne               // after the last step the next tile begins
    ldr     q4, [rhs]
    tile_4k \panels, 5, 128
    add     x1, x1, #128
    .if \panels > 1
    add     x2, x2, #128
    .endif
    .if \panels > 2
    add     x3, x3, #128
    add     x4, x4, #128
    .endif
    b.ne    2b

    store_sums \panels
    subs    tiles, tiles, #1
    b.ne    1b
    ret
endfunc
.endm

    sums_function kai_sums_4x4_neon_dotprod, 1
    sums_function kai_sums_8x4_neon_dotprod, 2
    sums_function kai_sums_16x4_neon_dotprod, 4

// Per block: panels in pairs, whose eight S keep cores busy that issue in order; each pair reads the block of the RHS.
//
// RHS elements are 16 times the weights. S starts at the bits of C = 1.5 * 2^19, where floats are 1/16 apart, so that it
// ends as the float C + S / 16: a subtraction replaces the conversion. Starts are loaded rather than moved: load pipes
// have time, SIMD pipes have none.

#define ARG_START 0
#define ARG_BLOCK_LHS 16
#define ARG_BLOCK_RHS 32
#define ARG_BLOCK_SUMS 48
#define ARG_BLOCK_RESUME 64
#define ARG_SCALES 72

.macro pair_4k panels, pa, pb, columns, next
    sdot_4k 8, 9, 10, 11, \columns, 0, \pa, \next
    .if \panels > 1
    sdot_4k 12, 13, 14, 15, \columns, 1, \pb, \next
    .endif
.endm

// The first 4 k of panels pa, pb.
.macro pair_rows panels, pa, pb
    ldr     q0, [\pa]
    .if \panels > 1
    ldr     q1, [\pb]
    .endif
.endm

.macro start s, rest:vararg
    ldr     q\s, [args, #ARG_START]
    .ifnb \rest
    start   \rest
    .endif
.endm

.macro subtract_c s, rest:vararg
    fsub    v\s\().4s, v\s\().4s, v6.4s
    .ifnb \rest
    subtract_c \rest
    .endif
.endm

// v\sum += S * scales; S starts anew.
.macro add_scaled sum, s
    fmla    v\sum\().4s, v\s\().4s, v7.4s
    start   \s
.endm

// A block of panels pa, pb whose first 4 k are loaded; then the first 4 k of na, nb. `last`: of the pairs of a tile.
.macro pair_block panels, s0, s1, s2, s3, s4, s5, s6, s7, pa, pb, na, nb, last
    mov     rhs, x15
    mov     steps, x12
3:  // 32 k
    ldr     q5, [rhs, #16]
    pair_4k \panels, \pa, \pb, 4, 16
    ldr     q4, [rhs, #32]
    pair_4k \panels, \pa, \pb, 5, 32
    ldr     q5, [rhs, #48]
    pair_4k \panels, \pa, \pb, 4, 48
    ldr     q4, [rhs, #64]
    pair_4k \panels, \pa, \pb, 5, 64
    ldr     q5, [rhs, #80]
    pair_4k \panels, \pa, \pb, 4, 80
    ldr     q4, [rhs, #96]
    pair_4k \panels, \pa, \pb, 5, 96
    ldr     q5, [rhs, #112]
    add     rhs, rhs, #128
    subs    steps, steps, #1
    pair_4k \panels, \pa, \pb, 4, 112
    add     \pa, \pa, #128
    .if \panels > 1
    add     \pb, \pb, #128
    .endif
    pair_4k \panels, \pa, \pb, 5
    b.eq    4f
    pair_rows \panels, \pa, \pb
    ldr     q4, [rhs]
    b       3b
4:
    .if \last
    subs    x14, x14, #1
    csel    x15, rhs, x11, ne               // after the last block the next tile begins
    .endif
    pair_rows \panels, \na, \nb
    ldr     q4, [x15]
    subtract_c 8, 9, 10, 11
    .if \panels > 1
    subtract_c 12, 13, 14, 15
    .endif
    add_scaled \s0, 8
    add_scaled \s1, 9
    add_scaled \s2, 10
    add_scaled \s3, 11
    .if \panels > 1
    add_scaled \s4, 12
    add_scaled \s5, 13
    add_scaled \s6, 14
    add_scaled \s7, 15
    .endif
.endm

.macro block_sums_function name, panels
func \name, hidden
    stp     d8, d9, [sp, #-64]!
    .cfi_adjust_cfa_offset 64
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    stp     d14, d15, [sp, #48]
    ldr     q6, [args, #ARG_START]
    ldp     x9, x10, [args, #ARG_BLOCK_LHS]
    ldp     x11, x12, [args, #ARG_BLOCK_RHS]
    ldp     sums, tiles, [args, #ARG_BLOCK_SUMS]
    mov     x15, x11
    ldr     q4, [x15]
    start   8, 9, 10, 11, 12, 13, 14, 15

1:  // a tile
    lhs_panels \panels
    ldp     x13, x14, [args, #ARG_SCALES]
    pair_rows \panels, x1, x2
    start_sums \panels, ARG_BLOCK_RESUME

2:  // a block
    ldr     q7, [x13], #16
    .if \panels == 1
    pair_block 1, 16, 17, 18, 19, , , , , x1, , x1, , 1
    .elseif \panels == 2
    pair_block 2, 16, 17, 18, 19, 20, 21, 22, 23, x1, x2, x1, x2, 1
    .else
    pair_block 2, 16, 17, 18, 19, 20, 21, 22, 23, x1, x2, x3, x4, 0
    pair_block 2, 24, 25, 26, 27, 28, 29, 30, 31, x3, x4, x1, x2, 1
    .endif
    b.ne    2b

    store_sums \panels
    subs    tiles, tiles, #1
    b.ne    1b

    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d14, d15, [sp, #48]
    ldp     d8, d9, [sp], #64
    .cfi_adjust_cfa_offset -64
    ret
endfunc
.endm

    block_sums_function kai_block_sums_4x4_neon_dotprod, 1
    block_sums_function kai_block_sums_8x4_neon_dotprod, 2
    block_sums_function kai_block_sums_16x4_neon_dotprod, 4
