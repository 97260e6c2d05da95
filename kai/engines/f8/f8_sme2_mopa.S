// bf16 x FP8 with BFMOPA: a part of k of a panel of 4 V columns, V = SVL / 32, times all rows (f8_sme2.cpp).
//
//     row of dst = that of start + scale * (sum over k of the block of lhs * rhs), clamped after the last block
//
// First the part is decoded to bf16, exactly, once for all rows. A vector of a panel has 4 k of V columns. The two
// bytes of a bf16 are made apart, as in f8_neon_bf16_decode.S, and joined by TRN: k 0 and 2 of each column, and k 1
// and 3, since BFMOPA takes pairs. UZP makes the same pairs of the rows. The sums of a step are in four tiles:
//
//     za0 za1 za2 za3     V rows, V columns each
//
// Decoding                                                     Multiplying
//   V_0 - V_3   z0-z3    codes of V columns each                 A_0, A_1    z0, z1   4 k of V rows, half of them each
//   I_0 - I_3   z4-z7    index; then k 0 and 2                   E, O        z2, z3   k 0 and 2, k 1 and 3 of V rows
//   W_0 - W_3   z8-z11   lower bytes; then k 1 and 3             z4-z7, z8-z11        k 0 and 2, k 1 and 3 of columns
//   U_0 - U_3   z12-z15  upper bytes                           After a block
//   low, high   z16, z17   bytes by index                        z0-z3    a row of the tiles    z4-z7  results
//   magnitude, base, four   z18-z20                              z8-z11   scales                z12, z13  bounds
//
// p0, pn8  all    pn9  columns of the panel that exist    p1  entries of the tables
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/f8/f8_args.h"

    alias   args, x0
    alias   lhs, x1             // cursor
    alias   weights, x2         // cursor: decoded
    alias   count, x3           // groups, rows left
    alias   left, x4            // blocks left
    alias   rhs, x5             // cursors
    alias   scales, x6
    alias   groups, x7
    alias   next_block, x8
    alias   rows, x9            // left, from this panel on
    alias   lhs_panel, x10
    alias   start, x11          // rows of this panel and block
    alias   dst, x13
    alias   dst_stride, x14
    alias   from, x15           // cursors in rows of start, dst
    alias   to, x16
    alias   vl, x17
    alias   tables, x1          // while decoding
    alias   start_step, x19

    alias   low, z16
    alias   high, z17
    alias   magnitude, z18
    alias   base, z19
    alias   four, z20

// z\i, z\w: bf16 of k 0 and 2, k 1 and 3, of the codes z\v. Clobbers z\u.
.macro decode_e4m3 v, i, w, u
    and     z\i\().d, z\v\().d, magnitude.d
    lsl     z\w\().b, z\v\().b, #4
    lsr     z\u\().b, z\i\().b, #4
    join    \v, \i, \w, \u
.endm
// The same of E5M2. Index: infinity and NaN are 0 to 3.
.macro decode_e5m2 v, i, w, u
    and     z\u\().d, z\v\().d, magnitude.d
    add     z\i\().b, z\v\().b, four.b
    lsl     z\w\().b, z\v\().b, #5
    and     z\i\().d, z\i\().d, magnitude.d
    lsr     z\u\().b, z\u\().b, #3
    join    \v, \i, \w, \u
.endm
// What both have in common: codes whose index is in the tables, the bias, the sign; pairs.
.macro join v, i, w, u
    tbx     z\w\().b, low.b, z\i\().b
    add     z\u\().b, z\u\().b, base.b
    tbx     z\u\().b, high.b, z\i\().b
    bsl     z\u\().d, z\u\().d, z\v\().d, magnitude.d
    trn1    z\i\().b, z\w\().b, z\u\().b
    trn2    z\w\().b, z\w\().b, z\u\().b
.endm

// All blocks of the part, from rhs on, to weights. bias: of the upper byte. Clobbers count, left, rhs.
.macro decode_part decode, bias
    ldr     tables, [args, #F8_PANEL_ARGS_tables]
    mov     count, #128
    whilelo p1.b, xzr, count
    ld1b    {z16.b}, p1/z, [tables]
    add     tables, tables, count
    ld1b    {z17.b}, p1/z, [tables]
    mov     z18.b, #0x7F
    mov     z19.b, #\bias
    mov     z20.b, #4
1:  mov     count, groups
2:  ld1b    {z0.b-z3.b}, pn8/z, [rhs]
    addvl   rhs, rhs, #4
    \decode 0, 4, 8, 12
    \decode 1, 5, 9, 13
    \decode 2, 6, 10, 14
    \decode 3, 7, 11, 15
    st1w    {z4.s-z7.s}, pn8, [weights]
    st1w    {z8.s-z11.s}, pn8, [weights, #4, mul vl]
    addvl   weights, weights, #8
    subs    count, count, #1
    b.ne    2b
    addvl   rhs, rhs, #4                        // scales
    subs    left, left, #1
    b.ne    1b
.endm

// za0-za3 += products of 4 k, from lhs and weights on, which advance.
.macro multiply_group
    ld1b    {z0.b-z1.b}, pn8/z, [lhs]
    ld1b    {z4.b-z7.b}, pn8/z, [weights]
    ld1b    {z8.b-z11.b}, pn8/z, [weights, #4, mul vl]
    addvl   lhs, lhs, #2
    addvl   weights, weights, #8
    uzp1    z2.h, z0.h, z1.h
    uzp2    z3.h, z0.h, z1.h
    bfmopa  za0.s, p0/m, p0/m, z2.h, z4.h
    bfmopa  za1.s, p0/m, p0/m, z2.h, z5.h
    bfmopa  za2.s, p0/m, p0/m, z2.h, z6.h
    bfmopa  za3.s, p0/m, p0/m, z2.h, z7.h
    bfmopa  za0.s, p0/m, p0/m, z3.h, z8.h
    bfmopa  za1.s, p0/m, p0/m, z3.h, z9.h
    bfmopa  za2.s, p0/m, p0/m, z3.h, z10.h
    bfmopa  za3.s, p0/m, p0/m, z3.h, z11.h
.endm

// The rows of the step that exist: dst = start + scale * sums. \limit: of the results. Clobbers count, w12, from, to.
.macro add_rows limit:vararg
    cmp     rows, vl
    csel    count, rows, vl, lo
    mov     w12, #0
1:  read_4_slices 0, 3, 0, 1, 2, 3              // row w12 / 4 of za0-za3
    ld1w    {z4.s-z7.s}, pn9/z, [from]
    add     w12, w12, #4
    add     from, from, start_step
    fmla    z4.s, p0/m, z0.s, z8.s
    fmla    z5.s, p0/m, z1.s, z9.s
    fmla    z6.s, p0/m, z2.s, z10.s
    fmla    z7.s, p0/m, z3.s, z11.s
    \limit
    st1w    {z4.s-z7.s}, pn9, [to]
    add     to, to, dst_stride
    subs    count, count, #1
    b.ne    1b
.endm

// void name(const kai::F8PanelArgs*). bias: of the upper byte.
.macro panel_times_rows name, decode, bias
func \name, hidden
    frame   d8-d15, x19-x20
    smstart
    all_true
    cntw    vl
    ldr     left, [args, #F8_PANEL_ARGS_n]
    whilelo pn9.s, xzr, left, vlx4
    ldp     left, groups, [args, #F8_PANEL_ARGS_blocks]
    ldr     rhs, [args, #F8_PANEL_ARGS_rhs]
    ldr     weights, [args, #F8_PANEL_ARGS_weights]
    decode_part \decode, \bias

    ldp     rows, lhs_panel, [args, #F8_PANEL_ARGS_m]
    ldp     dst, dst_stride, [args, #F8_PANEL_ARGS_dst]
    ldr     start, [args, #F8_PANEL_ARGS_start]
3:  // V rows
    mov     lhs, lhs_panel
    ldr     weights, [args, #F8_PANEL_ARGS_weights]
    ldr     left, [args, #F8_PANEL_ARGS_blocks]
    ldp     scales, next_block, [args, #F8_PANEL_ARGS_scales]
    ldr     start_step, [args, #F8_PANEL_ARGS_start_step]
    mov     from, start
4:  // a block
    zero    {za}
    lsr     count, groups, #1
5:  // 8 k
    multiply_group
    multiply_group
    subs    count, count, #1
    b.ne    5b
    ld1w    {z8.s-z11.s}, pn8/z, [scales]
    add     scales, scales, next_block
    mov     to, dst
    subs    left, left, #1
    b.eq    6f
    add_rows
    mov     from, dst
    mov     start_step, dst_stride
    b       4b
6:  // the last one
    ld1rw   {z12.s}, p0/z, [args, #F8_PANEL_ARGS_lo]
    ld1rw   {z13.s}, p0/z, [args, #F8_PANEL_ARGS_hi]
    add_rows clamp_4 4, 5, 6, 7, 12, 13
    mov     dst, to
    ldr     start_step, [args, #F8_PANEL_ARGS_start_step]
    madd    start, start_step, vl, start
    ldr     count, [args, #F8_PANEL_ARGS_lhs_stride]
    add     lhs_panel, lhs_panel, count
    subs    rows, rows, vl
    b.hi    3b
    smstop
    return
endfunc
.endm

    panel_times_rows kai_panel_f8e4m3_sme2, decode_e4m3, 0x3C
    panel_times_rows kai_panel_f8e5m2_sme2, decode_e5m2, 0x38
