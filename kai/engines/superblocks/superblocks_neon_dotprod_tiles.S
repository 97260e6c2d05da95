// Tiles of super-blocks (superblocks_neon.inc) with SDOT. A vector of sums holds a row of 4 columns. v25 holds the
// indices of sub-scales.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#define D0 v18.4s
#define D1 v18.4s
#define DMIN0 v20.4s
#define DMIN1 v20.4s
#define WIDE 1
#include "kai/engines/superblocks/superblocks_neon.inc"

.macro index_constants
    stp     x16, x17, [sp, #INDICES]
    ldr     q25, [sp, #INDICES]
.endm

.macro sub_scales odd
    ldr     s24, [subs, #4 * \odd]
    tbl     v24.16b, {v24.16b}, v25.16b
    .if !HAS_MINIMA
    sshr    v24.4s, v24.4s, #24
    .endif
.endm

.macro first_lhs both, panel
    ldp     q30, q31, [\panel, #sub_offset]
.endm

// 4 k of a panel; then come those at \next, if any.
.macro sums_4k both, columns, lhs, panel, next
    dot_4k  \both, \columns, \lhs, 26, 27, 28, 29
    .ifnb \next
    ldr     q\lhs, [\panel, #sub_offset + \next]
    .endif
.endm

.macro multiply both, panel
    sums_4k \both, 16, 30, \panel, 32
    sums_4k \both, 17, 31, \panel, 48
    .if SUB == 32
    sums_4k \both, 18, 30, \panel, 64
    sums_4k \both, 19, 31, \panel, 80
    sums_4k \both, 20, 30, \panel, 96
    sums_4k \both, 21, 31, \panel, 112
    sums_4k \both, 22, 30, \panel
    sums_4k \both, 23, 31, \panel
    .else
    sums_4k \both, 18, 30, \panel
    sums_4k \both, 19, 31, \panel
    .endif
.endm

.macro add_sub both, i0, i1, i2, i3
    add_scaled_sums \both, 24, \i0, \i1, \i2, \i3, 26, 27, 28, 29
.endm

// The first two rows of 4 k of a panel, or all four.
.macro load_4k both, r, panel, at
    .if \both
    ldr     q\r, [\panel, #\at]
    .else
    ldr     d\r, [\panel, #\at]
    .endif
.endm

.macro dot_4k both, columns, lhs, s0, s1, s2, s3
    sdot    v\s0\().4s, v\columns\().16b, v\lhs\().4b[0]
    sdot    v\s1\().4s, v\columns\().16b, v\lhs\().4b[1]
    .if \both
    sdot    v\s2\().4s, v\columns\().16b, v\lhs\().4b[2]
    sdot    v\s3\().4s, v\columns\().16b, v\lhs\().4b[3]
    .endif
.endm

.macro add_scaled_sums both, scales, i0, i1, i2, i3, s0, s1, s2, s3
    mla     v\i0\().4s, v\s0\().4s, v\scales\().4s
    mla     v\i1\().4s, v\s1\().4s, v\scales\().4s
    .if \both
    mla     v\i2\().4s, v\s2\().4s, v\scales\().4s
    mla     v\i3\().4s, v\s3\().4s, v\scales\().4s
    .endif
.endm

// 4 k; then those at \next, if any, \offset further, to v\n, which may be columns that are done with.
.macro dot_and_load both, s0, s1, s2, s3, panel, offset, columns, lhs, n, next
    dot_4k  \both, \columns, \lhs, \s0, \s1, \s2, \s3
    .ifnb \next
    load_4k \both, \n, \panel, \offset + \next
    .endif
.endm
.macro first_sub columns, lhs, next, n
    dot_and_load (pairs > 1), 4, 5, 6, 7, x1, 0, \columns, \lhs, \n, \next
.endm
.macro second_sub columns, lhs, next, n
    dot_and_load (pairs > 1), 26, 27, 28, 29, x1, 128, \columns, \lhs, \n, \next
.endm
.macro load_subs at, n0, n1
    load_4k (pairs > 1), \n0, x1, \at
    load_4k (pairs > 1), \n1, x1, \at + 128
.endm

// Sums in v4 - v7 and v26 - v29.
.macro two_sub_blocks
    load_subs 0, 24, 25
    both_columns
    load_subs 16, 30, 31
    start   4, 5, 26, 27
    .if pairs > 1
    start   6, 7, 28, 29
    .endif
    next_columns 9, 17
    first_sub 8, 24, 32, 8
    next_columns 10, 18
    first_sub 9, 30, 48, 9
    second_sub 16, 25, 32, 16
    next_columns 11, 19
    first_sub 10, 8, 64, 10
    second_sub 17, 31, 48, 17
    next_columns 12, 20
    first_sub 11, 9, 80, 11
    second_sub 18, 16, 64, 18
    next_columns 13, 21
    first_sub 12, 10, 96, 12
    second_sub 19, 17, 80, 19
    ldr     q24, [sp, #INDICES]
    ldr     s30, [subs]
    ldr     s31, [subs, #4]
    next_columns 14, 22
    first_sub 13, 11, 112, 13
    second_sub 20, 18, 96, 20
    next_columns 15, 23
    first_sub 14, 12
    second_sub 21, 19, 112, 21
    tbl     v30.16b, {v30.16b}, v24.16b
    tbl     v31.16b, {v31.16b}, v24.16b
    .if !HAS_MINIMA
    sshr    v30.4s, v30.4s, #24
    sshr    v31.4s, v31.4s, #24
    .endif
    first_sub 15, 13
    second_sub 22, 20
    add_scaled_sums (pairs > 1), 30, 0, 1, 2, 3, 4, 5, 6, 7
    second_sub 23, 21
    add_scaled_sums (pairs > 1), 31, 0, 1, 2, 3, 26, 27, 28, 29
.endm

// The same of a panel each, to the same register.
.macro first_4k columns, lhs, next
    dot_and_load 1, 26, 27, 28, 29, x1, sub_offset, \columns, \lhs, \lhs, \next
.endm
.macro second_4k columns, lhs, next
    dot_and_load (pairs > 3), 8, 9, 10, 11, x2, sub_offset, \columns, \lhs, \lhs, \next
.endm
.macro load_panels at, l0, l1
    load_4k 1, \l0, x1, sub_offset + \at
    load_4k (pairs > 3), \l1, x2, sub_offset + \at
.endm

// Sums in v26 - v29 and v8 - v11. The second panel is 4 k behind, so that sums are not all complete at once.
.macro two_panels odd
    load_panels 0, 12, 14
    load_panels 16, 13, 15
    columns \odd
    sub_scales \odd
    load_panels 32, 30, 31
    start   26, 27, 28, 29, 8, 9
    .if pairs > 3
    start   10, 11
    .endif
    first_4k 16, 12, 48
    .if SUB == 32
    first_4k 17, 13, 64
    second_4k 16, 14, 48
    first_4k 18, 30, 80
    second_4k 17, 15, 64
    first_4k 19, 12, 96
    second_4k 18, 31, 80
    first_4k 20, 13, 112
    second_4k 19, 14, 96
    first_4k 21, 30
    second_4k 20, 15, 112
    first_4k 22, 12
    second_4k 21, 31
    first_4k 23, 13
    second_4k 22, 14
    add_scaled_sums 1, 24, 0, 1, 2, 3, 26, 27, 28, 29
    second_4k 23, 15
    .else
    first_4k 17, 13
    second_4k 16, 14, 48
    first_4k 18, 30
    second_4k 17, 15
    first_4k 19, 12
    second_4k 18, 31
    add_scaled_sums 1, 24, 0, 1, 2, 3, 26, 27, 28, 29
    second_4k 19, 14
    .endif
    add_scaled_sums (pairs > 3), 24, 4, 5, 6, 7, 8, 9, 10, 11
.endm

.macro super_scales
    ldr     d18, [x16, #RHS_D]
    fcvtl   v18.4s, v18.4h
    .if HAS_MINIMA
    ldr     d20, [x16, #RHS_DMIN]
    fcvtl   v20.4s, v20.4h
    .endif
.endm

.macro sums_of_minima lhs
    sdot    v30.4s, v16.16b, \lhs\().4b[0]
    sdot    v31.4s, v16.16b, \lhs\().4b[2]
    sdot    v30.4s, v17.16b, \lhs\().4b[1]
    sdot    v31.4s, v17.16b, \lhs\().4b[3]
.endm

.macro add_scaled i0, i1, panel, at
    .if \at == 0
    ldr     q24, [\panel]
    add_pair \i0, \i1, \panel, \at, v24.s[0], v24.s[1]
    .else
    add_pair \i0, \i1, \panel, \at, v24.s[2], v24.s[3]
    .endif
.endm

    tile_functions kai_tile_qsi8d256p4x4_qau4c32x256p4x4, neon_dotprod, 4
    tile_functions kai_tile_qsi8d256p4x4_qau5c32x256p4x4, neon_dotprod, 5
    tile_functions kai_tile_qsi8d256p4x4_qlu4c32x256p4x4, neon_dotprod, 4, 1
    tile_functions kai_tile_qsi8d256p4x4_qsi6c16x256p4x4, neon_dotprod, 6
