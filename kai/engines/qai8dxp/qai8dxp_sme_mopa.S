// f32 and f16 <- qai8dxp x int8, int4 per channel with SMOPA, many rows; shifts and masks turn nibbles into bytes.
// Formula, registers and tiles: qai8dxp_sme_mopa.inc.
//
// A vector of the RHS has VL columns x 4 bytes, 4 of them are the 4 VL columns of a panel, of which a pass takes 2. rhs
// is 8 vectors ahead.
//
// SPDX-License-Identifier: Apache-2.0

    .arch armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/qai8dxp/qai8dxp_sme_mopa.inc"

.macro lhs_vectors rhs, j
    lhs_\rhs \j
.endm

// int8: a part is 4 vectors. rhs moves on in the middle of a step.
.macro table_int8 at
.endm
.macro start_int8
    add     rhs, rhs_panel, half, lsl #2
    addvl   rhs, rhs, #8
.endm
.macro lhs_int8 j
    load_4  lhs, \j, \j + 1, \j + 2, \j + 3
.endm
// rhs is 8 vectors ahead of part 0, from j = 4 on ahead of part 4.
.macro rhs_int8 j, r0, r1, n0, n1
  .if \j == 4
    addvl   rhs, rhs, #16
  .endif
    ld1b    {z\r0\().b}, p0/z, [rhs, #\j % 4 * 4 - 8, mul vl]
    ld1b    {z\r1\().b}, p0/z, [rhs, #\j % 4 * 4 - 7, mul vl]
.endm
.macro end_int8
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #16
.endm

// int4, k and k + 16 in a byte: 4 vectors are parts j and j + 1 (even j), k = 2 j ... 2 j + 3 and 16 more. A value
// is 16 times what the nibble says, as are the sums of the columns; their scales are 1/16.
.macro table_int4 at
.endm
.macro start_int4
    add     rhs, rhs_panel, half, lsl #2
    addvl   rhs, rhs, #8
.endm
// k of the low nibbles and 16 more, of the high ones, in turn.
.macro lhs_int4 j
  .if \j == 0
    load_4  lhs, 0, 4, 1, 5
  .else
    load_4  lhs, 2, 6, 3, 7
  .endif
.endm
// Even j: loads 2 vectors to n0, n1; part j is their low nibbles. Odd j: they are in r0, r1; part j is their high ones.
.macro rhs_int4 j, r0, r1, n0, n1
  .if \j % 2 == 0
    ld1b    {z\n0\().b}, p0/z, [rhs, #\j * 2 - 8, mul vl]
    ld1b    {z\n1\().b}, p0/z, [rhs, #\j * 2 - 7, mul vl]
    lsl     z\r0\().b, z\n0\().b, #4
    lsl     z\r1\().b, z\n1\().b, #4
  .else
    and     z\r0\().b, z\r0\().b, #0xf0
    and     z\r1\().b, z\r1\().b, #0xf0
  .endif
.endm
.macro end_int4
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #16
.endm

mopa_qai8dxp kai_kernel_matmul_clamp_f32_qai8dxp1vlx4_qsi4cxp4vlx4_1vlx4vl_sme_mopa, int4, f32
mopa_qai8dxp kai_kernel_matmul_clamp_f32_qai8dxp1vlx4_qsi8cxp4vlx4_1vlx4vl_sme_mopa, int8, f32
