// One row times panels of SME, f16 with sums in f32, with FMLAL and FMLAL2 (float_neon_fhm_panels.cpp): a word is two
// k. A column has a sum of even k, which starts at the bias, and one of odd k; they are added at the end.
//
//   S_<n>, T_<n>  v16-v23, v8-v15  sums: columns 4 n and 4 n + 1, and 4 n + 2 and 4 n + 3
//   A_0 - A_3     v4-v7    a word of the row each, in every lane
//   Before the loop: zeros  v7  -0 in every lane
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+fp16fml
.set    split_loads, 0
#include "kai/engines/float/float_panels_row.inc"

bias    .req x7
narrow  .req x8                             // whether results are f16
same    .req x9                             // where the words of this step are; scratch

    regs    8, T_0, T_1, T_2, T_3, T_4, T_5, T_6, T_7
    regs    4, A_0, A_1, A_2, A_3
    reg     zeros, 7

    .purgem begin
// T are registers of the caller.
.macro begin
    frame   d8-d15
.endm

    .purgem load_first_step
// Four words of the row.
.macro load_first_step
    load_pair 0
    load_pair 1
    load_pair 2
    load_pair 3
.endm
// A_<w> = the next word.
.macro load_pair w
    ld1r    {A_\w\().4s}, [row], #4
.endm
    .purgem after_word
.macro after_word w
    load_pair \w
.endm
    .purgem load_word
.macro load_word
    load_pair 0
.endm
    .purgem load_half
.macro load_half
    ldrh    w9, [row]
    dup     A_0.4s, w9
.endm

    .purgem begin_step
    .purgem inner_word
    .purgem last_word
.macro begin_step
.endm
// What a step needs besides products stands between those of words 0 to 2: an in-order core multiplies twice a cycle
// only where no two other instructions follow each other.
.macro inner_word w
    add_products 0, \w
    add     rhs, rhs, stride
    add_products 1, \w
    ldp     qB_0, qB_1, [rhs]
    step_work \w, 0
    if_more vectors, 2, two_vectors \w, 2, 3, 32
    step_work \w, 1
    if_more vectors, 4, two_vectors \w, 4, 5, 64
    step_work \w, 2
    if_more vectors, 4, two_vectors \w, 6, 7, 96
    after_word \w
.endm
// Where the words of the next step are, the same again if there is none; whether there is a word after this step; how
// many bytes are left.
.macro step_work w, place
    .if \w == 0 && \place == 0
    cmp     left, #16
    .elseif \w == 0 && \place == 1
    sub     same, row, #16
    .elseif \w == 0
    csel    row, row, same, hs
    .elseif \w == 1 && \place == 0
    cmp     left, #0
    .elseif \w == 1 && \place == 1
    csel    ahead, stride, xzr, ne
    .elseif \w == 2 && \place == 0
    subs    left, left, #16
    .endif
.endm
.macro last_word
    one_word 3, ahead
    after_word 3
.endm

.macro add_products n, w
    fmlal   S_\n\().4s, B_\n\().4h, A_\w\().4h
    fmlal2  T_\n\().4s, B_\n\().4h, A_\w\().4h
.endm

    .purgem start
// Odd sums start at -0: with it, all biases are what they were.
.macro start
    ldr     bias, [args, #FLOAT_GEMM_ARGS_bias]
    movi    zeros.8h, #0x80, lsl #8
    start_8 0, 1, 0
    if_more vectors, 2, start_8 2, 3, 16
    if_more vectors, 4, start_8 4, 5, 32
    if_more vectors, 4, start_8 6, 7, 48
.endm
// Sums a and b = 8 values of the bias.
.macro start_8 a, b, at
    ldr     qT_\b, [bias, #\at]
    zip1    T_\a\().8h, T_\b\().8h, zeros.8h
    zip2    T_\b\().8h, T_\b\().8h, zeros.8h
    fcvtl   S_\a\().4s, T_\a\().4h
    fcvtl2  T_\a\().4s, T_\a\().8h
    fcvtl   S_\b\().4s, T_\b\().4h
    fcvtl2  T_\b\().4s, T_\b\().8h
.endm

    .purgem store_two
// Sums a and b = min(max(even + odd, low), high): 4 columns each.
.macro limit_two a, b
    faddp   S_\a\().4s, S_\a\().4s, T_\a\().4s
    faddp   S_\b\().4s, S_\b\().4s, T_\b\().4s
    fmax    S_\a\().4s, S_\a\().4s, low.4s
    fmax    S_\b\().4s, S_\b\().4s, low.4s
    fmin    S_\a\().4s, S_\a\().4s, high.4s
    fmin    S_\b\().4s, S_\b\().4s, high.4s
.endm
// Sums a and b, rounded to f16, to dst, which moves on.
.macro store_f16 a, b
    fcvtn   S_\a\().4h, S_\a\().4s
    fcvtn2  S_\a\().8h, S_\b\().4s
    str     qS_\a, [dst], #16
.endm
    .purgem finish
// All sums to dst, as f32 or as f16.
.macro finish
    limit_two 0, 1
    if_more vectors, 2, limit_two 2, 3
    if_more vectors, 4, limit_two 4, 5
    if_more vectors, 4, limit_two 6, 7
    ldr     narrow, [args, #FLOAT_GEMM_ARGS_narrow]
    cbnz    narrow, 7f
    stp     qS_0, qS_1, [dst]
    if_more vectors, 2, stp qS_2, qS_3, [dst, #32]
    if_more vectors, 4, stp qS_4, qS_5, [dst, #64]
    if_more vectors, 4, stp qS_6, qS_7, [dst, #96]
    b       8f
7:  store_f16 0, 1
    if_more vectors, 2, store_f16 2, 3
    if_more vectors, 4, store_f16 4, 5
    if_more vectors, 4, store_f16 6, 7
8:
.endm

row_of_panel kai_row_of_panel_f16_1x32_neon_fhm, 8
row_of_panel kai_row_of_panel_f16_1x16_neon_fhm, 4
row_of_panel kai_row_of_panel_f16_1x8_neon_fhm, 2
