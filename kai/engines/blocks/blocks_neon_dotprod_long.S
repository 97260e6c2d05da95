// Blocks of any length with SDOT: tiles of one or two panels x 4 columns.
//
// A vector of sums or accumulators holds a row of 4 columns. Registers for 16 bytes of each column, which are 4 k of a
// step (A, and B, which the next ones take):
//   v16        low nibbles (B: v31)       v22, v23   low k of each panel (B: v26, v27)
//   v18        high ones (B: v20)         v24, v25   high k (B: v28, v29)
//   v17        scales of the columns      v19, v21   scales of the rows of each panel
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/blocks/blocks_neon_long.inc"

.macro begin bits
    .if \bits == 4
    ldr     q18, [x5]
    .else
    ldr     q16, [x5]
    ldr     q18, [x5, #64]
    .endif
    ldr     q22, [x1]
    ldr     q24, [x3]
    if_two ldr q23, [x2]
    if_two ldr q25, [x4]
    .if \bits == 4
    shl     v16.16b, v18.16b, #4
    and     v18.16b, v18.16b, v30.16b
    .endif
.endm

.macro sdot_4 s0, s1, s2, s3, columns, rows, between:vararg
    sdot    v\s0\().4s, v\columns\().16b, v\rows\().4b[0]
    sdot    v\s1\().4s, v\columns\().16b, v\rows\().4b[1]
    \between
    sdot    v\s2\().4s, v\columns\().16b, v\rows\().4b[2]
    sdot    v\s3\().4s, v\columns\().16b, v\rows\().4b[3]
.endm

// A or B is followed by the next 4 k, \next bytes from x1 - x5: n...
.macro mac_4k bits, next, low, high, l0, l1, h0, h1, nlow, nhigh, nl0, nl1, nh0, nh1
    ldr     q\nhigh, [x5, #\next + \bits / 8 * 64]
    .if \bits == 8
    ldr     q\nlow, [x5, #\next]
    .endif
    sdot_4  8, 9, 10, 11, \low, \l0, ldr q\nl0, [x1, #\next]
    if_two sdot_4 12, 13, 14, 15, \low, \l1, ldr q\nl1, [x2, #\next]
    ldr     q\nh0, [x3, #\next]
    .if \bits == 4
    shl     v\nlow\().16b, v\nhigh\().16b, #4
    .endif
    sdot_4  8, 9, 10, 11, \high, \h0
    .if \bits == 4
    and     v\nhigh\().16b, v\nhigh\().16b, v30.16b
    .endif
    if_two sdot_4 12, 13, 14, 15, \high, \h1, ldr q\nh1, [x4, #\next]
.endm
#define A 16, 18, 22, 23, 24, 25
#define B 31, 20, 26, 27, 28, 29
.macro step bits
    mac_4k  \bits, 16, A, B
    next_step
    mac_4k  \bits, 32, B, A
    mac_4k  \bits, 48, A, B
    add     x5, x5, x11
    add     x1, x1, x10
    add     x3, x3, x10
    if_two add x2, x2, x10
    if_two add x4, x4, x10
    mac_4k  \bits, 0, B, A
.endm

// d = \columns times a row each.
.macro by_rows op, d0, d1, d2, d3, columns, rows
    \op     v\d0\().4s, v\columns\().4s, v\rows\().s[0]
    \op     v\d1\().4s, v\columns\().4s, v\rows\().s[1]
    \op     v\d2\().4s, v\columns\().4s, v\rows\().s[2]
    \op     v\d3\().4s, v\columns\().4s, v\rows\().s[3]
.endm
// v17 = scales of the columns, v19, v21 = of the rows.
.macro load_fields type, lhs, rhs
    ldr     \type\()17, [x5, \rhs]
    ldr     \type\()19, [x1, \lhs]
    if_two ldr \type\()21, [x2, \lhs]
.endm
.macro load_f16_scales
    load_fields d, x6, x7
    fcvtl   v19.4s, v19.4h
    if_two fcvtl v21.4s, v21.4h
.endm

.macro fields_4
    tbnz    x23, #LONG_ZEROS, 7f
    load_f16_scales
    fcvtl   v17.4s, v17.4h
    b       8f
7:
    load_fields q, x6, x7
    add     x10, x6, #16
    add     x11, x7, #16
    by_rows fmla, 0, 1, 2, 3, 17, 19
    if_two by_rows fmla, 4, 5, 6, 7, 17, 21
    load_fields q, x10, x11
8:
.endm
.macro add_int4
    by_rows fmul, 20, 26, 27, 28, 17, 19
    tbnz    x23, #LONG_ZEROS, 7f
    scvtf_4 8, 9, 10, 11, #4
    if_two scvtf_4 12, 13, 14, 15, #4
    b       8f
7:
    scvtf_4 8, 9, 10, 11
    if_two scvtf_4 12, 13, 14, 15
8:
    if_two by_rows fmul, 29, 31, 19, 17, 17, 21
    fmla_4  0, 1, 2, 3, 8, 9, 10, 11, 20, 26, 27, 28
    if_two fmla_4 4, 5, 6, 7, 12, 13, 14, 15, 29, 31, 19, 17
.endm

.macro fields_8
    load_f16_scales
    widen_columns 17
.endm
.macro scale_rows s0, s1, s2, s3, rows
    fmul    v\s0\().4s, v\s0\().4s, v\rows\().s[0]
    fmul    v\s1\().4s, v\s1\().4s, v\rows\().s[1]
    fmul    v\s2\().4s, v\s2\().4s, v\rows\().s[2]
    fmul    v\s3\().4s, v\s3\().4s, v\rows\().s[3]
.endm
.macro add_int8
    scvtf_4 8, 9, 10, 11
    if_two scvtf_4 12, 13, 14, 15
    scale_rows 8, 9, 10, 11, 19
    if_two scale_rows 12, 13, 14, 15, 21
    fmla_4  0, 1, 2, 3, 8, 9, 10, 11, 17, 17, 17, 17
    if_two fmla_4 4, 5, 6, 7, 12, 13, 14, 15, 17, 17, 17, 17
.endm

    long_function kai_long_4x4_neon_dotprod, 1
    long_function kai_long_8x4_neon_dotprod, 2
