// Few rows of the qai8dxp GEMM with SMMLA: tiles of 2, 4, 6 or 8 rows, which kai_few_neon calls.
//
// A tile is two units of 4 rows x 4 columns, whose vectors hold 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1. 2 and 4 rows:
// two quads of columns side by side (of 2 rows, half of each unit). 6 and 8 rows: two panels x one quad. int8 has tiles
// of twice as many quads as well, but for 2 rows. Nibbles are decoded between the multiplications: a packed vector has
// k 0 - 7 in its low nibbles and k 16 - 23 in its high ones, or 8 - 15 and 24 - 31. Operands are loaded where their
// registers become free and decoded a few multiplications ahead, for in-order cores. The last step loads 32 bytes after
// the last k of a panel and of a quad: fields.
//
//     per channel  sum = offset * column_sum + lhs x rhs, int32
//                  result = clamp(f32(sum) * (scale * column_scale) + bias)
//     blocks       sum = fma(f32(S / 16), block_scale, sum), S from the bits of `start` (ShortSum)
//                  result = clamp(fma(column_sum, offset, sum) * scale + bias)
//
// Sums are put in rows before they become results: fields of columns then are vectors, those of rows their elements.
// Rows of the panel past the last row of the output are stored where the last row belongs, before that one.
//
// Registers: qai8dxp_neon_few.inc, and
//   x1, x2    LHS, a panel each                       x7        bytes of a step
//   x3, x4    RHS, a quad each; 6, 8 rows: both       x8        steps to go, of a part of a block
//             halves of a step                        x14       blocks: steps to go
//   x5, x6    bytes to the second half of a step,     x15, x16  their scales, bytes to them
//             to its second vector                    x17, x13, x28  scratch
//   x9        bytes to the scales of a second quad    x11       x16 at the start of a block
//   x10       bytes of a step and of scales           x12       steps of a part of a block
//   v0 - v7   integer sums of both units              v8 - v15  float sums, if the RHS has blocks
//   v16 - v31 operands
// Four quads of int8: x2, x5 RHS of the third and fourth one; v8 - v15 their sums. Two quads and 6 or 8 rows: x3, x4 a
// quad each; v8 - v15 sums of the second one; v20 - v23, v28 - v31 operands, too.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon_few.inc"

#define SUMS 0, 1, 2, 3, 4, 5, 6, 7
#define SUMS_F 8, 9, 10, 11, 12, 13, 14, 15

// \op for the sums that the tile has.
.macro each_sum op, s0, s1, s2, s3, s4, s5, s6, s7
    \op     \s0
    \op     \s1
    \op     \s4
    \op     \s5
    .if rows > 2
    \op     \s2
    \op     \s3
    .endif
    .if rows == 4 || rows > 6
    \op     \s6
    \op     \s7
    .endif
.endm
.macro zero s
    movi    v\s\().2d, #0
.endm

// x3, x4 = the RHS of quads; x1, x2 = the LHS.
.macro few_begin
    .if rows > 4
    ldp     x1, x2, [args, #FEW_ARGS_lhs]
    .else
    ldr     x1, [args, #FEW_ARGS_lhs]
    .endif
    mov     x3, x19
    add     x4, x19, x23
    if_more rows, 4, add x2, x1, x2
.endm

// ---- Results

// v16 - v23 = rows (qai8dxp_neon_few.inc).
.macro pair_to_rows d0, d1, s0, s1
    uzp1    v\d0\().2d, v\s0\().2d, v\s1\().2d
    uzp2    v\d1\().2d, v\s0\().2d, v\s1\().2d
    between density
.endm
.macro to_rows s0, s1, s2, s3, s4, s5, s6, s7
    pair_to_rows 16, 18, \s0, \s1
    .if rows == 6
    pair_to_rows 20, 17, \s2, \s3
    pair_to_rows 19, 21, \s4, \s5
    .else
    pair_to_rows 17, 19, \s4, \s5
    .if rows > 2
    pair_to_rows 20, 22, \s2, \s3
    pair_to_rows 21, 23, \s6, \s7
    .endif
    .endif
.endm

// \op for the two vectors of each row, or of two rows. `x4` has one quad, but another half of the rows.
.macro each_row op, rest:vararg
    \op     16, 17, 0, \rest
    \op     18, 19, 1, \rest
    .if rows != 2
    \op     20, 21, 2, \rest
    .endif
    .if rows == 4 || rows == 8
    \op     22, 23, 3, \rest
    .endif
.endm
.macro row_add s, t, row, op
    \op     v\s\().4s, v30.4s, v26.s[\row]
    .if rows > 4
    \op     v\t\().4s, v30.4s, v27.s[\row]
    .else
    \op     v\t\().4s, v31.4s, v26.s[\row]
    .endif
    between density
.endm
.macro row_scale s, t, row, rest:vararg
    fmul    v\s\().4s, v\s\().4s, v28.s[\row]
    .if rows > 4
    fmul    v\t\().4s, v\t\().4s, v29.s[\row]
    .else
    fmul    v\t\().4s, v\t\().4s, v28.s[\row]
    .endif
.endm
.macro row_to_float s, t, rest:vararg
    scvtf   v\s\().4s, v\s\().4s
    scvtf   v\t\().4s, v\t\().4s
    between density
.endm

// Sums become rows. v30, v31 = sums of the columns, v24, v25 their scales or, of blocks, bias, v26, v27 offsets of the
// rows, v28, v29 scales of the rows, from x10, x28 on: where x1, x2 are after the last k; x9, x13, x14 as
// kai_part_results_* want them. `second`: of the second pair of quads; 6
// and 8 rows: of the second quad.
.macro instruction
    when slot, 3, ldr q26, [x10]
    when slot, 6, ldr q28, [x10, #16]
    when slot, 7, ldr q24, [x13]
    .if second == 0
    when slot, 1, mov x10, x1
    when slot, 2, ldr q30, [x20]
    when slot, 5, add x13, x20, x27
    .endif
    .if rows <= 4
    .if second
    when slot, 1, add x3, x20, x24
    when slot, 2, ldr q30, [x3]
    when slot, 4, ldr q31, [x3, x25]
    when slot, 5, add x13, x3, x27
    .else
    when slot, 4, ldr q31, [x20, x25]
    .endif
    when slot, 6, add x14, x13, x25
    when slot, 8, ldr q25, [x14]
    when slot, 9, place 2 * second
    .else
    .if second
    when slot, 2, ldr q30, [x20, x25]
    when slot, 5, add x13, x20, x27
    when slot, 5, add x13, x13, x25
    when slot, 9, add x9, x21, x26
    .else
    when slot, 1, mov x28, x2
    when slot, 9, mov x9, x21
    .endif
    when slot, 3, ldr q27, [x28]
    when slot, 6, ldr q29, [x28, #16]
    .if rows == 6
    when slot, 4, ext v27.16b, v26.16b, v27.16b, #12
    when slot, 8, ext v29.16b, v28.16b, v29.16b, #12
    .endif
    .endif
.endm
.macro sums_to_rows second_, sums:vararg
    .set    slot, 0
    .set    second, \second_
    .set    density, 1
    .if rows == 2
    .set    density, 2
    .endif
    to_rows \sums
    between_until 4
.endm
.macro channel_results second, sums:vararg
    sums_to_rows \second, \sums
    mov     x15, #1
    each_row row_add, mla
    each_row row_to_float
    between_until 9
.endm

// What follows the loop over k per channel, for all kinds of RHS.
.macro finish_function name, count
func kai_part_finish_\name\()_neon_i8mm, hidden
    .set    rows, \count
    channel_results 0, SUMS
    b       KAI_SYM(kai_part_results_\name\()_neon)
endfunc
.endm
// The same of two tiles.
.macro finish_twice name, count, part
func kai_part_finish_\name\()_neon_i8mm, hidden
    .set    rows, \count
    frame   x29
    channel_results 0, SUMS
    bl      KAI_SYM(kai_part_results_\part\()_neon)
    channel_results 1, SUMS_F
    bl      KAI_SYM(kai_part_results_\part\()_neon)
    return
endfunc
.endm
    finish_function 2x8, 2
    finish_function 4x8, 4
    finish_function 6x4, 6
    finish_function 8x4, 8
    finish_twice 2x16, 2, 2x8
    finish_twice 4x16, 4, 4x8
    finish_twice 6x8, 6, 6x4
    finish_twice 8x8, 8, 8x4

// ---- Int4: a step

// 2 and 4 rows: v16 - v19 low nibbles; v20 - v23 packed, then high ones, two per quad; v24, v25 LHS of low nibbles,
// v26, v27 of high ones; v31 mask.

.macro wide_low_0
    shl     v16.16b, v20.16b, #4
    shl     v17.16b, v21.16b, #4
.endm

// Half a step: 8 k of low nibbles, then 8 k of high ones, whose LHS is at `high`. Then comes the LHS at `low` and what
// x3, x4 or, `second`, half a step more have; `next`: decode low nibbles of the first quad. `between`: a macro
// of a number, for an integer instruction each or for none.
.macro half_4 high, low, between, next, second
    smmla   v0.4s, v24.16b, v16.16b
    shl     v18.16b, v22.16b, #4
    ldp     q26, q27, [x1, #\high]
    smmla   v2.4s, v25.16b, v16.16b
    smmla   v1.4s, v24.16b, v17.16b
    \between 1
    shl     v19.16b, v23.16b, #4
    smmla   v3.4s, v25.16b, v17.16b
    \between 2
    and     v20.16b, v20.16b, v31.16b
    and     v21.16b, v21.16b, v31.16b
    \between 3
    smmla   v4.4s, v24.16b, v18.16b
    smmla   v6.4s, v25.16b, v18.16b
    and     v22.16b, v22.16b, v31.16b
    \between 4
    smmla   v5.4s, v24.16b, v19.16b
    and     v23.16b, v23.16b, v31.16b
    smmla   v7.4s, v25.16b, v19.16b

    smmla   v0.4s, v26.16b, v20.16b
    smmla   v2.4s, v27.16b, v20.16b
    ldp     q24, q25, [x1, #\low]
    when \next, 0, widen_scales 1
    smmla   v1.4s, v26.16b, v21.16b
    load_packed 20, x3, 0, \second
    smmla   v3.4s, v27.16b, v21.16b
    when \next, 0, widen_scales 2
    load_packed 21, x3, 16, \second
    smmla   v4.4s, v26.16b, v22.16b
    .if \next
    shl     v16.16b, v20.16b, #4
    .endif
    smmla   v6.4s, v27.16b, v22.16b
    load_packed 22, x4, 0, \second
    when \next, 0, widen_scales 3
    smmla   v5.4s, v26.16b, v23.16b
    .if \next
    shl     v17.16b, v21.16b, #4
    .endif
    smmla   v7.4s, v27.16b, v23.16b
    load_packed 23, x4, 16, \second
    when \next, 0, widen_scales 4
.endm
// 2 rows have registers left for high nibbles.
.macro half_2 high, low, between, next, second
    smmla   v0.4s, v24.16b, v16.16b
    shl     v18.16b, v22.16b, #4
    \between 1
    smmla   v1.4s, v24.16b, v17.16b
    shl     v19.16b, v23.16b, #4
    \between 2
    and     v2.16b, v20.16b, v31.16b
    and     v3.16b, v21.16b, v31.16b
    ldr     q26, [x1, #\high]
    \between 3
    smmla   v4.4s, v24.16b, v18.16b
    and     v6.16b, v22.16b, v31.16b
    load_packed 20, x3, 0, \second
    smmla   v5.4s, v24.16b, v19.16b
    and     v7.16b, v23.16b, v31.16b
    \between 4
    load_packed 21, x3, 16, \second

    smmla   v0.4s, v26.16b, v2.16b
    smmla   v1.4s, v26.16b, v3.16b
    when \next, 0, widen_scales 1
    .if \next
    shl     v16.16b, v20.16b, #4
    .endif
    load_packed 22, x4, 0, \second
    .if \next
    shl     v17.16b, v21.16b, #4
    .endif
    when \next, 0, widen_scales 2
    smmla   v4.4s, v26.16b, v6.16b
    load_packed 23, x4, 16, \second
    smmla   v5.4s, v26.16b, v7.16b
    when \next, 0, widen_scales 3
    ldr     q24, [x1, #\low]
    when \next, 0, widen_scales 4
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
    ldr     q22, [x4]
    ldr     q23, [x4, #16]
    add     x6, x5, #16
.endm
.macro int4_step_wide kind, count
    half_\count 64, 32, \kind\()_move, 1, second
    \kind\()_moved x3
    \kind\()_moved x4
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
    \between 1
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
    \between 2
    smmla   v3.4s, v25.16b, v\p1\().16b
    shl     v17.16b, v\n1\().16b, #4
    ldr     q25, [x1, #\low + 16]
    smmla   v4.4s, v26.16b, v\p0\().16b
    smmla   v5.4s, v26.16b, v\p1\().16b
    \between 3
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
    \kind\()_move 4
    \kind\()_moved x3
    add     x4, x3, x5
    tall_half 20, 21, 18, 19, x3, 96, 128, \kind\()_count
    add     x1, x1, #128
    add     x2, x2, #128
.endm

.macro int4_constants
    lsl     x5, x27, #1                 // nibbles of half a step
    lsl     x7, x27, #2
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
    ldp     q\n2, q\n3, [x4, #\next]
    .if rows > 2
    ldp     q\e2, q\e3, [x1, #\next]
    smmla   v2.4s, v\e1\().16b, v\c0\().16b
    smmla   v3.4s, v\e1\().16b, v\c1\().16b
    .else
    ldr     q\e2, [x1, #\next]
    .endif
    smmla   v4.4s, v\e0\().16b, v\c2\().16b
    smmla   v5.4s, v\e0\().16b, v\c3\().16b
    .if rows > 2
    smmla   v6.4s, v\e1\().16b, v\c2\().16b
    smmla   v7.4s, v\e1\().16b, v\c3\().16b
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
    .else
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
    .else
    add     x4, x4, #128
    .endif
    add     x1, x1, #128
.endm

// 2 or 4 rows x 4 quads, at x3, x4, x2, x5: of 4 rows 40 loads for 64 SMMLA, while two quads need 24 for 32.
.macro int8_wide_quad s0, s1, s2, s3, c01, c23, e0, e1, quad, next
    smmla   v\s0\().4s, v\e0\().16b, v\c01\().16b
    smmla   v\s1\().4s, v\e0\().16b, v\c23\().16b
    .if rows > 2
    smmla   v\s2\().4s, v\e1\().16b, v\c01\().16b
    smmla   v\s3\().4s, v\e1\().16b, v\c23\().16b
    .endif
    ldp     q\c01, q\c23, [\quad, #\next]
.endm
.macro int8_wide_8k e0, e1, n0, n1, next
    .if rows > 2
    ldp     q\n0, q\n1, [x1, #\next]
    .else
    ldr     q\n0, [x1, #\next]
    .endif
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
    if_more rows, 6, int8_tall_pair 6, 7, 14, 15, \e3, \c0, \c1, \c2, \c3
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

.macro channel_move number
.endm
.macro channel_moved pointer
    add     \pointer, \pointer, x7
.endm
.macro channel_count number
    when \number, 1, subs x8, x8, #1
.endm

.macro channel_tile rhs, count, size
func kai_part_few_\rhs\()_\size\()_neon_i8mm, hidden
    .set    rows, \count
    few_begin
    ldr     x8, [args, #FEW_ARGS_depth]
    \rhs\()_constants
    \rhs\()_begin
    each_sum zero, SUMS
    cbz     x8, 4f
3:  // 32 k
    \rhs\()_step
    b.ne    3b
4:
    b       KAI_SYM(kai_part_finish_\size\()_neon_i8mm)
endfunc
.endm
    channel_tile int4, 2, 2x8
    channel_tile int4, 4, 4x8
    channel_tile int4, 6, 6x4
    channel_tile int4, 8, 8x4
    channel_tile int8, 2, 2x8
    channel_tile int8, 4, 4x8
    channel_tile int8, 6, 6x4
    channel_tile int8, 8, 8x4

.macro int8_wide_tile count, size
func kai_part_few_int8_\size\()_neon_i8mm, hidden
    .set    rows, \count
    few_begin
    add     x2, x19, x24
    ldr     x8, [args, #FEW_ARGS_depth]
    add     x5, x2, x23
    ldp     q24, q25, [x1]
    ldp     q16, q17, [x3]
    ldp     q18, q19, [x4]
    ldp     q20, q21, [x2]
    ldp     q22, q23, [x5]
    each_sum zero, SUMS
    each_sum zero, SUMS_F
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
    b       KAI_SYM(kai_part_finish_\size\()_neon_i8mm)
endfunc
.endm
    int8_wide_tile 2, 2x16
    int8_wide_tile 4, 4x16

.macro int8_tall_tile count, size
func kai_part_few_int8_\size\()_neon_i8mm, hidden
    .set    rows, \count
    few_begin
    ldr     x8, [args, #FEW_ARGS_depth]
    ldp     q16, q17, [x3]
    ldp     q18, q19, [x4]
    ldp     q24, q25, [x1]
    load_last_panel 0
    each_sum zero, SUMS
    each_sum zero, SUMS_F
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
    b       KAI_SYM(kai_part_finish_\size\()_neon_i8mm)
endfunc
.endm
    int8_tall_tile 6, 6x8
    int8_tall_tile 8, 8x8

// ---- Blocks: v30 = C, where sums start
//
// x15 = scales of the first quad; those of a second one are x9 after them. x16 = bytes from the next step to its
// scales, x17 = bytes to the next step.
.macro block_move number
    when \number, 1, add x15, x3, x16
    when \number, 2, subs x16, x16, x7
    when \number, 3, csel x17, x10, x7, eq
    when \number, 4, csel x16, x11, x16, eq
.endm
.macro block_moved pointer
    add     \pointer, \pointer, x17
.endm
.macro block_count number
    when \number, 1, sub x14, x14, #1
    when \number, 2, subs x8, x8, #1
    when \number, 3, ldr x17, [x15, x9]
.endm
.macro block_scales number
    when \number, 1, sub x14, x14, #1
    when \number, 2, subs x8, x8, #1
    when \number, 3, ldr x17, [x15]
    when \number, 4, ldr x15, [x15, x9]
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
// slot on most cores: columns 01 in x2 (6 and 8 rows: x8), columns 23 in x28.
.macro widen_scales number, from=x17, to=x2
    when \number, 1, and x13, \from, #0xFFFF0000
    when \number, 2, ubfiz \to, \from, #16, #16
    when \number, 3, lsr x28, \from, #16
    when \number, 4, orr \to, \to, x13, lsl #32
    when \number, 5, and x28, x28, #0xFFFF0000
    when \number, 6, and \from, \from, #0xFFFF000000000000
    when \number, 7, orr x28, x28, \from
.endm
.macro block_add_wide
    widen_scales 5
    less_start 0, 1
    widen_scales 6
    dup     v16.2d, x2
    widen_scales 7
    if_more rows, 2, less_start 2, 3
    widen_scales 1, x15
    dup     v17.2d, x28
    widen_scales 2, x15
    less_start 4, 5
    widen_scales 3, x15
    if_more rows, 2, less_start 6, 7
    widen_scales 4
    add_scaled 8, 9, 0, 1, 16, 17
    dup     v18.2d, x2
    widen_scales 5
    widen_scales 6, x15
    if_more rows, 2, add_scaled 10, 11, 2, 3, 16, 17
    widen_scales 7, x15
    dup     v19.2d, x28
    wide_low_0
    add_scaled 12, 13, 4, 5, 18, 19
    if_more rows, 2, add_scaled 14, 15, 6, 7, 18, 19
.endm
.macro block_add_tall
    widen_scales 1
    less_start 0, 1
    widen_scales 2, x17, x8
    widen_scales 3
    less_start 2, 3
    widen_scales 4, x17, x8
    widen_scales 5
    dup     v20.2d, x8
    widen_scales 6
    less_start 4, 5
    widen_scales 7
    if_more rows, 6, less_start 6, 7
    dup     v21.2d, x28
    add_scaled 8, 9, 0, 1, 20, 21
    add_scaled 10, 11, 2, 3, 20, 21
    add_scaled 12, 13, 4, 5, 20, 21
    if_more rows, 6, add_scaled 14, 15, 6, 7, 20, 21
.endm

.macro block_tile count, size
func kai_part_few_blocks_int4_\size\()_neon_i8mm, hidden
    .set    rows, \count
    few_begin
    block_constants
    ldr     x12, [args, #FEW_ARGS_steps]
    ldr     x11, [args, #FEW_ARGS_scale_distance]
    ldr     x14, [args, #FEW_ARGS_depth]
    add     x10, x7, x7, lsr #3
    // 16 bytes between quads of a panel of 8 columns mean 8 between their scales, which are with the first one
    .if rows > 4
    mov     x9, #-24
    cmp     x25, #16
    csel    x9, xzr, x9, eq
    tst     x27, #32                    // nr = 8?
    csel    x9, x9, xzr, ne
    .else
    lsr     x9, x25, #1
    tst     x27, #32
    csel    x9, x9, x25, ne
    .endif
    madd    x11, x12, x7, x11
    mov     x16, x11
    each_sum zero, SUMS_F
    each_sum load_start, SUMS
    int4_begin
    cbz     x14, 4f
3:  // a part of a block
    mov     x8, x12
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
    sums_to_rows 0, SUMS_F
    scvtf   v26.4s, v26.4s
    if_more rows, 4, scvtf v27.4s, v27.4s
    mov     x15, #-1
    each_row row_add, fmla
    between_until 9
    each_row row_scale
    mov     v26.16b, v24.16b
    .if rows <= 4
    mov     v27.16b, v25.16b
    .endif
    b       KAI_SYM(kai_part_results_\size\()_neon)
endfunc
.endm
    block_tile 2, 2x8
    block_tile 4, 4x8
    block_tile 6, 6x4
    block_tile 8, 8x4
