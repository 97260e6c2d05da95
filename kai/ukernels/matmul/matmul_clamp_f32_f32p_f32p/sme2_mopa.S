// dst[m][n] = clamp(bias[n] + sum over k of lhs[m][k] * rhs[k][n])
//
// FMOPA: a tile of ZA adds the outer product of V rows of the LHS and V columns of the RHS (V = SVL / 32), one k at a
// time, ascending: one chain of fused multiply-adds per element. 2 x 2 tiles cover a panel of the LHS and one of the
// RHS. Columns outside, rows inside: a panel of the RHS comes from memory once and stays near while the rows pass by.
//
// Panels hold 2 V rows (columns), zero where there are none: products with those are computed, but not stored. The LHS
// panel has k * 2 V elements, the RHS panel 2 V values of bias in front of as many.
//
// Registers of the loop over k: z16-z19, z24-z27 two k of the LHS each, z20-z23, z28-z31 the same of the RHS. While one
// pair of k is multiplied, the pair after the next is loaded. z0-z3, z8-z11: bias, rows on their way out.
// p0, pn8: all true; pn9: the columns of the panel that exist.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/asm/asm.h"
#include "kai/asm/sme2_mopa_2x2.inc"

// void kai_kernel_matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa(
//     size_t m, size_t n, size_t k, const void* lhs, const void* rhs, void* dst, size_t dst_stride, float lo, float hi)
// m, n >= 1
    alias   m, x0
    alias   n, x1                               // columns left, from this panel on
    alias   k, x2
    alias   lhs_first, x3
    alias   rhs_panel, x4
    alias   dst_column, x5                      // row 0 at the columns of the panel
    alias   stride, x6
    alias   lhs, x7
    alias   rhs, x8
    alias   dst, x9
    alias   rows, x10                           // rows left, from this panel on
    alias   v, x11                              // V
    alias   step, x13                           // 2 V
    alias   count, x14                          // of k left, or of rows in a tile
    alias   hi_bits, w15                        // before the loops
    alias   lo_bits, w14                        // before the loops
    alias   lo, z4
    alias   hi, z5

// ZA += LHS panel x RHS panel, k ascending. \mopa: mopa_2x2, or another block that names the tiles which take part.
// Advances lhs, rhs to the ends of their panels. Clobbers count, z16-z31.
.macro multiply_all_k mopa
    subs    count, k, #4
    b.lo    2f
    load_2_depths z16, z19, z20, z23, lhs, rhs, 0
    load_2_depths z24, z27, z28, z31, lhs, rhs, 4
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #8
    subs    count, count, #4
    b.lo    1f
0:  // 4 k, while the next 4 are loaded
    \mopa   fmopa, z16.s, z17.s, z20.s, z21.s
    \mopa   fmopa, z18.s, z19.s, z22.s, z23.s
    load_2_depths z16, z19, z20, z23, lhs, rhs, 0
    \mopa   fmopa, z24.s, z25.s, z28.s, z29.s
    \mopa   fmopa, z26.s, z27.s, z30.s, z31.s
    load_2_depths z24, z27, z28, z31, lhs, rhs, 4
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #8
    subs    count, count, #4
    b.hs    0b
1:  \mopa   fmopa, z16.s, z17.s, z20.s, z21.s
    \mopa   fmopa, z18.s, z19.s, z22.s, z23.s
    \mopa   fmopa, z24.s, z25.s, z28.s, z29.s
    \mopa   fmopa, z26.s, z27.s, z30.s, z31.s
2:  adds    count, count, #4
    b.eq    4f
3:  // 1 k
    ld1w    {z16.s-z17.s}, pn8/z, [lhs]
    ld1w    {z20.s-z21.s}, pn8/z, [rhs]
    addvl   lhs, lhs, #2
    addvl   rhs, rhs, #2
    \mopa   fmopa, z16.s, z17.s, z20.s, z21.s
    subs    count, count, #1
    b.ne    3b
4:
.endm

func kai_kernel_matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa, hidden
    fmov    lo_bits, s0
    fmov    hi_bits, s1
    sme_enter
    mov     lo.s, lo_bits
    mov     hi.s, hi_bits
    cntw    v
    lsl     step, v, #1
    ptrue   p0.s
    ptrue   pn8.s

KAI_LOCAL(columns):
    whilelo pn9.s, xzr, n, vlx2
    mov     lhs, lhs_first
    mov     dst, dst_column
    mov     rows, m

KAI_LOCAL(rows):
    mov     rhs, rhs_panel
    bias_2x2 rhs, z0, z1

    cmp     rows, v
    b.ls    KAI_LOCAL(half)
    multiply_all_k mopa_2x2
    mov     count, v
    store_tiles_f32 za0, za1, count, dst, stride, lo, hi
    sub     rows, rows, v
    cmp     rows, v
    csel    count, rows, v, lo
    store_tiles_f32 za2, za3, count, dst, stride, lo, hi
    subs    rows, rows, v
    b.hi    KAI_LOCAL(rows)
    b       KAI_LOCAL(next_columns)

KAI_LOCAL(half): // the last panel, when it has V rows at most
    multiply_all_k mopa_1x2
    store_tiles_f32 za0, za1, rows, dst, stride, lo, hi

KAI_LOCAL(next_columns):
    mov     rhs_panel, rhs
    addvl   dst_column, dst_column, #2
    subs    n, n, step
    b.hi    KAI_LOCAL(columns)
    sme_leave
    ret
endfunc
