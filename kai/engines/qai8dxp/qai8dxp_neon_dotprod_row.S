// One row quantised at run time (qai8dxp) with SDOT: 16 columns at a time, then panel by panel
// (qai8dxp_neon_dotprod_row.cpp). off, ls are the offset and the scale of the row, which follow it.
//
// kai_row_*: a scale per column; fields rsum, rs, bias after a panel
//     sum    = sum over k of lhs * rhs + off * rsum                                 int32
//     dst[n] = clamp(f32(sum) * (rs * ls) + bias)
//
// kai_row_blocks_*: a scale per column and block; fields rsum, bias after a panel
//     sum    = fma(S, scale, sum) for each block, S = sum over the block of lhs * rhs / 16; then fma(rsum, off, sum)
//     dst[n] = clamp(sum * ls + bias)
// S comes as 16 * S.
//
// Registers: int_neon_row.inc, and
//   steps, steps_left        x5, x14   of 32 k (of a block); to go      C          v12   blocks: where S starts
//   blocks, blocks_left      x6, x15   blocks; to go                    no_scale   v13   zero
//   to_scales, scales_after  x7, x16   bytes from here to the scales    off_ls     v28   off, ls
//   x6                                 int2: the four weights          mask       v12   int2
//   x7                                 kai_row_*: the output, OutKind
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_row.inc"

    .set    RHS_TABLE, 0

steps        .req x5
blocks       .req x6
to_scales    .req x7
steps_left   .req x14
blocks_left  .req x15
scales_after .req x16
    regs    12, C, no_scale
    reg     mask, 12
    reg     off_ls, 28

// Nibbles of a step of a quad: offsets of its four vectors, then the bytes of a step. Panels of 4 columns; of 8 columns
// in groups of 8 k and of 4 k.
#define ONE_QUAD 0, 16, 32, 48, 64
#define TWO_QUADS_X8 0, 16, 64, 80, 128
#define TWO_QUADS_X4 0, 32, 64, 96, 128

// After the last step: quad_0 ... = fields of the quads, off_ls = off, ls. A panel has nr / 4 quads, `distance` bytes
// apart, whose fields are 16 bytes apart.
.macro fields nr, distance
    .if \nr == 8
    add     quad_1, quad_1, #16 - \distance
    when quads, 4, add quad_3, quad_3, #16 - \distance
    .endif
    ldr     doff_ls, [row]
.endm

// ---- int2

// nr = 4: two vectors of a quad. A byte has indices of 4 k that are 4 apart; a nibble of two indices looks up
// both: v30 = table of the lower one, v31 of the upper one. mask: of low nibbles. x6: the four weights, int32.
.macro int2_constants
    ldr     q31, [x6]
    movi    mask.16b, #0x0f
    uzp1    v31.8h, v31.8h, v31.8h
    uzp1    v30.16b, v31.16b, v31.16b           // 0 1 2 3, four times
    zip1    v31.16b, v30.16b, v30.16b
    zip1    v31.16b, v31.16b, v31.16b           // 0 0 0 0 1 1 1 1 2 ...
.endm

.macro int2_begin rest:vararg
.endm

// SUMS_A, SUMS_B += 16 k: packed bytes in set \r, \lhs = 16 k of the row. Changes \r, RHS_B, RHS_C. Two sums each: four
// SDOT in turn on one wait for each other on cores with more than four SIMD pipes, or that forward no sums.
.macro int2_x4_16k r, lhs
    shared_quads and, 16b, RHS_C, \r, mask.16b
    shared_quads ushr, 16b, \r, \r, #4
    tbl_quads RHS_B, v30, RHS_C
    tbl_quads RHS_C, v31, RHS_C
    sdot_quads SUMS_A, RHS_B, \lhs\().4b[0]
    tbl_quads RHS_B, v30, \r
    sdot_quads SUMS_B, RHS_C, \lhs\().4b[1]
    tbl_quads RHS_C, v31, \r
    sdot_quads SUMS_A, RHS_B, \lhs\().4b[2]
    sdot_quads SUMS_B, RHS_C, \lhs\().4b[3]
.endm
// SUMS_A, SUMS_B += 32 k. Changes RHS_A - RHS_C, v28, v29; quads and row move on.
.macro int2_x4_step next, rest:vararg
    prefetch_quads
    load_quads RHS_A, 0
    ldp     q28, q29, [row], #32
    int2_x4_16k RHS_A, v28
    load_quads RHS_A, 16
    advance_quads 32
    int2_x4_16k RHS_A, v29
.endm

// ---- Output: bf16

// Set \s = \with in the bits where set \keep is 0.
.macro bif_quads s, with, keep
    bif     \s\()_0.16b, \with\().16b, \keep\()_0.16b
    if_more quads, 1, bif \s\()_1.16b, \with\().16b, \keep\()_1.16b
    if_more quads, 2, bif \s\()_2.16b, \with\().16b, \keep\()_2.16b
    if_more quads, 2, bif \s\()_3.16b, \with\().16b, \keep\()_3.16b
.endm

// To nearest, ties to even, in integers: + 0x7fff + the lowest bit that stays. A NaN becomes the default one.
.macro store_bf16 s
    mov     w8, #0x7fc00000
    movi    v29.4s, #0x7f, msl #8
    dup     v28.4s, w8
    op_quads fcmeq, 4s, RHS_A, \s, \s
    bif_quads \s, v28, RHS_A
    shared_quads shl, 4s, RHS_A, \s, #15
    shared_quads usra, 4s, \s, RHS_A, #31
    addhn   \s\()_0.4h, \s\()_0.4s, v29.4s
    if_more quads, 1, addhn2 \s\()_0.8h, \s\()_1.4s, v29.4s
    if_more quads, 2, addhn \s\()_2.4h, \s\()_2.4s, v29.4s
    if_more quads, 2, addhn2 \s\()_2.8h, \s\()_3.4s, v29.4s
    store_16_bits \s
.endm
.macro store_f32_or_bf16 sums:vararg
    store_f32_or bf16, \sums
.endm

// ---- A scale per column

// Results of `quads` quads. out: macro that stores them; rhs_group_step: 32 k; offsets: those of the vectors of a step
// of a quad; fold: macro that joins the two sums of a quad, `none` if there is only one.
.macro channel_quads out, rhs, fold, nr, distance, group, offsets:vararg
    next_quads \nr, \distance
    mov     steps_left, steps
    zero_quads SUMS_A
    .ifnc \fold, none
    zero_quads SUMS_B
    .endif
    \rhs\()_begin \offsets
    cbz     steps_left, 6f
5:
    \rhs\()_\group\()_step 1, \offsets
    subs    steps_left, steps_left, #1
    b.ne    5b
6:
    fields  \nr, \distance
    load_quads RHS_A, 0
    load_quads RHS_B, 4 * \nr
    fold_quads \fold
    shared_quads mla, 4s, SUMS_A, RHS_A, off_ls.s[0]
    load_quads RHS_C, 8 * \nr
    shared_quads fmul, 4s, RHS_B, RHS_B, off_ls.s[1]
    scvtf_quads SUMS_A
    op_quads fmul, 4s, SUMS_A, SUMS_A, RHS_B
    op_quads fadd, 4s, SUMS_A, SUMS_A, RHS_C
    clamp_and_store \out, SUMS_A
.endm

// A function for an RHS with a scale per channel; parameters: channel_quads.
.macro channel_function name, out, rhs, fold, nr, distance, group, offsets:vararg
func \name\()_neon_dotprod, hidden
    frame   d12-d15
    \rhs\()_constants
    each_16_columns \nr, channel_quads \out, \rhs, \fold, \nr, \distance, \group, \offsets
    return
endfunc
.endm

    channel_function kai_row_int8_4x4, f32_or_f16, int8, add, 4, 0, x4
    channel_function kai_row_int8_4x8, f32_or_f16, int8, addp, 4, 0, x8
    channel_function kai_row_int4_4x4, f32_or_f16, int4, none, 4, 0, x4, ONE_QUAD
    channel_function kai_row_int4_4x8, f32_or_f16, int4, addp, 4, 0, x8, ONE_QUAD
    channel_function kai_row_int4_8x8, f32_or_bf16, int4, addp, 8, 32, x8, TWO_QUADS_X8
    channel_function kai_row_int2_4x4, f32, int2, add, 4, 0, x4

// ---- A scale per column and block

// RHS_C = scales, bf16 scales_after bytes from here, as floats.
.macro load_scales nr
    .if \nr == 8
    ldr     qRHS_C_0, [quad_0, scales_after]
    when quads, 4, ldr qRHS_C_2, [quad_2, scales_after]
    zip2    RHS_C_1.8h, no_scale.8h, RHS_C_0.8h
    zip1    RHS_C_0.8h, no_scale.8h, RHS_C_0.8h
    .if quads == 4
    zip2    RHS_C_3.8h, no_scale.8h, RHS_C_2.8h
    zip1    RHS_C_2.8h, no_scale.8h, RHS_C_2.8h
    .endif
    .else
    ldr     dRHS_C_0, [quad_0, scales_after]
    .if quads == 4
    ldr     dRHS_C_1, [quad_1, scales_after]
    ldr     dRHS_C_2, [quad_2, scales_after]
    ldr     dRHS_C_3, [quad_3, scales_after]
    .endif
    zip1    RHS_C_0.8h, no_scale.8h, RHS_C_0.8h
    .if quads == 4
    zip1    RHS_C_1.8h, no_scale.8h, RHS_C_1.8h
    zip1    RHS_C_2.8h, no_scale.8h, RHS_C_2.8h
    zip1    RHS_C_3.8h, no_scale.8h, RHS_C_3.8h
    .endif
    .endif
.endm

// A long block is several short ones that share its scales: x16 counts down to them.
.macro block_quads out, fold, nr, distance, group, offsets:vararg
    next_quads \nr, \distance
    mov     blocks_left, blocks
    mov     scales_after, to_scales
    zero_quads SUMS_F
    cbz     blocks_left, 8f
    mov     w8, #0x49400000
    start_quads \fold, SUMS_A
    start_second_quads \fold
4:
    mov     steps_left, steps
    int4_begin \offsets
5:
    int4_\group\()_step 0, \offsets
    subs    steps_left, steps_left, #1
    b.eq    6f
    int4_begin \offsets
    b       5b
6:
    load_scales \nr
    mov     w8, #0x49400000
    fold_quads \fold
    start_second_quads \fold
    shared_quads fsub, 4s, SUMS_A, SUMS_A, C.4s
    subs    scales_after, scales_after, steps, lsl #6 + \nr / 8
    b.hs    7f
    advance_quads 2 * \nr
    mov     scales_after, to_scales
    sub     blocks_left, blocks_left, #1
7:
    op_quads fmla, 4s, SUMS_F, SUMS_A, RHS_C
    start_quads \fold, SUMS_A
    cbnz    blocks_left, 4b
8:
    fields  \nr, \distance
    load_quads RHS_A, 0
    load_quads RHS_B, 4 * \nr
    scvtf   s29, s28
    shared_quads fmla, 4s, SUMS_F, RHS_A, v29.s[0]
    shared_quads fmul, 4s, SUMS_F, SUMS_F, off_ls.s[1]
    op_quads fadd, 4s, SUMS_F, SUMS_F, RHS_B
    clamp_and_store \out, SUMS_F
.endm

// A function for an RHS in blocks; parameters: block_quads.
.macro block_function name, out, fold, nr, distance, group, offsets:vararg
func \name\()_\out\()_neon_dotprod, hidden
    frame   d8-d15
    mov     w8, #0x49400000
    dup     C.4s, w8
    int4_constants
    movi    no_scale.2d, #0
    each_16_columns \nr, block_quads \out, \fold, \nr, \distance, \group, \offsets
    return
endfunc
.endm

.macro int4_blocks_x8 out
    block_function kai_row_blocks_int4_4x8, \out, addp, 4, 0, x8, ONE_QUAD
.endm

    block_function kai_row_blocks_int4_4x4, f32, none, 4, 0, x4, ONE_QUAD
    block_function kai_row_blocks_int4_8x4, f32, none, 8, 16, x4, TWO_QUADS_X4
    int4_blocks_x8 f32
    int4_blocks_x8 bf16
    block_function kai_row_blocks_int4_8x8, f32, addp, 8, 32, x8, TWO_QUADS_X8
