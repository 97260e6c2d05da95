// Tiles of super-blocks (superblocks_neon.inc) with SMMLA. A vector of sums holds 2 rows x 2 columns: r0c0 r0c1 r1c0
// r1c1; columns are 01, 23, 01, 23, ... of 8 k.
//
// 6 bits: v22, v23 hold the indices of sub-scales.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#define D0 v18.4s
#define D1 v19.4s
#define DMIN0 v20.4s
#define DMIN1 v21.4s
#define WIDE 0
#include "kai/engines/superblocks/superblocks_neon.inc"

.macro index_constants
    stp     x16, x16, [sp, #INDICES]
    stp     x17, x17, [sp, #INDICES + 16]
    .if RHS_BITS == 6
    ldp     q22, q23, [sp, #INDICES]
    .endif
.endm

.macro sub_scales odd
    ldr     s25, [subs, #4 * \odd]
    .if RHS_BITS == 6
    tbl     v24.16b, {v25.16b}, v22.16b
    tbl     v25.16b, {v25.16b}, v23.16b
    .else
    ldp     q26, q27, [sp, #INDICES]
    tbl     v24.16b, {v25.16b}, v26.16b
    tbl     v25.16b, {v25.16b}, v27.16b
    .endif
    .if !HAS_MINIMA
    sshr    v24.4s, v24.4s, #24
    sshr    v25.4s, v25.4s, #24
    .endif
.endm

.macro first_lhs both, panel
    ldr     q30, [\panel, #sub_offset]
    .if \both
    ldr     q31, [\panel, #sub_offset + 16]
    .endif
.endm

// 8 k of a panel; then come those at \next, if any. Four sums, so that in-order cores do not wait for the previous one.
.macro sums_8k both, c01, c23, panel, next
    smmla   v26.4s, v30.16b, v\c01\().16b
    smmla   v27.4s, v30.16b, v\c23\().16b
    .ifnb \next
    ldr     q30, [\panel, #sub_offset + \next]
    .endif
    .if \both
    smmla   v28.4s, v31.16b, v\c01\().16b
    smmla   v29.4s, v31.16b, v\c23\().16b
    .ifnb \next
    ldr     q31, [\panel, #sub_offset + \next + 16]
    .endif
    .endif
.endm

.macro multiply both, panel
    sums_8k \both, 16, 17, \panel, 32
    .if SUB == 32
    sums_8k \both, 18, 19, \panel, 64
    sums_8k \both, 20, 21, \panel, 96
    sums_8k \both, 22, 23, \panel
    .else
    sums_8k \both, 18, 19, \panel
    .endif
.endm

.macro add_sub both, i0, i1, i2, i3
    mla     v\i0\().4s, v26.4s, v24.4s
    mla     v\i1\().4s, v27.4s, v25.4s
    .if \both
    mla     v\i2\().4s, v28.4s, v24.4s
    mla     v\i3\().4s, v29.4s, v25.4s
    .endif
.endm

.macro super_scales
    ldr     d18, [x16, #RHS_D]
    fcvtl   v18.4s, v18.4h
    dup     v19.2d, v18.d[1]
    dup     v18.2d, v18.d[0]
    .if HAS_MINIMA
    ldr     d20, [x16, #RHS_DMIN]
    fcvtl   v20.4s, v20.4h
    dup     v21.2d, v20.d[1]
    dup     v20.2d, v20.d[0]
    .endif
.endm

.macro sums_of_minima lhs
    smmla   v30.4s, \lhs\().16b, v16.16b
    smmla   v31.4s, \lhs\().16b, v17.16b
.endm

.macro add_scaled i0, i1, panel, at
    .if \at == 0
    ldr     q24, [\panel]
    zip2    v25.4s, v24.4s, v24.4s
    zip1    v24.4s, v24.4s, v24.4s
    add_pair \i0, \i1, \panel, \at, v24.4s, v24.4s
    .else
    add_pair \i0, \i1, \panel, \at, v25.4s, v25.4s
    .endif
.endm

    tile_functions kai_tile_qsi8d256p4x8_qau4c32x256p4x8, neon_i8mm, 4
    tile_functions kai_tile_qsi8d256p4x8_qau5c32x256p4x8, neon_i8mm, 5
    tile_functions kai_tile_qsi8d256p4x8_qlu4c32x256p4x8, neon_i8mm, 4, 1
    tile_functions kai_tile_qsi8d256p4x8_qsi6c16x256p4x8, neon_i8mm, 6
