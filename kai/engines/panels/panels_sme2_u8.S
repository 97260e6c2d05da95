// uint8 of two packed sides with SME2: UMOPA, four k at a time, int32, wraps around.
//
//     acc[m][n] = row_bias[m] + column_bias[n] + sum over k of lhs[m][k] * rhs[k][n]        either bias may be null
//
//     i32       dst = acc
//     scaled    dst = clamp(fma(f32(acc), scale, output_bias[n]))                           output_bias may be null
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/panels/panels_sme_words.inc"

// z\w0, z\w1 = the last \left words of the \total ones that \pointer points to, 2 V at most; 0 beyond them and where
// it is null. Clobbers t0, t1.
.macro words_left w0, w1, pointer, total, left
    mov     z\w0\().d, #0
    mov     z\w1\().d, #0
    ldr     t0, [args, #\pointer]
    cbz     t0, 1f
    ldr     t1, [args, #\total]
    sub     t1, t1, \left
    add     t0, t0, t1, lsl #2
    whilelo p6.s, xzr, \left
    whilelo p7.s, vl, \left
    ld1w    {z\w0\().s}, p6/z, [t0]
    ld1w    {z\w1\().s}, p7/z, [t0, #1, mul vl]
1:
.endm

// z16, z17: column_bias, left and right; z18, z19: row_bias, upper and lower. Clobbers t0, t1, p6, p7, too.
.macro start_u8
    words_left 16, 17, PANEL_ARGS_column_bias, PANEL_ARGS_n, cols
    words_left 18, 19, PANEL_ARGS_row_bias, PANEL_ARGS_m, rows
    start_with_z16_z17
    addva   za0.s, p0/m, p0/m, z18.s
    addva   za1.s, p0/m, p0/m, z18.s
    addva   za2.s, p0/m, p0/m, z19.s
    addva   za3.s, p0/m, p0/m, z19.s
.endm

.macro store_i32
    columns_f32 cols, vl
    store_by_tiles i32
.endm

// Row i: z<i>, z<8 + i>.
.macro read_rows_i32 left, right
    read_4_rows \left, 0, 1, 2, 3
    read_4_rows \right, 8, 9, 10, 11
.endm

// z14, z15: lo, hi. z6, z7: output_bias, left and right. z5: scale.
.macro store_scaled
    take_bounds ld1rw, s
    ld1rw   {z5.s}, p0/z, [args, #PANEL_ARGS_scale]
    columns_f32 cols, vl
    words_left 6, 7, PANEL_ARGS_output_bias, PANEL_ARGS_n, cols
    store_by_tiles scaled
.endm

// Row i: z<i>, z<8 + i>.
.macro read_rows_scaled left, right
    read_rows_i32 \left, \right
    convert_4 0, 1, 2, 3
    convert_4 8, 9, 10, 11
    fmad_4  0, 1, 2, 3, 5, 6
    fmad_4  8, 9, 10, 11, 5, 7
    clamp_4 0, 1, 2, 3, 14, 15
    clamp_4 8, 9, 10, 11, 14, 15
.endm

// z\r0-z\r3 = fma(z\r, z\scale, z\addend)
.macro fmad_4 r0, r1, r2, r3, scale, addend
    fmad    z\r0\().s, p0/m, z\scale\().s, z\addend\().s
    fmad    z\r1\().s, p0/m, z\scale\().s, z\addend\().s
    fmad    z\r2\().s, p0/m, z\scale\().s, z\addend\().s
    fmad    z\r3\().s, p0/m, z\scale\().s, z\addend\().s
.endm

    multiply_part split_u8_sme2, split, umopa, b
    start_part u8_sme2, u8
    store_part i32_sme2, i32
    store_part scaled_sme2, scaled
