// One row quantised at run time (qai8dxp) with SDOT: 16 columns at a time, then panel by panel
// (qai8dxp_neon_row.hpp). off, ls are the offset and the scale of the row, which follow it.
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
//   x5, x14   steps (of a block), to go     v12        C
//   x6, x15   blocks, to go                 v13        zero
//   x7, x16   from here to the scales
//   x6        int2: the four weights
//   x7        kai_row_*: the output, OutKind
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/int_neon/int_neon_row.inc"

// After the last step: x9 - x12 = fields of the quads, v28 = off, ls.
.macro fields nr, second
    .if \nr == 8
    add     x10, x10, #16 - \second
    when quads, 4, add x12, x12, #16 - \second
    .endif
    ldr     d28, [x13]
.endm

// fold: what makes one sum of the two of a quad; `none` if there is only one.
.macro channel_quads out, rhs, fold, nr, second, group, offsets:vararg
    next_quads \nr, \second
    mov     x14, x5
    zero_quads SUMS_A
    .ifnc \fold, none
    zero_quads SUMS_B
    .endif
    \rhs\()_begin \offsets
    cbz     x14, 6f
5:
    \rhs\()_\group\()_step 1, \offsets
    subs    x14, x14, #1
    b.ne    5b
6:
    fields  \nr, \second
    load_quads RHS_A, 0
    load_quads RHS_B, 4 * \nr
    fold_quads \fold
    shared_quads mla, 4s, SUMS_A, RHS_A, v28.s[0]
    load_quads RHS_C, 8 * \nr
    shared_quads fmul, 4s, RHS_B, RHS_B, v28.s[1]
    scvtf_quads SUMS_A
    op_quads fmul, 4s, SUMS_A, SUMS_A, RHS_B
    op_quads fadd, 4s, SUMS_A, SUMS_A, RHS_C
    clamp_and_store \out, SUMS_A
.endm

.macro channel_function name, out, rhs, fold, nr, second, group, offsets:vararg
func \name\()_neon_dotprod, hidden
    frame   d14-d15
    \rhs\()_constants
    each_16_columns \nr, channel_quads \out, \rhs, \fold, \nr, \second, \group, \offsets
    return
endfunc
.endm

    channel_function kai_row_int8_4x4, f32_or_f16, int8, add, 4, 0, x4
    channel_function kai_row_int8_4x8, f32_or_f16, int8, addp, 4, 0, x8
    channel_function kai_row_int4_4x4, f32_or_f16, int4, none, 4, 0, x4, 0, 16, 32, 48, 64
    channel_function kai_row_int4_4x8, f32_or_f16, int4, addp, 4, 0, x8, 0, 16, 32, 48, 64
    channel_function kai_row_int4_8x8, f32_or_bf16, int4, addp, 8, 32, x8, 0, 16, 64, 80, 128
    channel_function kai_row_int2_4x4, f32, int2, none, 4, 0, x4

// RHS_C = bf16 scales, x16 bytes from here.
.macro load_scales nr
    .if \nr == 8
    ldr     q24, [x9, x16]
    when quads, 4, ldr q26, [x11, x16]
    zip2    v25.8h, v13.8h, v24.8h
    zip1    v24.8h, v13.8h, v24.8h
    .if quads == 4
    zip2    v27.8h, v13.8h, v26.8h
    zip1    v26.8h, v13.8h, v26.8h
    .endif
    .else
    ldr     d24, [x9, x16]
    .if quads == 4
    ldr     d25, [x10, x16]
    ldr     d26, [x11, x16]
    ldr     d27, [x12, x16]
    .endif
    zip1    v24.8h, v13.8h, v24.8h
    .if quads == 4
    zip1    v25.8h, v13.8h, v25.8h
    zip1    v26.8h, v13.8h, v26.8h
    zip1    v27.8h, v13.8h, v27.8h
    .endif
    .endif
.endm

// A long block is several short ones that share its scales: x16 counts down to them.
.macro block_quads out, fold, nr, second, group, offsets:vararg
    next_quads \nr, \second
    mov     x15, x6
    mov     x16, x7
    zero_quads SUMS_F
    cbz     x15, 8f
    mov     w8, #0x49400000
    start_quads \fold, SUMS_A
    start_second_quads \fold
4:
    mov     x14, x5
    int4_begin \offsets
5:
    int4_\group\()_step 0, \offsets
    subs    x14, x14, #1
    b.eq    6f
    int4_begin \offsets
    b       5b
6:
    load_scales \nr
    mov     w8, #0x49400000
    fold_quads \fold
    start_second_quads \fold
    shared_quads fsub, 4s, SUMS_A, SUMS_A, v12.4s
    subs    x16, x16, x5, lsl #6 + \nr / 8
    b.hs    7f
    advance_quads 2 * \nr
    mov     x16, x7
    sub     x15, x15, #1
7:
    op_quads fmla, 4s, SUMS_F, SUMS_A, RHS_C
    start_quads \fold, SUMS_A
    cbnz    x15, 4b
8:
    fields  \nr, \second
    load_quads RHS_A, 0
    load_quads RHS_B, 4 * \nr
    scvtf   s29, s28
    shared_quads fmla, 4s, SUMS_F, RHS_A, v29.s[0]
    shared_quads fmul, 4s, SUMS_F, SUMS_F, v28.s[1]
    op_quads fadd, 4s, SUMS_F, SUMS_F, RHS_B
    clamp_and_store \out, SUMS_F
.endm

.macro block_function name, out, fold, nr, second, group, offsets:vararg
func \name\()_\out\()_neon_dotprod, hidden
    frame   d8-d15
    mov     w8, #0x49400000
    dup     v12.4s, w8
    int4_constants
    movi    v13.2d, #0
    each_16_columns \nr, block_quads \out, \fold, \nr, \second, \group, \offsets
    return
endfunc
.endm

.macro int4_blocks_x8 out
    block_function kai_row_blocks_int4_4x8, \out, addp, 4, 0, x8, 0, 16, 32, 48, 64
.endm

    block_function kai_row_blocks_int4_4x4, f32, none, 4, 0, x4, 0, 16, 32, 48, 64
    block_function kai_row_blocks_int4_8x4, f32, none, 8, 16, x4, 0, 32, 64, 96, 128
    int4_blocks_x8 f32
    int4_blocks_x8 bf16
    block_function kai_row_blocks_int4_8x8, f32, addp, 8, 32, x8, 0, 16, 64, 80, 128
