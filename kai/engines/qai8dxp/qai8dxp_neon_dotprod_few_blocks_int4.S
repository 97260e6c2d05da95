// Few rows of the qai8dxp GEMM with SDOT, int4, a scale per block: tiles of 1 or 2 rows x 4 quads, 1 to 5 rows x 2, 6
// to 8 rows of a quad. Formula, picture, registers and 8 k of products: qai8dxp_neon_dotprod_few.inc.
//
// A long block is several short parts, which share its scales: x16 counts down to them.
//
//   x1   bytes of a part                                         x5    steps of a part to go
//   x2   from a block's first part to its scales                 x14   scratch; bits of C
//   x3   what x14 loses for the second quad of a pair            x15   blocks to go, negative, up to 0
//   x4   bytes of a step and scales                              x16   bytes from here to the scales
//   x28  bytes from the next block back to its scales            C     v30   where S starts
//   F<i> at the heading of each shape
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon_dotprod_few.inc"
#include "kai/engines/qai8dxp/qai8dxp_neon_dotprod_few_results.inc"

    reg     C, 30

// Row i: F = 0.
.macro zero_f32_row i
    movi    F\i\()_0.2d, #0
    if_more quads, 1, movi F\i\()_1.2d, #0
    if_more quads, 2, movi F\i\()_2.2d, #0
    if_more quads, 2, movi F\i\()_3.2d, #0
.endm
// S -= C.
.macro less_c i
    shared_quads fsub, 4s, S\i, S\i, C.4s
.endm
// F += S * RHS_B.
.macro add_scaled i
    fmla    F\i\()_0.4s, S\i\()_0.4s, RHS_B_0.4s
    if_more quads, 1, fmla F\i\()_1.4s, S\i\()_1.4s, RHS_B_1.4s
    if_more quads, 2, fmla F\i\()_2.4s, S\i\()_2.4s, RHS_B_2.4s
    if_more quads, 2, fmla F\i\()_3.4s, S\i\()_3.4s, RHS_B_3.4s
.endm
// S = C, whose bits are in w14.
.macro start_row i
    dup     S\i\()_0.4s, w14
    if_more quads, 1, dup S\i\()_1.4s, w14
    if_more quads, 2, dup S\i\()_2.4s, w14
    if_more quads, 2, dup S\i\()_3.4s, w14
.endm
// \op i for the rows that the tile has. meanwhile: 0 to 3 after rows.
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

// Loads bf16 scales, x14 bytes from here. x3: in a panel of 8 columns, quads are twice as far apart as their scales.
.macro load_scales_02 s0, s2
    ldr     d\s0, [quad_0, x14]
    when quads, 4, ldr d\s2, [quad_2, x14]
    sub     x14, x14, x3
.endm
.macro load_scales_13 s1, s3
    ldr     d\s1, [quad_1, x14]
    when quads, 4, ldr d\s3, [quad_3, x14]
.endm
// 2 rows x 4 quads and 5 rows x 2 load scales late, into RHS registers; other tiles have registers to load them early.
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
// As next_part_and_scales, for scales that were loaded early; w14 = bits of C.
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
    when \number, 0, csel x14, x4, step_bytes, eq
    when \number, 3, cinc x15, x15, eq
.endm
// Moves the RHS on by x14; then x14 = bytes from there to the scales.
.macro block_moves_rhs number
    when \number, 0, advance_quad 0, x14
    when \number, 1, advance_quad 1, x14
    when \number, 3, advance_quad 2, x14
    when \number, 4, advance_quad 3, x14
    when \number, 5, csel x14, x28, x16, eq
.endm
// Moves the LHS on; loads early scales.
.macro block_moves_lhs number
    when \number, 0, load_scales_early_0
    when \number, 3, add lhs0, lhs0, #128
    when \number, 4, load_scales_early_1
    when \number, 5, advance_lhs1
.endm
.macro next_rhs number
    when \number, 0, load_quad 0, RHS_B, x27
.endm

// A tile of \rows_ rows; then kai_part_results_*.
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
    mul     x1, x5, step_bytes
    dup     C.4s, w14
    add     x4, step_bytes, step_bytes, lsr #3
    neg     x15, x15
    movi    high_mask.16b, #0xf0
    .if quads == 1
    mov     x3, #8
    cmp     x25, #16
    csel    x3, xzr, x3, eq
    .else
    lsr     x3, x25, #1
    .endif
    tst     x27, #32                    // nr = 8?
    sub     x28, step_bytes, x4
    mov     x16, x2
    csel    x3, x3, xzr, ne
    cbz     x15, 8f
    .if quads <= 2 && rows != 5
    movi    v19.2d, #0
    .elseif rows == 1
    movi    v6.2d, #0
    .endif
    block_rows start_row
    int4_low RHS_A
    block_rows zero_f32_row
4:  // 32 k. After a block, the RHS skips its scales
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
    block_rows zero_f32_row
9:
    block_results \rows_, \columns
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
