// Panels of SME times rows, f32 with FMLA (float_neon_panels.cpp): the tiles of float_neon.inc, but for where a panel
// has its bias, and for NaN, which is stored as the default one, as SME has it.
//
//   After the loop: nan, is_number_a, is_number_b  v2 - v4
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#define ELEMENT_BYTES 4
#define FINISH kai_part_float_finish_of_panels_f32_neon
#include "kai/engines/asm/asm.h"
#include "kai/engines/float/float_neon.inc"

    regs    2, nan, is_number_a, is_number_b

// ---- by_stride: 16 columns of a panel that has more, whose bias is a stride before k = 0

    .purgem by_stride_rhs
.macro by_stride_rhs
    ldr     rhs_stride, [args, #FLOAT_GEMM_ARGS_rhs_stride]
    add     rhs, panel, rhs_stride
.endm
    .purgem by_stride_start
.macro by_stride_start row
    in_vectors_start \row
.endm

// ---- A row of results

// NaN in two vectors becomes the default one.
.macro one_nan a, b
    fcmeq   is_number_a.4s, \a\().4s, \a\().4s
    fcmeq   is_number_b.4s, \b\().4s, \b\().4s
    bif     \a\().16b, nan.16b, is_number_a.16b
    bif     \b\().16b, nan.16b, is_number_b.16b
.endm
// nan = 0x7FC00000, in every lane.
.macro make_nan
    movi    nan.16b, #0xFF
    shl     nan.4s, nan.4s, #23
    ushr    nan.4s, nan.4s, #1
.endm

    .purgem put_4
// The first part of a row, n = 0, or the second, n = 1.
.macro put_4 n, row
    when \n, 0, make_nan
    when \n, 0, one_nan \row\()_0, \row\()_1
    when \n, 0, stp q\row\()_0, q\row\()_1, [dst]
    when \n, 1, one_nan \row\()_2, \row\()_3
    when \n, 1, stp q\row\()_2, q\row\()_3, [dst, #32]
    when \n, 1, add dst, dst, dst_stride
.endm
    .purgem put_2
// The same.
.macro put_2 n, row
    when \n, 0, make_nan
    when \n, 0, one_nan \row\()_0, \row\()_1
    when \n, 0, stp q\row\()_0, q\row\()_1, [dst]
    when \n, 1, add dst, dst, dst_stride
.endm

float_finish FINISH
float_gemm kai_tiles_of_panel_f32_6x16_neon, 4, by_stride, 16
float_gemm kai_tiles_of_panel_f32_6x8_neon, 2, in_vectors, 16
