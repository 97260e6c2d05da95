// Blocks of any length with SDOT: tiles of one or two panels x 4 columns (blocks_neon_long.inc).
//
//     int4: acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//     with zeros (qai4c32p): before, acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])
//     int8, indices: acc[m][n] = fma(S * lhs_scale, rhs_scale, acc[m][n])
//
// A vector of sums or accumulators holds a row of 4 columns. A step multiplies four times 16 bytes of each column, 4
// low and 4 high k; two sets of registers, e and o, take turns: while one is multiplied the other is loaded.
//
//                         | e_low  (low nibbles: 4 columns x 4 k)       e_high
//        -----------------+-----------------------------------------------------------
//        e_low0   panel 0 | S0 += e_low x e_low0       e_high0   S0 += e_high x e_high0
//        e_low1   panel 1 | S1 += e_low x e_low1       e_high1   S1 += e_high x e_high1
//
//   Registers, and those of blocks_neon_long.inc
//   v16, v18; v31, v20    e_low, e_high; o_low, o_high           columns
//   v22, v24; v26, v28    e_low0, e_high0; o_low0, o_high0       rows of the first panel
//   v23, v25; v27, v29    e_low1, e_high1; o_low1, o_high1       of the second one
//   v17                   C        scales (zeros) of the columns
//   v19, v21              L0, L1   scales (sums) of the rows of each panel
//   v20, v26 - v28        P0       after the steps, int4: C * L0
//   v29, v31, v19, v17    P1       C * L1
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/blocks/blocks_neon_long.inc"

reg e_low, 16
reg e_high, 18
regs 22, e_low0, e_low1, e_high0, e_high1
reg o_low, 31
reg o_high, 20
regs 26, o_low0, o_low1, o_high0, o_high1
reg C, 17
reg L0, 19
reg L1, 21
reg P0_0, 20
regs 26, P0_1, P0_2, P0_3
reg P1_0, 29
reg P1_1, 31
reg P1_2, 19
reg P1_3, 17

// Set e = the first 4 low and 4 high k.
.macro begin bits
    .if \bits == 4
    ldr     qe_high, [rhs]
    .else
    ldr     qe_low, [rhs]
    ldr     qe_high, [rhs, #64]
    .endif
    ldr     qe_low0, [lhs_0]
    ldr     qe_high0, [high_0]
    if_two ldr qe_low1, [lhs_1]
    if_two ldr qe_high1, [high_1]
    .if \bits == 4
    shl     e_low.16b, e_high.16b, #4
    and     e_high.16b, e_high.16b, mask.16b
    .endif
.endm

// Sums \s of rows 0, 1 or 2, 3 += columns \b times rows \a.
.macro sdot_01 s, b, a
    sdot    \s\()_0.4s, \b\().16b, \a\().4b[0]
    sdot    \s\()_1.4s, \b\().16b, \a\().4b[1]
.endm
.macro sdot_23 s, b, a
    sdot    \s\()_2.4s, \b\().16b, \a\().4b[2]
    sdot    \s\()_3.4s, \b\().16b, \a\().4b[3]
.endm

// S0, S1 += 4 low and 4 high k in set \set; loads those \at bytes from here to set \next.
.macro mac_4k bits, set, next, at
    ldr     q\next\()_high, [rhs, #\at + \bits / 8 * 64]
    .if \bits == 8
    ldr     q\next\()_low, [rhs, #\at]
    .endif
    sdot_01 S0, \set\()_low, \set\()_low0
    ldr     q\next\()_low0, [lhs_0, #\at]
    sdot_23 S0, \set\()_low, \set\()_low0
    .if panels > 1
    sdot_01 S1, \set\()_low, \set\()_low1
    ldr     q\next\()_low1, [lhs_1, #\at]
    sdot_23 S1, \set\()_low, \set\()_low1
    .endif
    ldr     q\next\()_high0, [high_0, #\at]
    .if \bits == 4
    shl     \next\()_low.16b, \next\()_high.16b, #4
    .endif
    sdot_01 S0, \set\()_high, \set\()_high0
    sdot_23 S0, \set\()_high, \set\()_high0
    .if \bits == 4
    and     \next\()_high.16b, \next\()_high.16b, mask.16b
    .endif
    .if panels > 1
    sdot_01 S1, \set\()_high, \set\()_high1
    ldr     q\next\()_high1, [high_1, #\at]
    sdot_23 S1, \set\()_high, \set\()_high1
    .endif
.endm
// S0, S1 += 32 k.
.macro step bits
    mac_4k  \bits, e, o, 16
    next_step
    mac_4k  \bits, o, e, 32
    mac_4k  \bits, e, o, 48
    add     rhs, rhs, x11
    add     lhs_0, lhs_0, x10
    add     high_0, high_0, x10
    if_two add lhs_1, lhs_1, x10
    if_two add high_1, high_1, x10
    mac_4k  \bits, o, e, 0
.endm

// Four vectors \d = or += C times the factor of a row, a lane of \l each.
.macro by_rows op, d, l
    \op     \d\()_0.4s, C.4s, \l\().s[0]
    \op     \d\()_1.4s, C.4s, \l\().s[1]
    \op     \d\()_2.4s, C.4s, \l\().s[2]
    \op     \d\()_3.4s, C.4s, \l\().s[3]
.endm
// C, L0, L1 = fields of the columns, of the rows, \lhs and \rhs bytes from here. \type: d or q.
.macro load_fields type, lhs, rhs_
    ldr     \type\()C, [rhs, \rhs_]
    ldr     \type\()L0, [lhs_0, \lhs]
    if_two ldr \type\()L1, [lhs_1, \lhs]
.endm
.macro load_f16_scales
    load_fields d, lhs_fields, rhs_fields
    fcvtl   L0.4s, L0.4h
    if_two fcvtl L1.4s, L1.4h
.endm

// C, L0, L1 = scales; before, with zeros: acc += zeros * sums of the rows. Changes x10, x11.
.macro fields_4
    tbnz    kind, #LONG_ZEROS, 7f
    load_f16_scales
    fcvtl   C.4s, C.4h
    b       8f
7:
    load_fields q, lhs_fields, rhs_fields
    add     x10, lhs_fields, #16
    add     x11, rhs_fields, #16
    by_rows fmla, acc0, L0
    if_two by_rows fmla, acc1, L1
    load_fields q, x10, x11
8:
.endm
// acc += S * (C * L). Changes P0, P1.
.macro add_int4
    by_rows fmul, P0, L0
    tbnz    kind, #LONG_ZEROS, 7f
    scvtf_4 S0, 4
    if_two scvtf_4 S1, 4
    b       8f
7:
    scvtf_4 S0
    if_two scvtf_4 S1
8:
    if_two by_rows fmul, P1, L1
    fmla_4  acc0, S0, P0
    if_two fmla_4 acc1, S1, P1
.endm

.macro fields_8
    load_f16_scales
    widen_columns C
.endm
// Sums \s *= the lanes of \l.
.macro scale_rows s, l
    fmul    \s\()_0.4s, \s\()_0.4s, \l\().s[0]
    fmul    \s\()_1.4s, \s\()_1.4s, \l\().s[1]
    fmul    \s\()_2.4s, \s\()_2.4s, \l\().s[2]
    fmul    \s\()_3.4s, \s\()_3.4s, \l\().s[3]
.endm
// \acc += \s * C.
.macro add_by_columns acc, s
    fmla    \acc\()_0.4s, \s\()_0.4s, C.4s
    fmla    \acc\()_1.4s, \s\()_1.4s, C.4s
    fmla    \acc\()_2.4s, \s\()_2.4s, C.4s
    fmla    \acc\()_3.4s, \s\()_3.4s, C.4s
.endm
// acc += (S * L) * C.
.macro add_int8
    scvtf_4 S0
    if_two scvtf_4 S1
    scale_rows S0, L0
    if_two scale_rows S1, L1
    add_by_columns acc0, S0
    if_two add_by_columns acc1, S1
.endm

    long_function kai_long_4x4_neon_dotprod, 1
    long_function kai_long_8x4_neon_dotprod, 2
