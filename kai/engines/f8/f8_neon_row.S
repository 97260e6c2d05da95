// One row times FP8 with FMLA, 12 columns: loops and other registers in f8_row.inc.
//
// E4M3: the bits of a weight, moved to their places in an f32, stand for 2^-120 of it, subnormals too, and `unit` makes
// up for it. This takes half the instructions of a way through f16, whose conversion is slow on many cores. E5M2 is the
// upper byte of an f16; its infinities need the conversion.
//
//   H_0, H_1      v2, v3     16 weights, upper halves of f32 or f16
//   F0_0 - F0_3   v4-v7      vector 0 as f32, a column each; vector 1: F1_0 - F1_3 v28-v31, vector 2: F2_0 - F2_3
//                            v12-v15
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a
#include "kai/engines/f8/f8_row.inc"

    regs    2, H_0, H_1, F0_0, F0_1, F0_2, F0_3
    regs    12, F2_0, F2_1, F2_2, F2_3
    regs    28, F1_0, F1_1, F1_2, F1_3

// F<i>_0 - F<i>_3 = the 16 weights of B, in steps 0 to 3.
.macro decode_e4m3 i, step
    when    \step, 0, sshll H_0.8h, B.8b, #4
    when    \step, 0, sshll2 H_1.8h, B.16b, #4
    when    \step, 1, bic H_0.8h, #0x78, lsl #8             // more signs
    when    \step, 1, bic H_1.8h, #0x78, lsl #8
    when    \step, 2, shll F\i\()_0.4s, H_0.4h, #16
    when    \step, 2, shll2 F\i\()_1.4s, H_0.8h, #16
    when    \step, 3, shll F\i\()_2.4s, H_1.4h, #16
    when    \step, 3, shll2 F\i\()_3.4s, H_1.8h, #16
.endm
// The same of E5M2.
.macro decode_e5m2 i, step
    when    \step, 0, shll H_0.8h, B.8b, #8
    when    \step, 1, shll2 H_1.8h, B.16b, #8
    when    \step, 2, fcvtl F\i\()_0.4s, H_0.4h
    when    \step, 2, fcvtl2 F\i\()_1.4s, H_0.8h
    when    \step, 3, fcvtl F\i\()_2.4s, H_1.4h
    when    \step, 3, fcvtl2 F\i\()_3.4s, H_1.8h
.endm

// S of 4 columns += products of F<i>. Meanwhile weights of B are decoded to F<next>.
.macro add_products i, next, decode, s_0, s_1, s_2, s_3
    \decode \next, 0
    fmla    S_\s_0\().4s, F\i\()_0.4s, A.4s
    \decode \next, 1
    fmla    S_\s_1\().4s, F\i\()_1.4s, A.4s
    \decode \next, 2
    fmla    S_\s_2\().4s, F\i\()_2.4s, A.4s
    \decode \next, 3
    fmla    S_\s_3\().4s, F\i\()_3.4s, A.4s
.endm

row_times_panel kai_row_f8e4m3_1x12_neon, decode_e4m3, 3, d8-d15
row_times_panel kai_row_f8e5m2_1x12_neon, decode_e5m2, 3, d8-d15
