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
// 6 bits: a sub-block of a quad, then of the next quad; 3 bits: a pair of sub-blocks. Others: 16 bytes of every quad,
// then the next 16, so that in-order cores do not wait. 2 bits: superblocks_neon_dotprod_rows_two.S.
//
// Registers, and those of superblocks_neon_row.inc. A set has a register for each of the four quads.
//   v0 - v3    SUMS_A         integer sums of the super-block: I
//   v4 - v7    SUMS_B         sums of a sub-block: S; groups of 8: columns 01, each twice
//   v8 - v11   SUMS_T         of the next sub-block; groups of 8: columns 23 of this one
//   v12 - v15  SUMS_F         f32 sums: acc
//   v16 - v19  k_0 - k_3      32 or 64 k of the row; 6 bits: v16, v17, 16 k
//   v20 - v23  RHS_B          16 bytes of each quad; 6, 3 bits: 16 k of one quad
//   v24 - v27  RHS_C          their low nibbles; 3 bits: 16 k of one quad, odd sub-block
//   v28        mask           of the nibbles, of 5, of 6 or of 3 bits
//   v29, v30   first_index, second_index   indices of the sub-scales of the first, of the second sub-block;
//                             5 bits, while multiplying: shifts; 6 bits: v30 sub-scales; 3 bits: v29, v30
//   v31        table          5 bits: fifth
// At the end of a super-block
//   v16        B_sums         high, then low bytes of B
//   v17, v18   lhs_scale, C   C: where J starts, as a float
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

#include "kai/engines/superblocks/superblocks_neon_row.inc"

regs 8, SUMS_T_0, SUMS_T_1, SUMS_T_2, SUMS_T_3
regs 12, SUMS_F_0, SUMS_F_1, SUMS_F_2, SUMS_F_3
regs 16, k_0, k_1, k_2, k_3
regs 16, B_sums, lhs_scale, C
regs 16, lowest, highest
regs 30, sub_scales, fifth
regs 28, mask, first_index, second_index, table
regs 29, even_scale, odd_scale
sRHS_C_0 .req s24
sRHS_C_1 .req s25
sRHS_C_2 .req s26
sRHS_C_3 .req s27

// \do \q, \at for each quad: \q is its number.
.macro each_quad do, at=0
    \do     0, \at
    .if quads == 4
    \do     1, \at
    \do     2, \at
    \do     3, \at
    .endif
.endm

.macro clear_super q, at
    ldr     qSUMS_A_\q, [sp, #ZERO]
.endm
// Sums of the sub-blocks = 0.
.macro clear_sums q, at
    .if HAS_MINIMA || GROUP == 8
    ldp     qSUMS_B_\q, qSUMS_T_\q, [sp, #ZERO]
    .else
    ldr     qSUMS_B_\q, [sp, #ZERO]
    .endif
.endm

// ---- 4, 5 bits

// 5 bits: RHS_B of a quad, nibbles, becomes the values of the first sub-block, RHS_C those of the second. Changes x16.
.macro fifths q, at
    add     x16, quad_\q, x17
    ldr     qRHS_C_\q, [x16, #\at]
    ushl    fifth.16b, RHS_C_\q\().16b, first_index.16b
    ushl    RHS_C_\q\().16b, RHS_C_\q\().16b, second_index.16b
    sri     RHS_C_\q\().16b, RHS_B_\q\().16b, #4
    sli     RHS_B_\q\().16b, fifth.16b, #4
    and     RHS_C_\q\().16b, RHS_C_\q\().16b, mask.16b
    and     RHS_B_\q\().16b, RHS_B_\q\().16b, mask.16b
.endm
// SUMS_B, SUMS_T += 4 k of two sub-blocks, \at bytes from here: lane \lane of \x and of \y holds the row.
.macro mac_4k at, x, y, lane
    load_quads RHS_B, \at
    .if RHS_BITS == 5
    each_quad fifths, \at
    sdot_quads SUMS_B, RHS_B, \x\().4b[\lane]
    sdot_quads SUMS_T, RHS_C, \y\().4b[\lane]
    .else
    shared_quads bic, 16b, RHS_C, RHS_B, mask.16b
    sdot_quads SUMS_B, RHS_C, \x\().4b[\lane]
    shared_quads ushr, 16b, RHS_B, RHS_B, #4
    sdot_quads SUMS_T, RHS_B, \y\().4b[\lane]
    .endif
.endm

.macro load_scales q, at
    ldr     dRHS_C_\q, [quad_\q, x13]
    add     quad_\q, quad_\q, #128
.endm
.macro spread_scales q, at
    tbl     RHS_B_\q\().16b, {RHS_C_\q\().16b}, first_index.16b
    tbl     RHS_C_\q\().16b, {RHS_C_\q\().16b}, second_index.16b
.endm

// SUMS_B = J, begun with the high bytes of B; SUMS_T = d. quad_<q> moves on to the next super-block. Changes x16.
.macro load_minima q, at
    add     x16, quad_\q, x13
    ldr     qSUMS_B_\q, [sp, #C_HIGH]
    ldp     qRHS_B_\q, qRHS_C_\q, [x16, #RHS_MINIMA - RHS_SCALES]
    ldr     dSUMS_T_\q, [x16, #RHS_D - RHS_SCALES]
    add     quad_\q, quad_\q, #RHS_BLOCK - 512
    sdot    SUMS_B_\q\().4s, RHS_B_\q\().16b, B_sums.4b[0]
    fcvtl   SUMS_T_\q\().4s, SUMS_T_\q\().4h
.endm
.macro high_minima q, at
    sdot    SUMS_B_\q\().4s, RHS_C_\q\().16b, B_sums.4b[1]
    scvtf   SUMS_A_\q\().4s, SUMS_A_\q\().4s
.endm
.macro shift_minima q, at
    shl     SUMS_B_\q\().4s, SUMS_B_\q\().4s, #7
    fmul    SUMS_A_\q\().4s, SUMS_A_\q\().4s, SUMS_T_\q\().4s
.endm
// J += minima times low bytes of B: lane 2, then 3, which loads dmin.
.macro low_minima q, lane
    .if \lane == 2
    sdot    SUMS_B_\q\().4s, RHS_B_\q\().16b, B_sums.4b[2]
    .else
    sdot    SUMS_B_\q\().4s, RHS_C_\q\().16b, B_sums.4b[3]
    sub     x16, quad_\q, #RHS_BLOCK + RHS_QUANTS - RHS_DMIN
    ldr     dSUMS_T_\q, [x16]
    .endif
.endm
.macro float_minima q, at
    fsub    SUMS_B_\q\().4s, SUMS_B_\q\().4s, C.4s
    fcvtl   SUMS_T_\q\().4s, SUMS_T_\q\().4h
.endm

// ---- Indices

// Groups of 4: \part of 4 k of the row. Groups of 8: columns 01 or 23.
.macro multiply r, x, part
    .if GROUP == 4
    sdot_quads SUMS_B, \r, \x\().4b[\part]
    .elseif \part == 0
    sdot_quads SUMS_B, \r, \x\().16b
    .else
    sdot_quads SUMS_T, \r, \x\().16b
    .endif
.endm
// 16 bytes of every quad, by \x and, 16 k on, \y.
.macro mac_16 at, x, y, part
    load_quads RHS_B, \at
    shared_quads bic, 16b, RHS_C, RHS_B, mask.16b
    shared_quads ushr, 16b, RHS_B, RHS_B, #4
    tbl_quads RHS_C, table, RHS_C
    tbl_quads RHS_B, table, RHS_B
    multiply RHS_C, \x, \part
    multiply RHS_B, \y, \part
.endm

.macro load_4_scales q, at
    ldr     sRHS_C_\q, [quad_\q, x13]
    add     quad_\q, quad_\q, #RHS_BITS * SUB / 2
.endm
.macro spread_4_scales q, at
    tbl     RHS_C_\q\().16b, {RHS_C_\q\().16b}, first_index.16b
.endm
// Sub-scales are signed; groups of 8: the sums are joined.
.macro extend_4_scales q, at
    sshr    RHS_C_\q\().4s, RHS_C_\q\().4s, #24
    .if GROUP == 8
    addp    SUMS_B_\q\().4s, SUMS_B_\q\().4s, SUMS_T_\q\().4s
    .endif
.endm

// ---- 6 bits

// 16 k of the row; groups of 8: 8 k twice in \x and in \y.
.macro load_row x, y
    .if GROUP == 4
    ldr     q\x, [x15], #16
    .else
    add     x16, x15, #8
    ld1r    {\x\().2d}, [x15]
    ld1r    {\y\().2d}, [x16]
    add     x15, x15, #16
    .endif
.endm

// S of a quad, times its scales.
.macro add_sub_block q, at
    clear_sums \q
    ldr     s30, [quad_\q, x13]                 // sub_scales
    ldp     qRHS_B_0, qRHS_B_1, [quad_\q]
    ldr     qRHS_B_2, [quad_\q, #32]
    ldr     qRHS_B_3, [quad_\q, #32]
    six_bits RHS_B_0, RHS_B_1, RHS_B_2, RHS_B_3, mask
    tbl     sub_scales.16b, {sub_scales.16b}, first_index.16b
    .if GROUP == 4
    sdot    SUMS_B_\q\().4s, RHS_B_0.16b, k_0.4b[0]
    sdot    SUMS_B_\q\().4s, RHS_B_1.16b, k_0.4b[1]
    sdot    SUMS_B_\q\().4s, RHS_B_2.16b, k_0.4b[2]
    sdot    SUMS_B_\q\().4s, RHS_B_3.16b, k_0.4b[3]
    .else
    sdot    SUMS_B_\q\().4s, RHS_B_0.16b, k_0.16b
    sdot    SUMS_T_\q\().4s, RHS_B_1.16b, k_0.16b
    sdot    SUMS_B_\q\().4s, RHS_B_2.16b, k_1.16b
    sdot    SUMS_T_\q\().4s, RHS_B_3.16b, k_1.16b
    .endif
    sshr    sub_scales.4s, sub_scales.4s, #24
    add     quad_\q, quad_\q, #RHS_BITS * SUB / 2
    .if GROUP == 8
    addp    SUMS_B_\q\().4s, SUMS_B_\q\().4s, SUMS_T_\q\().4s
    .endif
    mla     SUMS_A_\q\().4s, SUMS_B_\q\().4s, sub_scales.4s
.endm

// ---- 3 bits

// A sub-block of quad \q, \r0 - \r3, times k of the row, \k0 and, groups of 8, \k1; scaled by \scale.
.macro add_three q, r0, r1, r2, r3, k0, k1, scale
    clear_sums \q
    .if GROUP == 4
    sdot    SUMS_B_\q\().4s, \r0\().16b, \k0\().4b[0]
    sdot    SUMS_B_\q\().4s, \r1\().16b, \k0\().4b[1]
    sdot    SUMS_B_\q\().4s, \r2\().16b, \k0\().4b[2]
    sdot    SUMS_B_\q\().4s, \r3\().16b, \k0\().4b[3]
    .else
    sdot    SUMS_B_\q\().4s, \r0\().16b, \k0\().16b
    sdot    SUMS_T_\q\().4s, \r1\().16b, \k0\().16b
    sdot    SUMS_B_\q\().4s, \r2\().16b, \k1\().16b
    sdot    SUMS_T_\q\().4s, \r3\().16b, \k1\().16b
    addp    SUMS_B_\q\().4s, SUMS_B_\q\().4s, SUMS_T_\q\().4s
    .endif
    mla     SUMS_A_\q\().4s, SUMS_B_\q\().4s, \scale\().4s
.endm

// S of two sub-blocks of a quad, times their scales.
.macro add_pair_of_sub_blocks q, at
    ldp     qRHS_B_0, qRHS_B_1, [quad_\q]
    ldr     qRHS_B_2, [quad_\q, #32]
    ldr     qRHS_B_3, [quad_\q, #32]
    ldr     d30, [quad_\q, x13]                 // odd_scale
    sli     RHS_B_3.16b, RHS_B_1.16b, #2
    and     RHS_C_0.16b, RHS_B_0.16b, mask.16b
    and     RHS_C_1.16b, RHS_B_1.16b, mask.16b
    and     RHS_C_2.16b, RHS_B_2.16b, mask.16b
    sli     RHS_B_3.16b, RHS_B_0.16b, #4
    shl     RHS_B_0.16b, RHS_B_0.16b, #3
    shl     RHS_B_1.16b, RHS_B_1.16b, #3
    shl     RHS_B_2.16b, RHS_B_2.16b, #3
    shl     RHS_C_3.16b, RHS_B_3.16b, #2
    sxtl    odd_scale.8h, odd_scale.8b
    shl     RHS_B_3.16b, RHS_B_3.16b, #5
    and     RHS_C_3.16b, RHS_C_3.16b, mask.16b
    and     RHS_B_0.16b, RHS_B_0.16b, mask.16b
    and     RHS_B_1.16b, RHS_B_1.16b, mask.16b
    and     RHS_B_2.16b, RHS_B_2.16b, mask.16b
    sxtl    even_scale.4s, odd_scale.4h
    sxtl2   odd_scale.4s, odd_scale.8h
    add     quad_\q, quad_\q, #48
    add_three \q, RHS_C_0, RHS_C_1, RHS_C_2, RHS_C_3, k_0, k_1, even_scale
    .if GROUP == 4
    add_three \q, RHS_B_0, RHS_B_1, RHS_B_2, RHS_B_3, k_1, k_1, odd_scale
    .else
    add_three \q, RHS_B_0, RHS_B_1, RHS_B_2, RHS_B_3, k_2, k_3, odd_scale
    .endif
.endm

// ---- all

// SUMS_A += scaled sums of the next sub-blocks: two with minima, else one. Flags: subs x14.
.macro add_sub_blocks
    .if HAS_MINIMA
    ldp     qk_0, qk_1, [x15]
    ldp     qk_2, qk_3, [x15, #32]
    .if RHS_BITS == 5
    ldp     qfirst_index, qsecond_index, [x7], #32
    .endif
    each_quad clear_sums
    mac_4k  0, k_0, k_2, 0
    mac_4k  16, k_0, k_2, 1
    mac_4k  32, k_0, k_2, 2
    mac_4k  48, k_0, k_2, 3
    mac_4k  64, k_1, k_3, 0
    mac_4k  80, k_1, k_3, 1
    mac_4k  96, k_1, k_3, 2
    mac_4k  112, k_1, k_3, 3
    .if RHS_BITS == 5
    ldp     qfirst_index, qsecond_index, [sp, #OF_FIRST]
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
    ldp     qk_0, qk_1, [x15], #32
    mac_16  0, k_0, k_1, 0
    mac_16  16, k_0, k_1, 1
    mac_16  32, k_0, k_1, 2
    mac_16  48, k_0, k_1, 3
    .else
    ld1r    {k_0.2d}, [x15], #8
    ld1r    {k_1.2d}, [x15], #8
    ld1r    {k_2.2d}, [x15], #8
    ld1r    {k_3.2d}, [x15], #8
    mac_16  0, k_0, k_2, 0
    mac_16  16, k_0, k_2, 1
    mac_16  32, k_1, k_3, 0
    mac_16  48, k_1, k_3, 1
    .endif
    each_quad load_4_scales
    each_quad spread_4_scales
    each_quad extend_4_scales
    op_quads mla, 4s, SUMS_A, SUMS_B, RHS_C
    .else
    .if RHS_BITS == 6
    load_row k_0, k_1
    each_quad add_sub_block
    .else
    .if GROUP == 4
    ldp     qk_0, qk_1, [x15], #32
    .else
    load_row k_0, k_1
    load_row k_2, k_3
    .endif
    each_quad add_pair_of_sub_blocks
    .endif
    .endif
    add     x13, x13, #(4 * ROW_K / SUB) - RHS_BITS * ROW_K / 2
    subs    x14, x14, #1
    .endif
.endm

// Without minima: SUMS_F += a quad. Changes x16.
.macro add_scaled q, at
    sub     x16, quad_\q, #RHS_BLOCK
    ldr     dSUMS_B_\q, [x16, #RHS_D]
    add     quad_\q, quad_\q, #RHS_QUANTS
    to_float SUMS_A_\q
    fcvtl   SUMS_B_\q\().4s, SUMS_B_\q\().4h
    fmul    SUMS_A_\q\().4s, SUMS_A_\q\().4s, SUMS_B_\q\().4s
    fmla    SUMS_F_\q\().4s, SUMS_A_\q\().4s, lhs_scale.s[0]
.endm

// SUMS_F += the super-block.
.macro add_super_block
    .if HAS_MINIMA
    sub     x13, x13, #32
    sub     x17, x15, #LHS_BLOCK(1)
    ldr     qB_sums, [x17, #LHS_HIGH(1)]
    each_quad load_minima
    each_quad high_minima
    ldr     s17, [x17]                          // lhs_scale
    ldr     qC, [sp, #C_FLOAT]
    each_quad shift_minima
    each_quad low_minima, 2
    each_quad low_minima, 3
    each_quad float_minima
    op_quads fmls, 4s, SUMS_A, SUMS_B, SUMS_T
    shared_quads fmla, 4s, SUMS_F, SUMS_A, lhs_scale.s[0]
    .else
    sub     x16, x15, #LHS_BLOCK(1)
    ldr     s17, [x16]                          // lhs_scale
    each_quad add_scaled
    .endif
.endm

// Constants in registers and on the stack.
.macro constants
    scale_indices
    stp     x16, x17, [sp, #OF_FIRST]
    ldr     qfirst_index, [sp, #OF_FIRST]
    .if HAS_MINIMA
    mov     x7, #0x0000000400000004
    add     x16, x16, x7
    add     x17, x17, x7
    stp     x16, x17, [sp, #OF_SECOND]
    ldr     qsecond_index, [sp, #OF_SECOND]
    constant C_HIGH, (J_START & 0xFFFF), (J_START >> 16)
    constant C_FLOAT, (J_C & 0xFFFF), (J_C >> 16)
    .endif
    .if RHS_BITS == 4
    movi    mask.16b, #0xF0
    .elseif RHS_BITS == 5
    row_shifts OF_BITS
    movi    mask.16b, #0x1F
    .else
    movi    mask.16b, #QUANT_BITS
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
    rows_of qsi3c16x256p, 4, 3
    rows_of qsi3c16x256p, 8, 3
