// Packs K x N sources (RHS) into panels of columns: types of the engine in pack_sme_columns.inc. Rows are interleaved
// into words by ZIP. z0 - z7: source rows, then words; z16 - z23: scratch or words; z24 - z28: sums of int8, ones.
//
//     kai_kernel_pack_columns_x32_sme    32-bit elements, head: 32-bit bias
//     kai_kernel_pack_columns_x16_sme    16-bit elements, head: 16-bit bias
//     kai_kernel_pack_columns_x16_wide_bias_sme   the same, head: 32-bit bias
//     kai_kernel_pack_columns_bf16_sme   f32 converted to bf16, to nearest even; head: 32-bit bias
//     kai_kernel_pack_columns_x8_sme     8-bit elements, no head
//     kai_kernel_pack_columns_qsi8_sme   int8, head: int32 bias + sum_scale * sum of the column,
//                                        tail: scale * multiplier
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/pack/pack_sme_columns.inc"

// x32. p0, p1: columns of blocks 0 and 1.
.macro columns_x32
    mov     limit, left
    decw    limit
    whilelt p0.s, xzr, left
    whilelt p1.s, xzr, limit
.endm
.macro load_x32 a, b, first=p0, second=p1
    ld1w    {\a\().s}, \first\()/z, [row]
    ld1w    {\b\().s}, \second\()/z, [row, #1, mul vl]
    add     row, row, stride
.endm
// Four groups of two blocks: z0 - z7.
.macro batch_x32
    load_x32 z0, z1
    load_x32 z2, z3
    load_x32 z4, z5
    load_x32 z6, z7
    store_2_twice z0, z1, z2, z3
    store_2_twice z4, z5, z6, z7
.endm
.macro group_x32
    load_x32 z0, z1
    store_2 z0, z1
.endm

// bf16. p0, p1: columns of blocks 0 and 1 in the first row of a group; p2, p3: in the second.
.macro columns_bf16
    columns_x32
    mov     p2.b, p0.b
    mov     p3.b, p1.b
.endm
.macro missing_bf16 rows
    pfalse  p2.b
    pfalse  p3.b
.endm
.macro load_bf16 a, b, c, d
    load_x32 \a, \b
    load_x32 \c, \d, p2, p3
.endm
// Rows c, d below a, b: a and b become the words.
.macro convert_bf16 a, b, c, d
    bfcvt   \a\().h, p7/m, \a\().s
    bfcvt   \b\().h, p7/m, \b\().s
    bfcvtnt \a\().h, p7/m, \c\().s
    bfcvtnt \b\().h, p7/m, \d\().s
.endm
// Two groups of two rows and two blocks: z0 - z7, the bf16 of each four vectors in the first two.
.macro batch_bf16
    load_bf16 z0, z1, z2, z3
    load_bf16 z4, z5, z6, z7
    convert_bf16 z0, z1, z2, z3
    convert_bf16 z4, z5, z6, z7
    store_2_twice z0, z1, z4, z5
.endm
.macro group_bf16
    load_bf16 z0, z1, z2, z3
    convert_bf16 z0, z1, z2, z3
    store_2 z0, z1
.endm

// x16. p0, p1: columns of the unit in the first and the second row of a group.
.macro columns_x16
    whilelt p0.h, xzr, left
    whilelt p1.h, xzr, left
.endm
.macro missing_x16 rows
    pfalse  p1.b
.endm
// Two rows of the unit.
.macro load_x16 a, b
    ld1h    {\a\().h}, p0/z, [row]
    add     row, row, stride
    ld1h    {\b\().h}, p1/z, [row]
    add     row, row, stride
.endm
.macro words_x16 lo, hi, a, b
    zip1    \lo\().h, \a\().h, \b\().h
    zip2    \hi\().h, \a\().h, \b\().h
.endm
.macro words_x16_twice a, b, c, d, e, f, g, h
    words_x16 \e, \f, \a, \b
    words_x16 \g, \h, \c, \d
.endm
.macro load_x16_twice a, b, c, d
    load_x16 \a, \b
    load_x16 \c, \d
.endm
// Four groups of two rows; their words are z16 - z23.
.macro batch_x16
    load_x16_twice z0, z1, z2, z3
    load_x16_twice z4, z5, z6, z7
    words_x16_twice z0, z1, z2, z3, z16, z17, z18, z19
    words_x16_twice z4, z5, z6, z7, z20, z21, z22, z23
    store_2_twice z16, z17, z18, z19
    store_2_twice z20, z21, z22, z23
.endm
.macro group_x16
    load_x16 z0, z1
    words_x16 z16, z17, z0, z1
    store_2 z16, z17
.endm

// x8
.macro columns_x8
    columns_of_bytes
.endm
// Four rows of the unit.
.macro load_x8 a, b, c, d
    ld1b    {\a\().b}, p0/z, [row]
    ld1b    {\b\().b}, p1/z, [row, stride]
    add     row, row, stride, lsl #1
    ld1b    {\c\().b}, p2/z, [row]
    ld1b    {\d\().b}, p3/z, [row, stride]
    add     row, row, stride, lsl #1
.endm
// Rows a ... d -> words in a ... d. Clobbers e ... h.
.macro words_x8 a, b, c, d, e, f, g, h
    zip1    \e\().b, \a\().b, \c\().b
    zip2    \f\().b, \a\().b, \c\().b
    zip1    \g\().b, \b\().b, \d\().b
    zip2    \h\().b, \b\().b, \d\().b
    zip1    \a\().b, \e\().b, \g\().b
    zip2    \b\().b, \e\().b, \g\().b
    zip1    \c\().b, \f\().b, \h\().b
    zip2    \d\().b, \f\().b, \h\().b
.endm
// Two groups of four rows.
.macro batch_x8
    load_x8 z0, z1, z2, z3
    load_x8 z4, z5, z6, z7
    words_x8 z0, z1, z2, z3, z16, z17, z18, z19
    words_x8 z4, z5, z6, z7, z20, z21, z22, z23
    store_4 z0, z1, z2, z3
    store_4 z4, z5, z6, z7
.endm
.macro group_x8
    load_x8 z0, z1, z2, z3
    words_x8 z0, z1, z2, z3, z16, z17, z18, z19
    store_4 z0, z1, z2, z3
.endm

// qsi8: x8 with sums of the columns. z24 ... z27: sums of the blocks; z28: ones.
.macro columns_qsi8
    columns_of_bytes
.endm
// The sums of the unit, z24 - z27, += words of four rows. z28: ones.
.macro add_qsi8 a, b, c, d
    sdot    z24.s, \a\().b, z28.b
    sdot    z25.s, \b\().b, z28.b
    sdot    z26.s, \c\().b, z28.b
    sdot    z27.s, \d\().b, z28.b
.endm
.macro batch_qsi8
    batch_x8
    add_qsi8 z0, z1, z2, z3
    add_qsi8 z4, z5, z6, z7
.endm
.macro group_qsi8
    group_x8
    add_qsi8 z0, z1, z2, z3
.endm

.macro load_sums_qsi8
    mov     z28.b, #1
    sums_at limit
    load_4 limit, z24, z25, z26, z27
.endm
.macro store_sums_qsi8
    sums_at out
    store_4 z24, z25, z26, z27
.endm
.macro heads_and_tails_qsi8
    heads_and_tails
.endm

    pack_columns x32,  0, 2, 2, 2, 4
    pack_columns bf16, 1, 1, 2, 2, 4
    pack_columns x16,  1, 2, 1, 2, 2
    pack_columns x16,  1, 2, 1, 2, 4, 1, _wide_bias
    pack_columns x8,   2, 1, 1, 4, none
    pack_columns qsi8, 2, 1, 1, 4, sums
