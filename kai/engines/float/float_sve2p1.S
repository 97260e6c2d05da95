// f16 <- f16 x f16p with the FDOT of SVE2.1: all rows of a panel of 4 vectors of f32 sums, tiles of 6 rows.
//
//     dst[r][c] = clamp(f16(bias[c] + sum over pairs of k of (lhs[r][k] * rhs[k][c] + lhs[r][k + 1] * rhs[k + 1][c])))
//
// FDOT adds the exact products of a pair, rounds, adds that to the f32 sum and rounds again; pairs ascending. An odd k
// ends with a pair of zeros. Registers: float_sve.inc.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/asm/sve2p1.inc"
#include "kai/engines/asm/asm.h"
#define TABLES 0
#define ELEMENT_BYTES 2
#define HEAD 2
#include "kai/engines/float/float_sve.inc"

// The bias of the panel as f32, on the stack: loading it is cheaper than converting or copying it for each row.
.macro prepare_vector c, unused
    ld1h    {z0.s}, p4/z, [x5, #\c, mul vl]
    fcvt    z0.s, p4/m, z0.h
    st1w    {z0.s}, p4, [sp, #\c, mul vl]
.endm
.macro prepare_bias
    addvl   sp, sp, #-4
    each_column 4, prepare_vector
.endm
.macro start_vector c, r
    ld1w    {sum\c\r\().s}, p4/z, [sp, #\c, mul vl]
.endm

.macro mla r, c, rhs, z, word
    with_number fdot_f16_indexed, (8 + 6 * \c + \r), \rhs, \z, \word
.endm

// Two vectors of sums -> one of f16: vector \at of the row.
.macro store_pair lo, hi, p, at, clamps
    fcvt    \lo\().h, p4/m, \lo\().s
    fcvt    \hi\().h, p4/m, \hi\().s
    uzp1    \lo\().h, \lo\().h, \hi\().h
    when    \clamps, 1, fmax \lo\().h, p4/m, \lo\().h, z0.h
    when    \clamps, 1, fmin \lo\().h, p4/m, \lo\().h, z1.h
    st1h    {\lo\().h}, \p, [x3, #\at, mul vl]
.endm
.macro store_row r, clamps
    store_pair sum0\r, sum1\r, p0, 0, \clamps
    store_pair sum2\r, sum3\r, p1, 1, \clamps
.endm

.macro columns n
    cnth    x8
    whilelo p0.h, xzr, \n
    whilelo p1.h, x8, \n
.endm

    panel_function kai_panel_f16_f16_f16p16vsx2_6x16vs_sve2p1_dot
