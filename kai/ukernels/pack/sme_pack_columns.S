// Packs K x N sources (RHS) into panels of columns, in streaming mode (SME version 1, SVE instructions only; ZA is left
// alone).
//
//     panel:  | head: a value per column | group 0 of all columns | group 1 of all columns | ... | tail: f32 per column |
//     group of a column: one word (32 bits) = one element of 32 bits, two of 16 bits, or four of 8 bits along k
//
//     kai_kernel_pack_columns_x32_sme    32-bit elements, head: 32-bit bias
//     kai_kernel_pack_columns_x16_sme    16-bit elements, head: 16-bit bias
//     kai_kernel_pack_columns_bf16_sme   f32 converted to bf16, to nearest even; head: 32-bit bias
//     kai_kernel_pack_columns_x8_sme     8-bit elements, no head
//     kai_kernel_pack_columns_qsi8_sme   int8, head: int32 bias + sum_scale * sum of the column, tail: scale * multiplier
//
// All have one argument, kai::Columns (kai/src/pack_columns_sme.hpp).
//
// A block is V = SVL / 32 columns: its words of a group fill a vector. A panel is 1, 2 or 16 blocks wide. A unit is the
// columns that a step loads of a source row, two or four blocks; they lie in one panel, or in up to four. Rows are
// interleaved into words by ZIP. Columns and rows that do not exist are loaded by false lanes, and so become zero.
//
// All panels grow together, up to 32 source rows at a time: the source is read in bands of rows. Panel after panel
// would read narrow strips of all rows, each in another page.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme+bf16
#include "kai/asm/asm.h"
#include "kai/asm/sme_args.h"

args        .req x0
left        .req x1                             // columns from the unit on; may be less than none
n           .req x2
src         .req x3                             // first row of the band
stride      .req x4
dst         .req x5                             // first group of the band, in the first panel
panel       .req x6                             // bytes from panel to panel
room        .req x7                             // bytes that the blocks from the unit on take in a group
vector      .req x8                             // bytes
gap         .req x9                             // bytes from block 0 of a unit to block 1,
gap2        .req x10                            // 2,
gap3        .req x11                            // and 3
step        .req x12                            // bytes from a group to the next
column      .req x14                            // first row of the band, at the columns of the unit
to          .req x15                            // where they go
row         .req x16
out         .req x17
units_left  .req x13                            // of the panel, from the unit on
limit       .req x19
band        .req x20                            // rows
rows        .req x21                            // of the chunk, from the band on
batches     .req x22                            // of the band
count       .req x23
chunks      .req x24
all         .req x25                            // room of all blocks
units       .req x26                            // of a panel, at least 1
hop         .req x27                            // bytes from the last unit of a panel to the next unit

// p0-p3: see the types. p4, p5, p6: all true where blocks 1, 2, 3 of the unit exist. p7: all true.

// --- Types: a batch is several groups, what is loaded first is used last. Macros named after the type:
//     columns_TYPE   predicates of the columns of the unit
//     missing_TYPE   the same for the last group of a chunk, which has only \rows rows (a register; fewer than kr)
//     batch_TYPE, group_TYPE

// Words of a group -> blocks of the unit. Advances out.
.macro store_2 a, b
    st1b    {\a\().b}, p7, [out]
    st1b    {\b\().b}, p4, [out, gap]
    add     out, out, step
.endm
.macro store_4 a, b, c, d
    st1b    {\a\().b}, p7, [out]
    st1b    {\b\().b}, p4, [out, gap]
    st1b    {\c\().b}, p5, [out, gap2]
    st1b    {\d\().b}, p6, [out, gap3]
    add     out, out, step
.endm

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
.macro batch_x32
    load_x32 z0, z1
    load_x32 z2, z3
    load_x32 z4, z5
    load_x32 z6, z7
    store_2 z0, z1
    store_2 z2, z3
    store_2 z4, z5
    store_2 z6, z7
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
.macro batch_bf16
    load_bf16 z0, z1, z2, z3
    load_bf16 z4, z5, z6, z7
    convert_bf16 z0, z1, z2, z3
    convert_bf16 z4, z5, z6, z7
    store_2 z0, z1
    store_2 z4, z5
.endm
.macro group_bf16
    load_bf16 z0, z1, z2, z3
    convert_bf16 z0, z1, z2, z3
    store_2 z0, z1
.endm

// x16. p0, p1: columns of the unit in the first and the second row of a group.
.macro columns_x16
    whilelt p0.h, xzr, left
    mov     p1.b, p0.b
.endm
.macro missing_x16 rows
    pfalse  p1.b
.endm
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
.macro batch_x16
    load_x16 z0, z1
    load_x16 z2, z3
    load_x16 z4, z5
    load_x16 z6, z7
    words_x16 z16, z17, z0, z1
    words_x16 z18, z19, z2, z3
    words_x16 z20, z21, z4, z5
    words_x16 z22, z23, z6, z7
    store_2 z16, z17
    store_2 z18, z19
    store_2 z20, z21
    store_2 z22, z23
.endm
.macro group_x16
    load_x16 z0, z1
    words_x16 z16, z17, z0, z1
    store_2 z16, z17
.endm

// x8. p0 ... p3: columns of the unit in each row of a group.
.macro columns_x8
    whilelt p0.b, xzr, left
    mov     p1.b, p0.b
    mov     p2.b, p0.b
    mov     p3.b, p0.b
.endm
.macro missing_row_x8 p, r, rows
    cmp     \rows, #\r
    csel    limit, left, xzr, hi
    whilelt \p\().b, xzr, limit
.endm
.macro missing_x8 rows
    missing_row_x8 p1, 1, \rows
    missing_row_x8 p2, 2, \rows
    missing_row_x8 p3, 3, \rows
.endm
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
    columns_x8
.endm
.macro missing_qsi8 rows
    missing_x8 \rows
.endm
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

// The sums of the unit are kept in the heads of its panels from band to band. out: advanced no more than needed.
.macro sums_at pointer
    ldr     \pointer, [args, #KAI_COLUMNS_DST]
    sub     \pointer, \pointer, dst
    add     \pointer, \pointer, to
.endm
.macro load_sums
    sums_at limit
    ld1b    {z24.b}, p7/z, [limit]
    ld1b    {z25.b}, p4/z, [limit, gap]
    ld1b    {z26.b}, p5/z, [limit, gap2]
    ld1b    {z27.b}, p6/z, [limit, gap3]
.endm
.macro store_sums
    sums_at out
    store_4 z24, z25, z26, z27
.endm

// --- Passes over the blocks of all panels

// Sets the flags: eq after the last one. \bytes: of the head of a column; row: panel, rows: panels, count: blocks.
.macro first_block
    ldr     row, [args, #KAI_COLUMNS_DST]
    ldr     rows, [args, #KAI_COLUMNS_PANELS]
8:  mov     to, row
    ldr     count, [args, #KAI_COLUMNS_BLOCKS]
9:
.endm
.macro next_block bytes
    addpl   to, to, #2 * \bytes
    subs    count, count, #1
    b.ne    9b
    add     row, row, panel
    subs    rows, rows, #1
    b.ne    8b
.endm

// What is left of a vector of values, one per column: \values, \left; none if it is NULL.
.macro values values, left, offset
    ldr     \values, [args, #\offset]
    cmp     \values, #0
    csel    \left, n, xzr, ne
.endm

.macro heads_2
    values  column, left, KAI_COLUMNS_BIAS
    first_block
    whilelt p0.s, xzr, left
    ld1h    {z0.s}, p0/z, [column]
    st1h    {z0.s}, p7, [to]
    addpl   column, column, #4
    decw    left
    next_block 2
.endm
.macro heads_4
    values  column, left, KAI_COLUMNS_BIAS
    first_block
    whilelt p0.s, xzr, left
    ld1w    {z0.s}, p0/z, [column]
    st1w    {z0.s}, p7, [to]
    addvl   column, column, #1
    decw    left
    next_block 4
.endm
.macro heads_none
.endm
.macro heads_sums                               // of no rows yet
    mov     z28.b, #1
    mov     z0.s, #0
    first_block
    st1w    {z0.s}, p7, [to]
    next_block 4
.endm

// Sums -> bias + sum_scale * sum; scale * multiplier -> tails.
.macro finish_sums
    ldr     hop, [args, #KAI_COLUMNS_TAIL]
    ld1rw   {z2.s}, p7/z, [args, #KAI_COLUMNS_SUM_SCALE]
    ld1rw   {z3.s}, p7/z, [args, #KAI_COLUMNS_MULTIPLIER]
    values  column, left, KAI_COLUMNS_BIAS
    values  src, limit, KAI_COLUMNS_SCALE
    first_block
    whilelt p0.s, xzr, left
    whilelt p1.s, xzr, limit
    ld1w    {z0.s}, p0/z, [column]
    ld1w    {z1.s}, p7/z, [to]
    ld1w    {z4.s}, p1/z, [src]
    mla     z0.s, p7/m, z1.s, z2.s
    fmul    z4.s, p1/m, z4.s, z3.s
    add     out, to, hop
    st1w    {z0.s}, p7, [to]
    st1w    {z4.s}, p7, [out]
    addvl   column, column, #1
    addvl   src, src, #1
    decw    left
    decw    limit
    next_block 4
.endm

// --- The function. \log_kr: of the rows of a group; \log_batch: of the groups of a batch; \vectors: of a source row
// that a unit loads; \blocks of a unit; \heads: 2, 4, none, sums.
.macro pack_columns type, log_kr, log_batch, vectors, blocks, heads
func kai_kernel_pack_columns_\type\()_sme, hidden
    stp     x19, x20, [sp, #-80]!
    .cfi_adjust_cfa_offset 80
    stp     x21, x22, [sp, #16]
    stp     x23, x24, [sp, #32]
    stp     x25, x26, [sp, #48]
    str     x27, [sp, #64]
    sme_enter sm
    ptrue   p7.b
    rdvl    vector, #1
    ldr     n, [args, #KAI_COLUMNS_N]
    ldr     panel, [args, #KAI_COLUMNS_PANEL]
    heads_\heads

    ldp     src, stride, [args, #KAI_COLUMNS_SRC]
    ldp     dst, step, [args, #KAI_COLUMNS_WORDS]
    ldp     gap, gap2, [args, #KAI_COLUMNS_GAP]
    add     gap3, gap, gap2
    ldp     units, hop, [args, #KAI_COLUMNS_UNITS]
    ldp     all, chunks, [args, #KAI_COLUMNS_ROOM]
    cbz     chunks, KAI_LOCAL(\type\()_end)

KAI_LOCAL(\type\()_chunk):
    ldr     rows, [args, #KAI_COLUMNS_LENGTH]
1:  mov     limit, #32
    cmp     rows, limit
    csel    band, rows, limit, lo
    lsr     batches, band, #\log_kr + \log_batch
    mov     left, n
    mov     column, src
    mov     to, dst
    mov     room, all
    mov     units_left, units

2:  columns_\type
    whilelt p4.b, vector, room
    .if \blocks == 4
    addvl   limit, room, #-2
    whilelt p5.b, xzr, limit
    whilelt p6.b, vector, limit
    .endif
    mov     row, column
    .ifc \heads, sums
    load_sums
    .endif
    mov     out, to
    mov     count, batches
    cbz     count, 4f
3:  batch_\type
    subs    count, count, #1
    b.ne    3b
4:  ubfx    count, band, #\log_kr, #\log_batch
    cbz     count, 6f
5:  group_\type
    subs    count, count, #1
    b.ne    5b
6:
    .if \log_kr > 0
    ands    count, band, #(1 << \log_kr) - 1
    b.eq    7f
    missing_\type count
    group_\type
    .endif
7:
    .ifc \heads, sums
    store_sums
    .endif
    addvl   column, column, #\vectors
    .if \blocks == 4
    decb    left
    .else
    dech    left
    .endif
    subs    units_left, units_left, #1
    csel    units_left, units, units_left, eq
    addvl   limit, to, #\blocks
    add     to, to, hop
    csel    to, to, limit, eq
    addvl   room, room, #-\blocks
    cmp     room, #0
    b.gt    2b

    madd    src, band, stride, src
    add     limit, band, #(1 << \log_kr) - 1
    lsr     limit, limit, #\log_kr
    madd    dst, limit, step, dst
    subs    rows, rows, band
    b.ne    1b
    subs    chunks, chunks, #1
    b.ne    KAI_LOCAL(\type\()_chunk)

KAI_LOCAL(\type\()_end):
    .ifc \heads, sums
    finish_sums
    .endif
    sme_leave sm
    ldp     x21, x22, [sp, #16]
    ldp     x23, x24, [sp, #32]
    ldp     x25, x26, [sp, #48]
    ldr     x27, [sp, #64]
    ldp     x19, x20, [sp], #80
    .cfi_adjust_cfa_offset -80
    ret
endfunc
.endm

    pack_columns x32,  0, 2, 2, 2, 4
    pack_columns bf16, 1, 1, 2, 2, 4
    pack_columns x16,  1, 2, 1, 2, 2
    pack_columns x8,   2, 1, 1, 4, none
    pack_columns qsi8, 2, 1, 1, 4, sums
