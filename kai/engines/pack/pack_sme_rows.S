// Packs rows of any elements, and f32 rows as bf16, into panels of 32-bit words: see
// kai/engines/pack/pack_sme_rows.inc.
//
// Bytes of a row are loaded straight into ZA: row 4 i + t of ZA is slice i of tile t of words, and a slice of bytes. So
// a predicate of bytes ends a row at any element, and the rest of its last word is zero. w12: row of ZA; p0, p2, p4:
// the job's part of a row; z0 - z7: f32.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/pack/pack_sme_rows.inc"

// ---- rows that are stride bytes apart ----

.macro rows_words
    whilelo p0.b, xzr, rest
.endm

// \count rows, 1 or 4, from \row on to tile \tile; \row moves on.
.macro rows_load count, row, tile, whole
    ld1b    {za0h.b[w12, \tile]}, p0/z, [\row]
    .if \count == 4
    ld1b    {za0h.b[w12, \tile + 4]}, p0/z, [\row, stride]
    ld1b    {za0h.b[w12, \tile + 8]}, p0/z, [\row, stride2]
    ld1b    {za0h.b[w12, \tile + 12]}, p0/z, [\row, stride3]
    .endif
    add     \row, \row, stride, lsl #(\count / 2)
.endm

.macro rows_whole no
.endm

    pack_rows kai_kernel_pack_rows_sme, rows, 2, strided

// ---- rows in a table of pointers ----

    alias   entry0, x6
    alias   entry1, x7

.macro table_words
    rows_words
.endm

.macro table_load_one pointer, slice
    cmp     \pointer, pad
    csel    t, pos, offset_pos, eq
    ld1b    {za0h.b[w12, \slice]}, p0/z, [\pointer, t]
.endm

// The same; \row is at their pointers.
.macro table_load count, row, tile, whole
    .if \count == 1
    ldr     entry0, [\row], #8
    table_load_one entry0, \tile
    .else
    ldp     entry0, entry1, [\row], #16
    table_load_one entry0, \tile
    table_load_one entry1, \tile + 4
    ldp     entry0, entry1, [\row], #16
    table_load_one entry0, \tile + 8
    table_load_one entry1, \tile + 12
    .endif
.endm

.macro table_whole no
.endm

    pack_rows kai_kernel_pack_table_sme, table, 2, table

// ---- f32 rows that are stride bytes apart, as bf16 ----

// p0, p2: the first and the second V elements of the job. p4: its pairs, if they are whole.
.macro bf16_words
    lsr     t, rest, #2
    whilelo p0.s, xzr, t
    whilelo p2.s, v, t
    lsr     t, t, #1
    whilelo p4.s, xzr, t
.endm

// The even elements become the low halves of the words, the odd ones the high halves.
.macro bf16_load_one i, even, odd, row, tile, whole
    .if \whole
    ld2w    {\even\().s, \odd\().s}, p4/z, [\row]
    bfcvt   \even\().h, p1/m, \even\().s
    bfcvtnt \even\().h, p1/m, \odd\().s
    .else
    ld1w    {\even\().s}, p0/z, [\row]
    ld1w    {\odd\().s}, p2/z, [\row, #1, mul vl]
    bfcvt   \even\().h, p1/m, \even\().s
    bfcvt   \odd\().h, p1/m, \odd\().s
    uzp1    \even\().h, \even\().h, \odd\().h
    .endif
    mova    za\tile\()h.s[w13, \i], p1/m, \even\().s
    add     \row, \row, stride
.endm

// The same of f32, converted. \whole: all words of the job are whole. Clobbers z0 - z7.
.macro bf16_load count, row, tile, whole
    bf16_load_one 0, z0, z1, \row, \tile, \whole
    .if \count == 4
    bf16_load_one 1, z2, z3, \row, \tile, \whole
    bf16_load_one 2, z4, z5, \row, \tile, \whole
    bf16_load_one 3, z6, z7, \row, \tile, \whole
    .endif
.endm

// The last job of a row of an odd number of elements.
.macro bf16_whole no
    cbnz    rest, 1f
    tbnz    length, #2, \no
1:
.endm

    pack_rows kai_kernel_pack_rows_bf16_sme, bf16, 3, strided
