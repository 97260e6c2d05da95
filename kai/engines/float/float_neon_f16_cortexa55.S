// Panels of the GEMM of f16 with sums in f32 by FCVTL and FMLA, for Cortex-A55 (float_widened.hpp). That core issues
// two instructions in order; an operation on a vector takes both of its SIMD halves, as a load of one does, for two
// cycles if it has 128 bits. So columns and rows are loaded to general registers, and inserted: that goes together with
// a multiplication.
//
// Vector v of a k, 8 columns: loaded during vector v of the k before, inserted and widened when vectors before it are
// multiplied. 3 rows: its low half is inserted to `half` two vectors before, its high half to its own register one
// vector before; both are widened there. 1 or 2 rows, whose vectors take less time: inserted three vectors before.
//
// Registers: float_widened.inc, and
//   e_a e_b, o_a o_b     v3 - v6     4 columns each: of even and odd vectors
//   half                 v7          3 rows: low half of the vector after the next
//   e_low e_high, o_low o_high  v24 - v27  1 or 2 rows: halves of even and odd vectors
//   low_0 high_0 - low_3 high_3  x16, x17, x19 - x24  halves of the vectors of a k
//   next_0 - next_2      x25 - x27   rows, the next step
//   next_at              x28         where that is
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
.set    step_k, 4
#include "kai/engines/float/float_widened.inc"

low_0   .req x16
high_0  .req x17
low_1   .req x19
high_1  .req x20
low_2   .req x21
high_2  .req x22
low_3   .req x23
high_3  .req x24
next_0  .req x25
next_1  .req x26
next_2  .req x27
next_at .req x28

    regs    3, e_a, e_b, o_a, o_b, half
    regs    24, e_low, e_high, o_low, o_high
    regs    8, V0a_0, V0b_0, V1a_0, V1b_0, V2a_0, V2b_0, V3a_0, V3b_0   // S0_0 - S0_7
    regs    16, V0a_1, V0b_1, V1a_1, V1b_1, V2a_1, V2b_1, V3a_1, V3b_1
    regs    24, V0a_2, V0b_2, V1a_2, V1b_2, V2a_2, V2b_2, V3a_2, V3b_2

.macro load_row r, row, at
    ldr     dA\r, [\row, \at]
    fcvtl   A\r\().4s, A\r\().4h
.endm
.macro load_one r, row, at
    ldrh    w17, [\row, \at]
    ins     A\r\().h[0], w17
    fcvtl   A\r\().4s, A\r\().4h
.endm

// Row r of the next step in three parts, so that nothing waits: loaded, inserted, and widened when the step is over. 3
// rows: inserted where the row is no longer used. 1 or 2: A2 and half are free.
.macro load_ahead r, row
    if_more rows, \r, ldr next_\r, [\row, next_at]
.endm
.macro insert_ahead r, to
    if_more rows, \r, ins \to\().d[0], next_\r
.endm
// After the last k of a step: row r = what was inserted; row 0 also moves rhs on.
.macro load_next r, row, at
    when    \r, 0, next_k
    .if rows == 3
    fcvtl   A\r\().4s, A\r\().4h
    .else
    when    \r, 0, fcvtl A0.4s, A2.4h
    when    \r, 1, fcvtl A1.4s, half.4h
    .endif
.endm

// The sums of row r of vector v += half a or b of its columns, in `set`, * A<r>[i].
.macro multiply h, r, v, set, i
    if_more rows, \r, fmla V\v\()\h\()_\r\().4s, \set\()_\h\().4s, A\r\().s[\i]
.endm

// Loads vector v at rhs.
.macro load_vector v
    ldp     low_\v, high_\v, [rhs, #16 * \v]
.endm
// The sums of vector v, in `set`, += it * A[i]; `other` becomes the vector after it, v1. Vectors v2 and v3 follow.
// Meanwhile `between i, v, place`: place 3 after the load, place r when row r is done.
.macro vector set, v, i, other, v1, v2, v3
    .if rows == 3
    fcvtl   \other\()_a.4s, half.4h
    ins     \other\()_b.d[0], high_\v1
    multiply a, 0, \v, \set, \i
    ins     half.d[0], low_\v2
    multiply b, 0, \v, \set, \i
    load_vector \v
    between \i, \v, 0
    multiply a, 1, \v, \set, \i
    between \i, \v, 3
    multiply b, 1, \v, \set, \i
    fcvtl   \other\()_b.4s, \other\()_b.4h
    between \i, \v, 1
    multiply a, 2, \v, \set, \i
    multiply b, 2, \v, \set, \i
    between \i, \v, 2
    .else
    fcvtl   \other\()_a.4s, \other\()_low.4h
    load_vector \v
    fcvtl   \other\()_b.4s, \other\()_high.4h
    between \i, \v, 3
    multiply a, 0, \v, \set, \i
    ins     \other\()_low.d[0], low_\v3
    multiply b, 0, \v, \set, \i
    ins     \other\()_high.d[0], high_\v3
    between \i, \v, 0
    multiply a, 1, \v, \set, \i
    multiply b, 1, \v, \set, \i
    between \i, \v, 1
    .endif
.endm

// What else happens in vector v of k i: the columns of the next k, and rows of the next step; after the last step those
// of this one are read again. No result of an integer instruction is used in the same vector.
.macro between i, v, place
    .if !alone && \v == 3 && \i != step_k - 1
    when    \place, 3, next_k
    .endif
    .if !alone && \i == 1
    at_place \v, \place, 0, 3, cmp left, #step_k
    at_place \v, \place, 0, 0, add next_at, at, #2 * step_k
    at_place \v, \place, 1, 3, csel next_at, next_at, at, hs
    .elseif !alone && \i == 2
    at_place \v, \place, 0, 3, cmp left, #0
    at_place \v, \place, 1, 3, csel ahead, stride, xzr, ne
    at_place \v, \place, 1, 0, load_ahead 0, row0
    at_place \v, \place, 2, 0, load_ahead 1, row1
    at_place \v, \place, 3, 0, load_ahead 2, row2
    .elseif !alone && \i == 3 && rows == 3
    at_place \v, \place, 3, 0, insert_ahead 0, A0
    at_place \v, \place, 3, 1, insert_ahead 1, A1
    at_place \v, \place, 3, 2, insert_ahead 2, A2
    .elseif !alone && \i == 3
    at_place \v, \place, 0, 0, insert_ahead 0, A2
    at_place \v, \place, 1, 0, insert_ahead 1, half
    .endif
.endm
.macro at_place v, place, at_v, at_place, insn:vararg
    .if \v == \at_v && \place == \at_place
    \insn
    .endif
.endm
.macro before_last_k
.endm
// A k; its columns are in registers, rhs is at those of the next one.
.macro one_k i
    vector  e, 0, \i, o, 1, 2, 3
    vector  o, 1, \i, e, 2, 3, 0
    vector  e, 2, \i, o, 3, 0, 1
    vector  o, 3, \i, e, 0, 1, 2
.endm
// What a k expects: vector 0 in e, those after it inserted, all in general registers.
.macro load_columns
    load_vector 0
    load_vector 1
    load_vector 2
    load_vector 3
    ins     e_a.d[0], low_0
    ins     e_b.d[0], high_0
    .if rows == 3
    ins     half.d[0], low_1
    .else
    ins     o_low.d[0], low_1
    ins     o_high.d[0], high_1
    ins     e_low.d[0], low_2
    ins     e_high.d[0], high_2
    .endif
    fcvtl   e_a.4s, e_a.4h
    fcvtl   e_b.4s, e_b.4h
.endm
.macro first_columns
    load_columns
    next_k
.endm
// A k that is alone: what it loads is not used.
.macro last_k
    load_columns
    .set    alone, 1
    one_k   0
    .set    alone, 0
.endm
.set    alone, 0                            // 1: this k is no part of a step

    widened_gemm kai_kernel_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fcvtl_cortexa55, f16, x19-x28
    widened_gemm kai_kernel_matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fcvtl_cortexa55, f32, x19-x28
