// Tiles of static int8 with SDOT (qai8_neon.hpp): the rows of A as they lie or in chunks that a table points to, B in
// panels of 16 columns.
//
//     S = start + A x B               int8 or uint8 -> int32, A: 1 to 6 rows, B: 16 columns, in groups of 4 k
//     result                          qai8_neon_results.inc; or S as it is
//
// A vector of B is 4 k of 4 columns, a vector of A 16 k of a row, of which SDOT takes 4 (a lane). 4 k of 4 rows:
//
//             | B_0    B_1    B_2    B_3       each is loaded again after its use; 5 and 6 rows have B_0 and B_1 only
//        -----+----------------------------
//        A0   | S0_0   S0_1   S0_2   S0_3      a sum: 4 columns of a row
//        A1   | S1_0   S1_1   S1_2   S1_3
//        A2   | S2_0   S2_1   S2_2   S2_3
//        A3   | S3_0   S3_1   S3_2   S3_3
//
//   A0 - A5                  v0 - v5      16 k of the rows; loaded again beside the last products of a step: the last
//                                         step of the rows loads the copied k % 16, which are there whatever k is
//   B_0 - B_3                v4 - v7      up to 64 bytes ahead of their use: 64 bytes of scales follow the elements
//   C_0, C_1                 v6, v7       the same of 5 and 6 rows
//   S0_0 ... S5_3            v8 - v31     sums
//   args  x0, row0 - row5  x1 - x6        rows as they lie, then the copied k
//   left  x7, tiles  x8                   steps, tiles to go
//   next_row  x9, next_tail  x10          rows and copied k of the next tile
//   starts  x11, dst  x12, dst_stride  x13
//   panel  x14, rhs  x15                  elements of the panel; moves on
//   panels  x17, next_dst  x19            panels to go, the first row of dst of the next panel
//   steps  x20, groups  x21, lhs_stride  x22
//   scales  x23                      scales of the panel
//   x16                                   scratch
//   upper  x24, half_a  x25          by halves
//   table  x10, chunk  x21           rows through a table: pointers of the next chunk of the tile, chunks to go;
//   pad  x26, moved  x27             pointers equal to pad stay where they are, others are moved
//
// A block of the table is that of a tile, whatever rows it has: | chunk 0: row 0, row 1, ... row 5 | chunk 1: ... | ...
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8/qai8_args.h"
#include "kai/engines/qai8/qai8_neon_results.inc"

row0       .req x1
row1       .req x2
row2       .req x3
row3       .req x4
row4       .req x5
row5       .req x6
left       .req x7
tiles      .req x8
next_row   .req x9
next_tail  .req x10
panel      .req x14
rhs        .req x15
panels     .req x17
next_dst   .req x19
steps      .req x20
groups     .req x21
lhs_stride .req x22
scales .req x23
upper  .req x24
half_a .req x25
table  .req x10
chunk  .req x21
pad    .req x26
moved  .req x27

    regs    0, A0, A1, A2, A3, A4, A5
    regs    4, B_0, B_1, B_2, B_3
    regs    6, C_0, C_1
    regs    8, S0_0, S0_1, S0_2, S0_3, S1_0, S1_1, S1_2, S1_3, S2_0, S2_1, S2_2, S2_3
    regs    20, S3_0, S3_1, S3_2, S3_3, S4_0, S4_1, S4_2, S4_3, S5_0, S5_1, S5_2, S5_3
    regs    0, scale_0, scale_1, scale_2, scale_3, zero, rounds, lo, hi

.macro load_start r
    ldp     qS\r\()_0, qS\r\()_1, [starts]
    ldp     qS\r\()_2, qS\r\()_3, [starts, #32]
.endm
.macro load_a r
    ldr     qA\r, [row\r], #16
.endm
// The rows are those of the copied k from here on.
.macro take_tail r
    add     row\r, next_tail, #16 * \r
.endm
.macro take_pointer r
    ldr     row\r, [table, #8 * \r]
.endm
// row\r, a pointer of the table, = where the row is. Changes x16.
.macro move_row r
    cmp     row\r, pad
    csel    x16, xzr, moved, eq
    add     row\r, row\r, x16
.endm
// The rows are those of the next chunk from here on.
.macro take_chunk
    mov     left, steps
    each_row take_pointer
    add     table, table, #8 * 6
    cbz     moved, 9f
    each_row move_row
9:
.endm
// What is loaded after the last k is not used.
.macro take_any r
    mov     row\r, args
.endm
// After the last step of a chunk is begun: the rows are those of what follows it.
.macro take_next
    .if in_table
    subs    chunk, chunk, #1
    b.eq    7f
    take_chunk
    b       8f
7:  each_row take_any
8:
    .else
    each_row take_tail
    .endif
.endm
// Goes to \steps if there are more of them.
.macro if_steps steps
    .if in_table
    cbnz    chunk, \steps
    .else
    cbnz    left, \steps
    .endif
.endm
// The sums of row r to dst, which moves on.
.macro store_sums r
    stp     qS\r\()_0, qS\r\()_1, [dst]
    stp     qS\r\()_2, qS\r\()_3, [dst, #32]
    add     dst, dst, dst_stride
.endm
.macro next_of r, before
    if_more rows, \r, add row\r, row\before, lhs_stride
.endm

// S<r>_<q> += 4 k, lane g of A, of four columns, which are in b; unsigned where that symbol is 1. With `again` 1 loads
// A of the next step.
.macro row_4k r, q, b, g, again=0
    .if unsigned
    udot    S\r\()_\q\().4s, \b\().16b, A\r\().4b[\g]
    .else
    sdot    S\r\()_\q\().4s, \b\().16b, A\r\().4b[\g]
    .endif
    when    \again, 1, load_a \r
.endm
// The same for all rows; then loads b from byte `next`.
.macro quad_4k q, b, g, next, again
    row_4k  0, \q, \b, \g, \again
    if_more rows, 1, row_4k 1, \q, \b, \g, \again
    if_more rows, 2, row_4k 2, \q, \b, \g, \again
    if_more rows, 3, row_4k 3, \q, \b, \g, \again
    if_more rows, 4, row_4k 4, \q, \b, \g, \again
    if_more rows, 5, row_4k 5, \q, \b, \g, \again
    ldr     q\b, [rhs, #\next]
.endm
// 4 k of all columns; B is at byte 64 * g.
.macro group_4k g, again=0
    .if rows > 4
    quad_4k 0, C_0, \g, (64 * \g + 32), 0
    quad_4k 1, C_1, \g, (64 * \g + 48), 0
    quad_4k 2, C_0, \g, (64 * \g + 64), 0
    quad_4k 3, C_1, \g, (64 * \g + 80), \again
    .else
    quad_4k 0, B_0, \g, (64 * \g + 64), 0
    quad_4k 1, B_1, \g, (64 * \g + 80), 0
    quad_4k 2, B_2, \g, (64 * \g + 96), 0
    quad_4k 3, B_3, \g, (64 * \g + 112), \again
    .endif
.endm

// S += all k; B is the first columns, the rows are those of the tile.
.macro multiply_k
    .if in_table
    cbz     chunk, 6f
    take_chunk
    .else
    mov     left, steps
    cbnz    left, 2f
    each_row take_tail
    each_row load_a
    b       5f
    .endif
2:
    each_row load_a
3:  // 16 k
    subs    left, left, #1
    b.ne    4f
    take_next
4:
    group_4k 0
    group_4k 1
    group_4k 2
    group_4k 3, 1
    add     rhs, rhs, #256
    if_steps 3b
    .if !in_table
5:  // up to 15 k
    cbz     groups, 6f
    group_4k 0
    cmp     groups, #2
    b.lo    6f
    group_4k 1
    b.eq    6f
    group_4k 2
    cmp     groups, #3
    b.eq    6f
    group_4k 3
    .endif
6:
.endm

// ---- The same by halves, 6 rows, for Cortex-A55
//
// A load of 128 bits takes two cycles of Cortex-A55 with nothing beside it. A load of 64 bits to a vector takes one; to
// an integer register, it issues beside SDOT, and so does the insertion of that into a vector, 4 cycles before its use.
//
//     quad         the lower half of the next quad of B is loaded; beside 6 SDOT its upper half and half a row of A
//     groups 0, 1  upper halves of A, which they do not need
//     groups 2, 3  lower halves of the next step, or of the copied k

.macro load_half r
    ldr     half_a, [row\r], #8
.endm
.macro insert_half r, h
    ins     A\r\().d[\h], half_a
.endm
.macro load_lower_half r
    ldr     dA\r, [row\r], #8
.endm

// 4 k, lane g of A, of columns q, which are in b; `other` = the next quad, which is at byte `next`. Meanwhile half h of
// row `half_row` of A; -1: of none.
.macro quad_by_halves q, b, other, g, next, half_row=-1, h=0
    ldr     d\other, [rhs, #\next]
    row_4k  0, \q, \b, \g
    ldr     upper, [rhs, #\next + 8]
    row_4k  1, \q, \b, \g
    if_more \half_row, -1, load_half \half_row
    row_4k  2, \q, \b, \g
    row_4k  3, \q, \b, \g
    ins     \other\().d[1], upper
    row_4k  4, \q, \b, \g
    .if \half_row >= 0 && \half_row < 5
    insert_half \half_row, \h
    .endif
    row_4k  5, \q, \b, \g
    when    \half_row, 5, insert_half 5, \h
.endm
// 4 k of all columns; B is at byte 64 * g.
.macro group_by_halves g
    quad_by_halves 0, C_0, C_1, \g, (64 * \g + 16)
    quad_by_halves 1, C_1, C_0, \g, (64 * \g + 32)
    quad_by_halves 2, C_0, C_1, \g, (64 * \g + 48)
    quad_by_halves 3, C_1, C_0, \g, (64 * \g + 64)
.endm
// The groups g and after; meanwhile halves h of A.
.macro groups_by_halves g, after, h
    quad_by_halves 0, C_0, C_1, \g, (64 * \g + 16), 0, \h
    quad_by_halves 1, C_1, C_0, \g, (64 * \g + 32), 1, \h
    quad_by_halves 2, C_0, C_1, \g, (64 * \g + 48), 2, \h
    quad_by_halves 3, C_1, C_0, \g, (64 * \g + 64), 3, \h
    quad_by_halves 0, C_0, C_1, \after, (64 * \after + 16), 4, \h
    quad_by_halves 1, C_1, C_0, \after, (64 * \after + 32), 5, \h
    quad_by_halves 2, C_0, C_1, \after, (64 * \after + 48)
    quad_by_halves 3, C_1, C_0, \after, (64 * \after + 64)
.endm

// S += all k; C_0 is the first quad, the rows are those of the tile.
.macro multiply_by_halves
    .if in_table
    cbz     chunk, 6f
    take_chunk
    .else
    mov     left, steps
    cbz     left, 5f
    .endif
    each_row load_lower_half
3:  // 16 k
    groups_by_halves 0, 1, 1
    subs    left, left, #1
    b.ne    4f
    take_next
4:
    groups_by_halves 2, 3, 0
    add     rhs, rhs, #256
    if_steps 3b
    .if !in_table
5:  // up to 15 k
    cbz     groups, 6f
    each_row take_tail
    each_row load_a
    group_by_halves 0
    cmp     groups, #2
    b.lo    6f
    group_by_halves 1
    b.eq    6f
    group_by_halves 2
    cmp     groups, #3
    b.eq    6f
    group_by_halves 3
    .endif
6:
.endm

// ---- Tiles

// A tile of `count` rows.
.macro rows_tile name, count
func \name, hidden
    .set    rows, \count
    .if in_table
    frame   d8-d15, x19-x27
    ldp     pad, moved, [args, #QAI8_ARGS_pad]
    .elseif halves
    frame   d8-d15, x19-x25
    .else
    frame   d8-d15, x19-x23
    .endif
    ldr     lhs_stride, [args, #QAI8_ARGS_lhs_stride]
    ldr     steps, [args, #QAI8_ARGS_steps]
    .if !in_table
    ldr     groups, [args, #QAI8_ARGS_groups]
    .endif
    ldp     panels, starts, [args, #QAI8_ARGS_panels]
    ldr     scales, [args, #QAI8_ARGS_scales]
    ldp     next_dst, dst_stride, [args, #QAI8_ARGS_dst]
    ldr     panel, [args, #QAI8_ARGS_rhs]

0:  // a panel of columns
    ldr     next_row, [args, #QAI8_ARGS_lhs]
    .if !in_table
    ldr     next_tail, [args, #QAI8_ARGS_packed]
    .endif
    ldr     tiles, [args, #QAI8_ARGS_tiles]
    mov     dst, next_dst

1:  // a tile
    mov     rhs, panel
    each_row load_start
    .if rows > 4
    ldp     qC_0, qC_1, [rhs]
    .else
    ldp     qB_0, qB_1, [rhs]
    ldp     qB_2, qB_3, [rhs, #32]
    .endif
    .if in_table
    mov     table, next_row
    ldr     chunk, [args, #QAI8_ARGS_chunks]
    .else
    mov     row0, next_row
    next_of 1, 0
    next_of 2, 1
    next_of 3, 2
    next_of 4, 3
    next_of 5, 4
    .endif
    .if halves
    multiply_by_halves
    .else
    multiply_k
    .endif
    ldr     x16, [args, #QAI8_ARGS_sums]
    cbnz    x16, 10f
    .if !unsigned
    rows_results
    b       11f
    .endif
10:
    each_row store_sums
11:
    .if rows == 6
    add     x16, lhs_stride, lhs_stride, lsl #1
    add     next_row, next_row, x16, lsl #1
    if_more 1, in_table, add next_tail, next_tail, #16 * 6
    .endif
    subs    tiles, tiles, #1
    b.ne    1b
    ldr     x16, [args, #QAI8_ARGS_starts_stride]
    add     starts, starts, x16
    ldr     x16, [args, #QAI8_ARGS_dst_width]
    add     next_dst, next_dst, x16
    ldr     x16, [args, #QAI8_ARGS_rhs_stride]
    add     scales, scales, x16
    subs    panels, panels, #1
    add     panel, panel, x16
    b.ne    0b
    return
endfunc
.endm
// Tiles of 1 to 6 rows, of rows as they lie or in a table: \name, \name_table.
.macro tiles_of name, in_table_
    .set    in_table, \in_table_
    rows_tile kai_\name\()_1x16_neon_dotprod, 1
    rows_tile kai_\name\()_2x16_neon_dotprod, 2
    rows_tile kai_\name\()_3x16_neon_dotprod, 3
    rows_tile kai_\name\()_4x16_neon_dotprod, 4
    rows_tile kai_\name\()_5x16_neon_dotprod, 5
    rows_tile kai_\name\()_6x16_neon_dotprod, 6
.endm
.macro tiles name, unsigned_
    .set    unsigned, \unsigned_
    tiles_of \name, 0
    tiles_of \name\()_table, 1
.endm
// The same by halves.
.macro tiles_by_halves name, unsigned_
    .set    unsigned, \unsigned_
    .set    in_table, 0
    rows_tile kai_\name\()_6x16_neon_dotprod_cortexa55, 6
    .set    in_table, 1
    rows_tile kai_\name\()_table_6x16_neon_dotprod_cortexa55, 6
.endm
    .set    halves, 0
    tiles   qai8, 0
    tiles   qau8, 1
    .set    halves, 1
    tiles_by_halves qai8, 0
    tiles_by_halves qau8, 1
