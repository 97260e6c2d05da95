// Few rows of the qai8dxp GEMM with SDOT (struct FewArgs of matmul_qai8dxp_neon.hpp): 1, 2, 3, 4 or 8 rows, all columns.
//
// kai_few_*: a scale per column; fields rsum, rs, bias behind a panel of the RHS; off, ls behind one of the LHS
//     sum    = off * rsum + sum over k of lhs * rhs                                 int32
//     dst[n] = clamp(f32(sum) * (rs * ls) + bias)
//
// kai_few_blocks_*: a scale per column and block; fields rsum, bias behind a panel
//     sum    = fma(S / 16, scale, sum) for each block, S = sum over the block of lhs * rhs; then fma(rsum, off, sum)
//     dst[n] = clamp(sum * ls + bias)
// S starts at the bits of C and ends as the float C + S / 16 (ShortSum).
//
// A vector of the LHS holds 4 k of the 4 rows of a panel, one of the RHS 4 k of 4 columns, one of sums a row of a quad. A
// tile is `rows` rows of `quads` quads: of four, where registers allow, then of two. An odd quad at the end takes a tile
// of two whose second one is the same; it is stored first.
//
// Operands are loaded as soon as registers are free, and decoded between products of others: what cores that issue in
// order need. Behind the last k that reads up to 32 bytes of the fields of both panels (64 of the RHS if nr = 8).
//
// Registers
//   x0        struct FewArgs                        x9 - x12  RHS of a quad each
//   x1        next quad                             x12, x13  LHS of rows 4 - 7, where quads are two, and 0 - 3
//   x2        from a quad to the next one           x14       scratch; bits of C
//   x3, x4    dst, quads to go                      x15       steps or blocks to go
//   x5        steps (blocks: to go in a part)       x16       from here to fields, to scales
//   x6        bytes of a step of int4               v0 - v15  sums: ROW_0 - ROW_7; blocks: int32 and f32
//   x7, x8    4 * nr, 8 * nr: where vectors         v16 - v27 RHS_A, RHS_B, RHS_C
//   x17       12 * nr         of int4 are           v28, v29  LHS, v26, v27 of rows 4 - 7; v30, v31 constants
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/asm/asm.h"
#include "kai/asm/matmul_int_neon_quads.inc"

#define FEW_BOUNDS 16
#define FEW_LHS 48
#define FEW_RHS 64
#define FEW_DST 80
#define FEW_ROW_STRIDE 88
#define FEW_QUADS 104
#define FEW_STEPS 112
#define FEW_BLOCKS 120
#define FEW_SCALE_DISTANCE 128
#define FEW_LUT 136
#define FEW_NR 144
#define FEW_OUT 152

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

.macro few_enter
    stp     d8, d9, [sp, #-64]!
    .cfi_adjust_cfa_offset 64
    ldr     x8, [x0, #FEW_NR]
    ldp     x1, x2, [x0, #FEW_RHS]
    stp     d10, d11, [sp, #16]
    ldr     x4, [x0, #FEW_QUADS]
    ldp     x5, x15, [x0, #FEW_STEPS]
    stp     d12, d13, [sp, #32]
    ldr     x3, [x0, #FEW_DST]
    lsl     x7, x8, #2
    add     x17, x7, x8, lsl #3
    stp     d14, d15, [sp, #48]
    sub     x16, x2, x17                        // to the fields of a quad per channel
    lsl     x6, x8, #4
    cmp     x8, #8
    lsl     x8, x8, #3
    mov     x14, #16
    csel    x2, x14, x2, eq
.endm
.macro few_leave
    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d14, d15, [sp, #48]
    ldp     d8, d9, [sp], #64
    .cfi_adjust_cfa_offset -64
    ret
.endm

// x9 - x12 = the next quads; x13, x12 = LHS.
.macro few_begin
    ldr     x14, [x0, #FEW_RHS + 8]
    mov     x9, x1
    cmp     x2, #16
    csel    x13, xzr, x14, eq
    add     x10, x1, x2
    add     x14, x14, x13                       // from pair to pair
    .if quads == 4
    add     x11, x1, x14
    add     x12, x10, x14
    add     x1, x1, x14, lsl #1
    .else
    cmp     x4, #1
    add     x1, x1, x14
    csel    x10, x9, x10, eq
    .endif
    .if rows == 8
    ldp     x13, x12, [x0, #FEW_LHS]
    add     x12, x12, x13
    .else
    ldr     x13, [x0, #FEW_LHS]
    .endif
.endm

// \body does a tile. Up to `four_quads` rows have tiles of four quads.
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
    .set    quads, 2
13:
    \body
    subs    x4, x4, #2
    b.hi    13b
14:
.endm

// ---- What stands for one instruction per quad and row

// sums += columns * lhs. Two rows at a time, so that something else can stand between them.
.macro sdot_rows_01 r0, r1, r2, r3, lhs
    sdot_quads ROW_0, \r0, \r1, \r2, \r3, \lhs\().4b[0]
    .if rows > 1
    sdot_quads ROW_1, \r0, \r1, \r2, \r3, \lhs\().4b[1]
    .endif
.endm
.macro sdot_rows_23 r0, r1, r2, r3, lhs
    .if rows > 2
    sdot_quads ROW_2, \r0, \r1, \r2, \r3, \lhs\().4b[2]
    .endif
    .if rows > 3
    sdot_quads ROW_3, \r0, \r1, \r2, \r3, \lhs\().4b[3]
    .endif
.endm
.macro sdot_rows_4567 r0, r1, r2, r3, lhs
    .if rows == 8
    sdot_quads ROW_4, \r0, \r1, \r2, \r3, \lhs\().4b[0]
    sdot_quads ROW_5, \r0, \r1, \r2, \r3, \lhs\().4b[1]
    sdot_quads ROW_6, \r0, \r1, \r2, \r3, \lhs\().4b[2]
    sdot_quads ROW_7, \r0, \r1, \r2, \r3, \lhs\().4b[3]
    .endif
.endm
.macro load_rows_4567 v, offset
    .if rows == 8
    ldr     q\v, [x12, #\offset]
    .endif
.endm

// \op for each row: its sums, the element of v\lhs or v\lhs2 that is its own, and what follows.
.macro each_sum op, lhs, lhs2, rest:vararg
    \op     ROW_0, v\lhs\().s[0], \rest
    .if rows > 1
    \op     ROW_1, v\lhs\().s[1], \rest
    .endif
    .if rows > 2
    \op     ROW_2, v\lhs\().s[2], \rest
    .endif
    .if rows > 3
    \op     ROW_3, v\lhs\().s[3], \rest
    .endif
    .if rows == 8
    \op     ROW_4, v\lhs2\().s[0], \rest
    \op     ROW_5, v\lhs2\().s[1], \rest
    \op     ROW_6, v\lhs2\().s[2], \rest
    \op     ROW_7, v\lhs2\().s[3], \rest
    .endif
.endm
// The same of blocks' sums.
.macro each_block_sum op, lhs, lhs2, rest:vararg
    .if rows <= 2
    \op     ROW_2, v\lhs\().s[0], \rest
    .if rows == 2
    \op     ROW_3, v\lhs\().s[1], \rest
    .endif
    .else
    \op     ROW_4, v\lhs\().s[0], \rest
    \op     ROW_5, v\lhs\().s[1], \rest
    \op     ROW_6, v\lhs\().s[2], \rest
    .if rows > 3
    \op     ROW_7, v\lhs\().s[3], \rest
    .endif
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

// ---- Stores: x9 = row, x10 = bytes from row to row, x11 = from a quad of two to the other one

.macro store_row_f32 s0, s1, s2, s3, lane, rest:vararg
    .if quads == 4
    stp     q\s0, q\s1, [x9]
    stp     q\s2, q\s3, [x9, #32]
    .else
    str     q\s1, [x9, x11]
    str     q\s0, [x9]
    .endif
    add     x9, x9, x10
.endm
.macro store_row_f16 s0, s1, s2, s3, lane, rest:vararg
    fcvtn   v\s0\().4h, v\s0\().4s
    .if quads == 4
    fcvtn   v\s2\().4h, v\s2\().4s
    fcvtn2  v\s0\().8h, v\s1\().4s
    fcvtn2  v\s2\().8h, v\s3\().4s
    stp     q\s0, q\s2, [x9]
    .else
    fcvtn   v\s1\().4h, v\s1\().4s
    str     d\s1, [x9, x11]
    str     d\s0, [x9]
    .endif
    add     x9, x9, x10
.endm
.macro store_rows each, out
    .if quads == 4
    mov     x11, #16
    .else
    cmp     x4, #1
    mov     x11, #16
    csel    x11, xzr, x11, eq
    .endif
    ldr     x10, [x0, #FEW_ROW_STRIDE]
    mov     x9, x3
    .ifc \out, f32_or_f16
    ldr     x14, [x0, #FEW_OUT]
    cbnz    x14, 8f
    .endif
    \each   store_row_f32
    add     x3, x3, #16 * quads
    .ifc \out, f32_or_f16
    b       9f
8:
    lsr     x11, x11, #1
    \each   store_row_f16
    add     x3, x3, #8 * quads
9:
    .endif
.endm

// min(max(x, lo), hi): a NaN stays one.
.macro clamp_rows each, lo, hi
    \each   row_by_operand, , , fmax, v\lo\().4s
    \each   row_by_operand, , , fmin, v\hi\().4s
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

// x9 - x13 = the fields. Factors are in RHS_A and RHS_C by turns.
.macro channel_finish out
    load_quads RHS_B, x7
    ldr     q29, [x13, #16]
    load_rows_4567 27, 16
    shared_quads fmul, 4s, RHS_A, RHS_B, v29.s[0]
    each_sum row_scvtf
    scale_row 1, ROW_0, RHS_A, 2, RHS_C, v29.s[1]
    scale_row 2, ROW_1, RHS_C, 3, RHS_A, v29.s[2]
    scale_row 3, ROW_2, RHS_A, 4, RHS_C, v29.s[3]
    scale_row 4, ROW_3, RHS_C, 8, RHS_A, v27.s[0]
    scale_row 8, ROW_4, RHS_A, 8, RHS_C, v27.s[1]
    scale_row 8, ROW_5, RHS_C, 8, RHS_A, v27.s[2]
    scale_row 8, ROW_6, RHS_A, 8, RHS_C, v27.s[3]
    load_quads RHS_B, x8
    scale_row 8, ROW_7, RHS_C, 9, RHS_A, v27.s[0]
    ldp     q28, q29, [x0, #FEW_BOUNDS]
    each_sum row_by_column, , , fadd, RHS_B
    clamp_rows each_sum, 28, 29
    store_rows each_sum, \out
.endm

.macro channel_tile rhs, out
    few_begin
    load_quads RHS_C, x16
    add     x14, x13, x5, lsl #7
    ldr     q29, [x14]
    .if rows == 8
    add     x14, x12, x5, lsl #7
    ldr     q27, [x14]
    .endif
    \rhs\()_load
    mov     x15, x5
    each_sum row_is_product, 29, 27, mul, RHS_C
    cbz     x15, 6f
    \rhs\()_decode
5:
    \rhs\()_step
    b.ne    5b
6:
    channel_finish \out
.endm

.macro channel_function name, rhs, out, count
func kai_few_\name\()_\count\()_neon_dotprod, hidden
    .set    rows, \count
    few_enter
    .ifc \rhs, int2
    ldr     x6, [x0, #FEW_LUT]
    .endif
    \rhs\()_constants
    few_tiles channel_tile \rhs, \out
    few_leave
endfunc
.endm
.macro channel_functions name, rhs, out
    channel_function \name, \rhs, \out, 1
    channel_function \name, \rhs, \out, 2
    channel_function \name, \rhs, \out, 3
    channel_function \name, \rhs, \out, 4
    channel_function \name, \rhs, \out, 8
.endm

.set    four_quads, 4

// int4: 4 k of low and 4 k of high nibbles of p, then those of n, 16 times their value. v28, v29: LHS of both.
.macro int4_load
    load_quads RHS_A, 0
    load_quads RHS_B, x7
    ldr     q28, [x13]
    load_rows_4567 26, 0
.endm
.macro int4_decode
    int4_low RHS_A
.endm
.macro int4_8k p0, p1, p2, p3, n0, n1, n2, n3, low, next
    ldr     q29, [x13, #\low + 64]
    int4_high \p0, \p1, \p2, \p3
    sdot_rows_01 RHS_C, 28
    load_rows_4567 27, \low + 64
    sdot_rows_23 RHS_C, 28
    ldr     q28, [x13, #\next]
    sdot_rows_4567 RHS_C, 26
    int4_low \n0, \n1, \n2, \n3
    load_rows_4567 26, \next
    sdot_rows_01 \p0, \p1, \p2, \p3, 29
    sdot_rows_23 \p0, \p1, \p2, \p3, 29
    sdot_rows_4567 \p0, \p1, \p2, \p3, 27
.endm
.macro int4_first_half
    int4_8k RHS_A, RHS_B, 0, 16
    load_quads RHS_A, x8
    int4_8k RHS_B, RHS_A, 16, 32
    load_quads RHS_B, x17
    advance_quads x6
.endm
.macro int4_second_half
    int4_8k RHS_A, RHS_B, 32, 48
    load_quads RHS_A, 0
    int4_8k RHS_B, RHS_A, 48, 128
    add     x13, x13, #128
    .if rows == 8
    add     x12, x12, #128
    .endif
.endm
.macro int4_step
    int4_first_half
    subs    x15, x15, #1
    int4_second_half
    load_quads RHS_B, x7
.endm

// int8
.macro int8_load
    load_quads RHS_A, 0
    ldr     q28, [x13]
    load_rows_4567 26, 0
    load_quads RHS_B, 16
.endm
.macro int8_decode
    ldr     q29, [x13, #16]
    load_rows_4567 27, 16
.endm
.macro int8_4k r0, r1, r2, r3, lhs, lhs2, next
    sdot_rows_01 \r0, \r1, \r2, \r3, \lhs
    sdot_rows_23 \r0, \r1, \r2, \r3, \lhs
    ldr     q\lhs, [x13, #\next]
    sdot_rows_4567 \r0, \r1, \r2, \r3, \lhs2
    load_quads \r0, \r1, \r2, \r3, \next
    load_rows_4567 \lhs2, \next
.endm
.macro int8_step
    int8_4k RHS_A, 28, 26, 32
    int8_4k RHS_B, 29, 27, 48
    int8_4k RHS_A, 28, 26, 64
    int8_4k RHS_B, 29, 27, 80
    int8_4k RHS_A, 28, 26, 96
    int8_4k RHS_B, 29, 27, 112
    subs    x15, x15, #1
    int8_4k RHS_A, 28, 26, 128
    int8_4k RHS_B, 29, 27, 144
    advance_quads 128
    add     x13, x13, #128
    .if rows == 8
    add     x12, x12, #128
    .endif
.endm

// int2: a byte has indices of 4 k that are 4 apart; a nibble of two indices looks up both (int2_constants).
.macro int2_load
    load_quads RHS_A, 0
    ldr     q28, [x13]
    load_rows_4567 26, 0
.endm
.macro int2_decode
    ldr     q29, [x13, #16]
    load_rows_4567 27, 16
    .if quads == 4
    movi    v15.16b, #0x0f
    .else
    movi    v19.16b, #0x0f
    .endif
.endm
.macro int2_4k r0, r1, r2, r3, lhs, lhs2, next
    sdot_rows_01 \r0, \r1, \r2, \r3, \lhs
    sdot_rows_23 \r0, \r1, \r2, \r3, \lhs
    ldr     q\lhs, [x13, #\next]
    sdot_rows_4567 \r0, \r1, \r2, \r3, \lhs2
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
    .if rows == 8
    add     x12, x12, #128
    .endif
.endm

    channel_functions int8, int8, f32_or_f16
    channel_functions int4, int4, f32_or_f16
.set    four_quads, 2
    channel_functions int2, int2, f32

// ---- Blocks. v30 = C

.macro row_zero s0, s1, s2, s3, lane, rest:vararg
    zero_quads \s0, \s1, \s2, \s3
.endm
.macro row_start s0, s1, s2, s3, lane, rest:vararg
    dup     v\s0\().4s, w14
    dup     v\s1\().4s, w14
    .if quads == 4
    dup     v\s2\().4s, w14
    dup     v\s3\().4s, w14
    .endif
.endm

// sums += S * RHS_B
.macro add_blocks
    .if rows <= 2
    op_quads fmla, 4s, ROW_2, ROW_0, RHS_B
    .if rows == 2
    op_quads fmla, 4s, ROW_3, ROW_1, RHS_B
    .endif
    .else
    op_quads fmla, 4s, ROW_4, ROW_0, RHS_B
    op_quads fmla, 4s, ROW_5, ROW_1, RHS_B
    op_quads fmla, 4s, ROW_6, ROW_2, RHS_B
    .if rows == 4
    op_quads fmla, 4s, ROW_7, ROW_3, RHS_B
    .endif
    .endif
.endm

// RHS_B = bf16 scales, x14 bytes from here; the quads of a panel of 8 columns are twice as far apart as their scales.
.macro load_scales
    ldr     d20, [x9, x14]
    .if quads == 4
    ldr     d22, [x11, x14]
    .endif
    ubfx    x5, x6, #7, #1
    sub     x14, x14, x5, lsl #3
    ldr     d21, [x10, x14]
    .if quads == 4
    ldr     d23, [x12, x14]
    .endif
.endm
.macro widen_scales
    shll    v20.4s, v20.4h, #16
    shll    v21.4s, v21.4h, #16
    .if quads == 4
    shll    v22.4s, v22.4h, #16
    shll    v23.4s, v23.4h, #16
    .endif
.endm

// A long block is several short ones that share its scales: x16 counts down to them.
.macro block_tile
    few_begin
    ldp     x5, x15, [x0, #FEW_STEPS]
    ldr     x16, [x0, #FEW_SCALE_DISTANCE]
    mov     w14, #0x49400000
    cbz     x15, 8f
    int4_load
    each_sum row_start
    int4_decode
    each_block_sum row_zero
4:
    int4_first_half
    subs    x5, x5, #1
    b.ne    5f
    mov     x14, x16
    cbnz    x16, 5f
    sub     x14, x14, x6, lsr #3
    advance_quads x6, lsr #3
    sub     x15, x15, #1
5:
    int4_second_half
    cbz     x5, 6f
    load_quads RHS_B, x7
    b       4b
6:
    load_scales
    each_sum row_by_operand, , , fsub, v30.4s
    ldr     x5, [x0, #FEW_STEPS]
    mov     w14, #0x49400000
    widen_scales
    msub    x16, x5, x6, x16
    tbz     x16, #63, 7f
    ldr     x16, [x0, #FEW_SCALE_DISTANCE]
7:
    add_blocks
    load_quads RHS_B, x7
    each_sum row_start
    cbnz    x15, 4b
    b       9f
8:
    each_block_sum row_zero
9:
    load_quads RHS_A, 0
    ldr     q29, [x13]
    load_quads RHS_B, x7
    ldr     q28, [x13, #16]
    scvtf   v29.4s, v29.4s
    each_block_sum row_is_product, 29, , fmla, RHS_A
    each_block_sum row_by_lane, 28, , fmul
    ldp     q24, q25, [x0, #FEW_BOUNDS]
    each_block_sum row_by_column, , , fadd, RHS_B
    clamp_rows each_block_sum, 24, 25
    store_rows each_block_sum, f32
.endm

.macro block_function count
func kai_few_blocks_int4_\count\()_neon_dotprod, hidden
    .set    rows, \count
    few_enter
    int4_constants
    mov     w14, #0x49400000
    dup     v30.4s, w14
    few_tiles block_tile
    few_leave
endfunc
.endm

    block_function 1
    block_function 2
    block_function 3
    block_function 4
