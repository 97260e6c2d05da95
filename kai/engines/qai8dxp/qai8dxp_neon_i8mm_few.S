// Few rows in the qai8dxp GEMM with SMMLA: FewFn of qai8dxp_neon.hpp for each kind of RHS and 2, 4, 6 or 8 rows.
//
// A tile is two units of 4 rows x 4 columns, whose vectors hold 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1. 2 and 4 rows:
// two quads of columns side by side (of 2 rows, half of each unit), at the end an odd quad alone. 4 rows of int8: four
// quads while there are as many, two tiles at a time. 6 and 8 rows: two panels x one quad. Nibbles are decoded between
// the multiplications: a packed vector has k 0 - 7 in its low nibbles and k 16 - 23 in its high ones, or 8 - 15 and
// 24 - 31. Operands are loaded where their registers become free and decoded a few multiplications ahead, for in-order
// cores. The last step loads 32 bytes after the last k of a panel and of a quad: fields.
//
//     per channel  sum = offset * column_sum + lhs x rhs, int32
//                  result = clamp(f32(sum) * (scale * column_scale) + bias)
//     blocks       sum = fma(f32(S / 16), block_scale, sum), S from the bits of `start` (ShortSum)
//                  result = clamp(fma(column_sum, offset, sum) * scale + bias)
//
// Rows of a panel past the last row of the output are stored where the last row belongs, before that one. Sums are put
// in rows before they become results: fields of columns then are vectors, those of rows their elements. The clamp and
// the search for NaN are skipped where fields prove that they do nothing (FewArgs::clamps).
//
// Registers
//   x0        struct FewArgs                          x9        quads to go
//   x1, x2    LHS, a panel each                       x10       RHS of the tile
//   x3, x4    RHS, a quad each; 6, 8 rows: both       x11, x12  bytes to the next quad: of RHS, of fields
//             halves of a step                        x13       dst
//   x5, x6    bytes to the second half of a step,     x14       blocks: steps to go
//             to its second vector                    x15, x16  their scales, bytes to them
//   x7        bytes of a step                         x15, x14; x21, x22  per channel: scales, bias of both quads
//   x8        steps to go, of a part of a block       x17, x25, x26  scratch
//   x19       fields of the tile
//   x20       bytes from two quads to the next two    x21       bytes to the scales of a second quad
//   x22       bytes of a step and of scales           x23       x16 at the start of a block
//   x24       steps of a part of a block              v16 - v31 operands
//   v0 - v7   integer sums of both units              v8 - v15  float sums, if the RHS has blocks
// Four quads of int8: x2, x5 RHS of the third and fourth one, then x5 = x1; v8 - v15 their sums. Two quads and 6 or 8
// rows: x3, x4 a quad each; then x5, x6 = x1, x2; v8 - v15 sums of the second one; v20 - v23, v28 - v31 operands, too.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#define ORDERED(s, t) t
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon.inc"


#define FRAME 112
#define FRAME_DST 0
#define FRAME_STEPS 64
#define FRAME_SECOND 72
#define FRAME_OFFSETS 80

// Vectors: two of 2 rows or four of 4 per unit.
#define SUMS 0, 1, 2, 3, 4, 5, 6, 7
#define SUMS_F 8, 9, 10, 11, 12, 13, 14, 15
#define LOWER 22, 23, 24, 25
#define EVEN 16, 17, 30, 31
#define FACTORS 0, 2, 4, 6, 20, 21, 22, 23
#define ROWS_I 26, 1, 27, 3, 28, 5, 29, 7
#define ROWS_F 26, 9, 27, 11, 28, 13, 29, 15

// `last_rows`: of the second unit.
.macro set_rows count
    .set    rows, \count
    .set    last_rows, rows
    .if rows > 4
    .set    last_rows, rows - 4
    .endif
.endm

// One instruction per vector of a tile. Between them stand the integer instructions and loads of a stage, `between`.
    .set    stage, 0
.macro all op, t, d0, d1, d2, d3, d4, d5, d6, d7, a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7
    \op     v\d0\().\t, v\a0\().\t, v\b0\().\t
    \op     v\d1\().\t, v\a1\().\t, v\b1\().\t
    between 1
    .if rows > 2
    \op     v\d2\().\t, v\a2\().\t, v\b2\().\t
    \op     v\d3\().\t, v\a3\().\t, v\b3\().\t
    .endif
    between 2
    .if units > 1
    \op     v\d4\().\t, v\a4\().\t, v\b4\().\t
    \op     v\d5\().\t, v\a5\().\t, v\b5\().\t
    .endif
    between 3
    .if units > 1 && last_rows > 2
    \op     v\d6\().\t, v\a6\().\t, v\b6\().\t
    \op     v\d7\().\t, v\a7\().\t, v\b7\().\t
    .endif
    between 4
.endm
.macro all_on op, s0, s1, s2, s3, s4, s5, s6, s7, operands:vararg
    all     \op, 4s, \s0, \s1, \s2, \s3, \s4, \s5, \s6, \s7, \s0, \s1, \s2, \s3, \s4, \s5, \s6, \s7, \operands
.endm
.macro all_shared op, s0, s1, s2, s3, s4, s5, s6, s7, o
    all_on  \op, \s0, \s1, \s2, \s3, \s4, \s5, \s6, \s7, \o, \o, \o, \o, \o, \o, \o, \o
.endm
.macro each op, s0, rest:vararg
    \op     \s0
    .ifnb \rest
    each    \op, \rest
    .endif
.endm
.macro each_sum op, s0, s1, s2, s3, s4, s5, s6, s7
    each    \op, \s0, \s1
    between 1
    .if rows > 2
    each    \op, \s2, \s3
    .endif
    between 2
    .if units > 1
    each    \op, \s4, \s5
    .endif
    between 3
    .if units > 1 && last_rows > 2
    each    \op, \s6, \s7
    .endif
    between 4
.endm

// The same with operands that are a value of each column and the element of v\l or v\m that belongs to the row.
.macro unit_by_row op, first, count, d0, d1, d2, d3, a0, a1, a2, a3, lanes
    \op     v\d0\().4s, v\a0\().4s, v\lanes\().s[0]
    \op     v\d1\().4s, v\a1\().4s, v\lanes\().s[1]
    between \first
    .if \count > 2
    \op     v\d2\().4s, v\a2\().4s, v\lanes\().s[2]
    \op     v\d3\().4s, v\a3\().4s, v\lanes\().s[3]
    .endif
    between (\first + 1)
.endm
.macro all_by_row op, l, m, d0, d1, d2, d3, d4, d5, d6, d7, a0, a1, a2, a3, a4, a5, a6, a7
    unit_by_row \op, 1, rows, \d0, \d1, \d2, \d3, \a0, \a1, \a2, \a3, \l
    .if rows > 4
    unit_by_row \op, 3, last_rows, \d4, \d5, \d6, \d7, \a4, \a5, \a6, \a7, \m
    .elseif units > 1
    unit_by_row \op, 3, last_rows, \d4, \d5, \d6, \d7, \a4, \a5, \a6, \a7, \l
    .else
    between 3
    between 4
    .endif
.endm
.macro all_by_column_row op, l, m, c, d, destinations:vararg
    .if rows > 4
    all_by_row \op, \l, \m, \destinations, \c, \c, \c, \c, \c, \c, \c, \c
    .else
    all_by_row \op, \l, \m, \destinations, \c, \c, \c, \c, \d, \d, \d, \d
    .endif
.endm
.macro all_by_column op, c, d, sums:vararg
    .if rows > 4
    all_on  \op, \sums, \c, \c, \c, \c, \c, \c, \c, \c
    .else
    all_on  \op, \sums, \c, \c, \c, \c, \d, \d, \d, \d
    .endif
.endm
// A value of each column of the tile, at `at` and, of a second quad, `second`.
.macro load_columns c, d, at, second:vararg
    ldr     q\c, [\at]
    load_second \d, \second
.endm
.macro load_second d, second:vararg
    .if units > 1 && rows <= 4
    ldr     q\d, [\second]
    .endif
.endm

// ---- Stores

// A row of the output: unit 0, unit 1 of 2 and 4 rows.
.macro store_row s, t, at
    .if units > 1
    stp     q\s, q\t, [\at]
    .else
    str     q\s, [\at]
    .endif
.endm
.macro store_rows s0, s1, s2, s3, s4, s5, s6, s7
    .if rows > 4
    .if rows > 6
    str     q\s7, [x13, x16]
    str     q\s6, [x13, x15]
    .endif
    str     q\s5, [x13, x14]
    str     q\s4, [x13, x4]
    str     q\s3, [x13, x3]
    str     q\s2, [x13, x2]
    str     q\s1, [x13, x1]
    str     q\s0, [x13]
    .else
    .if rows > 2
    store_row \s3, \s7, x3
    store_row \s2, \s6, x2
    .endif
    store_row \s1, \s5, x1
    store_row \s0, \s4, x13
    .endif
.endm
// Four vectors of rows of f16 or bf16: of both units, or of 6 or 8 rows: row i and row i + 4.
.macro store_narrow_row s, at
    .if units > 1
    str     q\s, [\at]
    .else
    str     d\s, [\at]
    .endif
.endm
.macro store_narrow_rows s0, s1, s2, s3, rest:vararg
    .if rows > 4
    .if rows > 6
    add     x16, x13, x16
    add     x15, x13, x15
    st1     {v\s3\().d}[1], [x16]
    st1     {v\s2\().d}[1], [x15]
    .endif
    add     x14, x13, x14
    add     x4, x13, x4
    st1     {v\s1\().d}[1], [x14]
    st1     {v\s0\().d}[1], [x4]
    str     d\s3, [x13, x3]
    str     d\s2, [x13, x2]
    str     d\s1, [x13, x1]
    str     d\s0, [x13]
    .else
    .if rows > 2
    store_narrow_row \s3, x3
    store_narrow_row \s2, x2
    .endif
    store_narrow_row \s1, x1
    store_narrow_row \s0, x13
    .endif
.endm
.macro narrow_f16 s0, s1, s2, s3, s4, s5, s6, s7
    narrow_four fcvtn, 4h, \s0, \s1, \s2, \s3, \s0, \s1, \s2, \s3
    .if units > 1
    narrow_four fcvtn2, 8h, \s0, \s1, \s2, \s3, \s4, \s5, \s6, \s7
    .endif
.endm
.macro narrow_four op, t, d0, d1, d2, d3, a0, a1, a2, a3
    \op     v\d0\().\t, v\a0\().4s
    \op     v\d1\().\t, v\a1\().4s
    .if rows > 2
    \op     v\d2\().\t, v\a2\().4s
    \op     v\d3\().\t, v\a3\().4s
    .endif
.endm
// To nearest, ties to even: lower halves, less 1 if the upper half is even, round this half up.
.macro four op, t, d0, d1, d2, d3, a0, a1, a2, a3, b0, b1, b2, b3
    \op     v\d0\().\t, v\a0\().\t, v\b0\().\t
    \op     v\d1\().\t, v\a1\().\t, v\b1\().\t
    .if rows > 2
    \op     v\d2\().\t, v\a2\().\t, v\b2\().\t
    \op     v\d3\().\t, v\a3\().\t, v\b3\().\t
    .endif
.endm
.macro round_halves s, lower
    ursra   v\s\().8h, v\lower\().8h, #16
.endm
.macro narrow_bf16_rows s0, s1, s2, s3, s4, s5, s6, s7
    movi    v21.8h, #1
    four    uzp1, 8h, LOWER, \s0, \s1, \s2, \s3, \s4, \s5, \s6, \s7
    four    uzp2, 8h, \s0, \s1, \s2, \s3, \s0, \s1, \s2, \s3, \s4, \s5, \s6, \s7
    four    bic, 16b, EVEN, 21, 21, 21, 21, \s0, \s1, \s2, \s3
    four    uqsub, 8h, LOWER, LOWER, EVEN
    round_halves \s0, 22
    round_halves \s1, 23
    .if rows > 2
    round_halves \s2, 24
    round_halves \s3, 25
    .endif
.endm
.macro each_four op, s0, s1, s2, s3, s4, s5, s6, s7
    .if rows == 2
    \op     \s0, \s1, \s4, \s5
    .else
    \op     \s0, \s1, \s2, \s3
    .if units > 1
    \op     \s4, \s5, \s6, \s7
    .endif
    .endif
.endm

.macro unit_to_rows first, count, s0, s1, s2, s3, t0, t2
    uzp1    v\t0\().2d, v\s0\().2d, v\s1\().2d
    uzp2    v\s1\().2d, v\s0\().2d, v\s1\().2d
    between \first
    .if \count > 2
    uzp1    v\t2\().2d, v\s2\().2d, v\s3\().2d
    uzp2    v\s3\().2d, v\s2\().2d, v\s3\().2d
    .endif
    between (\first + 1)
.endm
.macro to_rows s0, s1, s2, s3, s4, s5, s6, s7
    unit_to_rows 1, rows, \s0, \s1, \s2, \s3, 26, 27
    .if units > 1
    unit_to_rows 3, last_rows, \s4, \s5, \s6, \s7, 28, 29
    .else
    between 3
    between 4
    .endif
.endm

// Products become results. v18, v19: bias; x17: 0 if no result can be a NaN or out of bounds; x8: FEW_ARGS_out.
.macro finish results:vararg
    all_by_column fadd, 18, 19, \results
    .set    stage, 0
    .if rows > 4
    ldp     x1, x2, [sp, #FRAME_DST]
    ldp     x3, x4, [sp, #FRAME_DST + 16]
    .if rows > 6
    ldp     x14, x15, [sp, #FRAME_DST + 32]
    ldr     x16, [sp, #FRAME_DST + 48]
    .else
    ldr     x14, [sp, #FRAME_DST + 32]
    .endif
    .elseif rows > 2
    ldp     x1, x2, [sp, #FRAME_DST]
    ldr     x3, [sp, #FRAME_DST + 16]
    add     x1, x13, x1
    add     x2, x13, x2
    add     x3, x13, x3
    .else
    ldr     x1, [sp, #FRAME_DST]
    add     x1, x13, x1
    .endif
    cbz     x17, 6f
    ldp     q16, q17, [args, #FEW_ARGS_lo]
    all_shared fmax, \results, 16
    all_shared fmin, \results, 17
6:
    cbnz    x8, 7f
    store_rows \results
    add     x13, x13, #16 * quads
    b       9f
7:
    tbnz    x8, #1, 8f
    narrow_f16 \results
    store_narrow_rows \results
    add     x13, x13, #8 * quads
    b       9f
8:
    cbz     x17, 8f
    each_four default_nan, \results
8:
    narrow_bf16_rows \results
    store_narrow_rows \results
    add     x13, x13, #8 * quads
9:
.endm

// ---- Int4: a step

// 2 and 4 rows: v16 - v19 low nibbles; v20 - v23 packed, then high ones, two per quad; v24, v25 LHS of low nibbles,
// v26, v27 of high ones; v31 mask.

.macro wide_low_0
    shl     v16.16b, v20.16b, #4
    shl     v17.16b, v21.16b, #4
.endm

// Half a step: 8 k of low nibbles, then 8 k of high ones, whose LHS is at `high`. Then comes the LHS at `low` and what
// x3, x4 or, `second`, half a step more have; `next`: decode low nibbles of the first quad. `between`: macros with a
// number that stand for an integer instruction each, or for none.
.macro half_4 high, low, between, next, second
    smmla   v0.4s, v24.16b, v16.16b
    .if units > 1
    shl     v18.16b, v22.16b, #4
    .endif
    ldp     q26, q27, [x1, #\high]
    smmla   v2.4s, v25.16b, v16.16b
    smmla   v1.4s, v24.16b, v17.16b
    \between\()_1
    .if units > 1
    shl     v19.16b, v23.16b, #4
    .endif
    smmla   v3.4s, v25.16b, v17.16b
    \between\()_2
    and     v20.16b, v20.16b, v31.16b
    and     v21.16b, v21.16b, v31.16b
    \between\()_3
    .if units > 1
    smmla   v4.4s, v24.16b, v18.16b
    smmla   v6.4s, v25.16b, v18.16b
    and     v22.16b, v22.16b, v31.16b
    .endif
    \between\()_4
    .if units > 1
    smmla   v5.4s, v24.16b, v19.16b
    and     v23.16b, v23.16b, v31.16b
    smmla   v7.4s, v25.16b, v19.16b
    .endif

    smmla   v0.4s, v26.16b, v20.16b
    smmla   v2.4s, v27.16b, v20.16b
    ldp     q24, q25, [x1, #\low]
    scales_unless \next, 1
    smmla   v1.4s, v26.16b, v21.16b
    load_packed 20, x3, 0, \second
    smmla   v3.4s, v27.16b, v21.16b
    scales_unless \next, 2
    load_packed 21, x3, 16, \second
    .if units > 1
    smmla   v4.4s, v26.16b, v22.16b
    .if \next
    shl     v16.16b, v20.16b, #4
    .endif
    smmla   v6.4s, v27.16b, v22.16b
    load_packed 22, x4, 0, \second
    scales_unless \next, 3
    smmla   v5.4s, v26.16b, v23.16b
    .if \next
    shl     v17.16b, v21.16b, #4
    .endif
    smmla   v7.4s, v27.16b, v23.16b
    load_packed 23, x4, 16, \second
    scales_unless \next, 4
    .elseif \next
    wide_low_0
    .else
    scales_3
    scales_4
    .endif
.endm
.macro scales_unless next, number
    .if \next == 0
    scales_\number
    .endif
.endm
// 2 rows have registers left for high nibbles.
.macro half_2 high, low, between, next, second
    smmla   v0.4s, v24.16b, v16.16b
    .if units > 1
    shl     v18.16b, v22.16b, #4
    .endif
    \between\()_1
    smmla   v1.4s, v24.16b, v17.16b
    .if units > 1
    shl     v19.16b, v23.16b, #4
    .endif
    \between\()_2
    and     v2.16b, v20.16b, v31.16b
    and     v3.16b, v21.16b, v31.16b
    ldr     q26, [x1, #\high]
    \between\()_3
    .if units > 1
    smmla   v4.4s, v24.16b, v18.16b
    and     v6.16b, v22.16b, v31.16b
    .endif
    load_packed 20, x3, 0, \second
    .if units > 1
    smmla   v5.4s, v24.16b, v19.16b
    and     v7.16b, v23.16b, v31.16b
    .endif
    \between\()_4
    load_packed 21, x3, 16, \second

    smmla   v0.4s, v26.16b, v2.16b
    smmla   v1.4s, v26.16b, v3.16b
    scales_unless \next, 1
    .if \next
    shl     v16.16b, v20.16b, #4
    .endif
    .if units > 1
    load_packed 22, x4, 0, \second
    .endif
    .if \next
    shl     v17.16b, v21.16b, #4
    .endif
    scales_unless \next, 2
    .if units > 1
    smmla   v4.4s, v26.16b, v6.16b
    load_packed 23, x4, 16, \second
    smmla   v5.4s, v26.16b, v7.16b
    .endif
    scales_unless \next, 3
    ldr     q24, [x1, #\low]
    scales_unless \next, 4
.endm
.macro load_packed v, base, offset, second
    .ifb \second
    ldr     q\v, [\base, #\offset]
    .elseif \offset == 0
    ldr     q\v, [\base, x5]
    .else
    ldr     q\v, [\base, x6]
    .endif
.endm

.macro int4_begin_wide
    ldr     q20, [x3]
    ldr     q21, [x3, #16]
    .if rows > 2
    ldp     q24, q25, [x1]
    .else
    ldr     q24, [x1]
    .endif
    .if units > 1
    ldr     q22, [x4]
    ldr     q23, [x4, #16]
    .endif
.endm
.macro int4_step_wide kind, count
    half_\count 64, 32, \kind\()_move, 1, second
    \kind\()_moved x3
    .if units > 1
    \kind\()_moved x4
    .endif
    .ifc \kind, block
    half_\count 96, 128, block_scales, 0
    .else
    half_\count 96, 128, channel_count, 1
    .endif
    add     x1, x1, #128
.endm

// 6 and 8 rows: v16, v17 low nibbles; v18, v19 packed, then high ones, of one half of a step, v20, v21 of the other
// one; v24 - v27 LHS; v31 mask.
.macro load_last_panel offset, r01=26, r23=27
    .if rows > 6
    ldp     q\r01, q\r23, [x2, #\offset]
    .else
    ldr     q\r01, [x2, #\offset]
    .endif
.endm
.macro tall_half p0, p1, n0, n1, packed, high, low, between
    smmla   v0.4s, v24.16b, v16.16b
    smmla   v1.4s, v24.16b, v17.16b
    ldr     q24, [x1, #\high]
    smmla   v2.4s, v25.16b, v16.16b
    smmla   v3.4s, v25.16b, v17.16b
    ldr     q25, [x1, #\high + 16]
    and     v\p0\().16b, v\p0\().16b, v31.16b
    smmla   v4.4s, v26.16b, v16.16b
    ldp     q\n0, q\n1, [\packed]
    smmla   v5.4s, v26.16b, v17.16b
    and     v\p1\().16b, v\p1\().16b, v31.16b
    \between\()_1
    .if rows > 6
    smmla   v6.4s, v27.16b, v16.16b
    smmla   v7.4s, v27.16b, v17.16b
    .endif
    load_last_panel \high

    smmla   v0.4s, v24.16b, v\p0\().16b
    smmla   v1.4s, v24.16b, v\p1\().16b
    ldr     q24, [x1, #\low]
    shl     v16.16b, v\n0\().16b, #4
    smmla   v2.4s, v25.16b, v\p0\().16b
    \between\()_2
    smmla   v3.4s, v25.16b, v\p1\().16b
    shl     v17.16b, v\n1\().16b, #4
    ldr     q25, [x1, #\low + 16]
    smmla   v4.4s, v26.16b, v\p0\().16b
    smmla   v5.4s, v26.16b, v\p1\().16b
    \between\()_3
    .if rows > 6
    smmla   v6.4s, v27.16b, v\p0\().16b
    smmla   v7.4s, v27.16b, v\p1\().16b
    .endif
    load_last_panel \low
.endm
.macro int4_begin_tall
    add     x4, x3, x5
    ldp     q18, q19, [x3]
    ldp     q24, q25, [x1]
    load_last_panel 0
    shl     v16.16b, v18.16b, #4
    shl     v17.16b, v19.16b, #4
.endm
.macro int4_step_tall kind
    tall_half 18, 19, 20, 21, x4, 64, 32, \kind\()_move
    \kind\()_move_4
    \kind\()_moved x3
    add     x4, x3, x5
    tall_half 20, 21, 18, 19, x3, 96, 128, \kind\()_count
    add     x1, x1, #128
    add     x2, x2, #128
.endm

.macro int4_constants
    movi    v31.16b, #0xF0
.endm
.macro int4_begin
    .if rows > 4
    int4_begin_tall
    .else
    int4_begin_wide
    wide_low_0
    .endif
.endm
.macro int4_step
    .if rows > 4
    int4_step_tall channel
    .elseif rows == 4
    int4_step_wide channel, 4
    .else
    int4_step_wide channel, 2
    .endif
.endm

// ---- Int8: a step

// 8 k: columns c0 - c3, rows e0 - e3; what comes next is at offset `next`.
.macro int8_8k c0, c1, c2, c3, n0, n1, n2, n3, e0, e1, e2, e3, next
    ldp     q\n0, q\n1, [x3, #\next]
    smmla   v0.4s, v\e0\().16b, v\c0\().16b
    smmla   v1.4s, v\e0\().16b, v\c1\().16b
    .if rows <= 4
    .if units > 1
    ldp     q\n2, q\n3, [x4, #\next]
    .endif
    .if rows > 2
    ldp     q\e2, q\e3, [x1, #\next]
    smmla   v2.4s, v\e1\().16b, v\c0\().16b
    smmla   v3.4s, v\e1\().16b, v\c1\().16b
    .else
    ldr     q\e2, [x1, #\next]
    .endif
    .if units > 1
    smmla   v4.4s, v\e0\().16b, v\c2\().16b
    smmla   v5.4s, v\e0\().16b, v\c3\().16b
    .if rows > 2
    smmla   v6.4s, v\e1\().16b, v\c2\().16b
    smmla   v7.4s, v\e1\().16b, v\c3\().16b
    .endif
    .endif
    .else
    ldr     q\e0, [x1, #\next]
    smmla   v2.4s, v\e1\().16b, v\c0\().16b
    smmla   v3.4s, v\e1\().16b, v\c1\().16b
    ldr     q\e1, [x1, #\next + 16]
    smmla   v4.4s, v\e2\().16b, v\c0\().16b
    smmla   v5.4s, v\e2\().16b, v\c1\().16b
    .if rows > 6
    smmla   v6.4s, v\e3\().16b, v\c0\().16b
    smmla   v7.4s, v\e3\().16b, v\c1\().16b
    .endif
    load_last_panel \next, \e2, \e3
    .endif
.endm
.macro int8_constants
.endm
.macro int8_begin
    ldp     q16, q17, [x3]
    ldp     q24, q25, [x1]
    .if rows > 4
    load_last_panel 0
    .elseif units > 1
    ldp     q18, q19, [x4]
    .endif
.endm
.macro int8_16k first, second
    .if rows > 4
    int8_8k 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, \first
    int8_8k 20, 21, 22, 23, 16, 17, 18, 19, 24, 25, 26, 27, \second
    .else
    int8_8k 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, \first
    int8_8k 20, 21, 22, 23, 16, 17, 18, 19, 26, 27, 24, 25, \second
    .endif
.endm
.macro int8_step
    int8_16k 32, 64
    subs    x8, x8, #1
    int8_16k 96, 128
    add     x3, x3, #128
    .if rows > 4
    add     x2, x2, #128
    .elseif units > 1
    add     x4, x4, #128
    .endif
    add     x1, x1, #128
.endm

// 4 rows x 4 quads, at x3, x4, x2, x5: 40 loads for 64 SMMLA, while two quads need 24 for 32.
.macro int8_wide_quad s0, s1, s2, s3, c01, c23, e0, e1, quad, next
    smmla   v\s0\().4s, v\e0\().16b, v\c01\().16b
    smmla   v\s1\().4s, v\e0\().16b, v\c23\().16b
    smmla   v\s2\().4s, v\e1\().16b, v\c01\().16b
    smmla   v\s3\().4s, v\e1\().16b, v\c23\().16b
    ldp     q\c01, q\c23, [\quad, #\next]
.endm
.macro int8_wide_8k e0, e1, n0, n1, next
    ldp     q\n0, q\n1, [x1, #\next]
    int8_wide_quad 0, 1, 2, 3, 16, 17, \e0, \e1, x3, \next
    int8_wide_quad 4, 5, 6, 7, 18, 19, \e0, \e1, x4, \next
    int8_wide_quad 8, 9, 10, 11, 20, 21, \e0, \e1, x2, \next
    int8_wide_quad 12, 13, 14, 15, 22, 23, \e0, \e1, x5, \next
.endm

// 6 or 8 rows x 2 quads, at x3, x4: 32 loads for 64 SMMLA, while one quad needs 24 for 32.
.macro int8_tall_8k c0, c1, c2, c3, e0, e1, e2, e3, n0, n1, n2, n3, f0, f1, f2, f3, next
    ldp     q\n0, q\n1, [x3, #\next]
    int8_tall_pair 0, 1, 8, 9, \e0, \c0, \c1, \c2, \c3
    ldp     q\n2, q\n3, [x4, #\next]
    int8_tall_pair 2, 3, 10, 11, \e1, \c0, \c1, \c2, \c3
    ldp     q\f0, q\f1, [x1, #\next]
    int8_tall_pair 4, 5, 12, 13, \e2, \c0, \c1, \c2, \c3
    load_last_panel \next, \f2, \f3
    .if rows > 6
    int8_tall_pair 6, 7, 14, 15, \e3, \c0, \c1, \c2, \c3
    .endif
.endm
.macro int8_tall_pair s0, s1, s2, s3, rows01, c0, c1, c2, c3
    smmla   v\s0\().4s, v\rows01\().16b, v\c0\().16b
    smmla   v\s1\().4s, v\rows01\().16b, v\c1\().16b
    smmla   v\s2\().4s, v\rows01\().16b, v\c2\().16b
    smmla   v\s3\().4s, v\rows01\().16b, v\c3\().16b
.endm
.macro int8_tall_16k first, second
    int8_tall_8k 16, 17, 18, 19, 24, 25, 26, 27, 20, 21, 22, 23, 28, 29, 30, 31, \first
    int8_tall_8k 20, 21, 22, 23, 28, 29, 30, 31, 16, 17, 18, 19, 24, 25, 26, 27, \second
.endm
// ---- Per channel

.macro channel_move_1
.endm
.macro channel_move_2
.endm
.macro channel_move_3
.endm
.macro channel_move_4
.endm
.macro channel_moved pointer
    add     \pointer, \pointer, x7
.endm
.macro channel_count_1
    subs    x8, x8, #1
.endm
.macro channel_count_2
.endm
.macro channel_count_3
.endm
.macro channel_count_4
.endm

.macro scvtf_4s s
    scvtf   v\s\().4s, v\s\().4s
.endm

// Between the instructions that make results of sums: their other operands; x17 = 0 if the column scales and the bias
// are below 2 in magnitude (bit 30), and that suffices; x8 = FEW_ARGS_out.
.macro between number
    .if stage > 0
    channel_between (4 * stage + \number)
    .endif
.endm
.macro channel_between number
    .if \number == 5
    ldr     q24, [x1]
    .if rows > 4
    ldr     q25, [x2]
    .endif
    .elseif \number == 6
    ldr     q30, [x19]
    .elseif \number == 7
    load_second 31, x19, x12
    .elseif \number == 8
    ldp     x3, x4, [x15]

    .elseif \number == 9
    .if rows > 4
    ldr     q19, [x1, #16]
    ldr     q31, [x2, #16]
    .else
    ldr     q25, [x1, #16]
    .endif
    .elseif \number == 10
    ldr     q16, [x15]
    .elseif \number == 11
    load_second 17, x14
    .elseif \number == 12
    ldp     x8, x15, [x21]

    .elseif \number == 13
    ldr     q18, [x21]
    .elseif \number == 14
    load_second 19, x22
    .elseif \number == 15
    orr     x3, x3, x4
    .elseif \number == 16
    or_second ldp, x4, x14, [x14]

    .elseif \number == 17
    orr     x8, x8, x15
    .elseif \number == 18
    or_second ldp, x15, x16, [x22]
    .elseif \number == 19
    orr     x3, x3, x8
    .elseif \number == 20
    or_second orr, x4, x4, x14

    .elseif \number == 21
    ldr     x17, [args, #FEW_ARGS_clamps]
    .elseif \number == 22
    or_second orr, x15, x15, x16
    .elseif \number == 23
    or_second orr, x3, x3, x4
    .elseif \number == 24
    ldr     x8, [args, #FEW_ARGS_out]

    .elseif \number == 25
    or_second orr, x3, x3, x15
    .elseif \number == 26
    orr     x17, x17, x3
    .elseif \number == 27
    and     x17, x17, #0x4000000040000000
    .endif
.endm
.macro or_second instruction, operands:vararg
    .if units > 1 && rows <= 4
    \instruction \operands
    .endif
.endm

// Where the column scales and the bias of two quads are. x16 = nr.
.macro channel_fields
    add     x15, x19, x16, lsl #2
    add     x21, x19, x16, lsl #3
    add     x14, x15, x12
    add     x22, x21, x12
.endm
// rows: what becomes of the sums.
.macro channel_results s0, s1, s2, s3, s4, s5, s6, s7, rows_:vararg
    .set    stage, 1
    to_rows \s0, \s1, \s2, \s3, \s4, \s5, \s6, \s7
    .set    stage, 2
    all_by_column_row mla, 24, 25, 30, 31, \rows_
    .set    stage, 3
    each_sum scvtf_4s, \rows_
    .set    stage, 4
    .if rows > 4
    all_by_column_row fmul, 19, 31, 16, 17, FACTORS
    .else
    all_by_column_row fmul, 25, 25, 16, 17, FACTORS
    .endif
    .set    stage, 5
    all     fmul, 4s, \rows_, \rows_, FACTORS
    .set    stage, 6
    finish  \rows_
.endm

// The same of SUMS, which become ROWS_I: functions that those for all kinds of RHS call.
.macro results_function name, count, units_
func \name\()_neon_i8mm, hidden
    set_rows \count
    .set    units, \units_
    .set    quads, units
    .if rows > 4
    .set    quads, 1
    .endif
    channel_results SUMS, ROWS_I
    return
endfunc
.endm
    results_function kai_part_results_2x4, 2, 1
    results_function kai_part_results_2x8, 2, 2
    results_function kai_part_results_4x4, 4, 1
    results_function kai_part_results_4x8, 4, 2
    results_function kai_part_results_6x4, 6, 2
    results_function kai_part_results_8x4, 8, 2
.macro results_of_sums
    .if rows > 6
    bl      KAI_SYM(kai_part_results_8x4_neon_i8mm)
    .elseif rows > 4
    bl      KAI_SYM(kai_part_results_6x4_neon_i8mm)
    .elseif rows == 4 && units == 2
    bl      KAI_SYM(kai_part_results_4x8_neon_i8mm)
    .elseif rows == 4
    bl      KAI_SYM(kai_part_results_4x4_neon_i8mm)
    .elseif units == 2
    bl      KAI_SYM(kai_part_results_2x8_neon_i8mm)
    .else
    bl      KAI_SYM(kai_part_results_2x4_neon_i8mm)
    .endif
.endm

.macro channel_tile rhs
    ldr     x8, [args, #FEW_ARGS_steps]
    ldr     x16, [args, #FEW_ARGS_nr]
    \rhs\()_constants
    \rhs\()_begin
    each_sum zero, SUMS
    channel_fields
    cbz     x8, 4f
3:  // 32 k
    \rhs\()_step
    b.ne    3b
4:
    results_of_sums
.endm

.macro int4_tile
    channel_tile int4
.endm
.macro int8_tile
    channel_tile int8
.endm
.macro int8_wide_tile
    mov     x3, x10
    ldr     x1, [args, #FEW_ARGS_lhs]
    add     x4, x10, x11
    add     x2, x10, x20
    ldr     x8, [args, #FEW_ARGS_steps]
    add     x5, x2, x11
    ldp     q24, q25, [x1]
    ldp     q16, q17, [x3]
    ldp     q18, q19, [x4]
    ldp     q20, q21, [x2]
    ldp     q22, q23, [x5]
    ldr     x16, [args, #FEW_ARGS_nr]
    each_sum zero, SUMS
    each_sum zero, SUMS_F
    channel_fields
    cbz     x8, 4f
3:  // 32 k
    int8_wide_8k 24, 25, 26, 27, 32
    subs    x8, x8, #1
    int8_wide_8k 26, 27, 24, 25, 64
    int8_wide_8k 24, 25, 26, 27, 96
    int8_wide_8k 26, 27, 24, 25, 128
    add     x1, x1, #128
    add     x3, x3, #128
    add     x4, x4, #128
    add     x2, x2, #128
    add     x5, x5, #128
    b.ne    3b
4:
    mov     x5, x1
    results_of_sums
    ldr     x16, [args, #FEW_ARGS_nr]
    mov     x1, x5
    add     x19, x19, x20
    channel_fields
    channel_results SUMS_F, ROWS_F
.endm
.macro int8_tall_tile
    mov     x3, x10
    ldp     x1, x2, [args, #FEW_ARGS_lhs]
    add     x4, x10, x11
    add     x2, x2, x1
    ldr     x8, [args, #FEW_ARGS_steps]
    ldr     x16, [args, #FEW_ARGS_nr]
    ldp     q16, q17, [x3]
    ldp     q18, q19, [x4]
    ldp     q24, q25, [x1]
    load_last_panel 0
    each_sum zero, SUMS
    each_sum zero, SUMS_F
    channel_fields
    cbz     x8, 4f
3:  // 32 k
    int8_tall_16k 32, 64
    subs    x8, x8, #1
    int8_tall_16k 96, 128
    add     x1, x1, #128
    add     x2, x2, #128
    add     x3, x3, #128
    add     x4, x4, #128
    b.ne    3b
4:
    mov     x5, x1
    mov     x6, x2
    results_of_sums
    ldr     x16, [args, #FEW_ARGS_nr]
    mov     x1, x5
    mov     x2, x6
    add     x19, x19, x12
    channel_fields
    channel_results SUMS_F, ROWS_F
    sub     x17, x20, x12
.endm

// ---- Blocks: v30 = C, where sums start
//
// x15 = scales of the first quad; those of a second one are x21 after them. x16 = bytes from the next step to its
// scales, x17 = bytes to the next step.
.macro block_move_1
    add     x15, x3, x16
.endm
.macro block_move_2
    subs    x16, x16, x7
.endm
.macro block_move_3
    csel    x17, x22, x7, eq
.endm
.macro block_move_4
    csel    x16, x23, x16, eq
.endm
.macro block_moved pointer
    add     \pointer, \pointer, x17
.endm
.macro block_count_1
    sub     x14, x14, #1
.endm
.macro block_count_2
    subs    x8, x8, #1
.endm
.macro block_count_3
    ldr     x17, [x15, x21]
.endm
.macro block_count_4
.endm

.macro load_start s
    ldr     q\s, [args, #FEW_ARGS_start]
.endm
.macro block_constants
    load_start 30
    int4_constants
.endm

// The integer sums of a part of a block become floats, are scaled and added; the next ones start.
.macro less_start a, b
    fsub    v\a\().4s, v\a\().4s, v30.4s
    fsub    v\b\().4s, v\b\().4s, v30.4s
.endm
.macro add_scaled a, b, i, j, c01, c23
    fmla    v\a\().4s, v\i\().4s, v\c01\().4s
    load_start \i
    fmla    v\b\().4s, v\j\().4s, v\c23\().4s
    load_start \j
.endm
// Scales of a quad, four bf16 in x17 or x15, become two pairs of floats in general registers, where they take no SIMD
// slot on most cores: columns 01 in x2 (6 and 8 rows: x8), columns 23 in x26.
.macro block_scales_1
    block_count_1
.endm
.macro block_scales_2
    block_count_2
.endm
.macro block_scales_3
    ldr     x17, [x15]
.endm
.macro block_scales_4
    .if units > 1
    ldr     x15, [x15, x21]
    .endif
.endm
.macro scales_1 from=x17
    and     x25, \from, #0xFFFF0000
.endm
.macro scales_2 from=x17, to=x2
    ubfiz   \to, \from, #16, #16
.endm
.macro scales_3 from=x17
    lsr     x26, \from, #16
.endm
.macro scales_4 to=x2
    orr     \to, \to, x25, lsl #32
.endm
.macro scales_5
    and     x26, x26, #0xFFFF0000
.endm
.macro scales_6 from=x17
    and     \from, \from, #0xFFFF000000000000
.endm
.macro scales_7 from=x17
    orr     x26, x26, \from
.endm
.macro block_add_wide
    scales_5
    less_start 0, 1
    scales_6
    dup     v16.2d, x2
    scales_7
    .if rows > 2
    less_start 2, 3
    .endif
    .if units > 1
    scales_1 x15
    .endif
    dup     v17.2d, x26
    .if units > 1
    scales_2 x15
    less_start 4, 5
    scales_3 x15
    .if rows > 2
    less_start 6, 7
    .endif
    scales_4
    .endif
    add_scaled 8, 9, 0, 1, 16, 17
    .if units > 1
    dup     v18.2d, x2
    scales_5
    scales_6 x15
    .endif
    .if rows > 2
    add_scaled 10, 11, 2, 3, 16, 17
    .endif
    .if units > 1
    scales_7 x15
    dup     v19.2d, x26
    .endif
    wide_low_0
    .if units > 1
    add_scaled 12, 13, 4, 5, 18, 19
    .if rows > 2
    add_scaled 14, 15, 6, 7, 18, 19
    .endif
    .endif
.endm
.macro block_add_tall
    scales_1
    less_start 0, 1
    scales_2 x17, x8
    scales_3
    less_start 2, 3
    scales_4 x8
    scales_5
    dup     v20.2d, x8
    scales_6
    less_start 4, 5
    scales_7
    .if rows > 6
    less_start 6, 7
    .endif
    dup     v21.2d, x26
    add_scaled 8, 9, 0, 1, 20, 21
    add_scaled 10, 11, 2, 3, 20, 21
    add_scaled 12, 13, 4, 5, 20, 21
    .if rows > 6
    add_scaled 14, 15, 6, 7, 20, 21
    .endif
.endm

.macro block_tile
    ldr     x14, [sp, #FRAME_STEPS]
    mov     x16, x23
    each_sum zero, SUMS_F
    each_sum load_start, SUMS
    block_constants
    int4_begin
    cbz     x14, 4f
3:  // a part of a block
    mov     x8, x24
5:  // 32 k
    .if rows > 4
    int4_step_tall block
    b.ne    5b
    block_add_tall
    .else
    .if rows == 4
    int4_step_wide block, 4
    .else
    int4_step_wide block, 2
    .endif
    b.eq    6f
    wide_low_0
    b       5b
6:
    block_add_wide
    .endif
    cbnz    x14, 3b
4:
    ldr     x16, [args, #FEW_ARGS_nr]
    load_columns 16, 17, x19, x19, x12
    ldr     q24, [sp, #FRAME_OFFSETS]
    add     x17, x19, x16, lsl #2
    load_columns 18, 19, x17, x17, x12
    .if rows > 4
    ldr     q25, [sp, #FRAME_OFFSETS + 16]
    ldr     q31, [x2, #16]
    .endif
    ldr     q30, [x1, #16]
    to_rows SUMS_F
    all_by_column_row fmla, 24, 25, 16, 17, ROWS_F
    mov     x17, #1
    ldr     x8, [args, #FEW_ARGS_out]
    all_by_row fmul, 30, 31, ROWS_F, ROWS_F
    finish  ROWS_F
.endm

// ---- A function

.macro few_tile kind
    mov     x3, x10
    ldr     x1, [args, #FEW_ARGS_lhs]
    .if rows > 4
    ldr     x2, [args, #FEW_ARGS_panel_stride]
    add     x2, x2, x1
    .else
    add     x4, x10, x11
    .endif
    \kind\()_tile
.endm

// x17 = where row `row` is stored: x16 bytes after the row before it, unless there are x15 = `row` rows or less.
.macro keep_row row, at
    .if \row >= 1
    cmp     x15, #\row
    csel    x14, x16, xzr, hi
    add     x17, x17, x14
    .endif
    str     x17, [sp, #FRAME_DST + \at]
.endm

// wide: int8, twice as many quads at a time, while there are as many.
.macro few_function name, count, kind, wide=0
    set_rows \count
func \name, hidden
    .ifc \kind, block
    frame   d8-d15, x19-x26, space=FRAME
    .elseif \wide
    frame   d8-d15, x19-x22, x29, space=FRAME
    .else
    frame   x19-x22, x29, space=FRAME
    .endif
    ldp     x10, x12, [args, #FEW_ARGS_rhs]
    ldp     x13, x16, [args, #FEW_ARGS_dst]
    ldp     x15, x9, [args, #FEW_ARGS_rows]
    ldr     x17, [args, #FEW_ARGS_nr]

    // Quads: side by side in a panel, or in two
    add     x19, x10, x12
    sub     x19, x19, x17, lsl #3
    .ifnc \kind, block
    sub     x19, x19, x17, lsl #2
    .endif
    mov     x11, x12
    lsl     x20, x12, #1
    lsl     x5, x17, #3                 // nibbles of half a step
    lsl     x7, x17, #4
    add     x6, x5, #16
    .ifc \kind, block
    ldp     x1, x2, [args, #FEW_ARGS_lhs]    // offsets as floats
    add     x1, x1, x2
    ldr     q0, [x1, #-32]
    scvtf   v0.4s, v0.4s
    .if rows > 4
    add     x1, x1, x2
    ldr     q1, [x1, #-32]
    scvtf   v1.4s, v1.4s
    .endif
    stp     q0, q1, [sp, #FRAME_OFFSETS]
    ldp     x24, x14, [args, #FEW_ARGS_steps]
    ldr     x23, [args, #FEW_ARGS_scale_distance]
    madd    x23, x24, x7, x23
    add     x22, x7, x17, lsl #1
    lsr     x8, x23, #6
    mov     x21, x12
    .endif
    tbz     x17, #3, 0f
    mov     x20, x12
    mov     x11, #32
    mov     x12, #16
    .ifc \kind, block
    mov     x21, #8
    lsr     x8, x8, #1
    .endif
0:
    .ifc \kind, block
    mul     x14, x14, x8
    .if rows > 4
    sub     x21, x21, x11               // 0 or -24
    stp     x14, x21, [sp, #FRAME_STEPS]
    mov     x21, #0
    .else
    str     x14, [sp, #FRAME_STEPS]
    .endif
    .endif
    mov     x17, #0
    keep_row 1, 0
    .if rows > 2
    keep_row 2, 8
    keep_row 3, 16
    .endif
    .if rows > 4
    keep_row 4, 24
    keep_row 5, 32
    .endif
    .if rows > 6
    keep_row 6, 40
    keep_row 7, 48
    .endif

    .if rows > 4 && !\wide
    .set    quads, 1
    .set    units, 2
1:
    few_tile \kind
    add     x10, x10, x11               // to the second quad of a pair, or from it to the next pair
    add     x19, x19, x12
    sub     x11, x20, x11
    .ifc \kind, block
    ldr     x17, [sp, #FRAME_SECOND]
    sub     x21, x17, x21
    .endif
    sub     x12, x20, x12
    subs    x9, x9, #1
    b.ne    1b
    .else
    .if rows > 4
    .set    quads, 1
    .set    units, 2
    subs    x9, x9, #2
    b.lo    2f
1:
    int8_tall_tile
    add     x10, x10, x20
    add     x19, x19, x17
    .else
    .set    quads, 2
    .set    units, 2
    .if \wide
    subs    x9, x9, #4
    b.lo    2f
1:
    int8_wide_tile
    add     x10, x10, x20, lsl #1
    add     x19, x19, x20
    subs    x9, x9, #4
    b.hs    1b
2:
    add     x9, x9, #4
    .endif
    subs    x9, x9, #2
    b.lo    2f
1:
    few_tile \kind
    add     x10, x10, x20
    add     x19, x19, x20
    .endif
    subs    x9, x9, #2
    b.hs    1b
2:
    tbz     x9, #0, 10f
    .set    quads, 1
    .if rows <= 4
    .set    units, 1
    .endif
    few_tile \kind
10:
    .endif

    return
endfunc
.endm

    few_function kai_few_int4_2_neon_i8mm, 2, int4
    few_function kai_few_int4_4_neon_i8mm, 4, int4
    few_function kai_few_int4_6_neon_i8mm, 6, int4
    few_function kai_few_int4_8_neon_i8mm, 8, int4
    few_function kai_few_int8_2_neon_i8mm, 2, int8
    few_function kai_few_int8_4_neon_i8mm, 4, int8, 1
    few_function kai_few_int8_6_neon_i8mm, 6, int8, 1
    few_function kai_few_int8_8_neon_i8mm, 8, int8, 1
    few_function kai_few_blocks_int4_2_neon_i8mm, 2, block
    few_function kai_few_blocks_int4_4_neon_i8mm, 4, block
    few_function kai_few_blocks_int4_6_neon_i8mm, 6, block
    few_function kai_few_blocks_int4_8_neon_i8mm, 8, block
