// Few rows of the qai8dxp GEMM with SDOT: tiles of 1 to 8 rows, which kai_few_neon calls.
//
// kai_part_few_*: a scale per column; fields rsum, rs, bias after a panel of the RHS; off, ls after one of the LHS
//     sum    = off * rsum + sum over k of lhs * rhs                                 int32
//     dst[n] = clamp(f32(sum) * (rs * ls) + bias)
//
// kai_part_few_blocks_*: a scale per column and block; fields rsum, bias after a panel
//     sum    = fma(S / 16, scale, sum) for each block, S = sum over the block of lhs * rhs; then fma(rsum, off, sum)
//     dst[n] = clamp(sum * ls + bias)
// S starts at the bits of C and ends as the float C + S / 16 (ShortSum).
//
// A vector of the LHS holds 4 k of the 4 rows of a panel, one of the RHS 4 k of 4 columns, one of sums a row of a quad.
// A tile is `rows` rows of `quads` quads: of four, where registers allow, then of two; 6 rows and more of blocks: of
// one.
//
// Loads, decoding and scalar instructions are between products, not more than one after two of these: what cores
// that issue two or three instructions in order need. After the last k, loads read up to 32 bytes of the fields of
// both panels (64 of the RHS if nr = 8).
//
// Registers: qai8dxp_neon_few.inc, and
//   x9 - x12  RHS of a quad each                      x14       scratch; bits of C
//   x12, x13  LHS of rows 4 - 7, where quads are      x15       steps or blocks to go
//             two, and 0 - 3                          x16       blocks: from here to scales
//   x6        bytes of a step of int4                 v0 - v15  sums: sum_row; blocks: int32 and f32
//   x8, x17   8 * nr, 12 * nr: where vectors of       v16 - v27 RHS_A, RHS_B, RHS_C
//             int4 are, like x27                      v28, v29  LHS, v26, v27 of rows 4 - 7; v30, v31 constants
//   blocks: x5 steps of a part to go; x1 bytes of a part; x2 from a block's first part to its scales; x3 how much
//   nearer the scales of a second quad are; x4 bytes of a step and scales; x28 from there back to these
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_quads_numbers.inc"
#include "kai/engines/qai8dxp/qai8dxp_neon_few.inc"

// \op with the registers of a row, one per quad: v\first and the next one, and those 8 further on.
.macro row_from first, op, rest:vararg
    .altmacro
    row_from_ \op, %(\first), %(\first + 1), %(\first + 8), %(\first + 9), \rest
.endm
.macro row_from_ op, s0, s1, s2, s3, rest:vararg
    .noaltmacro
    \op     \s0, \s1, \s2, \s3, \rest
.endm

// \op with the sums of row \i, and with its f32 sums where the RHS has blocks. Rows 4 - 7, or the f32 sums of two rows
// of four quads and of four of two, use registers of the others that are free; 6 to 8 rows of a quad have every second
// one for f32 sums.
.set    fifth_row, 0    // rows of a tile whose fifth row is v18, v19: blocks, which leave none of v0 - v15 free
.macro sum_row i, op, rest:vararg
    .if \i == 4 && rows == fifth_row
    row_from 18, \op, \rest
    .else
    row_from 2 * \i, \op, \rest
    .endif
.endm
.macro block_row i, op, rest:vararg
    .if rows > 5
    row_from 2 * \i + 1, \op, \rest
    .elseif \i == 4
    row_from 22, \op, \rest
    .elseif rows <= 2
    row_from 2 * \i + 4, \op, \rest
    .else
    row_from 2 * \i + 8, \op, \rest
    .endif
.endm

// \row \i, \op for each row of the tile: with the element of v\lhs or v\lhs2 that is its own, and what follows.
.macro each row, op, lhs, lhs2, rest:vararg
    .irp    i, 0, 1, 2, 3
    .if rows > \i
    \row    \i, \op, v\lhs\().s[\i], \rest
    .endif
    .endr
    .irp    i, 0, 1, 2, 3
    .if rows > 4 + \i
    \row    (4 + \i), \op, v\lhs2\().s[\i], \rest
    .endif
    .endr
.endm

// x9 - x12 = the quads; x13 = LHS, x14 bytes to its second panel.
.macro few_begin
    ldp     x13, x14, [args, #FEW_ARGS_lhs]
    mov     x9, x19
    if_more quads, 1, add x10, x19, x23
    .if quads == 4
    add     x11, x19, x24
    add     x12, x10, x24
    .endif
.endm
// The first field of the columns.
.macro load_fields r0, r1, r2, r3
    ldr     q\r0, [x20]
    if_more quads, 1, ldr q\r1, [x20, x25]
    .if quads == 4
    add     x14, x20, x24
    ldr     q\r2, [x14]
    ldr     q\r3, [x14, x25]
    .endif
.endm

// ---- What stands for one instruction per quad and row

// A register of a quad.
.macro load_quad i, r0, r1, r2, r3, offset
    .if \i < quads
    when \i, 0, ldr q\r0, [x9, \offset]
    when \i, 1, ldr q\r1, [x10, \offset]
    when \i, 2, ldr q\r2, [x11, \offset]
    when \i, 3, ldr q\r3, [x12, \offset]
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
    when \i, 0, add x9, x9, \bytes
    when \i, 1, add x10, x10, \bytes
    when \i, 2, add x11, x11, \bytes
    when \i, 3, add x12, x12, \bytes
    .endif
.endm

// sums += columns * lhs of rows 0 - 3, * lhs2 of the others. o0 - o7: what is between, two after each of rows
// 0 - 3 or, of one quad, after each second row.
.macro sdot_quads_between s0, s1, s2, s3, r0, r1, r2, r3, lane, oa, ob
    sdot    v\s0\().4s, v\r0\().16b, v\lane
    if_more quads, 1, sdot v\s1\().4s, v\r1\().16b, v\lane
    \oa
    if_more quads, 2, sdot v\s2\().4s, v\r2\().16b, v\lane
    if_more quads, 2, sdot v\s3\().4s, v\r3\().16b, v\lane
    \ob
.endm
// Row \i, if the tile has it.
.macro sdot_row i, lane, r0, r1, r2, r3, oa, ob
    .if rows > \i
    sum_row \i, sdot_quads_between, \r0, \r1, \r2, \r3, \lane, "\oa", "\ob"
    .else
    \oa
    \ob
    .endif
.endm
.macro sdot_rows r0, r1, r2, r3, lhs, lhs2, o0, o1, o2, o3, o4, o5, o6, o7
    .if quads == 1
    sdot_row 0, \lhs\().4b[0], \r0, \r1, \r2, \r3
    sdot_row 1, \lhs\().4b[1], \r0, \r1, \r2, \r3, "\o0", "\o1"
    sdot_row 2, \lhs\().4b[2], \r0, \r1, \r2, \r3
    sdot_row 3, \lhs\().4b[3], \r0, \r1, \r2, \r3, "\o2", "\o3"
    sdot_row 4, \lhs2\().4b[0], \r0, \r1, \r2, \r3
    sdot_row 5, \lhs2\().4b[1], \r0, \r1, \r2, \r3, "\o4", "\o5"
    sdot_row 6, \lhs2\().4b[2], \r0, \r1, \r2, \r3
    sdot_row 7, \lhs2\().4b[3], \r0, \r1, \r2, \r3, "\o6", "\o7"
    .else
    sdot_row 0, \lhs\().4b[0], \r0, \r1, \r2, \r3, "\o0", "\o1"
    sdot_row 1, \lhs\().4b[1], \r0, \r1, \r2, \r3, "\o2", "\o3"
    sdot_row 2, \lhs\().4b[2], \r0, \r1, \r2, \r3, "\o4", "\o5"
    sdot_row 3, \lhs\().4b[3], \r0, \r1, \r2, \r3, "\o6", "\o7"
    sdot_row 4, \lhs2\().4b[0], \r0, \r1, \r2, \r3
    sdot_row 5, \lhs2\().4b[1], \r0, \r1, \r2, \r3
    sdot_row 6, \lhs2\().4b[2], \r0, \r1, \r2, \r3
    sdot_row 7, \lhs2\().4b[3], \r0, \r1, \r2, \r3
    .endif
.endm

.macro row_is_product s0, s1, s2, s3, lane, op, columns:vararg
    shared_quads \op, 4s, \s0, \s1, \s2, \s3, \columns, \lane
.endm


// ---- Per channel

.macro to_float d, s, rest:vararg
    scvtf   v\d\().4s, v\s\().4s
    .ifnb \rest
    to_float \rest
    .endif
.endm

// Results of more than eight vectors: \first rows x 8 columns are v0 - v7, those of the next columns (\quad = 2) or of
// \second rows of the other panel (\panel = 1) v8 - v15.
.macro finish_function name, first, second, quad, panel
func kai_part_finish_\name\()_neon_dotprod, hidden
    frame   x29
    .if \panel
    mov     x10, x12
    .else
    mov     x10, x13
    .endif
    bl      KAI_SYM(kai_part_results_\first\()x8_neon)
    place_fields \quad
    ldr     q28, [x10, #16]
    place   \quad, \panel
    ldr     q24, [x13]
    ldr     q25, [x14]
    mov     x15, #1
    to_float 16, 8, 17, 9
    if_more \second, 1, to_float 18, 10, 19, 11
    if_more \second, 2, to_float 20, 12, 21, 13
    if_more \second, 3, to_float 22, 14, 23, 15
    bl      KAI_SYM(kai_part_results_\second\()x8_neon)
    return
endfunc
.endm
    finish_function 5x8, 4, 1, 0, 1
    finish_function 6x8, 4, 2, 0, 1
    finish_function 7x8, 4, 3, 0, 1
    finish_function 8x8, 4, 4, 0, 1
    finish_function 3x16, 3, 3, 2, 0
    finish_function 4x16, 4, 4, 2, 0

.macro channel_tile rhs, rows_, columns
func kai_part_few_\rhs\()_\rows_\()x\columns\()_neon_dotprod, hidden
    .set    rows, \rows_
    .set    quads, \columns / 4
    .ifc    \rhs, int2
    ldr     x6, [args, #FEW_ARGS_lut]
    .endif
    \rhs\()_constants
    few_begin
    .if rows > 4
    add     x12, x13, x14
    ldur    q29, [x12, #-32]
    add     x14, x12, x14
    ldur    q27, [x14, #-32]
    .else
    add     x14, x13, x14
    ldur    q29, [x14, #-32]
    .endif
    load_fields RHS_C
    \rhs\()_load
    ldr     x15, [args, #FEW_ARGS_depth]
    each sum_row, row_is_product, 29, 27, mul, RHS_C
    cbz     x15, 6f
    \rhs\()_decode
5:  // 32 k
    \rhs\()_step
    b.ne    5b
6:  // x15 = 0
    .if rows * quads > 8
    b       KAI_SYM(kai_part_finish_\rows_\()x\columns\()_neon_dotprod)
    .else
    b       KAI_SYM(kai_part_results_\rows_\()x\columns\()_neon)
    .endif
endfunc
.endm
.macro channel_tiles_16 rhs, rows_, rest:vararg
    channel_tile \rhs, \rows_, 16
    .ifnb \rest
    channel_tiles_16 \rhs, \rest
    .endif
.endm
.macro channel_tiles rhs
    .irp    n, 1, 2, 3, 4, 5, 6, 7, 8
    channel_tile \rhs, \n, 8
    .endr
.endm

// int4: 4 k of low and 4 k of high nibbles of p, then those of n, 16 times their value. v28, v29: LHS of both, v26, v27
// of rows 4 - 7. What `p` had before comes in on the way, except for the first quad: of n from \n_at, of p from \p_at.
// h0 - h5: other instructions.
.macro int4_load
    lsl     x6, x27, #2
    lsl     x8, x27, #1
    load_quads RHS_A, 0
    load_lhs 28, 0
    load_rows_4567 26, 0
    load_quad 0, RHS_B, x27
    add     x17, x8, x27
.endm
.macro int4_decode
    int4_low RHS_A
.endm
.macro int4_low_01 r0, r1, rest:vararg
    shl     v24.16b, v\r0\().16b, #4
    if_more quads, 1, shl v25.16b, v\r1\().16b, #4
.endm
.macro int4_low_23 r0, r1, r2, r3
    if_more quads, 2, shl v26.16b, v\r2\().16b, #4
    if_more quads, 2, shl v27.16b, v\r3\().16b, #4
.endm
.macro int4_high_01 r0, r1, rest:vararg
    and     v\r0\().16b, v\r0\().16b, v31.16b
    if_more quads, 1, and v\r1\().16b, v\r1\().16b, v31.16b
.endm
.macro int4_high_23 r0, r1, r2, r3
    if_more quads, 2, and v\r2\().16b, v\r2\().16b, v31.16b
    if_more quads, 2, and v\r3\().16b, v\r3\().16b, v31.16b
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
    int4_8k RHS_A, RHS_B, 0, 16, x27
    load_quad 0, RHS_A, x8
    int4_8k RHS_B, RHS_A, 16, 32, x8
    load_quad 0, RHS_B, x17
    int4_8k RHS_A, RHS_B, 32, 48, x17, "advance_quad 0, x6", "advance_quad 1, x6", "subs x15, x15, #1", \
        "advance_quad 2, x6", "advance_quad 3, x6"
    load_quad 0, RHS_A, 0
    int4_8k RHS_B, RHS_A, 48, 128, 0, , , , "add x13, x13, #128", "advance_lhs2"
    load_quad 0, RHS_B, x27
.endm
.macro advance_lhs2
    if_more rows, 4, add x12, x12, #128
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
    int8_16k 0, 4, 5, 12, 13
    subs    x15, x15, #1
    int8_16k 64, 4, 5, 12, 13
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

    channel_tiles int8
    channel_tiles_16 int8, 1, 2, 3, 4
    channel_tiles int4
    channel_tiles_16 int4, 1, 2, 3, 4
    channel_tiles int2
    channel_tiles_16 int2, 1, 2

// ---- Blocks. v30 = C

.set    fifth_row, 5

.macro row_zero s0, s1, s2, s3, lane, rest:vararg
    zero_quads \s0, \s1, \s2, \s3
.endm
// S -= C, sums += S * RHS_B, S = C, with other instructions between rows.
.macro block_rows kind, o0, o1, o2, o3
    both_sums 0, \kind
    .if quads == 1
    both_sums 1, \kind
    \o0
    both_sums 2, \kind
    both_sums 3, \kind
    \o1
    both_sums 4, \kind
    both_sums 5, \kind
    \o2
    both_sums 6, \kind
    both_sums 7, \kind
    .else
    \o0
    both_sums 1, \kind
    \o1
    both_sums 2, \kind
    \o2
    both_sums 3, \kind
    both_sums 4, \kind
    .endif
    \o3
.endm
// \kind with the sums and the f32 sums of row \i, if the tile has it.
.macro both_sums i, kind
    .if rows > \i
    block_row \i, with_sum_row, \i, \kind
    .endif
.endm
.macro with_sum_row f0, f1, f2, f3, i, kind
    sum_row \i, \kind, \f0, \f1, \f2, \f3
.endm
.macro row_less_c s0, s1, s2, s3, rest:vararg
    shared_quads fsub, 4s, \s0, \s1, \s2, \s3, \s0, \s1, \s2, \s3, v30.4s
.endm
.macro row_add_scaled s0, s1, s2, s3, f0, f1, f2, f3
    op_quads fmla, 4s, \f0, \f1, \f2, \f3, \s0, \s1, \s2, \s3, RHS_B
.endm
.macro row_start s0, s1, s2, s3, rest:vararg
    dup_quads 4s, w14, \s0, \s1, \s2, \s3
.endm

// Scales are bf16, x14 bytes from here. x26: the quads of a panel of 8 columns are twice as far apart as their scales.
.macro load_scales_02 s0, s2
    ldr     d\s0, [x9, x14]
    when quads, 4, ldr d\s2, [x11, x14]
    sub     x14, x14, x3
.endm
.macro load_scales_13 s1, s3
    ldr     d\s1, [x10, x14]
    when quads, 4, ldr d\s3, [x12, x14]
.endm
// Two rows of four quads and five of two put them where the RHS is, others have registers for them and come early.
.macro load_scales_early_0
    .if quads == 2 && rows < 5
    load_scales_02 22
    .elseif quads == 1
    sub     x14, x14, x3
    .elseif rows == 1
    load_scales_02 2, 10
    .endif
.endm
.macro load_scales_early_1
    .if quads == 2 && rows < 5
    load_scales_13 23
    .elseif quads == 1
    ldr     d22, [x9, x14]
    .elseif rows == 1
    load_scales_13 3, 11
    .endif
.endm
.macro widen_scales zero, s0, s1, s2, s3
    zip1    v20.8h, v\zero\().8h, v\s0\().8h
    if_more quads, 1, zip1 v21.8h, v\zero\().8h, v\s1\().8h
    if_more quads, 2, zip1 v22.8h, v\zero\().8h, v\s2\().8h
    if_more quads, 2, zip1 v23.8h, v\zero\().8h, v\s3\().8h
.endm
.macro less_c_and_scales
    .if quads == 4 && rows == 2 || quads == 2 && rows == 5
    load_scales_02 20, 22
    block_rows row_less_c, "load_scales_13 21, 23", "subs x16, x16, x1", "ldr x5, [args, #FEW_ARGS_steps]", \
        "csel x16, x2, x16, lo"
    movi    v29.2d, #0
    mov     w14, #0x49400000
    widen_scales 29, 20, 21, 22, 23
    .else
    .if quads == 4
    widen_scales 6, 2, 3, 10, 11
    .else
    widen_scales 19, 22, 23
    .endif
    block_rows row_less_c, "subs x16, x16, x1", "ldr x5, [args, #FEW_ARGS_steps]", "csel x16, x2, x16, lo", \
        "mov w14, #0x49400000"
    .endif
.endm

// Results of the rows of \sums: those times their scales.
.macro pair_of_results d0, d1, s0, l0, s1, l1
    fmul    v\d0\().4s, v\s0\().4s, v\l0
    fmul    v\d1\().4s, v\s1\().4s, v\l1
.endm

// A long block is several short parts that share its scales: x16 counts down to them.
.macro block_tile rows_, columns
func kai_part_few_blocks_int4_\rows_\()x\columns\()_neon_dotprod, hidden
    .set    rows, \rows_
    .set    quads, \columns / 4
    when rows, 5, frame x29
    few_begin
    ldp     x5, x15, [args, #FEW_ARGS_steps]
    ldr     x2, [args, #FEW_ARGS_scale_distance]
    if_more rows, 4, add x12, x13, x14
    mov     w14, #0x49400000
    int4_load
    mul     x1, x5, x6
    dup     v30.4s, w14
    add     x4, x6, x6, lsr #3
    neg     x15, x15
    int4_constants
    .if quads == 1
    mov     x3, #8
    cmp     x25, #16
    csel    x3, xzr, x3, eq
    .else
    lsr     x3, x25, #1
    .endif
    tst     x27, #32                    // nr = 8?
    sub     x28, x6, x4
    mov     x16, x2
    csel    x3, x3, xzr, ne
    cbz     x15, 8f
    .if quads <= 2 && rows != 5
    movi    v19.2d, #0
    .elseif rows == 1
    movi    v6.2d, #0
    .endif
    each sum_row, row_start
    int4_decode
    each block_row, row_zero
4:  // 32 k. After a block the RHS goes on after its scales
    int4_8k RHS_A, RHS_B, 0, 16, x27, "subs x5, x5, #1", , , "ccmp x16, #0, #0, eq"
    load_quad 0, RHS_A, x8
    int4_8k RHS_B, RHS_A, 16, 32, x8, "csel x14, x4, x6, eq", , , "cinc x15, x15, eq"
    load_quad 0, RHS_B, x17
    int4_8k RHS_A, RHS_B, 32, 48, x17, "advance_quad 0, x14", "advance_quad 1, x14", , "advance_quad 2, x14", \
        "advance_quad 3, x14", "csel x14, x28, x16, eq"
    load_quad 0, RHS_A, 0
    int4_8k RHS_B, RHS_A, 48, 128, 0, "load_scales_early_0", , , "add x13, x13, #128", "load_scales_early_1", \
        "advance_lhs2"
    cbz     x5, 6f
    load_quad 0, RHS_B, x27
    b       4b
6:
    less_c_and_scales
    block_rows row_add_scaled
    block_rows row_start, "load_quad 0, 20, 21, 22, 23, x27"
    cbnz    x15, 4b
    b       9f
8:
    each block_row, row_zero
9:
    ldr     q29, [x13]
    .if rows > 4
    ldr     q27, [x12]
    .if quads == 1
    ldr     q25, [x12, #16]
    .else
    ldr     q26, [x12, #16]
    .endif
    .endif
    ldr     q28, [x13, #16]
    load_fields RHS_C
    scvtf   v29.4s, v29.4s
    if_more rows, 4, scvtf v27.4s, v27.4s
    place
    place_fields
    .if quads == 4
    ldr     q30, [x13, x24]
    ldr     q31, [x14, x24]
    .elseif quads == 1
    ldr     q26, [x13]
    .endif
    each block_row, row_is_product, 29, 27, fmla, RHS_C
    .if quads == 4
    ldr     q24, [x13]
    ldr     q25, [x14]
    .endif
    .if rows == 6
    pair_of_results 16, 17, 1, 28.s[0], 7, 28.s[3]
    pair_of_results 18, 19, 3, 28.s[1], 9, 25.s[0]
    pair_of_results 20, 21, 5, 28.s[2], 11, 25.s[1]
    .elseif rows > 6
    pair_of_results 16, 17, 1, 28.s[0], 9, 25.s[0]
    pair_of_results 18, 19, 3, 28.s[1], 11, 25.s[1]
    pair_of_results 20, 21, 5, 28.s[2], 13, 25.s[2]
    pair_of_results 22, 23, 7, 28.s[3], 15, 25.s[3]
    .else
    .if rows > 2
    pair_of_results 16, 17, 8, 28.s[0], 9, 28.s[0]
    pair_of_results 18, 19, 10, 28.s[1], 11, 28.s[1]
    pair_of_results 20, 21, 12, 28.s[2], 13, 28.s[2]
    .else
    pair_of_results 16, 17, 4, 28.s[0], 5, 28.s[0]
    .endif
    .if rows <= 2 && quads == 4
    pair_of_results 18, 19, 12, 28.s[0], 13, 28.s[0]
    .endif
    .if rows == 2 && quads == 2
    pair_of_results 18, 19, 6, 28.s[1], 7, 28.s[1]
    .elseif rows == 2
    pair_of_results 20, 21, 6, 28.s[1], 7, 28.s[1]
    pair_of_results 22, 23, 14, 28.s[1], 15, 28.s[1]
    .elseif rows == 4
    pair_of_results 22, 23, 14, 28.s[3], 15, 28.s[3]
    .elseif rows == 5
    pair_of_results 12, 13, 14, 28.s[3], 15, 28.s[3]
    pair_of_results 14, 15, 22, 26.s[0], 23, 26.s[0]
    .endif
    .endif
    mov     x15, #-1
    .if quads == 4
    b       KAI_SYM(kai_part_results_\rows_\()x16_neon)
    .elseif quads == 2
    ldr     q26, [x13]
    ldr     q27, [x14]
    .endif
    .if rows == 5
    bl      KAI_SYM(kai_part_results_3x8_neon)
    mov     v16.16b, v12.16b
    mov     v17.16b, v13.16b
    mov     v18.16b, v14.16b
    mov     v19.16b, v15.16b
    ldr     x11, [args, #FEW_ARGS_row_stride]
    add     x9, x9, x11
    add     x9, x9, x11, lsl #1
    mov     x15, #-1
    bl      KAI_SYM(kai_part_results_2x8_neon)
    return
    .elseif rows == 7
    b       KAI_SYM(kai_part_results_8x4_neon)
    .elseif quads < 4
    b       KAI_SYM(kai_part_results_\rows_\()x\columns\()_neon)
    .endif
endfunc
.endm

    block_tile 1, 16
    block_tile 2, 16
    block_tile 1, 8
    block_tile 2, 8
    block_tile 3, 8
    block_tile 4, 8
    block_tile 5, 8
    block_tile 6, 4
    block_tile 7, 4
    block_tile 8, 4
