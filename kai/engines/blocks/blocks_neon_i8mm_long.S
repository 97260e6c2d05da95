// Blocks of any length with SMMLA: tiles of one or two panels x 4 columns (blocks_neon_long.inc).
//
//     int4: acc[m][n] = fma(S, lhs_scale * rhs_scale, acc[m][n]),     S = sum over the block of lhs * rhs
//     with zeros (qai4c32p): before, acc[m][n] = fma(rhs_zero, lhs_sum, acc[m][n])
//     int8, indices: acc[m][n] = fma(S * lhs_scale, rhs_scale, acc[m][n])
//
// A vector of sums or accumulators holds 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1. Columns 0 1 are a, 2 3 b; rows 0 1 of
// a panel are a, 2 3 b. A step has 16 low and 16 high k: two times 8 of each.
//
//               | B_a      B_b      8 low k of the columns; Be, then Bo: 8 high k, and before that the packed bytes
//        -------+------------------
//        A_a    | S_aa     S_ab
//        A_b    | S_ba     S_bb
//
//   Registers, and those of blocks_neon_long.inc
//   v16, v17            B          low nibbles of the columns
//   v18, v19; v20, v21  Be; Bo     high ones of these 8 k, and of the next
//   One panel: sets e and o; one is multiplied while the other is loaded
//   v22, v23; v26, v27  Ae; Ao     low k of the rows
//   v24, v25; v28, v29  He; Ho     high k
//   Two panels
//   v22 - v25           A0, A1     low k of the rows of each
//   v26 - v29           H0, H1     high k
//   x16, x17            group_a, group_b   next_group, next_group_16: to the second 8 k of columns a, b
//   x24 - x26                      fields of the columns, of the rows of each panel
// After the steps
//   v20, v21            C          scales, zeros of columns a, b, twice each: c0 c1 c0 c1
//   v28, v31            F0, F1     scales, sums of the rows of each panel
//   v26, v27; v28, v29  L0; L1     of rows a, b, twice each: r0 r0 r1 r1
//   v28, v26, v29, v27  P0         C * L0
//   v8, v9              M1         L1, once S0 has been added
//   v10, v8, v11, v9    P1         C * M1
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/blocks/blocks_neon_long.inc"

group_a .req x16
group_b .req x17

regs 8, S0_aa, S0_ab, S0_ba, S0_bb, S1_aa, S1_ab, S1_ba, S1_bb
regs 16, B_a, B_b, Be_a, Be_b, Bo_a, Bo_b
regs 22, Ae_a, Ae_b, He_a, He_b, Ao_a, Ao_b, Ho_a, Ho_b
regs 22, A0_a, A0_b, A1_a, A1_b, H0_a, H0_b, H1_a, H1_b
regs 20, C_a, C_b
reg F0, 28
reg F1, 31
regs 26, L0_a, L0_b, L1_a, L1_b
regs 8, M1_a, M1_b
reg P0_0, 28
reg P0_1, 26
reg P0_2, 29
reg P0_3, 27
reg P1_0, 10
reg P1_1, 8
reg P1_2, 11
reg P1_3, 9

// Loads what the first step needs: Be, B and rows, low k; one panel: He, too.
.macro begin bits
    .if \bits == 4
    ldp     qBe_a, qBe_b, [rhs]
    .else
    ldp     qBe_a, qBe_b, [rhs, #64]
    ldp     qB_a, qB_b, [rhs]
    .endif
    .if panels == 1
    ldp     qAe_a, qAe_b, [lhs_0]
    ldp     qHe_a, qHe_b, [high_0]
    .else
    ldp     qA0_a, qA0_b, [lhs_0]
    ldp     qA1_a, qA1_b, [lhs_1]
    .endif
    .if \bits == 4
    shl     B_a.16b, Be_a.16b, #4
    shl     B_b.16b, Be_b.16b, #4
    .endif
.endm

// Loads for the next 8 k, \at (0 or 32) bytes from here: columns a (\offset 0) or b (16). First \b, with the high
// nibbles; int4: a byte has both, and the second 8 k of a step are `group` bytes from the first.
.macro load_high bits, at, b, offset, group
    .if \bits == 8
    ldr     q\b, [rhs, #\at + 64 + \offset]
    .elseif \at
    ldr     q\b, [rhs, \group]
    .else
    ldr     q\b, [rhs, #\offset]
    .endif
.endm
// Then \low; int4: from \b.
.macro make_low bits, at, low, b, offset
    .if \bits == 8
    ldr     q\low, [rhs, #\at + \offset]
    .else
    shl     \low\().16b, \b\().16b, #4
    .endif
.endm
.macro keep_high bits, b
    .if \bits == 4
    and     \b\().16b, \b\().16b, mask.16b
    .endif
.endm

// Rows \a times columns \b: S0_a is S0_aa, S0_ab.
.macro smmla_2 s, b, a
    smmla   \s\()a.4s, \a\().16b, \b\()_a.16b
    smmla   \s\()b.4s, \a\().16b, \b\()_b.16b
.endm

// One panel: S0 += 8 low and 8 high k of set \set (e, o); loads those \at bytes from here to set \next.
.macro mac_8k_1 bits, set, next, at
    load_high \bits, \at, B\next\()_a, 0, group_a
    load_high \bits, \at, B\next\()_b, 16, group_b
    smmla_2 S0_a, B, A\set\()_a
    keep_high \bits, B\set\()_a
    ldr     qA\next\()_a, [lhs_0, #\at]
    keep_high \bits, B\set\()_b
    smmla_2 S0_b, B, A\set\()_b
    ldr     qA\next\()_b, [lhs_0, #\at + 16]
    make_low \bits, \at, B_a, B\next\()_a, 0
    ldr     qH\next\()_a, [high_0, #\at]
    make_low \bits, \at, B_b, B\next\()_b, 16
    smmla_2 S0_a, B\set, H\set\()_a
    ldr     qH\next\()_b, [high_0, #\at + 16]
    smmla_2 S0_b, B\set, H\set\()_b
.endm

// Two panels: S0, S1 += 8 low and 8 high k of columns \set; those of the rows are \high_at bytes from high_0, high_1.
// Loads columns \next and the low k of the rows from \at bytes from here.
.macro mac_8k_2 bits, set, next, at, high_at
    ldr     qH0_a, [high_0, #\high_at]
    load_high \bits, \at, B\next\()_a, 0, group_a
    keep_high \bits, B\set\()_a
    smmla_2 S0_a, B, A0_a
    ldr     qH0_b, [high_0, #\high_at + 16]
    load_high \bits, \at, B\next\()_b, 16, group_b
    keep_high \bits, B\set\()_b
    smmla_2 S0_b, B, A0_b
    ldr     qH1_a, [high_1, #\high_at]
    smmla_2 S1_a, B, A1_a
    ldr     qH1_b, [high_1, #\high_at + 16]
    smmla_2 S1_b, B, A1_b
    make_low \bits, \at, B_a, B\next\()_a, 0
    ldr     qA0_a, [lhs_0, #\at]
    make_low \bits, \at, B_b, B\next\()_b, 16
    smmla_2 S0_a, B\set, H0_a
    ldr     qA0_b, [lhs_0, #\at + 16]
    smmla_2 S0_b, B\set, H0_b
    ldr     qA1_a, [lhs_1, #\at]
    smmla_2 S1_a, B\set, H1_a
    ldr     qA1_b, [lhs_1, #\at + 16]
    smmla_2 S1_b, B\set, H1_b
.endm

// S0, S1 += 32 k.
.macro step bits
    .if panels == 1
    mac_8k_1 \bits, e, o, 32
    next_step
    add     rhs, rhs, x11
    add     lhs_0, lhs_0, x10
    add     high_0, high_0, x10
    mac_8k_1 \bits, o, e, 0
    .else
    mac_8k_2 \bits, e, o, 32, 0
    next_step
    add     rhs, rhs, x11
    add     lhs_0, lhs_0, x10
    add     lhs_1, lhs_1, x10
    mac_8k_2 \bits, o, e, 0, 32
    add     high_0, high_0, x10
    add     high_1, high_1, x10
    .endif
.endm

// Four vectors \d = or += \op of C and rows \l, a and b each.
.macro outer op, d, l
    \op     \d\()_0.4s, C_a.4s, \l\()_a.4s
    \op     \d\()_1.4s, C_b.4s, \l\()_a.4s
    \op     \d\()_2.4s, C_a.4s, \l\()_b.4s
    \op     \d\()_3.4s, C_b.4s, \l\()_b.4s
.endm
.macro fields_4
    add     x24, rhs, rhs_fields
    add     x25, lhs_0, lhs_fields
    if_two add x26, lhs_1, lhs_fields
.endm
.macro fields_8
    fields_4
.endm
// C_a, F0, F1 = the fields, or those \at bytes further. \type: d or q.
.macro load_fields type, at=0
    ldr     \type\()C_a, [x24, #\at]
    ldr     \type\()F0, [x25, #\at]
    if_two ldr \type\()F1, [x26, #\at]
.endm
.macro widen_rows
    fcvtl   F0.4s, F0.4h
    if_two fcvtl F1.4s, F1.4h
.endm
// C = the four columns in C_a.
.macro spread_columns
    dup     C_b.2d, C_a.d[1]
    dup     C_a.2d, C_a.d[0]
.endm
// \l = the four rows in \f.
.macro spread_rows l, f
    zip1    \l\()_a.4s, \f\().4s, \f\().4s
    zip2    \l\()_b.4s, \f\().4s, \f\().4s
.endm

// acc += S * (scales of columns * scales of rows). Sums make room for products.
.macro add_products fraction=0
    spread_columns
    spread_rows L0, F0
    outer   fmul, P0, L0
    scvtf_4 S0, \fraction
    if_two scvtf_4 S1, \fraction
    fmla_4  acc0, S0, P0
    .if panels > 1
    spread_rows M1, F1
    outer   fmul, P1, M1
    fmla_4  acc1, S1, P1
    .endif
.endm

// acc += S * (C * L); before, with zeros: acc += zeros * sums of the rows.
.macro add_int4
    tbnz    kind, #LONG_ZEROS, 7f
    load_fields d
    fcvtl   C_a.4s, C_a.4h
    widen_rows
    add_products 4
    cbnz    x8, 3b
    b       6f
7:
    load_fields q
    spread_columns
    spread_rows L0, F0
    outer   fmla, acc0, L0
    .if panels > 1
    spread_rows L1, F1
    outer   fmla, acc1, L1
    .endif
    load_fields q, 16
    add_products
.endm

// Sums \s *= rows \l; \acc += \s times the columns.
.macro scale_rows s, l
    fmul    \s\()_0.4s, \s\()_0.4s, \l\()_a.4s
    fmul    \s\()_1.4s, \s\()_1.4s, \l\()_a.4s
    fmul    \s\()_2.4s, \s\()_2.4s, \l\()_b.4s
    fmul    \s\()_3.4s, \s\()_3.4s, \l\()_b.4s
.endm
// acc += S * (scales of the columns, C_a and C_b).
.macro add_by_columns acc, s
    fmla    \acc\()_0.4s, \s\()_0.4s, C_a.4s
    fmla    \acc\()_1.4s, \s\()_1.4s, C_b.4s
    fmla    \acc\()_2.4s, \s\()_2.4s, C_a.4s
    fmla    \acc\()_3.4s, \s\()_3.4s, C_b.4s
.endm
// acc += (S * L) * C.
.macro add_int8
    load_fields d
    scvtf_4 S0
    widen_rows
    widen_columns C_a
    spread_rows L0, F0
    if_two spread_rows L1, F1
    spread_columns
    if_two scvtf_4 S1
    scale_rows S0, L0
    if_two scale_rows S1, L1
    add_by_columns acc0, S0
    if_two add_by_columns acc1, S1
.endm

    long_function kai_long_4x4_neon_i8mm, 1
    long_function kai_long_8x4_neon_i8mm, 2
