// Few rows of the qai8dxp GEMM with SDOT (struct FewArgs of qai8dxp_neon.hpp): 1 to 8, all columns.
//
// kai_few_*: a scale per column; fields rsum, rs, bias after a panel of the RHS; off, ls after one of the LHS
//     sum    = off * rsum + sum over k of lhs * rhs                                 int32
//     dst[n] = clamp(f32(sum) * (rs * ls) + bias)
//
// kai_few_blocks_*: a scale per column and block; fields rsum, bias after a panel
//     sum    = fma(S / 16, scale, sum) for each block, S = sum over the block of lhs * rhs; then fma(rsum, off, sum)
//     dst[n] = clamp(sum * ls + bias)
// S starts at the bits of C and ends as the float C + S / 16 (ShortSum).
//
// A vector of the LHS holds 4 k of the 4 rows of a panel, one of the RHS 4 k of 4 columns, one of sums a row of a quad.
// A tile is `rows` rows of `quads` quads: of four, where registers allow, then of two; 6 rows and more of blocks: of
// one. An odd quad at the end takes a tile of two whose second one is the same; it is stored first.
//
// Loads, decoding and scalar instructions are between products, not more than one after two of these: what cores
// that issue two or three instructions in order need. After the last k, loads read up to 32 bytes of the fields of
// both panels (64 of the RHS if nr = 8).
//
// Registers
//   x0        struct FewArgs                        x9 - x12  RHS of a quad each
//   x1        next quad                             x12, x13  LHS of rows 4 - 7, where quads are two, and 0 - 3
//   x2        from one quad to the next             x14       scratch; bits of C
//   x3, x4    dst, quads to go                      x15       steps or blocks to go
//   x5        steps (blocks: to go in a part)       x16, x20  from here to scales; per channel to fields
//   x6        bytes of a step of int4               x19       from a pair of quads to the next one
//   x7, x8    4 * nr, 8 * nr: where vectors         v0 - v15  sums: ROW_0 - ROW_7; blocks: int32 and f32
//   x17       12 * nr         of int4 are           v16 - v27 RHS_A, RHS_B, RHS_C
//                                                   v28, v29  LHS, v26, v27 of rows 4 - 7; v30, v31 constants
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_args.h"
#include "kai/engines/int_neon/int_neon_quads.inc"


// Registers of the quads of a row: rows 4 - 7, or the f32 sums of two rows of four quads and of four of two, use those
// of the others that are free.
#define ROW_0 0, 1, 2, 3
#define ROW_1 4, 5, 6, 7
#define ROW_2 8, 9, 10, 11
#define ROW_3 12, 13, 14, 15
#define ROW_4 2, 3, 2, 3
#define ROW_5 6, 7, 6, 7
#define ROW_6 10, 11, 10, 11
#define ROW_7 14, 15, 14, 15
// Of blocks: the fifth row of two quads, and its f32 sums.
#define FIFTH 18, 19, 18, 19
#define FIFTH_F 22, 23, 22, 23
// f32 sums of 6 to 8 rows of a quad.
#define BLOCKS_0 1, 1, 1, 1
#define BLOCKS_1 5, 5, 5, 5
#define BLOCKS_2 9, 9, 9, 9
#define BLOCKS_3 13, 13, 13, 13
#define BLOCKS_4 3, 3, 3, 3
#define BLOCKS_5 7, 7, 7, 7
#define BLOCKS_6 11, 11, 11, 11
#define BLOCKS_7 15, 15, 15, 15

.set    fifth_row, 0    // how many rows a tile has whose fifth row is FIFTH

.macro few_enter saved, record
    frame   d8-d15, \saved, \record
    ldr     x8, [x0, #FEW_ARGS_nr]
    ldp     x1, x2, [x0, #FEW_ARGS_rhs]
    ldp     x5, x15, [x0, #FEW_ARGS_steps]
    ldr     x4, [x0, #FEW_ARGS_quads]
    cmp     x8, #8
    ldr     x3, [x0, #FEW_ARGS_dst]
    lsl     x7, x8, #2
    add     x17, x7, x8, lsl #3
    csel    x19, xzr, x2, eq
    lsl     x6, x8, #4
    mov     x14, #16
    sub     x20, x2, x17                        // to the fields of a quad per channel
    add     x19, x19, x2
    csel    x2, x14, x2, eq
    lsl     x8, x8, #3
.endm

// x9 - x12 = the next quads; x13, x12 = LHS.
.macro few_begin
    .if quads == 1
    cmp     x2, #16
    mov     x9, x1
    mov     x14, x2
    csel    x11, xzr, x26, eq
    add     x1, x1, x2
    mov     x2, x19
    mov     x19, x14
    .else
    mov     x9, x1
    add     x10, x1, x2
    .if quads == 4
    add     x11, x1, x19
    add     x12, x10, x19
    add     x1, x1, x19, lsl #1
    .else
    cmp     x4, #1
    add     x1, x1, x19
    csel    x10, x9, x10, eq
    .endif
    .endif
    .if rows > 4
    ldp     x13, x12, [x0, #FEW_ARGS_lhs]
    add     x12, x12, x13
    .else
    ldr     x13, [x0, #FEW_ARGS_lhs]
    .endif
.endm

// \body does a tile. Up to `four_quads` rows have tiles of four quads, up to `two_quads` of two.
.macro few_tiles body:vararg
    .if rows <= four_quads
    .set    quads, 4
    subs    x4, x4, #4
    b.lo    12f
11:
    \body
    subs    x4, x4, #4
    b.hs    11b
12:
    adds    x4, x4, #4
    b.eq    14f
    .endif
    .if rows <= two_quads
    .set    quads, 2
13:
    \body
    subs    x4, x4, #2
    b.hi    13b
    .else
    .set    quads, 1
13:
    \body
    subs    x4, x4, #1
    b.ne    13b
    .endif
14:
.endm

// ---- What stands for one instruction per quad and row

// A register of a quad.
.macro load_quad i, r0, r1, r2, r3, offset
    .if \i < quads
    .if \i == 0
    ldr     q\r0, [x9, \offset]
    .elseif \i == 1
    ldr     q\r1, [x10, \offset]
    .elseif \i == 2
    ldr     q\r2, [x11, \offset]
    .else
    ldr     q\r3, [x12, \offset]
    .endif
    .endif
.endm
// 4 k of rows 0 - 3, or of those that the tile has.
.macro load_lhs v, offset
    .if rows == 1
    ldr     s\v, [x13, #\offset]
    .elseif rows == 2
    ldr     d\v, [x13, #\offset]
    .else
    ldr     q\v, [x13, #\offset]
    .endif
.endm
.macro load_rows_4567 v, offset
    .if rows == 5
    ldr     s\v, [x12, #\offset]
    .elseif rows == 6
    ldr     d\v, [x12, #\offset]
    .elseif rows > 4
    ldr     q\v, [x12, #\offset]
    .endif
.endm
.macro advance_quad i, bytes
    .if \i < quads
    .if \i == 0
    add     x9, x9, \bytes
    .elseif \i == 1
    add     x10, x10, \bytes
    .elseif \i == 2
    add     x11, x11, \bytes
    .else
    add     x12, x12, \bytes
    .endif
    .endif
.endm

// sums += columns * lhs of rows 0 - 3, * lhs2 of the others. o0 - o7: what is between, two after each of rows
// 0 - 3 or, of one quad, after each second row.
.macro sdot_row s0, s1, s2, s3, r0, r1, r2, r3, lane, oa, ob
    sdot    v\s0\().4s, v\r0\().16b, v\lane
    .if quads > 1
    sdot    v\s1\().4s, v\r1\().16b, v\lane
    .endif
    \oa
    .if quads > 2
    sdot    v\s2\().4s, v\r2\().16b, v\lane
    sdot    v\s3\().4s, v\r3\().16b, v\lane
    .endif
    \ob
.endm
.macro sdot_rows_4567 r0, r1, r2, r3, lhs2, o4, o5, o6, o7
    .if rows > 4
    sum_row 4, sdot_row, \r0, \r1, \r2, \r3, \lhs2\().4b[0]
    .endif
    .if rows > 5
    sdot_row ROW_5, \r0, \r1, \r2, \r3, \lhs2\().4b[1]
    .endif
    \o4
    \o5
    .if rows > 6
    sdot_row ROW_6, \r0, \r1, \r2, \r3, \lhs2\().4b[2]
    .endif
    .if rows > 7
    sdot_row ROW_7, \r0, \r1, \r2, \r3, \lhs2\().4b[3]
    .endif
    \o6
    \o7
.endm
.macro sdot_rows r0, r1, r2, r3, lhs, lhs2, o0, o1, o2, o3, o4, o5, o6, o7
    .if quads == 1
    sdot_row ROW_0, \r0, \r1, \r2, \r3, \lhs\().4b[0]
    sdot_row ROW_1, \r0, \r1, \r2, \r3, \lhs\().4b[1], "\o0", "\o1"
    sdot_row ROW_2, \r0, \r1, \r2, \r3, \lhs\().4b[2]
    sdot_row ROW_3, \r0, \r1, \r2, \r3, \lhs\().4b[3], "\o2", "\o3"
    sdot_rows_4567 \r0, \r1, \r2, \r3, \lhs2, "\o4", "\o5", "\o6", "\o7"
    .else
    sdot_row ROW_0, \r0, \r1, \r2, \r3, \lhs\().4b[0], "\o0", "\o1"
    .if rows > 1
    sdot_row ROW_1, \r0, \r1, \r2, \r3, \lhs\().4b[1], "\o2", "\o3"
    .else
    \o2
    \o3
    .endif
    .if rows > 2
    sdot_row ROW_2, \r0, \r1, \r2, \r3, \lhs\().4b[2], "\o4", "\o5"
    .else
    \o4
    \o5
    .endif
    .if rows > 3
    sdot_row ROW_3, \r0, \r1, \r2, \r3, \lhs\().4b[3], "\o6", "\o7"
    .else
    \o6
    \o7
    .endif
    sdot_rows_4567 \r0, \r1, \r2, \r3, \lhs2
    .endif
.endm

// \op with the sums of row \i, and with its f32 sums where the RHS has blocks.
.macro sum_row i, op, rest:vararg
    .if \i == 0
    \op     ROW_0, \rest
    .elseif \i == 1
    \op     ROW_1, \rest
    .elseif \i == 2
    \op     ROW_2, \rest
    .elseif \i == 3
    \op     ROW_3, \rest
    .elseif \i == 4 && rows == fifth_row
    \op     FIFTH, \rest
    .elseif \i == 4
    \op     ROW_4, \rest
    .elseif \i == 5
    \op     ROW_5, \rest
    .elseif \i == 6
    \op     ROW_6, \rest
    .else
    \op     ROW_7, \rest
    .endif
.endm
.macro block_row i, op, rest:vararg
    .if rows <= 2
    sum_row \i + 2, \op, \rest
    .elseif rows <= 4
    sum_row \i + 4, \op, \rest
    .elseif rows == 5
    .if \i == 0
    \op     ROW_4, \rest
    .elseif \i == 4
    \op     FIFTH_F, \rest
    .else
    sum_row \i + 4, \op, \rest
    .endif
    .elseif \i == 0
    \op     BLOCKS_0, \rest
    .elseif \i == 1
    \op     BLOCKS_1, \rest
    .elseif \i == 2
    \op     BLOCKS_2, \rest
    .elseif \i == 3
    \op     BLOCKS_3, \rest
    .elseif \i == 4
    \op     BLOCKS_4, \rest
    .elseif \i == 5
    \op     BLOCKS_5, \rest
    .elseif \i == 6
    \op     BLOCKS_6, \rest
    .else
    \op     BLOCKS_7, \rest
    .endif
.endm

// \op for each row: its sums, the element of v\lhs or v\lhs2 that is its own, and what follows.
.macro each row, op, lhs, lhs2, rest:vararg
    \row    0, \op, v\lhs\().s[0], \rest
    .if rows > 1
    \row    1, \op, v\lhs\().s[1], \rest
    .endif
    .if rows > 2
    \row    2, \op, v\lhs\().s[2], \rest
    .endif
    .if rows > 3
    \row    3, \op, v\lhs\().s[3], \rest
    .endif
    .if rows > 4
    \row    4, \op, v\lhs2\().s[0], \rest
    .endif
    .if rows > 5
    \row    5, \op, v\lhs2\().s[1], \rest
    .endif
    .if rows > 6
    \row    6, \op, v\lhs2\().s[2], \rest
    .endif
    .if rows > 7
    \row    7, \op, v\lhs2\().s[3], \rest
    .endif
.endm

.macro row_by_column s0, s1, s2, s3, lane, op, columns:vararg
    op_quads \op, 4s, \s0, \s1, \s2, \s3, \s0, \s1, \s2, \s3, \columns
.endm
.macro row_by_operand s0, s1, s2, s3, lane, op, operand
    shared_quads \op, 4s, \s0, \s1, \s2, \s3, \s0, \s1, \s2, \s3, \operand
.endm
.macro row_by_lane s0, s1, s2, s3, lane, op
    shared_quads \op, 4s, \s0, \s1, \s2, \s3, \s0, \s1, \s2, \s3, \lane
.endm
.macro row_is_product s0, s1, s2, s3, lane, op, columns:vararg
    shared_quads \op, 4s, \s0, \s1, \s2, \s3, \columns, \lane
.endm
.macro row_scvtf s0, s1, s2, s3, lane, rest:vararg
    scvtf_quads \s0, \s1, \s2, \s3
.endm

// ---- Stores: x9 = row, x10 = bytes from row to row, x11 = from a quad of two to the other one; `whole`: no odd quad

.macro store_f32 s0, s1, s2, s3, rest:vararg
    .if quads == 4
    store_whole_f32 \s0, \s1, \s2, \s3
    .else
    .if quads == 2
    str     q\s1, [x9, x11]
    .endif
    str     q\s0, [x9]
    add     x9, x9, x10
    .endif
.endm
.macro store_whole_f32 s0, s1, s2, s3, rest:vararg
    stp     q\s0, q\s1, [x9]
    .if quads == 4
    stp     q\s2, q\s3, [x9, #32]
    .endif
    add     x9, x9, x10
.endm
.macro store_f16 s0, s1, s2, s3, rest:vararg
    .if quads == 4
    store_whole_f16 \s0, \s1, \s2, \s3
    .else
    fcvtn   v\s0\().4h, v\s0\().4s
    fcvtn   v\s1\().4h, v\s1\().4s
    str     d\s1, [x9, x11]
    str     d\s0, [x9]
    add     x9, x9, x10
    .endif
.endm
.macro store_whole_f16 s0, s1, s2, s3, rest:vararg
    fcvtn   v\s0\().4h, v\s0\().4s
    .if quads == 4
    fcvtn   v\s2\().4h, v\s2\().4s
    .endif
    fcvtn2  v\s0\().8h, v\s1\().4s
    .if quads == 4
    fcvtn2  v\s2\().8h, v\s3\().4s
    stp     q\s0, q\s2, [x9]
    .else
    str     q\s0, [x9]
    .endif
    add     x9, x9, x10
.endm

// The upper bound of \i, if there is such a row, and meanwhile the store of the previous one.
.macro bound_and_store row, i, before, hi
    .if \i < rows
    \row    \i, row_by_operand, , fmin, v\hi\().4s
    .endif
    .if \before < rows
    \row    \before, store_f32
    .endif
.endm

// dst = min(max(x, lo), hi): NaN stays NaN. f32_or_f16: x15 = FEW_ARGS_out; \skip: if x14 is 0, f16, no clamp, `whole`.
.macro clamp_and_store row, out, lo, hi, skip
    .if quads == 2
    cmp     x4, #1
    mov     x11, #16
    csel    x11, xzr, x11, eq
    .endif
    ldr     x10, [x0, #FEW_ARGS_row_stride]
    mov     x9, x3
    .ifc \out\skip, f32_or_f16skip
    cbz     x14, 15f
    .endif
    each    \row, row_by_operand, , , fmax, v\lo\().4s
    .ifc \out, f32_or_f16
    cbnz    x15, 8f
    .endif
    \row    0, row_by_operand, , fmin, v\hi\().4s
    bound_and_store \row, 1, 0, \hi
    bound_and_store \row, 2, 1, \hi
    bound_and_store \row, 3, 2, \hi
    bound_and_store \row, 4, 3, \hi
    bound_and_store \row, 5, 4, \hi
    bound_and_store \row, 6, 5, \hi
    bound_and_store \row, 7, 6, \hi
    bound_and_store \row, 8, 7, \hi
    add     x3, x3, #16 * quads
    .ifc \out, f32_or_f16
    b       9f
8:
    each    \row, row_by_operand, , , fmin, v\hi\().4s
    lsr     x11, x11, #1
    each    \row, store_f16
    .ifnb \skip
    b       16f
15:
    each    \row, store_whole_f16
16:
    .endif
    add     x3, x3, #8 * quads
9:
    .endif
.endm

// ---- Per channel

.macro scale_row least, s0, s1, s2, s3, t0, t1, t2, t3, next, n0, n1, n2, n3, lane
    .if rows >= \next
    shared_quads fmul, 4s, \n0, \n1, \n2, \n3, RHS_B, \lane
    .endif
    .if rows >= \least
    op_quads fmul, 4s, \s0, \s1, \s2, \s3, \s0, \s1, \s2, \s3, \t0, \t1, \t2, \t3
    .endif
.endm

// v28 gets the bits of column scales and of bias: bit 30 is set if one is 2 or more. With that and FewArgs::clamps
// clear no result needs a clamp. For a small tile, clamping costs less than checking.
.macro keep_scale_bits s0, s1, s2, s3
    orr     v28.16b, v\s0\().16b, v\s1\().16b
    .if quads > 2
    orr     v28.16b, v28.16b, v\s2\().16b
    orr     v28.16b, v28.16b, v\s3\().16b
    .endif
.endm
.macro keep_bias_bits s0, s1, s2, s3
    orr     v28.16b, v28.16b, v\s0\().16b
    orr     v28.16b, v28.16b, v\s1\().16b
    .if quads > 2
    orr     v28.16b, v28.16b, v\s2\().16b
    orr     v28.16b, v28.16b, v\s3\().16b
    .endif
.endm

.macro other_rows i, rest:vararg
    .if \i > 0
    sum_row \i, \rest
    .endif
.endm

// f32 results of a `whole` tile that need no clamp: the row of sums \i and meanwhile the store of the previous one.
.macro bias_and_store i, before
    .if \i < rows
    sum_row \i, row_by_column, , fadd, RHS_B
    .endif
    .if \before < rows
    sum_row \before, store_whole_f32
    .endif
.endm

// x9 - x13 = the fields. Factors are in RHS_A and RHS_C alternately.
.macro channel_finish
    load_quads RHS_B, x7
    ldr     q29, [x13, #16]
    ldp     x15, x14, [x0, #FEW_ARGS_out]
    load_rows_4567 27, 16
    shared_quads fmul, 4s, RHS_A, RHS_B, v29.s[0]
    each sum_row, row_scvtf
    .if rows * quads >= 12
    keep_scale_bits RHS_B
    .endif
    scale_row 1, ROW_0, RHS_A, 2, RHS_C, v29.s[1]
    scale_row 2, ROW_1, RHS_C, 3, RHS_A, v29.s[2]
    scale_row 3, ROW_2, RHS_A, 4, RHS_C, v29.s[3]
    .if rows <= 4
    load_quads RHS_B, x8
    .endif
    scale_row 4, ROW_3, RHS_C, 5, RHS_A, v27.s[0]
    scale_row 5, ROW_4, RHS_A, 6, RHS_C, v27.s[1]
    scale_row 6, ROW_5, RHS_C, 7, RHS_A, v27.s[2]
    scale_row 7, ROW_6, RHS_A, 8, RHS_C, v27.s[3]
    .if rows > 4
    load_quads RHS_B, x8
    .endif
    scale_row 8, ROW_7, RHS_C, 9, RHS_A, v27.s[0]
    .if rows * quads >= 12
    keep_bias_bits RHS_B
    sum_row 0, row_by_column, , fadd, RHS_B
    shrn    v28.4h, v28.4s, #16
    ldr     x10, [x0, #FEW_ARGS_row_stride]
    fmov    x9, d28
    .if quads == 2
    cmp     x4, #1
    cset    x11, eq
    .endif
    orr     x14, x14, x9
    and     x14, x14, #0x4000400040004000
    mov     x9, x3
    .if quads == 2
    orr     x14, x14, x11               // an odd quad
    .endif
    orr     x13, x14, x15
    cbnz    x13, 7f
    bias_and_store 1, 0
    bias_and_store 2, 1
    bias_and_store 3, 2
    bias_and_store 4, 3
    bias_and_store 5, 4
    bias_and_store 6, 5
    bias_and_store 7, 6
    bias_and_store 8, 7
    add     x3, x3, #16 * quads
    b       10f
7:
    .endif
    ldp     q28, q29, [x0, #FEW_ARGS_lo]
    .if rows * quads >= 12
    each other_rows, row_by_column, , , fadd, RHS_B
    clamp_and_store sum_row, f32_or_f16, 28, 29, skip
    .else
    each sum_row, row_by_column, , , fadd, RHS_B
    clamp_and_store sum_row, f32_or_f16, 28, 29
    .endif
10:
.endm

// Functions that those for all kinds of RHS call.
.macro finish_function name, count, quads_
func \name\()_neon_dotprod, hidden
    .set    rows, \count
    .set    quads, \quads_
    channel_finish
    return
endfunc
.endm
    finish_function kai_part_finish_1x8, 1, 2
    finish_function kai_part_finish_2x8, 2, 2
    finish_function kai_part_finish_3x8, 3, 2
    finish_function kai_part_finish_4x8, 4, 2
    finish_function kai_part_finish_5x8, 5, 2
    finish_function kai_part_finish_6x8, 6, 2
    finish_function kai_part_finish_7x8, 7, 2
    finish_function kai_part_finish_8x8, 8, 2
    finish_function kai_part_finish_1x16, 1, 4
    finish_function kai_part_finish_2x16, 2, 4
    finish_function kai_part_finish_3x16, 3, 4
    finish_function kai_part_finish_4x16, 4, 4

// \count: rows, as text.
.macro channel_tile rhs, count
    few_begin
    .ifc \rhs, int4
    add     x17, x7, x8
    .endif
    load_quads RHS_C, x20
    add     x14, x13, x5, lsl #7
    ldr     q29, [x14]
    .if rows > 4
    add     x14, x12, x5, lsl #7
    ldr     q27, [x14]
    .endif
    \rhs\()_load
    mov     x15, x5
    each sum_row, row_is_product, 29, 27, mul, RHS_C
    cbz     x15, 6f
    \rhs\()_decode
5:
    \rhs\()_step
    b.ne    5b
6:
    .if quads == 4
    bl      KAI_SYM(kai_part_finish_\count\()x16_neon_dotprod)
    .else
    bl      KAI_SYM(kai_part_finish_\count\()x8_neon_dotprod)
    .endif
.endm

.macro channel_function rhs, count
func kai_few_\rhs\()_\count\()_neon_dotprod, hidden
    .set    rows, \count
    few_enter x19-x20, x29
    .ifc \rhs, int2
    ldr     x6, [x0, #FEW_ARGS_lut]
    .endif
    \rhs\()_constants
    few_tiles channel_tile \rhs, \count
    return
endfunc
.endm
.macro channel_functions rhs
    channel_function \rhs, 1
    channel_function \rhs, 2
    channel_function \rhs, 3
    channel_function \rhs, 4
    channel_function \rhs, 5
    channel_function \rhs, 6
    channel_function \rhs, 7
    channel_function \rhs, 8
.endm

.set    four_quads, 4
.set    two_quads, 8

// int4: 4 k of low and 4 k of high nibbles of p, then those of n, 16 times their value. v28, v29: LHS of both, v26, v27
// of rows 4 - 7. What `p` had before comes in on the way, except for the first quad: of n from \n_at, of p from \p_at.
// h0 - h5: other instructions.
.macro int4_load
    load_quads RHS_A, 0
    load_lhs 28, 0
    load_rows_4567 26, 0
    load_quad 0, RHS_B, x7
.endm
.macro int4_decode
    int4_low RHS_A
.endm
.macro int4_low_01 r0, r1, rest:vararg
    shl     v24.16b, v\r0\().16b, #4
    .if quads > 1
    shl     v25.16b, v\r1\().16b, #4
    .endif
.endm
.macro int4_low_23 r0, r1, r2, r3
    .if quads > 2
    shl     v26.16b, v\r2\().16b, #4
    shl     v27.16b, v\r3\().16b, #4
    .endif
.endm
.macro int4_high_01 r0, r1, rest:vararg
    and     v\r0\().16b, v\r0\().16b, v31.16b
    .if quads > 1
    and     v\r1\().16b, v\r1\().16b, v31.16b
    .endif
.endm
.macro int4_high_23 r0, r1, r2, r3
    .if quads > 2
    and     v\r2\().16b, v\r2\().16b, v31.16b
    and     v\r3\().16b, v\r3\().16b, v31.16b
    .endif
.endm
.macro int4_8k p0, p1, p2, p3, n0, n1, n2, n3, low, next, n_at, h0, h1, h2, h3, h4, h5
    int4_high_01 \p0, \p1, \p2, \p3
    load_quad 1, \n0, \n1, \n2, \n3, \n_at
    int4_high_23 \p0, \p1, \p2, \p3
    load_quad 2, \n0, \n1, \n2, \n3, \n_at
    sdot_rows RHS_C, 28, 26, "load_quad 3, \n0, \n1, \n2, \n3, \n_at", "load_lhs 29, \low + 64", \
        "load_rows_4567 27, \low + 64", "", "\h0", "", "\h1"
    int4_low_01 \n0, \n1, \n2, \n3
    \h2
    int4_low_23 \n0, \n1, \n2, \n3
    load_lhs 28, \next
    sdot_rows \p0, \p1, \p2, \p3, 29, 27, "load_rows_4567 26, \next", "\h3", "\h4", "", "\h5"
.endm
.macro int4_step
    int4_8k RHS_A, RHS_B, 0, 16, x7
    load_quad 0, RHS_A, x8
    int4_8k RHS_B, RHS_A, 16, 32, x8
    load_quad 0, RHS_B, x17
    int4_8k RHS_A, RHS_B, 32, 48, x17, "advance_quad 0, x6", "advance_quad 1, x6", "subs x15, x15, #1", \
        "advance_quad 2, x6", "advance_quad 3, x6"
    load_quad 0, RHS_A, 0
    int4_8k RHS_B, RHS_A, 48, 128, 0, , , , "add x13, x13, #128", "advance_lhs2"
    load_quad 0, RHS_B, x7
.endm
.macro advance_lhs2
    .if rows > 4
    add     x12, x12, #128
    .endif
.endm

// int8: products of vector j of a step are between the loads of vector j + 2, or j + 1 where registers are few.
.macro int8_load
    load_quads RHS_A, 0
    load_lhs 28, 0
    load_rows_4567 26, 0
    load_quads RHS_B, 16
.endm
.macro int8_decode
    load_lhs 29, 16
    load_rows_4567 27, 16
.endm
.macro int8_4k r0, r1, r2, r3, lhs, lhs2, n0, n1, n2, n3, next_lhs, next_lhs2, at
    sdot_rows \r0, \r1, \r2, \r3, \lhs, \lhs2, "load_lhs \next_lhs, \at", \
        "load_quad 0, \n0, \n1, \n2, \n3, \at", "load_quad 1, \n0, \n1, \n2, \n3, \at", \
        "load_quad 2, \n0, \n1, \n2, \n3, \at", "load_quad 3, \n0, \n1, \n2, \n3, \at", \
        "load_rows_4567 \next_lhs2, \at"
.endm
.macro int8_16k at, d0, d1, d2, d3
    int8_4k RHS_A, 28, 26, RHS_C, 30, 22, \at + 32
    int8_4k RHS_B, 29, 27, \d0, \d1, \d2, \d3, 31, 23, \at + 48
    int8_4k RHS_C, 30, 22, RHS_A, 28, 26, \at + 64
    int8_4k \d0, \d1, \d2, \d3, 31, 23, RHS_B, 29, 27, \at + 80
.endm
.macro int8_8k at
    int8_4k RHS_A, 28, 26, RHS_B, 29, 27, \at + 16
    int8_4k RHS_B, 29, 27, RHS_A, 28, 26, \at + 32
.endm
.macro int8_step
    .if quads == 2
    int8_16k 0, 18, 19, 18, 19
    subs    x15, x15, #1
    int8_16k 64, 18, 19, 18, 19
    .elseif rows <= 2
    int8_16k 0, ROW_2
    subs    x15, x15, #1
    int8_16k 64, ROW_2
    .else
    int8_8k 0
    int8_8k 32
    subs    x15, x15, #1
    int8_8k 64
    int8_8k 96
    .endif
    advance_quads 128
    add     x13, x13, #128
    advance_lhs2
.endm

// int2: a byte has indices of 4 k that are 4 apart; a nibble of two indices looks up both (int2_constants).
.macro int2_load
    load_quads RHS_A, 0
    load_lhs 28, 0
    load_rows_4567 26, 0
.endm
.macro int2_decode
    load_lhs 29, 16
    load_rows_4567 27, 16
    .if quads == 4
    movi    v15.16b, #0x0f
    .else
    movi    v19.16b, #0x0f
    .endif
.endm
.macro int2_4k r0, r1, r2, r3, lhs, lhs2, next
    sdot_rows \r0, \r1, \r2, \r3, \lhs, \lhs2
    load_lhs \lhs, \next
    load_rows_4567 \lhs2, \next
.endm
.macro int2_16k at, next
    .if quads == 4
    shared_quads and, 16b, RHS_C, RHS_A, v15.16b
    .else
    shared_quads and, 16b, RHS_C, RHS_A, v19.16b
    .endif
    shared_quads ushr, 16b, RHS_A, RHS_A, #4
    tbl_quads RHS_B, 30, RHS_C
    tbl_quads RHS_C, 31, RHS_C
    int2_4k RHS_B, 28, 26, \at + 32
    tbl_quads RHS_B, 30, RHS_A
    int2_4k RHS_C, 29, 27, \at + 48
    tbl_quads RHS_C, 31, RHS_A
    load_quads RHS_A, \next
    int2_4k RHS_B, 28, 26, \at + 64
    int2_4k RHS_C, 29, 27, \at + 80
.endm
.macro int2_step
    int2_16k 0, 16
    subs    x15, x15, #1
    int2_16k 64, 32
    advance_quads 32
    add     x13, x13, #128
    advance_lhs2
.endm

    channel_functions int8
    channel_functions int4
.set    four_quads, 2
    channel_functions int2

// ---- Blocks. v30 = C

.set    two_quads, 5
.set    fifth_row, 5

.macro row_zero s0, s1, s2, s3, lane, rest:vararg
    zero_quads \s0, \s1, \s2, \s3
.endm
// S -= C, sums += S * RHS_B, S = C, with other instructions between rows.
.macro block_rows kind, o0, o1, o2, o3
    .if quads == 1
    \kind   ROW_0, BLOCKS_0
    \kind   ROW_1, BLOCKS_1
    \o0
    \kind   ROW_2, BLOCKS_2
    \kind   ROW_3, BLOCKS_3
    \o1
    \kind   ROW_4, BLOCKS_4
    .if rows > 5
    \kind   ROW_5, BLOCKS_5
    .endif
    \o2
    .if rows > 6
    \kind   ROW_6, BLOCKS_6
    .endif
    .if rows > 7
    \kind   ROW_7, BLOCKS_7
    .endif
    \o3
    .elseif rows <= 2
    \kind   ROW_0, ROW_2
    \o0
    .if rows == 2
    \kind   ROW_1, ROW_3
    .endif
    \o1
    \o2
    \o3
    .else
    \kind   ROW_0, ROW_4
    \o0
    \kind   ROW_1, ROW_5
    \o1
    \kind   ROW_2, ROW_6
    \o2
    .if rows > 3
    \kind   ROW_3, ROW_7
    .endif
    .if rows > 4
    \kind   FIFTH, FIFTH_F
    .endif
    \o3
    .endif
.endm
.macro row_less_c s0, s1, s2, s3, f0, f1, f2, f3
    shared_quads fsub, 4s, \s0, \s1, \s2, \s3, \s0, \s1, \s2, \s3, v30.4s
.endm
.macro row_add_scaled s0, s1, s2, s3, f0, f1, f2, f3
    op_quads fmla, 4s, \f0, \f1, \f2, \f3, \s0, \s1, \s2, \s3, RHS_B
.endm
.macro row_start s0, s1, s2, s3, rest:vararg
    dup     v\s0\().4s, w14
    .if quads > 1
    dup     v\s1\().4s, w14
    .endif
    .if quads == 4
    dup     v\s2\().4s, w14
    dup     v\s3\().4s, w14
    .endif
.endm

// Scales are bf16, x14 bytes from here. x26: the quads of a panel of 8 columns are twice as far apart as their scales.
.macro load_scales_02 s0, s2
    ldr     d\s0, [x9, x14]
    .if quads == 4
    ldr     d\s2, [x11, x14]
    .endif
    sub     x14, x14, x26
.endm
.macro load_scales_13 s1, s3
    ldr     d\s1, [x10, x14]
    .if quads == 4
    ldr     d\s3, [x12, x14]
    .endif
.endm
// Two rows of four quads and five of two put them where the RHS is, others have registers for them and come early.
.macro load_scales_early_0
    .if quads == 2 && rows < 5
    load_scales_02 22
    .elseif quads == 1
    sub     x14, x14, x11
    .elseif rows == 1
    load_scales_02 12, 14
    .endif
.endm
.macro load_scales_early_1
    .if quads == 2 && rows < 5
    load_scales_13 23
    .elseif quads == 1
    ldr     d22, [x9, x14]
    .elseif rows == 1
    load_scales_13 13, 15
    .endif
.endm
.macro widen_scales zero, s0, s1, s2, s3
    zip1    v20.8h, v\zero\().8h, v\s0\().8h
    .if quads > 1
    zip1    v21.8h, v\zero\().8h, v\s1\().8h
    .endif
    .if quads > 2
    zip1    v22.8h, v\zero\().8h, v\s2\().8h
    zip1    v23.8h, v\zero\().8h, v\s3\().8h
    .endif
.endm
.macro less_c_and_scales
    .if quads == 4 && rows == 2 || quads == 2 && rows == 5
    load_scales_02 20, 22
    block_rows row_less_c, "load_scales_13 21, 23", "subs x16, x16, x23", "mov x5, x22", "csel x16, x24, x16, lo"
    movi    v29.2d, #0
    mov     w14, #0x49400000
    widen_scales 29, 20, 21, 22, 23
    .else
    .if quads == 4
    widen_scales 4, 12, 13, 14, 15
    .else
    widen_scales 19, 22, 23
    .endif
    block_rows row_less_c, "subs x16, x16, x23", "mov x5, x22", "csel x16, x24, x16, lo", "mov w14, #0x49400000"
    .endif
.endm

// A long block is several short parts that share its scales: x16 counts down to them.
.macro block_tile
    few_begin
    mov     x15, x25
    mov     x16, x24
    mov     x5, x22
    mov     w14, #0x49400000
    cbz     x15, 8f
    int4_load
    .if quads <= 2 && rows != 5
    movi    v19.2d, #0
    .elseif rows == 1
    movi    v4.2d, #0
    .endif
    each sum_row, row_start
    int4_decode
    each block_row, row_zero
4:  // 32 k. After a block the RHS goes on after its scales
    int4_8k RHS_A, RHS_B, 0, 16, x7, "subs x5, x5, #1"
    load_quad 0, RHS_A, x8
    int4_8k RHS_B, RHS_A, 16, 32, x8, "ccmp x16, #0, #0, eq", "csel x14, x20, x6, eq", , "cinc x15, x15, eq"
    load_quad 0, RHS_B, x17
    int4_8k RHS_A, RHS_B, 32, 48, x17, "advance_quad 0, x14", "advance_quad 1, x14", , "advance_quad 2, x14", \
        "advance_quad 3, x14", "csel x14, x21, x16, eq"
    load_quad 0, RHS_A, 0
    int4_8k RHS_B, RHS_A, 48, 128, 0, "load_scales_early_0", , , "add x13, x13, #128", "load_scales_early_1", \
        "advance_lhs2"
    cbz     x5, 6f
    load_quad 0, RHS_B, x7
    b       4b
6:
    less_c_and_scales
    block_rows row_add_scaled
    block_rows row_start, "load_quad 0, 20, 21, 22, 23, x7"
    cbnz    x15, 4b
    b       9f
8:
    each block_row, row_zero
9:
    load_quads RHS_A, 0
    ldr     q29, [x13]
    load_quads RHS_B, x7
    ldr     q28, [x13, #16]
    load_rows_4567 27, 0
    load_rows_4567 26, 16
    scvtf   v29.4s, v29.4s
    .if rows > 4
    scvtf   v27.4s, v27.4s
    .endif
    each block_row, row_is_product, 29, 27, fmla, RHS_A
    each block_row, row_by_lane, 28, 26, fmul
    ldp     q24, q25, [x0, #FEW_ARGS_lo]
    each block_row, row_by_column, , , fadd, RHS_B
    clamp_and_store block_row, f32, 24, 25
.endm

.macro block_function count
func kai_few_blocks_int4_\count\()_neon_dotprod, hidden
    .set    rows, \count
    few_enter x19-x26
    mov     w14, #0x49400000
    dup     v30.4s, w14
    ldr     x24, [x0, #FEW_ARGS_scale_distance]
    add     x20, x6, x6, lsr #3
    mul     x23, x5, x6
    sub     x21, x6, x20
    mov     x22, x5
    ubfx    x26, x6, #7, #1
    neg     x25, x15
    lsl     x26, x26, #3
    int4_constants
    .if rows > two_quads
    sub     x19, x19, x2                        // from the second quad of a pair to the next pair
    .endif
    few_tiles block_tile
    return
endfunc
.endm

    block_function 1
    block_function 2
    block_function 3
    block_function 4
    block_function 5
    block_function 6
    block_function 7
    block_function 8
