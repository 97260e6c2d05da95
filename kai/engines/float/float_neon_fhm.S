// Panels of the GEMM of f16 with sums in f32, by FMLAL and FMLAL2 (float_widened.hpp): a vector is 8 columns of a row.
//
// Registers: float_widened.inc, and
//   B_0 - B_3    v3 - v6      columns of a k
// One row times 64 columns, two panels: S0 the first, S1 the second
//   C_0 - C_3, C_4 - C_7      v24 - v31    their columns
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+fp16fml
.set    step_k, 8
#include "kai/engines/float/float_widened.inc"

    regs    3, B_0, B_1, B_2, B_3

.macro load_row r, row, at
    ldr     qA\r, [\row, \at]
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
.endm

// Sums a and b of all rows += vector v of the columns * A[i].
.macro multiply v, a, b, i
    fmlal   S0_\a\().4s, B_\v\().4h, A0.h[\i]
    fmlal2  S0_\b\().4s, B_\v\().4h, A0.h[\i]
    if_more rows, 1, fmlal S1_\a\().4s, B_\v\().4h, A1.h[\i]
    if_more rows, 1, fmlal2 S1_\b\().4s, B_\v\().4h, A1.h[\i]
    if_more rows, 2, fmlal S2_\a\().4s, B_\v\().4h, A2.h[\i]
    if_more rows, 2, fmlal2 S2_\b\().4s, B_\v\().4h, A2.h[\i]
.endm
.macro first_columns
    ldp     qB_0, qB_1, [rhs]
    ldp     qB_2, qB_3, [rhs, #32]
.endm
// A k.
.macro one_k i
    multiply 0, 0, 1, \i
    multiply 1, 2, 3, \i
    next_k
    ldp     qB_0, qB_1, [rhs]
    multiply 2, 4, 5, \i
    multiply 3, 6, 7, \i
    ldp     qB_2, qB_3, [rhs, #32]
.endm
// A k that is alone.
.macro last_k
    first_columns
    multiply 0, 0, 1, 0
    multiply 1, 2, 3, 0
    multiply 2, 4, 5, 0
    multiply 3, 6, 7, 0
.endm

    widened_gemm kai_kernel_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fmlal, f16
    widened_gemm kai_kernel_matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fmlal, f32

// ---- One row times two panels: 16 sums, so that none waits for its last product

rhs_1   .req x16                            // as rhs, of the second panel
    regs    24, C_0, C_1, C_2, C_3, C_4, C_5, C_6, C_7

// Sums a and b of panel p += C_v * A[i].
.macro multiply_row p, v, a, b, i
    fmlal   S\p\()_\a\().4s, C_\v\().4h, A0.h[\i]
    fmlal2  S\p\()_\b\().4s, C_\v\().4h, A0.h[\i]
.endm
// The columns at rhs and rhs_1.
.macro first_columns_row
    ldp     qC_0, qC_1, [rhs]
    ldp     qC_4, qC_5, [rhs_1]
    ldp     qC_2, qC_3, [rhs, #32]
    ldp     qC_6, qC_7, [rhs_1, #32]
.endm
// A k; the columns of the next one are loaded.
.macro one_k_row i
    multiply_row 0, 0, 0, 1, \i
    multiply_row 0, 1, 2, 3, \i
    add     rhs, rhs, ahead
    ldp     qC_0, qC_1, [rhs]
    multiply_row 1, 4, 0, 1, \i
    multiply_row 1, 5, 2, 3, \i
    add     rhs_1, rhs_1, ahead
    ldp     qC_4, qC_5, [rhs_1]
    multiply_row 0, 2, 4, 5, \i
    multiply_row 0, 3, 6, 7, \i
    ldp     qC_2, qC_3, [rhs, #32]
    multiply_row 1, 6, 4, 5, \i
    multiply_row 1, 7, 6, 7, \i
    ldp     qC_6, qC_7, [rhs_1, #32]
.endm
// A k that is alone.
.macro last_k_row
    first_columns_row
    multiply_row 0, 0, 0, 1, 0
    multiply_row 0, 1, 2, 3, 0
    multiply_row 1, 4, 0, 1, 0
    multiply_row 1, 5, 2, 3, 0
    multiply_row 0, 2, 4, 5, 0
    multiply_row 0, 3, 6, 7, 0
    multiply_row 1, 6, 4, 5, 0
    multiply_row 1, 7, 6, 7, 0
.endm

// void name(const WidenedArgs*); m is 1; type: of the results, f32 or f16, and its bytes.
.macro widened_row name, type, size
func \name, hidden
    frame   d8-d15
    .set    rows, 2
    ldp     bias, rhs_1, [args, #WIDENED_ARGS_bias_1]
    start                                   // S1 = the second bias, as S0, which gets its own
    ldp     bias, rhs, [args, #WIDENED_ARGS_bias]
    .set    rows, 1
    start
    ldp     stride, row0, [args, #WIDENED_ARGS_rhs_stride]
    ldr     dst, [args, #WIDENED_ARGS_dst]
    ldr     depth, [args, #WIDENED_ARGS_depth]
    mov     dst_stride, #32 * \size
    mov     at, #0
    mov     ahead, stride
    subs    left, depth, #step_k
    b.lo    3f
    load_row 0, row0, at
    first_columns_row
2:  // 8 k; `left` others follow
    one_k_row 0
    one_k_row 1
    one_k_row 2
    one_k_row 3
    one_k_row 4
    one_k_row 5
    one_k_row 6
    cmp     left, #0
    csel    ahead, stride, xzr, ne
    one_k_row 7
    add     at, at, #2 * step_k
    subs    left, left, #step_k
    b.lo    3f
    load_row 0, row0, at
    b       2b
3:  adds    left, left, #step_k
    b.eq    6f
5:  // less than 8
    load_one 0, row0, at
    last_k_row
    add     at, at, #2
    add     rhs, rhs, stride
    add     rhs_1, rhs_1, stride
    subs    left, left, #1
    b.ne    5b
6:  ldp     qlow, qhigh, [args, #WIDENED_ARGS_bounds]
    finish_row 0, \type
    finish_row 1, \type
    return
endfunc
.endm

    widened_row kai_row_f16_f16_f16p32x1b_1x64_neon_fmlal, f16, 2
    widened_row kai_row_f32_f16_f16p32x1b_1x64_neon_fmlal, f32, 4
