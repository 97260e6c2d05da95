// Blocks of any length with SMMLA: tiles of one or two panels x 4 columns.
//
// A vector of sums or accumulators holds 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1; a panel has four of them: rows 01
// columns 01, rows 01 columns 23, rows 23 columns 01, rows 23 columns 23. Registers for 8 k of a step:
//   v16, v17              low nibbles of columns 01, 23
//   v18, v19              high ones; of the next 8 k v20, v21, and so in turns
//   v22 - v25, v26 - v29  rows of a panel: low k, high k; in turns. Of two panels: low k, high k
//   x16, x17              LongArgs::second, for columns 01, 23
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/blocks/blocks_neon_long.inc"

.macro begin bits
    .if \bits == 4
    ldp     q18, q19, [x5]
    .else
    ldp     q18, q19, [x5, #64]
    ldp     q16, q17, [x5]
    .endif
    ldp     q22, q23, [x1]
    .if panels == 1
    ldp     q24, q25, [x3]
    .else
    ldp     q24, q25, [x2]
    .endif
    .if \bits == 4
    shl     v16.16b, v18.16b, #4
    shl     v17.16b, v19.16b, #4
    .endif
.endm

// What is loaded for the next 8 k, \next bytes from here: high nibbles, then v16 or v17. int4: a byte has both.
.macro load_high bits, next, n, offset, second
    .if \bits == 8
    ldr     q\n, [x5, #\next + 64 + \offset]
    .elseif \next
    ldr     q\n, [x5, \second]
    .else
    ldr     q\n, [x5, #\offset]
    .endif
.endm
.macro make_low bits, next, low, n, offset
    .if \bits == 8
    ldr     q\low, [x5, #\next + \offset]
    .else
    shl     v\low\().16b, v\n\().16b, #4
    .endif
.endm
.macro keep_high bits, h
    .if \bits == 4
    and     v\h\().16b, v\h\().16b, v30.16b
    .endif
.endm

// Four columns times two rows.
.macro smmla_2 s0, s1, c01, c23, rows
    smmla   v\s0\().4s, v\rows\().16b, v\c01\().16b
    smmla   v\s1\().4s, v\rows\().16b, v\c23\().16b
.endm

.macro mac_8k_1 bits, next, h01, h23, n01, n23, l01, l23, hl01, hl23, nl01, nl23, nh01, nh23
    load_high \bits, \next, \n01, 0, x16
    load_high \bits, \next, \n23, 16, x17
    smmla_2 8, 9, 16, 17, \l01
    keep_high \bits, \h01
    ldr     q\nl01, [x1, #\next]
    keep_high \bits, \h23
    smmla_2 10, 11, 16, 17, \l23
    ldr     q\nl23, [x1, #\next + 16]
    make_low \bits, \next, 16, \n01, 0
    ldr     q\nh01, [x3, #\next]
    make_low \bits, \next, 17, \n23, 16
    smmla_2 8, 9, \h01, \h23, \hl01
    ldr     q\nh23, [x3, #\next + 16]
    smmla_2 10, 11, \h01, \h23, \hl23
.endm

// \at: from x3, x4 to these 8 k.
.macro mac_8k_2 bits, at, next, h01, h23, n01, n23
    ldr     q26, [x3, #\at]
    load_high \bits, \next, \n01, 0, x16
    keep_high \bits, \h01
    smmla_2 8, 9, 16, 17, 22
    ldr     q27, [x3, #\at + 16]
    load_high \bits, \next, \n23, 16, x17
    keep_high \bits, \h23
    smmla_2 10, 11, 16, 17, 23
    ldr     q28, [x4, #\at]
    smmla_2 12, 13, 16, 17, 24
    ldr     q29, [x4, #\at + 16]
    smmla_2 14, 15, 16, 17, 25
    make_low \bits, \next, 16, \n01, 0
    ldr     q22, [x1, #\next]
    make_low \bits, \next, 17, \n23, 16
    smmla_2 8, 9, \h01, \h23, 26
    ldr     q23, [x1, #\next + 16]
    smmla_2 10, 11, \h01, \h23, 27
    ldr     q24, [x2, #\next]
    smmla_2 12, 13, \h01, \h23, 28
    ldr     q25, [x2, #\next + 16]
    smmla_2 14, 15, \h01, \h23, 29
.endm

.macro step bits
    .if panels == 1
    mac_8k_1 \bits, 32, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    next_step
    add     x5, x5, x11
    add     x1, x1, x10
    add     x3, x3, x10
    mac_8k_1 \bits, 0, 20, 21, 18, 19, 26, 27, 28, 29, 22, 23, 24, 25
    .else
    mac_8k_2 \bits, 0, 32, 18, 19, 20, 21
    next_step
    add     x5, x5, x11
    add     x1, x1, x10
    add     x2, x2, x10
    mac_8k_2 \bits, 32, 0, 20, 21, 18, 19
    add     x3, x3, x10
    add     x4, x4, x10
    .endif
.endm

// d = \op of columns 01, 23 (v20, v21) and rows 01, 23.
.macro outer op, d0, d1, d2, d3, r01, r23
    \op     v\d0\().4s, v20.4s, v\r01\().4s
    \op     v\d1\().4s, v21.4s, v\r01\().4s
    \op     v\d2\().4s, v20.4s, v\r23\().4s
    \op     v\d3\().4s, v21.4s, v\r23\().4s
.endm
// Scales, or sums and zeros, \at: v20, v21 of the columns, v28 and v31 of the rows of a panel each.
.macro fields_4
    add     x24, x5, x7
    add     x25, x1, x6
    if_two add x26, x2, x6
.endm
.macro fields_8
    fields_4
.endm
.macro load_fields type, at=0
    ldr     \type\()20, [x24, #\at]
    ldr     \type\()28, [x25, #\at]
    if_two ldr \type\()31, [x26, #\at]
.endm
.macro widen_rows
    fcvtl   v28.4s, v28.4h
    if_two fcvtl v31.4s, v31.4h
.endm
.macro twice
    dup     v21.2d, v20.d[1]
    dup     v20.2d, v20.d[0]
.endm
.macro pairs r01, r23, rows
    zip1    v\r01\().4s, v\rows\().4s, v\rows\().4s
    zip2    v\r23\().4s, v\rows\().4s, v\rows\().4s
.endm

// acc += sums * (scales of columns * scales of rows). Sums make room for products.
.macro add_products fraction:vararg
    twice
    pairs   26, 27, 28
    outer   fmul, 28, 26, 29, 27, 26, 27
    scvtf_4 8, 9, 10, 11, \fraction
    if_two scvtf_4 12, 13, 14, 15, \fraction
    fmla_4  0, 1, 2, 3, 8, 9, 10, 11, 28, 26, 29, 27
    .if panels > 1
    pairs   8, 9, 31
    outer   fmul, 10, 8, 11, 9, 8, 9
    fmla_4  4, 5, 6, 7, 12, 13, 14, 15, 10, 8, 11, 9
    .endif
.endm

.macro add_int4
    tbnz    x23, #LONG_ZEROS, 7f
    load_fields d
    fcvtl   v20.4s, v20.4h
    widen_rows
    add_products #4
    cbnz    x8, 3b
    b       6f
7:
    load_fields q
    twice
    pairs   26, 27, 28
    outer   fmla, 0, 1, 2, 3, 26, 27
    .if panels > 1
    pairs   28, 29, 31
    outer   fmla, 4, 5, 6, 7, 28, 29
    .endif
    load_fields q, 16
    add_products
.endm

.macro scale_pairs s0, s1, s2, s3, r01, r23
    fmul    v\s0\().4s, v\s0\().4s, v\r01\().4s
    fmul    v\s1\().4s, v\s1\().4s, v\r01\().4s
    fmul    v\s2\().4s, v\s2\().4s, v\r23\().4s
    fmul    v\s3\().4s, v\s3\().4s, v\r23\().4s
.endm
.macro add_int8
    load_fields d
    scvtf_4 8, 9, 10, 11
    widen_rows
    widen_columns 20
    pairs   26, 27, 28
    if_two pairs 28, 29, 31
    twice
    if_two scvtf_4 12, 13, 14, 15
    scale_pairs 8, 9, 10, 11, 26, 27
    if_two scale_pairs 12, 13, 14, 15, 28, 29
    fmla_4  0, 1, 2, 3, 8, 9, 10, 11, 20, 21, 20, 21
    if_two fmla_4 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 20, 21
.endm

    long_function kai_long_4x4_neon_i8mm, 1
    long_function kai_long_8x4_neon_i8mm, 2
