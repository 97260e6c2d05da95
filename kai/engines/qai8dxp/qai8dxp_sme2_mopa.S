// f32 and f16 <- qai8dxp x int8, int4, int2 per channel with SMOPA, many rows; LUTI4 and LUTI2 make bytes of nibbles
// and of indices. Formula, registers and tiles: qai8dxp_sme_mopa.inc.
//
// Of a part (4 k) of a panel (4 VL columns), a pass takes the half of 2 VL columns: two vectors of bytes.
//
// SPDX-License-Identifier: Apache-2.0

    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/qai8dxp/qai8dxp_sme_mopa.inc"

// Parts in the order of k.
.macro lhs_vectors rhs, j
    ld1b    {z0.b-z3.b}, pn8/z, [lhs, #\j, mul vl]
.endm

// int8: the cursor rhs is 16 vectors ahead; a part has 4 vectors.
.macro table_int8 at
.endm
.macro start_int8
    add     rhs, rhs_panel, half, lsl #2
    addvl   rhs, rhs, #16
.endm
.macro rhs_int8 j, r0, r1, n0, n1
    ld1b    {z\r0\().b-z\r1\().b}, pn8/z, [rhs, 4 * \j - 16, mul vl]
.endm
.macro end_int8
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #16
    addvl   rhs, rhs, #16
.endm

// int4, k and k + 1 in a byte: rhs is 8 vectors ahead; a part has 2 vectors.
.macro table_int4 at
    ldr     zt0, [\at]
.endm
.macro start_int4
    add     rhs, rhs_panel, half, lsl #1
    addvl   rhs, rhs, #8
.endm
.macro rhs_int4 j, r0, r1, n0, n1
    ld1b    {z\r0\().b}, p0/z, [rhs, #2 * \j - 8, mul vl]
    luti4   {z\r0\().b-z\r1\().b}, zt0, z\r0[0]
.endm
.macro end_int4
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #16
.endm

// int2, k ... k + 3 in a byte: a part has 1 vector. The load of the right half reaches into what follows it: the next
// part or the fields of the columns.
.macro table_int2 at
    ldr     zt0, [\at]
.endm
.macro start_int2
    add     rhs, rhs_panel, half
.endm
.macro rhs_int2 j, r0, r1, n0, n1
    ld1b    {z\r0\().b}, p0/z, [rhs, #\j, mul vl]
    luti2   {z\r0\().b-z\r1\().b}, zt0, z\r0[0]
.endm
.macro end_int2
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #8
.endm

mopa_qai8dxp kai_kernel_qai8dxp_many_int4_sme2, int4, any
mopa_qai8dxp kai_kernel_qai8dxp_many_int8_sme2, int8, any
mopa_qai8dxp kai_kernel_qai8dxp_many_int2_sme2, int2, f32
