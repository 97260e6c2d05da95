// bf16 x FP8 with BFMOPA: a part of k of a panel of 4 V columns, V = SVL / 32, times all rows (f8_sme2.cpp). Loops,
// tiles and registers: f8_sme2_panels.inc.
//
// First the part is decoded to bf16, exactly, once for all rows. A vector of a panel has 4 k of V columns. The two
// bytes of a bf16 are made apart, as in f8_neon_bf16_decode.S, and joined by TRN: k 0 and 2 of each column, and k 1
// and 3, since BFMOPA takes pairs. UZP makes the same pairs of the rows.
//
// Decoding                                                     Multiplying
//   V_0 - V_3   z0-z3    codes of V columns each                 z0, z1           4 k of V rows, half of them each
//   I_0 - I_3   z4-z7    index; then k 0 and 2                   z2, z3           k 0 and 2, k 1 and 3 of V rows
//   W_0 - W_3   z8-z11   lower bytes; then k 1 and 3             z4-z7, z8-z11    k 0 and 2, k 1 and 3 of columns
//   U_0 - U_3   z12-z15  upper bytes
//   low, high   z16, z17   bytes by index                      scales: of the columns, cursor
//   magnitude, base, four   z18-z20                            p1: entries of the tables
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/f8/f8_sme2_panels.inc"

    alias   tables, x1          // while decoding
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

// For panel_times_rows: all blocks of the part, from rhs on, to weights. bias: of the upper byte. Clobbers count,
// blocks_left, rhs.
.macro decode_part decode, bias
    ldr     rhs, [args, #F8_PANEL_ARGS_rhs]
    ldr     weights, [args, #F8_PANEL_ARGS_weights]
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
    subs    blocks_left, blocks_left, #1
    b.ne    1b
.endm

.macro start_rows_decoded
    ldr     weights, [args, #F8_PANEL_ARGS_weights]
    ldp     scales, next_block, [args, #F8_PANEL_ARGS_scales]
.endm

.macro multiply_8_k_decoded
    multiply_4_k
    multiply_4_k
.endm
// za0-za3 += products of 4 k, from lhs and weights on, which advance.
.macro multiply_4_k
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

.macro take_scales_decoded
    ld1w    {z8.s-z11.s}, pn8/z, [scales]
    add     scales, scales, next_block
.endm

// z4-z7, a row of dst, += its sums of a block, z0-z3, times the scales of the columns.
.macro add_row_decoded
    fmla    z4.s, p0/m, z0.s, z8.s
    fmla    z5.s, p0/m, z1.s, z9.s
    fmla    z6.s, p0/m, z2.s, z10.s
    fmla    z7.s, p0/m, z3.s, z11.s
.endm

    panel_times_rows kai_panel_f8e4m3_sme2, decoded, decode_part decode_e4m3, 0x3C
    panel_times_rows kai_panel_f8e5m2_sme2, decoded, decode_part decode_e5m2, 0x38
