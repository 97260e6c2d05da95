// f32 <- f32 x f32p with SVE FMLA: all rows of a panel of 4 vectors of columns, tiles of 6 rows.
//
//     dst[r][c] = clamp(bias[c] + sum over k of lhs[r][k] * rhs[k][c])
//
// One chain of fused multiply-adds per element, k ascending. Registers: float_sve.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+sve
#include "kai/engines/asm/asm.h"
#define TABLES 1
#define ELEMENT_BYTES 4
#define HEAD 4
#include "kai/engines/float/float_sve.inc"

.macro prepare_bias
.endm
.macro start_vector c, r
    ld1w    {sum\c\r\().s}, p4/z, [x2, #\c, mul vl]
.endm

.macro mla r, c, rhs, z, word
    fmla    sum\c\r\().s, z\rhs\().s, z\z\().s[\word]
.endm

.macro store_vector c, r, clamps
    when    \clamps, 1, fmax sum\c\r\().s, p4/m, sum\c\r\().s, z0.s
    when    \clamps, 1, fmin sum\c\r\().s, p4/m, sum\c\r\().s, z1.s
    st1w    {sum\c\r\().s}, p\c, [x3, #\c, mul vl]
.endm

.macro store_row r, clamps
    each_column 4, store_vector, \r, \clamps
.endm

// p0 - p3 = the first \n columns (a register) of four vectors. Changes x8.
.macro columns n
    cntw    x8
    whilelo p0.s, xzr, \n
    whilelo p1.s, x8, \n
    incw    x8
    whilelo p2.s, x8, \n
    incw    x8
    whilelo p3.s, x8, \n
.endm

    panel_function kai_panel_f32_f32_f32p4vlx1_6x4vl_sve_mla
