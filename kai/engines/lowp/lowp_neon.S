// Tiles of the low-precision kernels: sums of products of signed bytes, 16 k at a time.
//
//     sums[row][column] = sum over k of a * b  +  sum over k % 16 >= 8 of a
//
//     SMULL   t.8h, a.8b, b.8b          t = a * b,                    k % 16 < 8
//     SMLSL2  t.8h, a.16b, ~b.16b       t -= a * (-b - 1)             k % 16 >= 8
//     SADALP  sum.4s, t.8h
//
// Two products of -128 * -128 do not fit 16 bits, but a * b - c * ~d = a * b + c * d + c is between -32640 and 32640.
// The caller takes the sum of c away, which is the same for all columns. The last 8 of 16 weights are inverted when
// they are packed, or by the EOR that makes unsigned weights signed.
//
// A batch is four sums (three of a tile of three rows). While it multiplies, the sums of the batch before are added:
// the first one adds the last one of the step before.
//
//   x0      struct LowpTile                    v0 - v3    16 k of the rows
//   x1      steps of 16 k to go                v4, v5, v12 - v15   16 k of the columns
//   x2, x3  tails of rows and columns          v6, v7     lhs_flip, rhs_flip
//   x4 - x7 rows                               v8 - v11   t
//   x8 - x15 columns, or x8, x9 panels         v16 - v31  sums; of columns, 16 bits, the last 4 or 8
//
// Columns that are not packed: `raw` is plain, or what adds their bytes: sadalp, uadalp. These sums are of 127 groups
// of 16 at most.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/lowp/lowp_args.h"

args     .req x0
groups   .req x1
lhs_tail .req x2
rhs_tail .req x3

// The sums s0 - s3 take t; then t = products of rows a0 - a3 and columns b0 - b3.
.macro batch count, a0, a1, a2, a3, b0, b1, b2, b3, s0, s1, s2, s3
    sadalp  v\s0\().4s, v8.8h
    smull   v8.8h, v\a0\().8b, v\b0\().8b
    sadalp  v\s1\().4s, v9.8h
    smull   v9.8h, v\a1\().8b, v\b1\().8b
    sadalp  v\s2\().4s, v10.8h
    smull   v10.8h, v\a2\().8b, v\b2\().8b
    .if \count > 3
    sadalp  v\s3\().4s, v11.8h
    smull   v11.8h, v\a3\().8b, v\b3\().8b
    .endif
    smlsl2  v8.8h, v\a0\().16b, v\b0\().16b
    smlsl2  v9.8h, v\a1\().16b, v\b1\().16b
    smlsl2  v10.8h, v\a2\().16b, v\b2\().16b
    .if \count > 3
    smlsl2  v11.8h, v\a3\().16b, v\b3\().16b
    .endif
.endm

// The last batch.
.macro last_batch s0, s1, s2, s3
    sadalp  v\s0\().4s, v8.8h
    sadalp  v\s1\().4s, v9.8h
    sadalp  v\s2\().4s, v10.8h
    .ifnb \s3
    sadalp  v\s3\().4s, v11.8h
    .endif
.endm

// 16 k of a row. x\at: where they are.
.macro row a, at
    ldr     q\a, [x\at], #16
.endm
.macro signed rows:vararg
    .irp a, \rows
    flip    \a, 6
    .endr
.endm
.macro flip v, by
    eor     v\v\().16b, v\v\().16b, v\by\().16b
.endm

.macro add_bytes add, s, b
    \add    v\s\().8h, v\b\().16b
.endm

// 16 k of column \index of the panel at x8, or of the column at x\at.
.macro column raw, b, index, at
    .ifc \raw, packed
        .if \index < 4
    ldr     q\b, [x8, #16 * \index]
        .else
    ldr     q\b, [x9, #16 * \index - 64]
        .endif
    .else
    ldr     q\b, [x\at]
    .endif
.endm
// After the loads, so that cores that issue in order need not wait.
.macro ready raw, b, index
    .ifnc \raw, packed
        .ifnc \raw, plain
    .irp s, 24, 25, 26, 27, 28, 29, 30, 31
        .if \s == 24 + \index
    add_bytes \raw, \s, \b
        .endif
    .endr
        .endif
    flip    \b, 7
    .endif
.endm

.macro step_1x8 raw
    row     0, 4
    column  \raw, 4, 0, 8
    column  \raw, 5, 1, 9
    column  \raw, 12, 2, 10
    column  \raw, 13, 3, 11
    signed  0
    ready   \raw, 4, 0
    ready   \raw, 5, 1
    ready   \raw, 12, 2
    ready   \raw, 13, 3
    batch   4, 0, 0, 0, 0, 4, 5, 12, 13, 20, 21, 22, 23
    column  \raw, 4, 4, 12
    column  \raw, 5, 5, 13
    column  \raw, 12, 6, 14
    column  \raw, 13, 7, 15
    ready   \raw, 4, 4
    ready   \raw, 5, 5
    ready   \raw, 12, 6
    ready   \raw, 13, 7
    batch   4, 0, 0, 0, 0, 4, 5, 12, 13, 16, 17, 18, 19
.endm
#define LAST_1x8 20, 21, 22, 23

.macro step_1x4 raw
    row     0, 4
    column  \raw, 4, 0, 8
    column  \raw, 5, 1, 9
    column  \raw, 12, 2, 10
    column  \raw, 13, 3, 11
    signed  0
    ready   \raw, 4, 0
    ready   \raw, 5, 1
    ready   \raw, 12, 2
    ready   \raw, 13, 3
    batch   4, 0, 0, 0, 0, 4, 5, 12, 13, 16, 17, 18, 19
.endm
#define LAST_1x4 16, 17, 18, 19

.macro step_2x4 raw
    row     0, 4
    row     1, 5
    column  \raw, 4, 0, 8
    column  \raw, 5, 1, 9
    column  \raw, 12, 2, 10
    column  \raw, 13, 3, 11
    signed  0, 1
    ready   \raw, 4, 0
    ready   \raw, 5, 1
    batch   4, 0, 1, 0, 1, 4, 4, 5, 5, 20, 21, 22, 23
    ready   \raw, 12, 2
    ready   \raw, 13, 3
    batch   4, 0, 1, 0, 1, 12, 12, 13, 13, 16, 17, 18, 19
.endm
#define LAST_2x4 20, 21, 22, 23

.macro step_3x4 raw
    row     0, 4
    row     1, 5
    row     2, 6
    column  \raw, 4, 0, 8
    column  \raw, 5, 1, 9
    signed  0, 1, 2
    ready   \raw, 4, 0
    batch   3, 0, 1, 2, 0, 4, 4, 4, 0, 25, 26, 27
    column  \raw, 12, 2, 10
    ready   \raw, 5, 1
    batch   3, 0, 1, 2, 0, 5, 5, 5, 0, 16, 17, 18
    column  \raw, 13, 3, 11
    ready   \raw, 12, 2
    batch   3, 0, 1, 2, 0, 12, 12, 12, 0, 19, 20, 21
    ready   \raw, 13, 3
    batch   3, 0, 1, 2, 0, 13, 13, 13, 0, 22, 23, 24
.endm
#define LAST_3x4 25, 26, 27

.macro step_4x4 raw
    row     0, 4
    row     1, 5
    row     2, 6
    row     3, 7
    column  \raw, 4, 0, 8
    column  \raw, 5, 1, 9
    signed  0, 1, 2, 3
    ready   \raw, 4, 0
    batch   4, 0, 1, 2, 3, 4, 4, 4, 4, 28, 29, 30, 31
    column  \raw, 12, 2, 10
    ready   \raw, 5, 1
    batch   4, 0, 1, 2, 3, 5, 5, 5, 5, 16, 17, 18, 19
    column  \raw, 13, 3, 11
    ready   \raw, 12, 2
    batch   4, 0, 1, 2, 3, 12, 12, 12, 12, 20, 21, 22, 23
    ready   \raw, 13, 3
    batch   4, 0, 1, 2, 3, 13, 13, 13, 13, 24, 25, 26, 27
.endm
#define LAST_4x4 28, 29, 30, 31

// v\to = the sums of four vectors.
.macro across to, s0, s1, s2, s3
    addp    v\s0\().4s, v\s0\().4s, v\s1\().4s
    addp    v\s2\().4s, v\s2\().4s, v\s3\().4s
    addp    v\to\().4s, v\s0\().4s, v\s2\().4s
.endm

.macro sums_1x8
    across  16, 16, 17, 18, 19
    across  20, 20, 21, 22, 23
    stp     q16, q20, [args, #LOWP_TILE_sums]
.endm
.macro sums_1x4
    across  16, 16, 17, 18, 19
    str     q16, [args, #LOWP_TILE_sums]
.endm
.macro sums_2x4
    across  16, 16, 18, 20, 22
    across  17, 17, 19, 21, 23
    str     q16, [args, #LOWP_TILE_sums]
    str     q17, [args, #LOWP_TILE_sums + 32]
.endm
.macro sums_3x4
    across  16, 16, 19, 22, 25
    across  17, 17, 20, 23, 26
    across  18, 18, 21, 24, 27
    str     q16, [args, #LOWP_TILE_sums]
    str     q17, [args, #LOWP_TILE_sums + 32]
    str     q18, [args, #LOWP_TILE_sums + 64]
.endm
.macro sums_4x4
    across  16, 16, 20, 24, 28
    across  17, 17, 21, 25, 29
    across  18, 18, 22, 26, 30
    across  19, 19, 23, 27, 31
    str     q16, [args, #LOWP_TILE_sums]
    str     q17, [args, #LOWP_TILE_sums + 32]
    str     q18, [args, #LOWP_TILE_sums + 64]
    str     q19, [args, #LOWP_TILE_sums + 96]
.endm

// Sums of columns.
.macro column_sums columns, widen
    .irp s, 24, 25, 26, 27, 28, 29, 30, 31
        .if \s < 24 + \columns
    widened \widen, \s
        .endif
    .endr
    across  24, 24, 25, 26, 27
    .if \columns > 4
    across  28, 28, 29, 30, 31
    stp     q24, q28, [args, #LOWP_TILE_column_sums]
    .else
    str     q24, [args, #LOWP_TILE_column_sums]
    .endif
.endm
.macro widened widen, s
    \widen    v\s\().4s, v\s\().8h
.endm

.macro zero s
    movi    v\s\().4s, #0
.endm

// extern "C" void name(LowpTile*)
.macro tile name, rows, columns, raw=packed
func \name, hidden
    frame   d8-d15
    ldp     x4, x16, [args, #LOWP_TILE_lhs]
    ldp     x8, x17, [args, #LOWP_TILE_rhs]
    ldp     lhs_tail, rhs_tail, [args, #LOWP_TILE_lhs_tail]
    ldr     groups, [args, #LOWP_TILE_groups]
    ldr     q6, [args, #LOWP_TILE_lhs_flip]
    add     x5, x4, x16
    add     x6, x4, x16, lsl #1
    add     x7, x5, x16, lsl #1
    add     x9, x8, x17
    .ifnc \raw, packed
    ldr     q7, [args, #LOWP_TILE_rhs_flip]
    add     x10, x8, x17, lsl #1
    add     x11, x9, x17, lsl #1
    add     x12, x8, x17, lsl #2
    add     x13, x9, x17, lsl #2
    add     x14, x10, x17, lsl #2
    add     x15, x11, x17, lsl #2
    .endif
    .irp s, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        .if \s < 16 + \rows * \columns || \s >= 24
    zero    \s
        .endif
    .endr
    cbz     groups, 2f
1:
    step_\rows\()x\columns \raw
    .ifc \raw, packed
    add     x8, x8, #64
        .if \columns > 4
    add     x9, x9, #64
        .endif
    .else  // fewer micro-operations than loads that add
    .irp x, 8, 9, 10, 11, 12, 13, 14, 15
        .if \x < 8 + \columns
    add     x\x, x\x, #16
        .endif
    .endr
    .endif
    subs    groups, groups, #1
    b.ne    1b
2:
    cbz     lhs_tail, 3f
    mov     groups, #1
    mov     x4, lhs_tail
    add     x5, lhs_tail, #16
    add     x6, lhs_tail, #32
    add     x7, lhs_tail, #48
    .ifnc \raw, packed
    mov     x8, rhs_tail
    .set    offset, 16
    .irp x, 9, 10, 11, 12, 13, 14, 15
    add     x\x, rhs_tail, #offset
    .set    offset, offset + 16
    .endr
    .endif
    mov     lhs_tail, #0
    b       1b
3:
    finish_\rows\()x\columns
    .ifc \raw, sadalp
    column_sums \columns, saddlp
    .endif
    .ifc \raw, uadalp
    column_sums \columns, uaddlp
    .endif
    return
endfunc
.endm

.macro finish_1x8
    last_batch LAST_1x8
    sums_1x8
.endm
.macro finish_1x4
    last_batch LAST_1x4
    sums_1x4
.endm
.macro finish_2x4
    last_batch LAST_2x4
    sums_2x4
.endm
.macro finish_3x4
    last_batch LAST_3x4
    sums_3x4
.endm
.macro finish_4x4
    last_batch LAST_4x4
    sums_4x4
.endm

tile kai_lowp_p4x16_1x8, 1, 8
tile kai_lowp_p4x16_1x4, 1, 4
tile kai_lowp_p4x16_2x4, 2, 4
tile kai_lowp_p4x16_3x4, 3, 4
tile kai_lowp_p4x16_4x4, 4, 4
tile kai_lowp_nxk_1x8, 1, 8, plain
tile kai_lowp_nxk_1x4, 1, 4, plain
tile kai_lowp_nxk_2x4, 2, 4, plain
tile kai_lowp_nxk_3x4, 3, 4, plain
tile kai_lowp_nxk_4x4, 4, 4, plain
tile kai_lowp_nxk_s8_1x8, 1, 8, sadalp
tile kai_lowp_nxk_s8_1x4, 1, 4, sadalp
tile kai_lowp_nxk_s8_2x4, 2, 4, sadalp
tile kai_lowp_nxk_u8_1x8, 1, 8, uadalp
tile kai_lowp_nxk_u8_1x4, 1, 4, uadalp
tile kai_lowp_nxk_u8_2x4, 2, 4, uadalp
