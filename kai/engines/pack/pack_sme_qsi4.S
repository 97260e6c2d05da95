// Packs int4 sources (RHS) into panels of 2 V columns, V = SVL / 32: format qsi4cxpbi32sf32.
//
//     kai_kernel_pack_columns_qsi4_sme   K x N source, by the engine in pack_sme_columns.inc
//     kai_kernel_pack_rows_qsi4_sme      N x K source, transposed through the tile ZA0.H
//
// A group is 16 bits per column, four weights along k, the first in the lowest bits. So a word holds two columns, and a
// block is a panel. While sums grow, the head of a panel keeps those of its even columns in the first vector and those
// of its odd columns in the second; they are put in order at the end. z0 - z3: words of a group; z20 - z23, z24 - z27:
// sums of even and odd columns; z28 - z31: constants.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/pack/pack_sme_columns.inc"

// z28, z29: ones for the bytes of the even, of the odd column of a word; z30: what makes two's complement of the
// source.
.macro prepare_qsi4
    mov     limit, #0x0101
    mov     z28.s, w19
    lsl     z29.s, z28.s, #16
    ld1rb   {z30.b}, p7/z, [fields, #COLUMN_FIELDS_flip]
.endm

// sum = sums of the two weights of each byte. Clobbers low.
.macro sum_of_nibbles sum, low, words
    lsl     \low\().b, \words\().b, #4
    asr     \sum\().b, \words\().b, #4
    asr     \low\().b, \low\().b, #4
    add     \sum\().b, \sum\().b, \low\().b
.endm

// K x N. z31: bits of the bytes of the unit that belong to a column: of the last byte perhaps only the lower nibble.
.macro columns_qsi4
    prepare_qsi4
    ldr     limit, [sp, #KAI_FRAME_N]
    and     limit, limit, #1
    sub     limit, left, limit
    whilelt p0.b, xzr, limit
    mov     z31.b, #15
    mov     z31.b, p0/m, #-1
    columns_of_bytes
.endm
// A source row, as two's complement, under the predicate \p; row moves on. z30, z31: prepare_qsi4.
.macro load_qsi4 row_of_group, p
    ld1b    {\row_of_group\().b}, \p\()/z, [row]
    add     row, row, stride
    eor     \row_of_group\().b, \p\()/m, \row_of_group\().b, z30.b
    and     \row_of_group\().d, \row_of_group\().d, z31.d
.endm
// Nibbles of rows upper, lower -> upper, lower: bytes of the even, of the odd columns.
.macro pair_qsi4 upper, lower, copy
    mov     \copy\().d, \upper\().d
    sli     \upper\().b, \lower\().b, #4
    sri     \lower\().b, \copy\().b, #4
.endm
.macro add_qsi4 words, even, odd
    sum_of_nibbles z6, z7, \words
    sdot    \even\().s, z6.b, z28.b
    sdot    \odd\().s, z6.b, z29.b
.endm
// A group of four rows of a unit: z0 - z3 to four panels, their sums to z20 - z27. Clobbers z4 - z7, z16 - z19.
.macro group_qsi4
    load_qsi4 z0, p0
    load_qsi4 z1, p1
    load_qsi4 z2, p2
    load_qsi4 z3, p3
    pair_qsi4 z0, z1, z4
    pair_qsi4 z2, z3, z5
    zip1    z16.b, z0.b, z2.b                   // groups of even columns
    zip2    z17.b, z0.b, z2.b
    zip1    z18.b, z1.b, z3.b                   // of odd columns
    zip2    z19.b, z1.b, z3.b
    zip1    z0.h, z16.h, z18.h
    zip2    z1.h, z16.h, z18.h
    zip1    z2.h, z17.h, z19.h
    zip2    z3.h, z17.h, z19.h
    store_4 z0, z1, z2, z3
    add_qsi4 z0, z20, z24
    add_qsi4 z1, z21, z25
    add_qsi4 z2, z22, z26
    add_qsi4 z3, z23, z27
.endm
.macro batch_qsi4
    group_qsi4
    group_qsi4
.endm
// z20 - z23, z24 - z27 = the sums so far of even and odd columns of four panels. Clobbers limit.
.macro load_sums_qsi4
    sums_at limit
    load_4  limit, z20, z21, z22, z23
    add     limit, limit, vector
    load_4  limit, z24, z25, z26, z27
.endm
.macro store_sums_qsi4                          // step is a vector
    sums_at out
    store_4 z20, z21, z22, z23
    store_4 z24, z25, z26, z27
.endm

// Puts the sums in order, writes the groups of zeros between the last row and the tail, then all fields.
.macro heads_and_tails_qsi4
    ldr     row, [sp, #KAI_FRAME_DST]
    ldr     rows, [sp, #KAI_FRAME_PANELS]
    ldr     limit, [sp, #KAI_FRAME_TAIL]
    ldr     band, [sp, #KAI_FRAME_PADDING]
    mov     z4.b, #0
8:  ld1w    {z0.s}, p7/z, [row]
    ld1w    {z1.s}, p7/z, [row, #1, mul vl]
    zip1    z2.s, z0.s, z1.s
    zip2    z3.s, z0.s, z1.s
    st1w    {z2.s}, p7, [row]
    st1w    {z3.s}, p7, [row, #1, mul vl]
    add     to, row, limit
    subs    count, band, vector
    b.lo    7f
6:  addvl   to, to, #-1
    st1b    {z4.b}, p7, [to]
    subs    count, count, vector
    b.hs    6b
7:  add     row, row, panel
    subs    rows, rows, #1
    b.ne    8b
    heads_and_tails
.endm

    pack_columns qsi4, 2, 1, 1, 4, sums, 2

// kai_kernel_pack_rows_qsi4_sme: arguments as above.
//
// A panel: its rows of the source, a vector of bytes each, are the horizontal slices of the tile, groups its vertical
// ones. Row i of ZA0.H is row 2 i of ZA0.B, which can be filled with any number of bytes.
//
// left: rows of the source from the panel on; src: the first of them; to: panel; dst: its groups. In the panel: rows:
// that exist; column: the first, at the bytes that are filled in next; band: bytes of a row from there on; batches:
// whole groups; chunks: weights of the last group, if it is not whole; all: rows of a whole panel.
// z20, z24: sums of even, odd columns; z31: bits of the last group. p1: rows that exist.

// Vertical slices w12 ... w12 + 3 -> groups. Advances out.
.macro take_qsi4 words, slice
    mov     \words\().h, p7/m, za0v.h[w12, \slice]
    eor     \words\().h, p1/m, \words\().h, z30.h
    st1b    {\words\().b}, p7, [out, #\slice, mul vl]
.endm
// Four groups of a panel from slices of ZA0.H; z20, z24 += their sums. Clobbers z0 - z7, z16 - z19.
.macro drain_4_qsi4
    take_qsi4 z0, 0
    take_qsi4 z1, 1
    take_qsi4 z2, 2
    take_qsi4 z3, 3
    addvl   out, out, #4
    sum_of_nibbles z4, z16, z0
    sum_of_nibbles z5, z17, z1
    sum_of_nibbles z6, z18, z2
    sum_of_nibbles z7, z19, z3
    add     z4.b, z4.b, z5.b
    add     z6.b, z6.b, z7.b
    add     z4.b, z4.b, z6.b
    sdot    z20.s, z4.b, z28.b
    sdot    z24.s, z4.b, z29.b
.endm
// One group. Clobbers z0, z6, z7.
.macro drain_1_qsi4
    mov     z0.h, p7/m, za0v.h[w12, 0]
    eor     z0.h, p1/m, z0.h, z30.h
    and     z0.d, z0.d, z31.d
    st1b    {z0.b}, p7, [out]
    addvl   out, out, #1
    add_qsi4 z0, z20, z24
.endm

func kai_kernel_pack_rows_qsi4_sme, hidden
    enter   , 2, 4, sums, 2
    prepare_qsi4
    mov     left, n
    ldr     to, [sp, #KAI_FRAME_DST]
    lsr     all, vector, #1

KAI_LOCAL(rows_panel):
    whilelt p1.h, xzr, left
    cmp     left, all
    csel    rows, left, all, lo
    b.hs    1f
    zero    {za0.h}
1:  mov     z20.s, #0
    mov     z24.s, #0
    mov     z31.b, #-1
    mov     out, dst
    mov     column, src
    ldr     count, [sp, #KAI_FRAME_LENGTH]
    lsr     batches, count, #2
    and     chunks, count, #3
    add     band, count, #1
    lsr     band, band, #1
    cbz     band, KAI_LOCAL(rows_next)

KAI_LOCAL(rows_chunk):
    whilelt p0.b, xzr, band
    mov     row, column
    mov     w12, #0
    subs    count, rows, #4
    b.lo    2f
1:  .irp i, 0, 2, 4, 6
    ld1b    {za0h.b[w12, \i]}, p0/z, [row]
    add     row, row, stride
    .endr
    add     w12, w12, #8
    subs    count, count, #4
    b.hs    1b
2:  adds    count, count, #4
    b.eq    4f
3:  ld1b    {za0h.b[w12, 0]}, p0/z, [row]
    add     row, row, stride
    add     w12, w12, #2
    subs    count, count, #1
    b.ne    3b

4:  cmp     batches, all
    csel    count, batches, all, lo
    sub     batches, batches, count
    mov     w12, #0
    subs    count, count, #4
    b.lo    6f
5:  drain_4_qsi4
    add     w12, w12, #4
    subs    count, count, #4
    b.hs    5b
6:  adds    count, count, #4
    b.eq    8f
7:  drain_1_qsi4
    add     w12, w12, #1
    subs    count, count, #1
    b.ne    7b
8:  addvl   column, column, #1
    subs    band, band, vector
    b.hi    KAI_LOCAL(rows_chunk)

    cbz     chunks, KAI_LOCAL(rows_next)
    mov     limit, #1
    lsl     chunks, chunks, #2
    lsl     limit, limit, chunks
    sub     limit, limit, #1
    mov     z31.h, w19
    drain_1_qsi4

KAI_LOCAL(rows_next):
    st1w    {z20.s}, p7, [to]
    st1w    {z24.s}, p7, [to, #1, mul vl]
    add     to, to, panel
    add     dst, dst, panel
    madd    src, all, stride, src
    subs    left, left, all
    b.hi    KAI_LOCAL(rows_panel)

    heads_and_tails_qsi4
    smstop
    return
endfunc
