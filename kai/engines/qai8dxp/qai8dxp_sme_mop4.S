// f32 and f16 <- qai8dxp x int8, int4, int2 per channel, few rows (at most VL / 2), with quarter-tile outer products.
// Formula and finishing: qai8dxp_sme_mopa.inc.
//
// Each vector of the LHS has the rows twice; the lower half of a tile multiplies them with the right half of a panel:
//
//                             za0                        za1
//     rows 0 ... VL / 2 - 1   columns 0 ... VL - 1       columns VL ... 2 VL - 1
//     the same rows again     columns 2 VL ... 3 VL - 1  columns 3 VL ... 4 VL - 1
//
// So a pass sums up a panel of 4 VL columns, and each half of the tiles is finished like a pass of many rows.
//
// Sets of two parts (4 k each), one is multiplied while the other one is loaded:
//
//     e    LHS z0, z2    RHS z16-z17, z24-z25 (upper and lower half of za0, of za1), z18-z19, z26-z27
//     o    LHS z4, z6    RHS z20-z21, z28-z29, z22-z23, z30-z31
//
// z12-z15  nibbles, or pairs of bits in z12, z13
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/asm/sme_mop4.inc"
#include "kai/engines/qai8dxp/qai8dxp_sme_mopa.inc"

    alias   half_rows, x21      // VL / 2

// z\l = the rows of part \at, twice: as words in double words, of which the even halves are taken twice. The cursor is
// 4 vectors ahead. (SPLICE shares a unit of C1-SME2 with LUTI4, UZP1 has a second one.)
.macro load_rows_twice l, at
    ld1w    {z\l\().d}, p0/z, [lhs, #(2 * (\at) - 8), mul vl]
    uzp1    z\l\().s, z\l\().s, z\l\().s
.endm

// Parts \j and \j + 1 of a step to set e.
.macro load_e rhs, j
    load_rows_twice 0, \j
    load_rows_twice 2, (\j + 1)
    load_\rhs \j, 16, 17, 18, 19
.endm
// To set o.
.macro load_o rhs, j
    load_rows_twice 4, \j
    load_rows_twice 6, (\j + 1)
    load_\rhs \j, 20, 21, 22, 23
.endm

// ---- the RHS: ahead_<rhs>: vectors that the cursor is ahead, half of a step
//
//     load_<rhs> j, r0, r1, r2, r3    z\r0, z\r0 + 8, z\r1, z\r1 + 8 = columns of part \j, z\r2, ... of part \j + 1

.equ ahead_int8, 16
// Four vectors a part.
.macro load_int8 j, r0, r1, r2, r3
    load_apart \r0, (4 * \j - 16)
    load_apart \r1, (4 * \j - 14)
    load_apart \r2, (4 * \j - 12)
    load_apart \r3, (4 * \j - 10)
.endm
// z\r and the vector 8 further on.
.macro load_apart r, at
    with_number load_apart_, (\r + 8), \r, \at
.endm
.macro load_apart_ r8, r, at
    ld1b    {z\r\().b, z\r8\().b}, pn8/z, [rhs, \at, mul vl]
.endm

.equ ahead_int4, 8
// Clobbers z12-z15.
.macro load_int4 j, r0, r1, r2, r3
    ld1b    {z12.b-z15.b}, pn8/z, [rhs, 2 * \j - 8, mul vl]
    luti4_apart \r0, 12
    luti4_apart \r1, 13
    luti4_apart \r2, 14
    luti4_apart \r3, 15
.endm

.equ ahead_int2, 4
// A vector a part. Clobbers z12, z13.
.macro load_int2 j, r0, r1, r2, r3
    ld1b    {z12.b-z13.b}, pn8/z, [rhs, \j - 4, mul vl]
    luti2_apart \r0, 12, 0
    luti2_apart \r1, 12, 1
    luti2_apart \r2, 13, 0
    luti2_apart \r3, 13, 1
.endm

.macro table_int8 at
.endm
.macro table_int4 at
    ldr     zt0, [\at]
.endm
.macro table_int2 at
    ldr     zt0, [\at]
.endm

// za0, za1 += set e.
.macro mopa_e
    smop4a_pair 0, 0, 16
    smop4a_pair 1, 0, 24
    smop4a_pair 0, 2, 18
    smop4a_pair 1, 2, 26
.endm
// The other set.
.macro mopa_o
    smop4a_pair 0, 4, 20
    smop4a_pair 1, 4, 28
    smop4a_pair 0, 6, 22
    smop4a_pair 1, 6, 30
.endm

// za0, za1 += 32 k, parts 0-7.
.macro few_step rhs
    load_e  \rhs, 0
    load_o  \rhs, 2
    mopa_e
    load_e  \rhs, 4
    mopa_o
    load_o  \rhs, 6
    mopa_e
    mopa_o
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #ahead_\rhs
    addvl   rhs, rhs, #ahead_\rhs
.endm

// void \name(const kai::Problem*, const kai::Table*, size_t steps). m = 1 ... VL / 2, n >= 1, VL >= 8.
.macro few_qai8dxp name, rhs
func \name, hidden
    frame   x29, d8-d15, x19-x21
    smstart
    table_\rhs x1
    all_true
    cntw    vl
    lsr     half_rows, vl, #1
    add     t0, args, #PROBLEM_lo
    ld1rw   {z10.s}, p0/z, [t0]
    ld1rw   {z11.s}, p0/z, [t0, #4]
    mov     steps, x2
    ldr     n_left, [args, #PROBLEM_n]
    ldp     lhs_panel, rhs_panel, [args, #PROBLEM_lhs]
    ldr     dst_stride, [args, #PROBLEM_dst_stride]
    ldr     out_f16, [args, #PROBLEM_out]

0:  // a panel of 4 VL columns
    zero    {za0.s, za1.s}
    addvl   lhs, lhs_panel, #4
    addvl   rhs, rhs_panel, #ahead_\rhs
    subs    left, steps, #1
    b.lo    2f                                  // k = 0
1:  few_step \rhs
    subs    left, left, #1
    b.hs    1b
2:  addvl   offset_at, lhs, #-4
    addvl   scale_at, lhs, #-3
    mov     half, #0
    mov     row, #0
    ldr     rows, [args, #PROBLEM_m]

3:  // 2 VL columns: rows row ... rows - 1 of the tiles
    ldr     t0, [args, #PROBLEM_rhs_stride]
    add     t0, rhs_panel, t0
    addvl   t0, t0, #-8                         // the panel ends with 4 VL sums, scales, biases
    add     t0, t0, half, lsl #2
    ld1w    {z20.s}, p0/z, [t0, #-4, mul vl]
    ld1w    {z21.s}, p0/z, [t0, #-3, mul vl]
    ld1w    {z22.s}, p0/z, [t0]
    ld1w    {z23.s}, p0/z, [t0, #1, mul vl]
    ld1w    {z24.s}, p0/z, [t0, #4, mul vl]
    ld1w    {z25.s}, p0/z, [t0, #5, mul vl]
    ldr     t1, [args, #PROBLEM_n]
    sub     t1, t1, n_left
    ldr     dst, [args, #PROBLEM_dst]
    columns_of_output any
    whilelo p3.s, xzr, rows
    finish_all any, 0, 1
    subs    n_left, n_left, vl, lsl #1
    b.ls    5f
    cbnz    half, 4f
    lsl     half, vl, #1
    sub     offset_at, offset_at, half_rows, lsl #2
    sub     scale_at, scale_at, half_rows, lsl #2
    ldr     rows, [args, #PROBLEM_m]
    add     rows, rows, half_rows
    mov     row, half_rows
    b       3b
4:  ldr     t0, [args, #PROBLEM_rhs_stride]
    add     rhs_panel, rhs_panel, t0
    b       0b

5:  smstop
    return
endfunc
.endm

    few_qai8dxp kai_kernel_qai8dxp_few_int8_sme_mop4, int8
    few_qai8dxp kai_kernel_qai8dxp_few_int4_sme_mop4, int4
    few_qai8dxp kai_kernel_qai8dxp_few_int2_sme_mop4, int2
