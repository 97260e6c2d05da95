// A tile of f16 <- f16 x f16p with the FDOT of SVE2.1: 6 rows x 4 vectors of f32 sums.
//
//     dst[r][c] = clamp(f16(bias[c] + sum over pairs of k of (lhs[r][k] * rhs[k][c] + lhs[r][k + 1] * rhs[k + 1][c])))
//
// FDOT adds the exact products of a pair, rounds, adds that to the f32 sum and rounds again; pairs ascending. An odd k
// ends with a pair of zeros. Registers: sve_tile_6x4vl.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+sve
#include "kai/asm/asm.h"
#define ELEMENTS 2
#define HEAD 2
#include "kai/asm/sve_tile_6x4vl.inc"

.macro start_vector c, unused
    ld1h    {sum\c\()0.s}, p4/z, [x2, #\c, mul vl]
    fcvt    sum\c\()0.s, p4/m, sum\c\()0.h
.endm
.macro copy_vector c, r
    mov     sum\c\r\().d, sum\c\()0.d
.endm
.macro copy_row r, unused
    .if \r > 0
    each_column copy_vector, \r
    .endif
.endm
.macro start_sums rows
    each_column start_vector
    each_row \rows, copy_row
.endm

.macro rest_of_quad count
    whilelo p5.h, xzr, \count
.endm

.macro load_quad r, p
    ld1rqh  {z\r\().h}, \p/z, [row\r, x8, lsl #1]
.endm

// FDOT <Zda>.S, <Zn>.H, <Zm>.H[<imm>] (Arm A64 instruction set, DDI 0602): 0110 0100 001 imm2 Zm3 0100 00 Zn5 Zda5.
// An encoding, for GNU as knows SVE2.1 from binutils 2.41 on.
.macro mla r, c, rhs, word
    .inst   0x64204000 | \word << 19 | \r << 16 | \rhs << 5 | (8 + 6 * \c + \r)
.endm

// The bounds are f16, as f32: a clamp to them before rounding is a clamp after it.
.macro load_bounds
    ld1rw   {z0.s}, p4/z, [x0, #TILE_BOUNDS]
    ld1rw   {z1.s}, p4/z, [x0, #TILE_BOUNDS + 4]
.endm

.macro store_vector c, r
    fmax    sum\c\r\().s, p4/m, sum\c\r\().s, z0.s
    fmin    sum\c\r\().s, p4/m, sum\c\r\().s, z1.s
    fcvt    sum\c\r\().h, p4/m, sum\c\r\().s
    st1h    {sum\c\r\().s}, p\c, [x3, #\c, mul vl]
.endm

    tile_function kai_tile_f16_f16_f16p16vsx2_6x16vs_sve2p1_dot
