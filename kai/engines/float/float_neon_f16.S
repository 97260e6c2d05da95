// Panels of the GEMM of f16 with sums in f32, for CPUs without FMLAL: FCVTL and FMLA (float_widened.hpp). A vector of 8
// columns becomes two of f32.
//
// Registers: float_widened.inc, and
//   e_a e_b, o_a o_b     v3 - v6     4 columns each: of even and odd vectors
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
.set    step_k, 4
#include "kai/engines/float/float_widened.inc"

    regs    3, e_a, e_b, o_a, o_b

.macro load_row r, row, at
    ldr     dA\r, [\row, \at]
    fcvtl   A\r\().4s, A\r\().4h
.endm
.macro load_next r, row, at
    load_row \r, \row, \at
.endm
.macro before_last_k
    find_next
.endm
.macro load_one r, row, at
    ldrh    w17, [\row, \at]
    ins     A\r\().h[0], w17
    fcvtl   A\r\().4s, A\r\().4h
.endm

// Set = the vector of columns that was loaded to its second register.
.macro widen set
    fcvtl   \set\()_a.4s, \set\()_b.4h
    fcvtl2  \set\()_b.4s, \set\()_b.8h
.endm
// Sum s of all rows += columns * A[i].
.macro multiply s, columns, i
    fmla    S0_\s\().4s, \columns\().4s, A0.s[\i]
    if_more rows, 1, fmla S1_\s\().4s, \columns\().4s, A1.s[\i]
    if_more rows, 2, fmla S2_\s\().4s, \columns\().4s, A2.s[\i]
.endm
// Sums a and b += the vector in `set`; meanwhile the vector at byte `next` of rhs goes to `other`.
.macro vector set, a, b, i, other, next
    ldr     q\other\()_b, [rhs, #\next]
    multiply \a, \set\()_a, \i
    widen   \other
    multiply \b, \set\()_b, \i
.endm
.macro first_columns
    ldr     qe_b, [rhs]
    widen   e
.endm
// A k.
.macro one_k i
    vector  e, 0, 1, \i, o, 16
    vector  o, 2, 3, \i, e, 32
    vector  e, 4, 5, \i, o, 48
    next_k
    vector  o, 6, 7, \i, e, 0
.endm
// A k that is alone.
.macro last_k
    first_columns
    vector  e, 0, 1, 0, o, 16
    vector  o, 2, 3, 0, e, 32
    vector  e, 4, 5, 0, o, 48
    multiply 6, o_a, 0
    multiply 7, o_b, 0
.endm

    widened_gemm kai_kernel_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fcvtl, f16
    widened_gemm kai_kernel_matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fcvtl, f32
