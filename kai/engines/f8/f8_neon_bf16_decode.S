// FP8 to bf16, exactly, for the tiles of f8_neon_bf16.S: groups of 12 columns x 4 k.
//
// A bf16 has a sign, 8 bits of exponent, 7 of mantissa. Its two bytes are made apart, 16 weights at once, and joined by
// ST2:
//
//     E4M3  s eeee mmm      lower byte: e mmm 0000   upper byte: sign, 0x3C plus the other bits of the exponent
//     E5M2  s eeeee mm                  e mm 00000               sign, 0x38 plus the other bits of the exponent
//
// Where a weight is not a normal number, its bytes are looked up instead, by an index of 7 bits: the weight without its
// sign; E5M2: 4 more than that, modulo 128, so that infinity and NaN are 0 to 3. NaN of E4M3 becomes 480; panels that
// have one have a NaN among their scales.
//
//   W_0, W_1, W_2     v0, v2, v4   lower bytes of 16 weights each: 4 k of 4 columns
//   U_0, U_1, U_2     v1, v3, v5   upper bytes
//   I_0, I_1, I_2     v6, v7, v16  index
//   magnitude, sign   v17, v18     0x7F, 0x80 in every byte
//   base              v19          constant of the upper byte
//   low, high         v20, v21     bytes by index
//   V_0 - V_2         v22-v24      weights
//   four              v25          4 in every byte
//
// SPDX-License-Identifier: Apache-2.0

#include "kai/engines/asm/asm.h"

panel       .req x0
groups      .req x1
to          .req x2
tables      .req x3

    regs    0, W_0, U_0, W_1, U_1, W_2, U_2, I_0, I_1
    regs    16, I_2, magnitude, sign, base, low, high, V_0, V_1, V_2, four

// W_<i>, U_<i> = lower and upper bytes of V_<i>, in steps 0 to 6.
.macro decode_e4m3 i, step
    when    \step, 0, and I_\i\().16b, V_\i\().16b, magnitude.16b
    when    \step, 1, shl W_\i\().16b, V_\i\().16b, #4
    when    \step, 2, ushr U_\i\().16b, I_\i\().16b, #4
    finish  \i, \step
.endm
// The same of E5M2.
.macro decode_e5m2 i, step
    when    \step, 0, add I_\i\().16b, V_\i\().16b, four.16b
    when    \step, 0, and U_\i\().16b, V_\i\().16b, magnitude.16b
    when    \step, 1, shl W_\i\().16b, V_\i\().16b, #5
    when    \step, 1, and I_\i\().16b, I_\i\().16b, magnitude.16b
    when    \step, 2, ushr U_\i\().16b, U_\i\().16b, #3
    finish  \i, \step
.endm
// What both have in common: codes without an exponent by tables, the bias, the sign.
.macro finish i, step
    when    \step, 3, tbx W_\i\().16b, {low.16b}, I_\i\().16b
    when    \step, 4, add U_\i\().16b, U_\i\().16b, base.16b
    when    \step, 5, tbx U_\i\().16b, {high.16b}, I_\i\().16b
    when    \step, 6, bit U_\i\().16b, V_\i\().16b, sign.16b
.endm
.macro three decode, step
    \decode 0, \step
    \decode 1, \step
    \decode 2, \step
.endm

// void name(const void* panel, size_t groups, void* to, const void* tables): 48 bytes of each group become 96.
.macro function name, decode
func \name, hidden
    ldp     qlow, qhigh, [tables]
    ldr     qbase, [tables, #32]
    movi    magnitude.16b, #0x7F
    movi    sign.16b, #0x80
    movi    four.16b, #4
0:  ldp     qV_0, qV_1, [panel]
    ldr     qV_2, [panel, #32]
    add     panel, panel, #48
    three   \decode, 0
    three   \decode, 1
    three   \decode, 2
    three   \decode, 3
    three   \decode, 4
    three   \decode, 5
    three   \decode, 6
    st2     {W_0.16b, U_0.16b}, [to], #32
    st2     {W_1.16b, U_1.16b}, [to], #32
    st2     {W_2.16b, U_2.16b}, [to], #32
    subs    groups, groups, #1
    b.ne    0b
    return
endfunc
.endm

function kai_decode_f8e4m3_neon_bf16, decode_e4m3
function kai_decode_f8e5m2_neon_bf16, decode_e5m2
