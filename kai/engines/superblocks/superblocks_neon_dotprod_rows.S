// f32 <- qsi8d256p x super-blocks with SDOT: one row, 16 columns at a time.
//
//     I = sum of scale_j * S_j,     S_j = sum over the sub-block of lhs * rhs
//     acc = fma(I * d, lhs_scale, acc)
//
// With minima (4, 5 bits)
//
//     T = fma(-J, dmin, I * d),     J = sum of mn_j * B_j,     B_j = sum over the sub-block of lhs
//     acc = fma(T, lhs_scale, acc)
//
// J is two more groups of 4 k: bytes of the minima times the high and the low bytes of B.
//
// GROUP: 4 or 8, k of a column that are side by side. Groups of 8: vectors of products have columns 01 and 23, each
// twice; ADDP joins them at the end of a sub-block.
//
// 6 bits: a sub-block of a quad, then of the next quad. Others: 16 bytes of every quad, then the next 16, so that
// in-order cores do not wait.
//
// Registers: superblocks_neon_row.inc, and
//   v0 - v3   integer sums of the super-block            v4 - v7, v8 - v11  of the sub-blocks of a pair
//                                                        groups of 8: both of one sub-block
//   v12 - v15 f32 sums               v16 - v19 32 or 64 k of the row; 6 bits: v16, v17, 16 k
//   v20 - v23 16 bytes of a quad each  v24 - v27 their low nibbles       6 bits: v20 - v23 16 k of a quad
//   v28       mask                   v29, v30  indices of sub-scales of the first, of the second sub-block
//   v31       table
// 5 bits: v29, v30 shifts, v31 scratch                   6 bits: v30 sub-scales
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod

// Constants on the stack.
#define OF_FIRST 0     // indices of TBL
#define OF_SECOND 16
#define C_HIGH 32      // J_START
#define C_FLOAT 48     // J_C
#define ZERO 64        // twice
#define LO 96
#define HI 112
#define OF_BITS 128    // SHIFTS

#define SUMS_F 12, 13, 14, 15
#define SUMS_T 8, 9, 10, 11
#define BOUNDS q16, q17
#define LOWEST v16.4s
#define HIGHEST v17.4s
#include "kai/engines/superblocks/superblocks_neon_row.inc"

// \do of a quad's f32 sums, quants, integer sums, sums of two sub-blocks, bytes, nibbles.
.macro each_quad do, at=0
    \do     12, x9, 0, 4, 8, 20, 24, \at
    .if quads == 4
    \do     13, x10, 1, 5, 9, 21, 25, \at
    \do     14, x11, 2, 6, 10, 22, 26, \at
    \do     15, x12, 3, 7, 11, 23, 27, \at
    .endif
.endm

.macro clear_super acc, quad, i, s, t, b, n, at
    ldr     q\i, [sp, #ZERO]
.endm
.macro clear_sums acc, quad, i, s, t, b, n, at
    .if HAS_MINIMA || GROUP == 8
    ldp     q\s, q\t, [sp, #ZERO]
    .else
    ldr     q\s, [sp, #ZERO]
    .endif
.endm

// ---- 4, 5 bits

// Quants become the values of the first sub-block, \n those of the second.
.macro fifths acc, quad, i, s, t, b, n, at
    add     x16, \quad, x17
    ldr     q\n, [x16, #\at]
    ushl    v31.16b, v\n\().16b, v29.16b
    ushl    v\n\().16b, v\n\().16b, v30.16b
    sri     v\n\().16b, v\b\().16b, #4
    sli     v\b\().16b, v31.16b, #4
    and     v\n\().16b, v\n\().16b, v28.16b
    and     v\b\().16b, v\b\().16b, v28.16b
.endm
.macro mac_4k at, x, y, lane
    load_quads RHS_B, \at
    .if RHS_BITS == 5
    each_quad fifths, \at
    sdot_quads SUMS_B, RHS_B, \x\().4b[\lane]
    sdot_quads SUMS_T, RHS_C, \y\().4b[\lane]
    .else
    shared_quads bic, 16b, RHS_C, RHS_B, v28.16b
    sdot_quads SUMS_B, RHS_C, \x\().4b[\lane]
    shared_quads ushr, 16b, RHS_B, RHS_B, #4
    sdot_quads SUMS_T, RHS_B, \y\().4b[\lane]
    .endif
.endm

.macro load_scales acc, quad, i, s, t, b, n, at
    ldr     d\n, [\quad, x13]
    add     \quad, \quad, #128
.endm
.macro spread_scales acc, quad, i, s, t, b, n, at
    tbl     v\b\().16b, {v\n\().16b}, v29.16b
    tbl     v\n\().16b, {v\n\().16b}, v30.16b
.endm

// From here on in a super-block: v16 = high, then low bytes of B, v17 = lhs_scale, v18 = C.
.macro load_minima acc, quad, i, s, t, b, n, at
    add     x16, \quad, x13
    ldr     q\s, [sp, #C_HIGH]
    ldp     q\b, q\n, [x16, #RHS_MINIMA - RHS_SCALES]
    ldr     d\t, [x16, #RHS_D - RHS_SCALES]
    add     \quad, \quad, #RHS_BLOCK - 512
    sdot    v\s\().4s, v\b\().16b, v16.4b[0]
    fcvtl   v\t\().4s, v\t\().4h
.endm
.macro high_minima acc, quad, i, s, t, b, n, at
    sdot    v\s\().4s, v\n\().16b, v16.4b[1]
    scvtf   v\i\().4s, v\i\().4s
.endm
.macro shift_minima acc, quad, i, s, t, b, n, at
    shl     v\s\().4s, v\s\().4s, #7
    fmul    v\i\().4s, v\i\().4s, v\t\().4s
.endm
.macro low_minima acc, quad, i, s, t, b, n, lane
    .if \lane == 2
    sdot    v\s\().4s, v\b\().16b, v16.4b[2]
    .else
    sdot    v\s\().4s, v\n\().16b, v16.4b[3]
    sub     x16, \quad, #RHS_BLOCK + RHS_QUANTS - RHS_DMIN
    ldr     d\t, [x16]
    .endif
.endm
.macro float_minima acc, quad, i, s, t, b, n, at
    fsub    v\s\().4s, v\s\().4s, v18.4s
    fcvtl   v\t\().4s, v\t\().4h
.endm

// ---- Indices

// Groups of 4: \part of 4 k of the row. Groups of 8: columns 01 or 23.
.macro multiply v0, v1, v2, v3, x, part
    .if GROUP == 4
    sdot_quads SUMS_B, \v0, \v1, \v2, \v3, \x\().4b[\part]
    .elseif \part == 0
    sdot_quads SUMS_B, \v0, \v1, \v2, \v3, \x\().16b
    .else
    sdot_quads SUMS_T, \v0, \v1, \v2, \v3, \x\().16b
    .endif
.endm
// 16 bytes of every quad, by \x and, 16 k on, \y.
.macro mac_16 at, x, y, part
    load_quads RHS_B, \at
    shared_quads bic, 16b, RHS_C, RHS_B, v28.16b
    shared_quads ushr, 16b, RHS_B, RHS_B, #4
    tbl_quads RHS_C, 31, RHS_C
    tbl_quads RHS_B, 31, RHS_B
    multiply RHS_C, \x, \part
    multiply RHS_B, \y, \part
.endm

.macro load_4_scales acc, quad, i, s, t, b, n, at
    ldr     s\n, [\quad, x13]
    add     \quad, \quad, #RHS_BITS * SUB / 2
.endm
.macro spread_4_scales acc, quad, i, s, t, b, n, at
    tbl     v\n\().16b, {v\n\().16b}, v29.16b
.endm
.macro extend_4_scales acc, quad, i, s, t, b, n, at
    sshr    v\n\().4s, v\n\().4s, #24
    .if GROUP == 8
    addp    v\s\().4s, v\s\().4s, v\t\().4s
    .endif
.endm

// ---- 6 bits

.macro load_row
    .if GROUP == 4
    ldr     q16, [x15], #16
    .else
    add     x16, x15, #8
    ld1r    {v16.2d}, [x15]
    ld1r    {v17.2d}, [x16]
    add     x15, x15, #16
    .endif
.endm

// S of a quad, times its scales.
.macro add_sub_block acc, quad, i, s, t, b, n, at
    clear_sums \acc, \quad, \i, \s, \t
    ldr     s30, [\quad, x13]
    ldp     q20, q21, [\quad]
    ldr     q22, [\quad, #32]
    ldr     q23, [\quad, #32]
    six_bits 20, 21, 22, 23, 28
    tbl     v30.16b, {v30.16b}, v29.16b
    .if GROUP == 4
    sdot    v\s\().4s, v20.16b, v16.4b[0]
    sdot    v\s\().4s, v21.16b, v16.4b[1]
    sdot    v\s\().4s, v22.16b, v16.4b[2]
    sdot    v\s\().4s, v23.16b, v16.4b[3]
    .else
    sdot    v\s\().4s, v20.16b, v16.16b
    sdot    v\t\().4s, v21.16b, v16.16b
    sdot    v\s\().4s, v22.16b, v17.16b
    sdot    v\t\().4s, v23.16b, v17.16b
    .endif
    sshr    v30.4s, v30.4s, #24
    add     \quad, \quad, #RHS_BITS * SUB / 2
    .if GROUP == 8
    addp    v\s\().4s, v\s\().4s, v\t\().4s
    .endif
    mla     v\i\().4s, v\s\().4s, v30.4s
.endm

// ---- all

.macro add_sub_blocks
    .if HAS_MINIMA
    ldp     q16, q17, [x15]
    ldp     q18, q19, [x15, #32]
    .if RHS_BITS == 5
    ldp     q29, q30, [x7], #32
    .endif
    each_quad clear_sums
    mac_4k  0, 16, 18, 0
    mac_4k  16, 16, 18, 1
    mac_4k  32, 16, 18, 2
    mac_4k  48, 16, 18, 3
    mac_4k  64, 17, 19, 0
    mac_4k  80, 17, 19, 1
    mac_4k  96, 17, 19, 2
    mac_4k  112, 17, 19, 3
    .if RHS_BITS == 5
    ldp     q29, q30, [sp, #OF_FIRST]
    sub     x17, x17, #128
    .endif
    each_quad load_scales
    add     x15, x15, #64
    each_quad spread_scales
    add     x13, x13, #8 - 128
    op_quads mla, 4s, SUMS_A, SUMS_B, RHS_B
    subs    x14, x14, #1
    op_quads mla, 4s, SUMS_A, SUMS_T, RHS_C
    .else
    .if RHS_TABLE
    each_quad clear_sums
    .if GROUP == 4
    ldp     q16, q17, [x15], #32
    mac_16  0, 16, 17, 0
    mac_16  16, 16, 17, 1
    mac_16  32, 16, 17, 2
    mac_16  48, 16, 17, 3
    .else
    ld1r    {v16.2d}, [x15], #8
    ld1r    {v17.2d}, [x15], #8
    ld1r    {v18.2d}, [x15], #8
    ld1r    {v19.2d}, [x15], #8
    mac_16  0, 16, 18, 0
    mac_16  16, 16, 18, 1
    mac_16  32, 17, 19, 0
    mac_16  48, 17, 19, 1
    .endif
    each_quad load_4_scales
    each_quad spread_4_scales
    each_quad extend_4_scales
    op_quads mla, 4s, SUMS_A, SUMS_B, RHS_C
    .else
    load_row
    each_quad add_sub_block
    .endif
    add     x13, x13, #4 - RHS_BITS * SUB / 2
    subs    x14, x14, #1
    .endif
.endm

// Without minima. v17 = lhs_scale.
.macro add_scaled acc, quad, i, s, t, b, n, at
    sub     x16, \quad, #RHS_BLOCK
    ldr     d\s, [x16, #RHS_D]
    add     \quad, \quad, #RHS_QUANTS
    to_float \i
    fcvtl   v\s\().4s, v\s\().4h
    fmul    v\i\().4s, v\i\().4s, v\s\().4s
    fmla    v\acc\().4s, v\i\().4s, v17.s[0]
.endm

.macro add_super_block
    .if HAS_MINIMA
    sub     x13, x13, #32
    sub     x17, x15, #LHS_BLOCK(1)
    ldr     q16, [x17, #LHS_HIGH(1)]
    each_quad load_minima
    each_quad high_minima
    ldr     s17, [x17]
    ldr     q18, [sp, #C_FLOAT]
    each_quad shift_minima
    each_quad low_minima, 2
    each_quad low_minima, 3
    each_quad float_minima
    op_quads fmls, 4s, SUMS_A, SUMS_B, SUMS_T
    shared_quads fmla, 4s, SUMS_F, SUMS_A, v17.s[0]
    .else
    sub     x16, x15, #LHS_BLOCK(1)
    ldr     s17, [x16]
    each_quad add_scaled
    .endif
.endm

.macro constants
    scale_indices
    stp     x16, x17, [sp, #OF_FIRST]
    ldr     q29, [sp, #OF_FIRST]
    .if HAS_MINIMA
    mov     x6, #0x0000000400000004
    add     x16, x16, x6
    add     x17, x17, x6
    stp     x16, x17, [sp, #OF_SECOND]
    ldr     q30, [sp, #OF_SECOND]
    constant C_HIGH, (J_START & 0xFFFF), (J_START >> 16)
    constant C_FLOAT, (J_C & 0xFFFF), (J_C >> 16)
    .endif
    .if RHS_BITS == 4
    movi    v28.16b, #0xF0
    .elseif RHS_BITS == 5
    row_shifts OF_BITS
    movi    v28.16b, #0x1F
    .else
    movi    v28.16b, #0xFC
    .endif
.endm

.macro rows_of rhs, group, bits, table=0
    .set    GROUP, \group
    row_function kai_row_qsi8d256p1x\group\()_\rhs\()4x\group\()_neon_dotprod, \bits, \table
.endm

    rows_of qau4c32x256p, 4, 4
    rows_of qau5c32x256p, 4, 5
    rows_of qlu4c32x256p, 4, 4, 1
    rows_of qlu4c32x256p, 8, 4, 1
    rows_of qsi6c16x256p, 4, 6
    rows_of qsi6c16x256p, 8, 6
