// Few rows of the qai8dxp GEMM with SDOT: tiles of 1 to 8 rows, which kai_few_neon calls.
//
// kai_part_few_*: a scale per column; fields rsum, rs, bias after a panel of the RHS; off, ls after one of the LHS
//     S      = off * rsum + sum over k of lhs * rhs                                 int32
//     dst[n] = clamp(f32(S) * (rs * ls) + bias)
//
// kai_part_few_blocks_*: a scale per column and block; fields rsum, bias after a panel
//     F      = fma(S / 16, scale, F) for each block, S = sum over the block of lhs * rhs; then fma(rsum, off, F)
//     dst[n] = clamp(F * ls + bias)
// S starts at the bits of C and ends as the float C + S / 16 (ShortSum).
//
// A vector of the LHS holds 4 k of the 4 rows of a panel, one of the RHS 4 k of 4 columns, one of sums a row of a quad.
// A tile is `rows` rows of `quads` quads: of four, where registers allow, then of two; 6 rows and more of blocks: of
// one. Set X is a register per quad, X_0 to X_3 (int_neon_quads.inc).
//
//                | RHS_0   RHS_1   RHS_2   RHS_3      RHS: RHS_A, RHS_B or RHS_C, 4 k
//        --------+---------------------------------
//        lhs[0]  | S0_0    S0_1    S0_2    S0_3       lhs: v28 or v29; rows 4 - 7: v26 or v27
//        lhs[1]  | S1_0 ...
//
// Loads, decoding and scalar instructions are between products, not more than one after two of these: what cores
// that issue two or three instructions in order need. Without that a step is, for each 4 k: load, decode, and the
// products of the picture. After the last k, loads read up to 32 bytes of the fields of both panels (64 of the RHS if
// nr = 8). Other work: `meanwhile`, a macro that a block calls with 0, 1, ... where it says.
//
//   quad_0 - quad_3   x9 - x12   RHS of a quad each         x14   scratch; bits of C
//   lhs0              x13        LHS of rows 0 - 3          x15   steps or blocks to go
//   lhs1              x12        LHS of rows 4 - 7, where quads are two
//   x6                bytes of a step of int4               x16   blocks: from here to scales
//   x8, x17           8 * nr, 12 * nr: where vectors of int4 are, like x27
//   S0 - S7           v0 - v15: S<i>_0, S<i>_1 = v(2 i), v(2 i + 1); S<i>_2, S<i>_3 = v(2 i + 8), v(2 i + 9)
//   RHS_A, RHS_B, RHS_C   v16 - v27     v28, v29   LHS, v26, v27 of rows 4 - 7     v30, v31   constants
//   Blocks: x5 steps of a part to go; x1 bytes of a part; x2 from a block's first part to its scales; x3 how much
//   nearer the scales of a second quad are; x4 bytes of a step and scales; x28 from there back to these; C v30;
//   F<i> at the heading of each shape
//   and registers of qai8dxp_neon_few.inc
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_quads.inc"
#include "kai/engines/qai8dxp/qai8dxp_neon_few.inc"

lhs0 .req x13
lhs1 .req x12
    regs    0, S0_0, S0_1, S1_0, S1_1, S2_0, S2_1, S3_0, S3_1, S4_0, S4_1, S5_0, S5_1, S6_0, S6_1, S7_0, S7_1
    regs    8, S0_2, S0_3, S1_2, S1_3, S2_2, S2_3, S3_2, S3_3

.macro nothing rest:vararg
.endm
// \op i for the rows that the tile has.
.macro each_row op
    \op     0
    if_more rows, 1, \op 1
    if_more rows, 2, \op 2
    if_more rows, 3, \op 3
    if_more rows, 4, \op 4
    if_more rows, 5, \op 5
    if_more rows, 6, \op 6
    if_more rows, 7, \op 7
.endm

// Out: quad_0 - quad_3; lhs0, x14 = bytes to its second panel.
.macro few_begin
    ldp     lhs0, x14, [args, #FEW_ARGS_lhs]
    mov     quad_0, x19
    if_more quads, 1, add quad_1, x19, x23
    .if quads == 4
    add     quad_2, x19, x24
    add     quad_3, quad_1, x24
    .endif
.endm
// RHS_C = the first field of the columns. Changes x14.
.macro load_fields
    ldr     qRHS_C_0, [x20]
    if_more quads, 1, ldr qRHS_C_1, [x20, x25]
    .if quads == 4
    add     x14, x20, x24
    ldr     qRHS_C_2, [x14]
    ldr     qRHS_C_3, [x14, x25]
    .endif
.endm
// s<i> = op of s<i>, RHS_C and offsets of the rows, v29 and v27.
.macro columns_times_offsets op, s
    shared_quads \op, 4s, \s\()0, RHS_C, v29.s[0]
    if_more rows, 1, shared_quads \op, 4s, \s\()1, RHS_C, v29.s[1]
    if_more rows, 2, shared_quads \op, 4s, \s\()2, RHS_C, v29.s[2]
    if_more rows, 3, shared_quads \op, 4s, \s\()3, RHS_C, v29.s[3]
    if_more rows, 4, shared_quads \op, 4s, \s\()4, RHS_C, v27.s[0]
    if_more rows, 5, shared_quads \op, 4s, \s\()5, RHS_C, v27.s[1]
    if_more rows, 6, shared_quads \op, 4s, \s\()6, RHS_C, v27.s[2]
    if_more rows, 7, shared_quads \op, 4s, \s\()7, RHS_C, v27.s[3]
.endm

// ---- Products

// Set r of quad i, if there is one: 16 bytes, `offset` from here.
.macro load_quad i, r, offset
    .if quads > \i
    ldr     q\r\()_\i, [quad_\i, \offset]
    .endif
.endm
.macro advance_quad i, bytes
    .if quads > \i
    add     quad_\i, quad_\i, \bytes
    .endif
.endm
// 4 k of rows 0 - 3, or of those that the tile has.
.macro load_lhs v, offset
    .if rows == 1
    ldr     s\v, [lhs0, #\offset]
    .elseif rows == 2
    ldr     d\v, [lhs0, #\offset]
    .else
    ldr     q\v, [lhs0, #\offset]
    .endif
.endm
// The same of rows 4 - 7.
.macro load_rows_4567 v, offset
    .if rows == 5
    ldr     s\v, [lhs1, #\offset]
    .elseif rows == 6
    ldr     d\v, [lhs1, #\offset]
    .elseif rows > 4
    ldr     q\v, [lhs1, #\offset]
    .endif
.endm
.macro advance_lhs1
    if_more rows, 4, add lhs1, lhs1, #128
.endm

// Row i, if the tile has it: S<i> += set r * lane. `meanwhile` at place `place` and the next one.
.macro sdot_row_meanwhile i, r, lane, place, meanwhile, rest:vararg
    .if rows > \i
    sdot    S\i\()_0.4s, \r\()_0.16b, \lane
    if_more quads, 1, sdot S\i\()_1.4s, \r\()_1.16b, \lane
    .endif
    \meanwhile \place, \rest
    .if rows > \i
    if_more quads, 2, sdot S\i\()_2.4s, \r\()_2.16b, \lane
    if_more quads, 2, sdot S\i\()_3.4s, \r\()_3.16b, \lane
    .endif
    \meanwhile (\place + 1), \rest
.endm
.macro sdot_row i, r, lane
    sdot_row_meanwhile \i, \r, \lane, 0, nothing
.endm
// 4 k: S += set r * LHS in v\lhs, of rows 4 - 7 v\lhs1. meanwhile n, rest: places 0 - 7, two after each of rows 0 - 3
// or, of one quad, after each second row.
.macro sdot_rows r, lhs, lhs1, meanwhile=nothing, rest:vararg
    .if quads == 1
    sdot_row 0, \r, v\lhs\().4b[0]
    sdot_row_meanwhile 1, \r, v\lhs\().4b[1], 0, \meanwhile, \rest
    sdot_row 2, \r, v\lhs\().4b[2]
    sdot_row_meanwhile 3, \r, v\lhs\().4b[3], 2, \meanwhile, \rest
    sdot_row 4, \r, v\lhs1\().4b[0]
    sdot_row_meanwhile 5, \r, v\lhs1\().4b[1], 4, \meanwhile, \rest
    sdot_row 6, \r, v\lhs1\().4b[2]
    sdot_row_meanwhile 7, \r, v\lhs1\().4b[3], 6, \meanwhile, \rest
    .else
    sdot_row_meanwhile 0, \r, v\lhs\().4b[0], 0, \meanwhile, \rest
    sdot_row_meanwhile 1, \r, v\lhs\().4b[1], 2, \meanwhile, \rest
    sdot_row_meanwhile 2, \r, v\lhs\().4b[2], 4, \meanwhile, \rest
    sdot_row_meanwhile 3, \r, v\lhs\().4b[3], 6, \meanwhile, \rest
    sdot_row 4, \r, v\lhs1\().4b[0]
    sdot_row 5, \r, v\lhs1\().4b[1]
    sdot_row 6, \r, v\lhs1\().4b[2]
    sdot_row 7, \r, v\lhs1\().4b[3]
    .endif
.endm

// ---- Per channel

// v\d = f32(v\s), and so on for further pairs.
.macro to_float d, s, rest:vararg
    scvtf   v\d\().4s, v\s\().4s
    .ifnb \rest
    to_float \rest
    .endif
.endm

// Results of more than eight vectors: \first rows x 8 columns are v0 - v7, those of the next columns (\quad = 2) or of
// \last rows of the other panel (\panel = 1) v8 - v15.
.macro finish_function name, first, last, quad, panel
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
    if_more \last, 1, to_float 18, 10, 19, 11
    if_more \last, 2, to_float 20, 12, 21, 13
    if_more \last, 3, to_float 22, 14, 23, 15
    bl      KAI_SYM(kai_part_results_\last\()x8_neon)
    return
endfunc
.endm
    finish_function 5x8, 4, 1, 0, 1
    finish_function 6x8, 4, 2, 0, 1
    finish_function 7x8, 4, 3, 0, 1
    finish_function 8x8, 4, 4, 0, 1
    finish_function 3x16, 3, 3, 2, 0
    finish_function 4x16, 4, 4, 2, 0

// rhs is int8, int4 or int2: \rhs_load loads the first operands, \rhs_decode those that must not be loaded of k = 0,
// \rhs_step does 32 k, `subs x15, x15, #1` and moves pointers.
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
    add     lhs1, lhs0, x14
    ldur    q29, [lhs1, #-32]
    add     x14, lhs1, x14
    ldur    q27, [x14, #-32]
    .else
    add     x14, lhs0, x14
    ldur    q29, [x14, #-32]
    .endif
    load_fields
    \rhs\()_load
    ldr     x15, [args, #FEW_ARGS_depth]
    columns_times_offsets mul, S
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
// Tiles of four quads, for these numbers of rows.
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

// int4: 4 k of low and 4 k of high nibbles of set p, then those of n, 16 times their value. v28, v29: LHS of both, v26,
// v27 of rows 4 - 7. Set n comes in on the way, from \n_at, except for the first quad, which is there.
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
.macro int4_low_01 r
    shl     v24.16b, \r\()_0.16b, #4
    if_more quads, 1, shl v25.16b, \r\()_1.16b, #4
.endm
.macro int4_low_23 r
    if_more quads, 2, shl v26.16b, \r\()_2.16b, #4
    if_more quads, 2, shl v27.16b, \r\()_3.16b, #4
.endm
.macro int4_high_01 r
    and     \r\()_0.16b, \r\()_0.16b, v31.16b
    if_more quads, 1, and \r\()_1.16b, \r\()_1.16b, v31.16b
.endm
.macro int4_high_23 r
    if_more quads, 2, and \r\()_2.16b, \r\()_2.16b, v31.16b
    if_more quads, 2, and \r\()_3.16b, \r\()_3.16b, v31.16b
.endm
// Between the products of low, of high nibbles.
.macro int4_among_low number, n, n_at, low, meanwhile
    when \number, 0, load_quad 3, \n, \n_at
    when \number, 1, load_lhs 29, \low + 64
    when \number, 2, load_rows_4567 27, \low + 64
    when \number, 4, \meanwhile 0
    when \number, 6, \meanwhile 1
.endm
// Between those of high ones.
.macro int4_among_high number, next, meanwhile
    when \number, 0, load_rows_4567 26, \next
    when \number, 1, \meanwhile 3
    when \number, 2, \meanwhile 4
    when \number, 4, \meanwhile 5
.endm
// meanwhile: 0 and 1 between low nibbles, 2 before and 3 to 5 between high ones. LHS of low nibbles is at byte `low`,
// that of the next 8 k at byte `next`.
.macro int4_8k p, n, low, next, n_at, meanwhile=nothing
    int4_high_01 \p
    load_quad 1, \n, \n_at
    int4_high_23 \p
    load_quad 2, \n, \n_at
    sdot_rows RHS_C, 28, 26, int4_among_low, \n, \n_at, \low, \meanwhile
    int4_low_01 \n
    \meanwhile 2
    int4_low_23 \n
    load_lhs 28, \next
    sdot_rows \p, 29, 27, int4_among_high, \next, \meanwhile
.endm
// Other work of the last two 8 k of a step: x15, the RHS and the LHS move on.
.macro step_moves_rhs number
    when \number, 0, advance_quad 0, x6
    when \number, 1, advance_quad 1, x6
    when \number, 2, subs x15, x15, #1
    when \number, 3, advance_quad 2, x6
    when \number, 4, advance_quad 3, x6
.endm
.macro step_moves_lhs number
    when \number, 3, add lhs0, lhs0, #128
    when \number, 4, advance_lhs1
.endm
// 32 k. In: set RHS_A, quad 0 of RHS_B, RHS_C = low nibbles of RHS_A, v28, v26. Out: the same of the next step.
.macro int4_step
    int4_8k RHS_A, RHS_B, 0, 16, x27
    load_quad 0, RHS_A, x8
    int4_8k RHS_B, RHS_A, 16, 32, x8
    load_quad 0, RHS_B, x17
    int4_8k RHS_A, RHS_B, 32, 48, x17, step_moves_rhs
    load_quad 0, RHS_A, 0
    int4_8k RHS_B, RHS_A, 48, 128, 0, step_moves_lhs
    load_quad 0, RHS_B, x27
.endm

// int8: products of vector j of a step are between the loads of vector j + 2, or j + 1 where registers are few. RHS_D:
// a fourth set, of two quads v18, v19, of four v4, v5, v12, v13, which are free up to two rows.
    regs    18, RHS_D2_0, RHS_D2_1
    regs    4, RHS_D4_0, RHS_D4_1
    regs    12, RHS_D4_2, RHS_D4_3
// RHS_A, RHS_B, v28, v26: the first operands.
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
// Set n, LHS v\lhs and v\lhs1 from byte `at` of theirs.
.macro int8_among number, n, lhs, lhs1, at
    when \number, 0, load_lhs \lhs, \at
    when \number, 1, load_quad 0, \n, \at
    when \number, 2, load_quad 1, \n, \at
    when \number, 3, load_quad 2, \n, \at
    when \number, 4, load_quad 3, \n, \at
    when \number, 5, load_rows_4567 \lhs1, \at
.endm
// 16 k, with four sets in turn; d: the fourth one.
.macro int8_16k at, d
    sdot_rows RHS_A, 28, 26, int8_among, RHS_C, 30, 22, \at + 32
    sdot_rows RHS_B, 29, 27, int8_among, \d, 31, 23, \at + 48
    sdot_rows RHS_C, 30, 22, int8_among, RHS_A, 28, 26, \at + 64
    sdot_rows \d, 31, 23, int8_among, RHS_B, 29, 27, \at + 80
.endm
.macro int8_8k at
    sdot_rows RHS_A, 28, 26, int8_among, RHS_B, 29, 27, \at + 16
    sdot_rows RHS_B, 29, 27, int8_among, RHS_A, 28, 26, \at + 32
.endm
// 32 k. In, out: RHS_A, RHS_B, v28, v29, v26, v27.
.macro int8_step
    .if quads == 2
    int8_16k 0, RHS_D2
    subs    x15, x15, #1
    int8_16k 64, RHS_D2
    .elseif rows <= 2
    int8_16k 0, RHS_D4
    subs    x15, x15, #1
    int8_16k 64, RHS_D4
    .else
    int8_8k 0
    int8_8k 32
    subs    x15, x15, #1
    int8_8k 64
    int8_8k 96
    .endif
    advance_quads 128
    add     lhs0, lhs0, #128
    advance_lhs1
.endm

// int2: a byte has indices of 4 k that are 4 apart; a nibble of two indices looks up both (int2_constants).
.macro int2_load
    load_quads RHS_A, 0
    load_lhs 28, 0
    load_rows_4567 26, 0
.endm
// The second LHS, and the mask of an index pair.
.macro int2_decode
    load_lhs 29, 16
    load_rows_4567 27, 16
    .if quads == 4
    movi    v15.16b, #0x0f
    .else
    movi    v19.16b, #0x0f
    .endif
.endm
.macro int2_4k r, lhs, lhs1, next
    sdot_rows \r, \lhs, \lhs1
    load_lhs \lhs, \next
    load_rows_4567 \lhs1, \next
.endm
// 16 k of set RHS_A, whose LHS of the next 16 k follows; then RHS_A from byte `next`. Changes RHS_B, RHS_C.
.macro int2_16k at, next
    .if quads == 4
    shared_quads and, 16b, RHS_C, RHS_A, v15.16b
    .else
    shared_quads and, 16b, RHS_C, RHS_A, v19.16b
    .endif
    shared_quads ushr, 16b, RHS_A, RHS_A, #4
    tbl_quads RHS_B, v30, RHS_C
    tbl_quads RHS_C, v31, RHS_C
    int2_4k RHS_B, 28, 26, \at + 32
    tbl_quads RHS_B, v30, RHS_A
    int2_4k RHS_C, 29, 27, \at + 48
    tbl_quads RHS_C, v31, RHS_A
    load_quads RHS_A, \next
    int2_4k RHS_B, 28, 26, \at + 64
    int2_4k RHS_C, 29, 27, \at + 80
.endm
// 32 k. In, out: RHS_A, v28, v29, v26, v27.
.macro int2_step
    int2_16k 0, 16
    subs    x15, x15, #1
    int2_16k 64, 32
    advance_quads 32
    add     lhs0, lhs0, #128
    advance_lhs1
.endm

    channel_tiles int8
    channel_tiles_16 int8, 1, 2, 3, 4
    channel_tiles int4
    channel_tiles_16 int4, 1, 2, 3, 4
    channel_tiles int2
    channel_tiles_16 int2, 1, 2

// ---- Blocks

    reg     C, 30

.macro zero_f32_row i
    zero_quads F\i
.endm
.macro less_c i
    shared_quads fsub, 4s, S\i, S\i, C.4s
.endm
.macro add_scaled i
    op_quads fmla, 4s, F\i, S\i, RHS_B
.endm
.macro start_row i
    dup_quads 4s, w14, S\i
.endm
// S -= C, F += S * RHS_B, S = C: \op for all rows. meanwhile: 0 to 3 after rows.
.macro block_rows op, meanwhile=nothing
    \op     0
    .if quads == 1
    if_more rows, 1, \op 1
    \meanwhile 0
    if_more rows, 2, \op 2
    if_more rows, 3, \op 3
    \meanwhile 1
    if_more rows, 4, \op 4
    if_more rows, 5, \op 5
    \meanwhile 2
    if_more rows, 6, \op 6
    if_more rows, 7, \op 7
    .else
    \meanwhile 0
    if_more rows, 1, \op 1
    \meanwhile 1
    if_more rows, 2, \op 2
    \meanwhile 2
    if_more rows, 3, \op 3
    if_more rows, 4, \op 4
    .endif
    \meanwhile 3
.endm

// Scales are bf16, x14 bytes from here. x3: the quads of a panel of 8 columns are twice as far apart as their scales.
.macro load_scales_02 s0, s2
    ldr     d\s0, [quad_0, x14]
    when quads, 4, ldr d\s2, [quad_2, x14]
    sub     x14, x14, x3
.endm
.macro load_scales_13 s1, s3
    ldr     d\s1, [quad_1, x14]
    when quads, 4, ldr d\s3, [quad_3, x14]
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
// As load_scales_early_0, of quads 1 and 3.
.macro load_scales_early_1
    .if quads == 2 && rows < 5
    load_scales_13 23
    .elseif quads == 1
    ldr     d22, [quad_0, x14]
    .elseif rows == 1
    load_scales_13 3, 11
    .endif
.endm
// RHS_B = scales as floats; v\zero = 0.
.macro widen_scales zero, s0, s1, s2, s3
    zip1    RHS_B_0.8h, v\zero\().8h, v\s0\().8h
    if_more quads, 1, zip1 RHS_B_1.8h, v\zero\().8h, v\s1\().8h
    if_more quads, 2, zip1 RHS_B_2.8h, v\zero\().8h, v\s2\().8h
    if_more quads, 2, zip1 RHS_B_3.8h, v\zero\().8h, v\s3\().8h
.endm
// Meanwhile, at the end of a part: scales of quads 1 and 3; x16, x5 of the next part.
.macro next_part_and_scales number
    when \number, 0, load_scales_13 21, 23
    when \number, 1, subs x16, x16, x1
    when \number, 2, ldr x5, [args, #FEW_ARGS_steps]
    when \number, 3, csel x16, x2, x16, lo
.endm
// The same where scales have come early; w14 = bits of C.
.macro next_part number
    when \number, 0, subs x16, x16, x1
    when \number, 1, ldr x5, [args, #FEW_ARGS_steps]
    when \number, 2, csel x16, x2, x16, lo
    when \number, 3, mov w14, #0x49400000
.endm
// S -= C; RHS_B = scales. Changes x5, x14, x16.
.macro less_c_and_scales
    .if quads == 4 && rows == 2 || quads == 2 && rows == 5
    load_scales_02 20, 22
    block_rows less_c, next_part_and_scales
    movi    v29.2d, #0
    mov     w14, #0x49400000
    widen_scales 29, 20, 21, 22, 23
    .else
    .if quads == 4
    widen_scales 6, 2, 3, 10, 11
    .else
    widen_scales 19, 22, 23
    .endif
    block_rows less_c, next_part
    .endif
.endm

// Among the 8 k of a step: whether the part ends (x5), whether its block does (x16); x14 = bytes to the next step.
.macro part_ends number
    when \number, 0, subs x5, x5, #1
    when \number, 3, ccmp x16, #0, #0, eq
.endm
.macro block_ends number
    when \number, 0, csel x14, x4, x6, eq
    when \number, 3, cinc x15, x15, eq
.endm
// The RHS moves on by x14, which then is where scales are.
.macro block_moves_rhs number
    when \number, 0, advance_quad 0, x14
    when \number, 1, advance_quad 1, x14
    when \number, 3, advance_quad 2, x14
    when \number, 4, advance_quad 3, x14
    when \number, 5, csel x14, x28, x16, eq
.endm
// The LHS moves on; scales that come early.
.macro block_moves_lhs number
    when \number, 0, load_scales_early_0
    when \number, 3, add lhs0, lhs0, #128
    when \number, 4, load_scales_early_1
    when \number, 5, advance_lhs1
.endm
.macro next_rhs number
    when \number, 0, load_quad 0, RHS_B, x27
.endm

// Results of the rows of F: those times their scales.
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
    if_more rows, 4, add lhs1, lhs0, x14
    mov     w14, #0x49400000
    int4_load
    mul     x1, x5, x6
    dup     C.4s, w14
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
    each_row start_row
    int4_decode
    each_row zero_f32_row
4:  // 32 k. After a block the RHS goes on after its scales
    int4_8k RHS_A, RHS_B, 0, 16, x27, part_ends
    load_quad 0, RHS_A, x8
    int4_8k RHS_B, RHS_A, 16, 32, x8, block_ends
    load_quad 0, RHS_B, x17
    int4_8k RHS_A, RHS_B, 32, 48, x17, block_moves_rhs
    load_quad 0, RHS_A, 0
    int4_8k RHS_B, RHS_A, 48, 128, 0, block_moves_lhs
    cbz     x5, 6f
    load_quad 0, RHS_B, x27
    b       4b
6:
    less_c_and_scales
    block_rows add_scaled
    block_rows start_row, next_rhs
    cbnz    x15, 4b
    b       9f
8:
    each_row zero_f32_row
9:
    ldr     q29, [lhs0]
    .if rows > 4
    ldr     q27, [lhs1]
    .if quads == 1
    ldr     q25, [lhs1, #16]
    .else
    ldr     q26, [lhs1, #16]
    .endif
    .endif
    ldr     q28, [lhs0, #16]
    load_fields
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
    columns_times_offsets fmla, F
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

// 1 and 2 rows: F<i>_0, F<i>_1 = v(2 i + 4), v(2 i + 5); F<i>_2, F<i>_3 = v(2 i + 12), v(2 i + 13).
    regs    4, F0_0, F0_1, F1_0, F1_1
    regs    12, F0_2, F0_3, F1_2, F1_3
    block_tile 1, 16
    block_tile 2, 16
    block_tile 1, 8
    block_tile 2, 8
    unreg   F0_0, F0_1, F1_0, F1_1, F0_2, F0_3, F1_2, F1_3

// 3 and 4 rows: F0_0, F0_1 ... F3_1 = v8 - v15. 5 rows: S4 v18, v19; F4 v22, v23, too.
    regs    8, F0_0, F0_1, F1_0, F1_1, F2_0, F2_1, F3_0, F3_1
    regs    22, F4_0, F4_1
    block_tile 3, 8
    block_tile 4, 8
    unreg   S4_0, S4_1
    regs    18, S4_0, S4_1
    block_tile 5, 8
    unreg   F0_0, F0_1, F1_0, F1_1, F2_0, F2_1, F3_0, F3_1, F4_0, F4_1, S4_0, S4_1

// 6 to 8 rows of a quad: S<i> v(2 i), F<i> v(2 i + 1).
    reg     S4_0, 8
    reg     F0_0, 1
    reg     F1_0, 3
    reg     F2_0, 5
    reg     F3_0, 7
    reg     F4_0, 9
    reg     F5_0, 11
    reg     F6_0, 13
    reg     F7_0, 15
    block_tile 6, 4
    block_tile 7, 4
    block_tile 8, 4
