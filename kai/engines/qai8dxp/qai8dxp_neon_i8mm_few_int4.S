// Few rows of the qai8dxp GEMM with SMMLA, int4, per channel and in blocks (formulas: qai8dxp_neon_i8mm_few.inc): tiles
// of 2, 4, 6 or 8 rows. SMMLA multiplies 2 rows x 8 k by 8 k x 2 columns: rows and columns a = 0 1, b = 2 3.
//
// Nibbles are decoded between the multiplications, 16 times their value: a packed vector P has k 0 - 7 in its low
// nibbles and k 16 - 23 in its high ones, or 8 - 15 and 24 - 31. A step of 32 k has two halves, which are, in order:
//
//     L = P << 4, S += A (k 0 - 7, then 8 - 15) x L;  P &= 0xF0, S += A (k 16 - 23, then 24 - 31) x P
//
// Operands are loaded where their registers become free and decoded a few multiplications ahead, for in-order cores.
// The last step loads 32 bytes after the last k of a panel and of a quad: fields.
//
//   to_half, to_half_16  x5, x6   bytes to the second half of a step, to its second vector
//   step_bytes           x7       bytes of a step
//   mask                 v31      0xF0
//   Blocks: at their own heading. Other registers: qai8dxp_neon_few.S, qai8dxp_neon_i8mm_few.inc
//
// Other work is interleaved by `meanwhile`, a macro that a block calls with 1, 2, ... at its places.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon_i8mm_few.inc"
#include "kai/engines/qai8dxp/qai8dxp_neon_i8mm_few_results.inc"

to_half    .req x5
to_half_16 .req x6
step_bytes .req x7
    reg     mask, 31

.macro nothing number
.endm

.macro int4_constants
    lsl     to_half, x27, #1
    lsl     step_bytes, x27, #2
    movi    mask.16b, #0xF0
.endm

// ---- 2 or 4 rows x 2 quads: half a step
//
//                 | L0_a L0_b     L1_a L1_b      L: v16 - v19; P, packed, then high nibbles: v20 - v23
//         --------+---------------------------
//           Al_a  | S0_aa S0_ab   S1_aa S1_ab    Al: v24, v25 for low nibbles, Ah: v26, v27 for high ones
//           Al_b  | S0_ba S0_bb   S1_ba S1_bb    2 rows: without this line. Their registers, v2, v3, v6, v7, have
//                                                high nibbles, H

    regs    16, L0_a, L0_b, L1_a, L1_b, P0_a, P0_b, P1_a, P1_b, Al_a, Al_b, Ah_a, Ah_b
    regs    2, H0_a, H0_b
    regs    6, H1_a, H1_b

// Loads P of a quad: vector v of half `half`, first or second, of a step.
.macro load_packed quad, v, half
    .ifc \half, second
    .ifc \v, a
    ldr     qP\quad\()_a, [rhs\quad, to_half]
    .else
    ldr     qP\quad\()_b, [rhs\quad, to_half_16]
    .endif
    .else
    .ifc \v, a
    ldr     qP\quad\()_a, [rhs\quad]
    .else
    ldr     qP\quad\()_b, [rhs\quad, #16]
    .endif
    .endif
.endm
.macro low_of_quad_0
    shl     L0_a.16b, P0_a.16b, #4
    shl     L0_b.16b, P0_b.16b, #4
.endm

// Half a step of 4 rows. Loads Ah from byte `high`, then the next Al from `low` and P of half `next`. `decode` 1: also
// decodes L0; 0: the caller does. meanwhile: 1 - 4 in the low k, 5 - 8 in the high ones.
.macro half_4 high, low, next, decode, meanwhile
    smmla   S0_aa.4s, Al_a.16b, L0_a.16b
    shl     L1_a.16b, P1_a.16b, #4
    ldp     qAh_a, qAh_b, [lhs0, #\high]
    smmla   S0_ba.4s, Al_b.16b, L0_a.16b
    smmla   S0_ab.4s, Al_a.16b, L0_b.16b
    \meanwhile 1
    shl     L1_b.16b, P1_b.16b, #4
    smmla   S0_bb.4s, Al_b.16b, L0_b.16b
    \meanwhile 2
    and     P0_a.16b, P0_a.16b, mask.16b
    and     P0_b.16b, P0_b.16b, mask.16b
    \meanwhile 3
    smmla   S1_aa.4s, Al_a.16b, L1_a.16b
    smmla   S1_ba.4s, Al_b.16b, L1_a.16b
    and     P1_a.16b, P1_a.16b, mask.16b
    \meanwhile 4
    smmla   S1_ab.4s, Al_a.16b, L1_b.16b
    and     P1_b.16b, P1_b.16b, mask.16b
    smmla   S1_bb.4s, Al_b.16b, L1_b.16b

    smmla   S0_aa.4s, Ah_a.16b, P0_a.16b
    smmla   S0_ba.4s, Ah_b.16b, P0_a.16b
    ldp     qAl_a, qAl_b, [lhs0, #\low]
    \meanwhile 5
    smmla   S0_ab.4s, Ah_a.16b, P0_b.16b
    load_packed 0, a, \next
    smmla   S0_bb.4s, Ah_b.16b, P0_b.16b
    \meanwhile 6
    load_packed 0, b, \next
    smmla   S1_aa.4s, Ah_a.16b, P1_a.16b
    when \decode, 1, shl L0_a.16b, P0_a.16b, #4
    smmla   S1_ba.4s, Ah_b.16b, P1_a.16b
    load_packed 1, a, \next
    \meanwhile 7
    smmla   S1_ab.4s, Ah_a.16b, P1_b.16b
    when \decode, 1, shl L0_b.16b, P0_b.16b, #4
    smmla   S1_bb.4s, Ah_b.16b, P1_b.16b
    load_packed 1, b, \next
    \meanwhile 8
.endm
// As half_4, 2 rows: there are registers left for high nibbles.
.macro half_2 high, low, next, decode, meanwhile
    smmla   S0_aa.4s, Al_a.16b, L0_a.16b
    shl     L1_a.16b, P1_a.16b, #4
    \meanwhile 1
    smmla   S0_ab.4s, Al_a.16b, L0_b.16b
    shl     L1_b.16b, P1_b.16b, #4
    \meanwhile 2
    and     H0_a.16b, P0_a.16b, mask.16b
    and     H0_b.16b, P0_b.16b, mask.16b
    ldr     qAh_a, [lhs0, #\high]
    \meanwhile 3
    smmla   S1_aa.4s, Al_a.16b, L1_a.16b
    and     H1_a.16b, P1_a.16b, mask.16b
    load_packed 0, a, \next
    smmla   S1_ab.4s, Al_a.16b, L1_b.16b
    and     H1_b.16b, P1_b.16b, mask.16b
    \meanwhile 4
    load_packed 0, b, \next

    smmla   S0_aa.4s, Ah_a.16b, H0_a.16b
    smmla   S0_ab.4s, Ah_a.16b, H0_b.16b
    \meanwhile 5
    when \decode, 1, shl L0_a.16b, P0_a.16b, #4
    load_packed 1, a, \next
    when \decode, 1, shl L0_b.16b, P0_b.16b, #4
    \meanwhile 6
    smmla   S1_aa.4s, Ah_a.16b, H1_a.16b
    load_packed 1, b, \next
    smmla   S1_ab.4s, Ah_a.16b, H1_b.16b
    \meanwhile 7
    ldr     qAl_a, [lhs0, #\low]
    \meanwhile 8
.endm
// half_2 or half_4, by the rows of the tile.
.macro half high, low, next, decode, meanwhile=nothing
    when rows, 4, half_4 \high, \low, \next, \decode, \meanwhile
    when rows, 2, half_2 \high, \low, \next, \decode, \meanwhile
.endm

// Out: P, Al, L0 of the first half.
.macro flat_begin
    ldr     qP0_a, [rhs0]
    ldr     qP0_b, [rhs0, #16]
    .if rows > 2
    ldp     qAl_a, qAl_b, [lhs0]
    .else
    ldr     qAl_a, [lhs0]
    .endif
    ldr     qP1_a, [rhs1]
    ldr     qP1_b, [rhs1, #16]
    add     to_half_16, to_half, #16
    low_of_quad_0
.endm

// ---- 6 or 8 rows x a quad: half a step
//
//                 | L_a   L_b         L, low nibbles: v16, v17
//         --------+------------       Pe, packed, then high nibbles, of first halves: v18, v19; Po, of second ones:
//           A0_a  | S0_aa S0_ab       v20, v21. A0, A1: v24 - v27, panels 0 and 1
//           A0_b  | S0_ba S0_bb
//           A1_a  | S1_aa S1_ab
//           A1_b  | S1_ba S1_bb       6 rows: without this line
//
//   rhs0, half_rhs  x3, x4   first and second half of a step

half_rhs .req x4
    regs    16, L_a, L_b, Pe_a, Pe_b, Po_a, Po_b
    regs    24, A0_a, A0_b, A1_a, A1_b

// Half a step with P<set>. Loads A of its high k from byte `high`, then A of the next half from `low` and P<other> from
// `packed`, and decodes L of the next half. meanwhile: 1 - 3.
.macro tall_half set, other, packed, high, low, meanwhile=nothing
    smmla   S0_aa.4s, A0_a.16b, L_a.16b
    smmla   S0_ab.4s, A0_a.16b, L_b.16b
    ldr     qA0_a, [lhs0, #\high]
    smmla   S0_ba.4s, A0_b.16b, L_a.16b
    smmla   S0_bb.4s, A0_b.16b, L_b.16b
    ldr     qA0_b, [lhs0, #\high + 16]
    and     P\set\()_a.16b, P\set\()_a.16b, mask.16b
    smmla   S1_aa.4s, A1_a.16b, L_a.16b
    ldp     qP\other\()_a, qP\other\()_b, [\packed]
    smmla   S1_ab.4s, A1_a.16b, L_b.16b
    and     P\set\()_b.16b, P\set\()_b.16b, mask.16b
    \meanwhile 1
    .if rows > 6
    smmla   S1_ba.4s, A1_b.16b, L_a.16b
    smmla   S1_bb.4s, A1_b.16b, L_b.16b
    .endif
    load_last_panel A1_a, A1_b, \high

    smmla   S0_aa.4s, A0_a.16b, P\set\()_a.16b
    smmla   S0_ab.4s, A0_a.16b, P\set\()_b.16b
    ldr     qA0_a, [lhs0, #\low]
    shl     L_a.16b, P\other\()_a.16b, #4
    smmla   S0_ba.4s, A0_b.16b, P\set\()_a.16b
    \meanwhile 2
    smmla   S0_bb.4s, A0_b.16b, P\set\()_b.16b
    shl     L_b.16b, P\other\()_b.16b, #4
    ldr     qA0_b, [lhs0, #\low + 16]
    smmla   S1_aa.4s, A1_a.16b, P\set\()_a.16b
    smmla   S1_ab.4s, A1_a.16b, P\set\()_b.16b
    \meanwhile 3
    .if rows > 6
    smmla   S1_ba.4s, A1_b.16b, P\set\()_a.16b
    smmla   S1_bb.4s, A1_b.16b, P\set\()_b.16b
    .endif
    load_last_panel A1_a, A1_b, \low
.endm

// Out: Pe, A, L of the first half.
.macro tall_begin
    add     half_rhs, rhs0, to_half
    ldp     qPe_a, qPe_b, [rhs0]
    ldp     qA0_a, qA0_b, [lhs0]
    load_last_panel A1_a, A1_b, 0
    shl     L_a.16b, Pe_a.16b, #4
    shl     L_b.16b, Pe_b.16b, #4
.endm

// ---- Per channel

.macro count_step number
    when \number, 1, subs steps_left, steps_left, #1
.endm
// 32 k.
.macro channel_step
    .if rows <= 4
    half    64, 32, second, 1
    add     rhs0, rhs0, step_bytes
    add     rhs1, rhs1, step_bytes
    half    96, 128, first, 1, count_step
    add     lhs0, lhs0, #128
    .else
    tall_half e, o, half_rhs, 64, 32
    add     rhs0, rhs0, step_bytes
    add     half_rhs, rhs0, to_half
    tall_half o, e, rhs0, 96, 128, count_step
    add     lhs0, lhs0, #128
    add     lhs1, lhs1, #128
    .endif
.endm

// A tile of \count rows, per channel; then kai_part_finish_<size>.
.macro channel_tile count, size
func kai_part_few_int4_\size\()_neon_i8mm, hidden
    .set    rows, \count
    few_begin
    ldr     steps_left, [args, #FEW_ARGS_depth]
    int4_constants
    .if rows > 4
    tall_begin
    .else
    flat_begin
    .endif
    each_sum zero, S
    cbz     steps_left, 4f
3:  // 32 k
    channel_step
    b.ne    3b
4:
    b       KAI_SYM(kai_part_finish_\size\()_neon_i8mm)
endfunc
.endm
    channel_tile 2, 2x8
    channel_tile 4, 4x8
    channel_tile 6, 6x4
    channel_tile 8, 8x4

// ---- Blocks
//
// A long block is several parts, which share its scales: to_scales counts down to them.
//
//   to_second_scales  x9    bytes from scales to those of the second quad
//   block_bytes       x10   bytes of a step and of scales       total       x14   steps to go
//   block_distance    x11   to_scales at the start of a block   scales      x15   of the first quad
//   part_steps        x12   steps of a part                     to_scales   x16   from the next step to its scales
//   x17                     bytes to the next step, scales      x2, x8, x13, x28   scratch of widen_scales
//   C                 v30   where S starts
//   scales<q>_a, _b   v16 - v19: scales of quad q at the end of a part; 6 and 8 rows: scales_a, _b v20, v21

to_second_scales .req x9
block_bytes      .req x10
block_distance   .req x11
part_steps       .req x12
total            .req x14
scales           .req x15
to_scales        .req x16
    reg     C, 30
    regs    16, scales0_a, scales0_b, scales1_a, scales1_b, scales_a, scales_b

// scales = address of the scales of this step; x17 = bytes to the next step, beyond the scales if the block ends.
.macro next_step number
    when \number, 1, add scales, rhs0, to_scales
    when \number, 2, subs to_scales, to_scales, step_bytes
    when \number, 3, csel x17, block_bytes, step_bytes, eq
    when \number, 4, csel to_scales, block_distance, to_scales, eq
.endm
// Scales of a quad, four bf16 in `from`, become two pairs of floats in general registers, where they take no SIMD
// slot on most cores: columns 01 in `to`, columns 23 in x28. Changes `from`, x13.
.macro widen_scales number, from=x17, to=x2
    when \number, 1, and x13, \from, #0xFFFF0000
    when \number, 2, ubfiz \to, \from, #16, #16
    when \number, 3, lsr x28, \from, #16
    when \number, 4, orr \to, \to, x13, lsl #32
    when \number, 5, and x28, x28, #0xFFFF0000
    when \number, 6, and \from, \from, #0xFFFF000000000000
    when \number, 7, orr x28, x28, \from
.endm
// Counts the steps and loads scales: two quads: x17 and x15, and begins to widen x17; one quad: x17.
.macro two_scales number
    when \number, 1, sub total, total, #1
    when \number, 2, subs steps_left, steps_left, #1
    when \number, 3, ldr x17, [scales]
    when \number, 4, ldr x15, [scales, to_second_scales]
    if_more \number, 4, widen_scales (\number - 4)
.endm
.macro one_scale number
    when \number, 1, sub total, total, #1
    when \number, 2, subs steps_left, steps_left, #1
    when \number, 3, ldr x17, [scales, to_second_scales]
.endm

// 32 k. Flags: eq after the last step of a part. Of 2 and 4 rows the caller decodes L0 of the next step.
.macro block_step
    .if rows <= 4
    half    64, 32, second, 1, next_step
    add     rhs0, rhs0, x17
    add     rhs1, rhs1, x17
    half    96, 128, first, 0, two_scales
    add     lhs0, lhs0, #128
    .else
    tall_half e, o, half_rhs, 64, 32, next_step
    next_step 4
    add     rhs0, rhs0, x17
    add     half_rhs, rhs0, to_half
    tall_half o, e, rhs0, 96, 128, one_scale
    add     lhs0, lhs0, #128
    add     lhs1, lhs1, #128
    .endif
.endm

// The integer sums of a part of a block become floats, are scaled and added, and start anew:
// S -= C; F += S * scales; S = C. Two rows, a or b, of unit u.
.macro start s
    ldr     q\s, [args, #FEW_ARGS_start]
.endm
.macro less_start u, two
    fsub    S\u\()_\two\()a.4s, S\u\()_\two\()a.4s, C.4s
    fsub    S\u\()_\two\()b.4s, S\u\()_\two\()b.4s, C.4s
.endm
// The same rows: F += S * scales; S = C.
.macro add_scaled u, two, scales
    fmla    F\u\()_\two\()a.4s, S\u\()_\two\()a.4s, \scales\()_a.4s
    start   S\u\()_\two\()a
    fmla    F\u\()_\two\()b.4s, S\u\()_\two\()b.4s, \scales\()_b.4s
    start   S\u\()_\two\()b
.endm
// All of 2 and 4 rows; then L0 of the next part.
.macro add_part_flat
    widen_scales 5
    less_start 0, a
    widen_scales 6
    dup     scales0_a.2d, x2
    widen_scales 7
    if_more rows, 2, less_start 0, b
    widen_scales 1, x15
    dup     scales0_b.2d, x28
    widen_scales 2, x15
    less_start 1, a
    widen_scales 3, x15
    if_more rows, 2, less_start 1, b
    widen_scales 4
    add_scaled 0, a, scales0
    dup     scales1_a.2d, x2
    widen_scales 5
    widen_scales 6, x15
    if_more rows, 2, add_scaled 0, b, scales0
    widen_scales 7, x15
    dup     scales1_b.2d, x28
    low_of_quad_0
    add_scaled 1, a, scales1
    if_more rows, 2, add_scaled 1, b, scales1
.endm
// All of 6 and 8 rows.
.macro add_part_tall
    widen_scales 1
    less_start 0, a
    widen_scales 2, x17, x8
    widen_scales 3
    less_start 0, b
    widen_scales 4, x17, x8
    widen_scales 5
    dup     scales_a.2d, x8
    widen_scales 6
    less_start 1, a
    widen_scales 7
    if_more rows, 6, less_start 1, b
    dup     scales_b.2d, x28
    add_scaled 0, a, scales
    add_scaled 0, b, scales
    add_scaled 1, a, scales
    if_more rows, 6, add_scaled 1, b, scales
.endm

// A tile of \count rows, in blocks; then kai_part_results_<size>.
.macro block_tile count, size
func kai_part_few_blocks_int4_\size\()_neon_i8mm, hidden
    .set    rows, \count
    few_begin
    start   C
    int4_constants
    ldr     part_steps, [args, #FEW_ARGS_steps]
    ldr     block_distance, [args, #FEW_ARGS_scale_distance]
    ldr     total, [args, #FEW_ARGS_depth]
    add     block_bytes, step_bytes, step_bytes, lsr #3
    // In a panel of 8 columns quads are 16 bytes apart and their scales 8: those of both follow the first quad
    .if rows > 4
    mov     to_second_scales, #-24
    cmp     x25, #16
    csel    to_second_scales, xzr, to_second_scales, eq
    tst     x27, #32                    // nr = 8?
    csel    to_second_scales, to_second_scales, xzr, ne
    .else
    lsr     to_second_scales, x25, #1
    tst     x27, #32
    csel    to_second_scales, to_second_scales, x25, ne
    .endif
    madd    block_distance, part_steps, step_bytes, block_distance
    mov     to_scales, block_distance
    each_sum zero, F
    each_sum start, S
    .if rows > 4
    tall_begin
    .else
    flat_begin
    .endif
    cbz     total, 4f
3:  // a part of a block
    mov     steps_left, part_steps
5:  // 32 k
    block_step
    .if rows > 4
    b.ne    5b
    add_part_tall
    .else
    b.eq    6f
    low_of_quad_0
    b       5b
6:
    add_part_flat
    .endif
    cbnz    total, 3b
4:
    block_results
    b       KAI_SYM(kai_part_results_\size\()_neon)
endfunc
.endm
    block_tile 2, 2x8
    block_tile 4, 4x8
    block_tile 6, 6x4
    block_tile 8, 8x4
