// One row times FP8 with FMLAL and FMLAL2: loops and other registers in f8_row.inc.
//
// A weight becomes an f16, exactly: E5M2 is the upper byte of one. E4M3 has one bit less of exponent and one more of
// mantissa: its bits, moved to their places, stand for 2^-8 of it, subnormals too, and `unit` makes up for it.
//
//   A             v0         4 k of the row, twice
//   lo_0, hi_0    v2, v3     of vector 0, as f16: columns 0 and 1, 2 and 3; lo_1 - hi_2: v4-v7. Vector 3: lo_1, hi_1
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+fp16fml
#include "kai/engines/f8/f8_row.inc"

    regs    2, lo_0, hi_0, lo_1, hi_1, lo_2, hi_2

// lo_<i>, hi_<i> = f16 of the 16 weights of B, in steps 0 to 3.
.macro decode_e4m3 i, step
    when    \step, 0, sshll lo_\i\().8h, B.8b, #7
    when    \step, 1, sshll2 hi_\i\().8h, B.16b, #7
    when    \step, 2, bic lo_\i\().8h, #0x40, lsl #8          // a second sign
    when    \step, 3, bic hi_\i\().8h, #0x40, lsl #8
.endm
.macro decode_e5m2 i, step
    when    \step, 0, shll lo_\i\().8h, B.8b, #8
    when    \step, 1, shll2 hi_\i\().8h, B.16b, #8
.endm

// S of 4 columns += products of lo_<i>, hi_<i>. Meanwhile weights of B are decoded to lo_<next>, hi_<next>.
.macro add_products i, next, decode, s_0, s_1, s_2, s_3
    \decode \next, 0
    \decode \next, 1
    fmlal   S_\s_0\().4s, lo_\i\().4h, A.4h
    fmlal2  S_\s_1\().4s, lo_\i\().4h, A.4h
    \decode \next, 2
    \decode \next, 3
    fmlal   S_\s_2\().4s, hi_\i\().4h, A.4h
    fmlal2  S_\s_3\().4s, hi_\i\().4h, A.4h
.endm

row_times_panel kai_row_f8e4m3_1x12_neon_fhm, decode_e4m3, 3, d8-d11
row_times_panel kai_row_f8e5m2_1x12_neon_fhm, decode_e5m2, 3, d8-d11
row_times_panel kai_row_f8e4m3_1x16_neon_fhm, decode_e4m3, 4, d8-d11
row_times_panel kai_row_f8e5m2_1x16_neon_fhm, decode_e5m2, 4, d8-d11
