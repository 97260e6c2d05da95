// P = 2^(a s - M) of scores, f32 -> bf16, and their sum: the exponentials of block_neon.hpp, which has the formula.
//
// RADDHN adds the exponent to 2^f, rounds to the nearest bf16 and narrows; BFDOT with ones adds what is stored. Quads
// of scores come from two places, a and b in turn: two rows of a panel, or the two halves of 8 columns of a row. Eight
// quads (four at the end) take each step together, so that no operation waits for the one before it:
//
//          |   a        b        a        b                     one step: a quad of a, one of b
//     -----+---------------------------------------
//     s    |   s_0      s_1      s_2      s_3      ... s_7      scores; then polynomials
//     n    |   n_0      n_1      n_2      n_3      ... n_7      n - M; then where floats have exponents
//     f    |   f_0      f_1      f_2      f_3      ... f_7      the fraction
//     P    | [ f_0        ]    [ f_2        ]      ...          bf16 of a, then of b: 16 bytes
//
// Accumulators of FMLA that are constants are loaded, since moves would take a vector unit. A polynomial moves on by a
// register and back, into the one that its neighbour has left.
//
//   s_0 - s_7, n_0 - n_7, f_0 - f_7  v0 - v7, v8 - v15, v16 - v23
//   s_8                              v24        free; ones
//   factors                          v25        scales of a and b, c3
//   lower_a lower_b                  v26, v27
//   offset_a offset_b                v28, v29   C - M
//   sum_0 sum_1                      v30, v31   of steps in turn; lanes 0 and 1: a
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+bf16
#include "kai/engines/asm/asm.h"
#include "kai/attention/block_args.h"

// float32x4_t kai_attention_powers_bf16(const float* a, const float* b, size_t stride, void* p, size_t p_stride,
//     size_t steps, const Powers* powers)
// stride, p_stride: bytes from one step to the next; steps: a multiple of 2, not 0. Returns the sum.
a           .req x0
b           .req x1
stride      .req x2
p           .req x3
p_stride    .req x4
steps       .req x5                             // left
powers      .req x6
at          .req x7                             // scratch

    regs    0, s_0, s_1, s_2, s_3, s_4, s_5, s_6, s_7, n_0, n_1, n_2, n_3, n_4, n_5, n_6, n_7
    regs    16, f_0, f_1, f_2, f_3, f_4, f_5, f_6, f_7, s_8, factors, lower_a, lower_b, offset_a, offset_b
    regs    30, sum_0, sum_1

// `what i, i + 1, from, sum` for each of the quads, up or down: of a and b in turn.
.macro of_quads quads, what
    \what   0, 1, a, 0
    \what   1, 2, b, 0
    \what   2, 3, a, 1
    \what   3, 4, b, 1
    .if \quads == 8
    \what   4, 5, a, 0
    \what   5, 6, b, 0
    \what   6, 7, a, 1
    \what   7, 8, b, 1
    .endif
.endm
.macro of_quads_down quads, what
    .if \quads == 8
    \what   7, 8
    \what   6, 7
    \what   5, 6
    \what   4, 5
    .endif
    \what   3, 4
    \what   2, 3
    \what   1, 2
    \what   0, 1
.endm

// Steps of the formula, for one quad each.
.macro load_scores i, next, from, sum
    ldr     qs_\i, [\from]
    add     \from, \from, stride
.endm
.macro bound i, next, from, sum
    ldr     qn_\i, [powers, #POWERS_offset_\from]
    fmax    s_\i\().4s, s_\i\().4s, lower_\from\().4s
.endm
.macro add_scaled to, i, from
    .ifc \from, a
    fmla    \to\()_\i\().4s, s_\i\().4s, factors.s[0]
    .else
    fmla    \to\()_\i\().4s, s_\i\().4s, factors.s[1]
    .endif
.endm
.macro round i, next, from, sum
    add_scaled n, \i, \from
.endm
.macro negate_integer i, next, from, sum
    fsub    f_\i\().4s, offset_\from\().4s, n_\i\().4s
.endm
.macro subtract_integer i, next, from, sum
    add_scaled f, \i, \from
.endm
.macro polynomial_2 i, next, from, sum
    ldr     qs_\i, [powers, #POWERS_c2]
    shl     n_\i\().4s, n_\i\().4s, #23
    fmla    s_\i\().4s, f_\i\().4s, factors.s[2]
.endm
// From s_<i> to s_<next>, which is free, and back.
.macro polynomial_1 i, next
    ldr     qs_\next, [powers, #POWERS_c1]
    fmla    s_\next\().4s, f_\i\().4s, s_\i\().4s
.endm
.macro polynomial_0 i, next, from, sum
    ldr     qs_\i, [powers, #POWERS_c0]
    fmla    s_\i\().4s, f_\i\().4s, s_\next\().4s
.endm
// P of a quad of a, then of one of b.
.macro narrow i, next, from, sum
    .ifc \from, a
    raddhn  f_\i\().4h, s_\i\().4s, n_\i\().4s
    .endif
.endm
.macro narrow_next i, next, from, sum
    .ifc \from, a
    raddhn2 f_\i\().8h, s_\next\().4s, n_\next\().4s
    .endif
.endm
.macro store i, next, from, sum
    .ifc \from, a
    str     qf_\i, [p]
    add     p, p, p_stride
    bfdot   sum_\sum\().4s, f_\i\().8h, s_8.8h
    .endif
.endm

// `quads` quads, 8 or 4. Changes all registers but the last seven.
.macro powers_of quads
    of_quads \quads, load_scores
    of_quads \quads, bound
    of_quads \quads, round
    of_quads \quads, negate_integer
    of_quads \quads, subtract_integer
    of_quads \quads, polynomial_2
    of_quads_down \quads, polynomial_1
    of_quads \quads, polynomial_0
    ldr     qs_8, [powers, #POWERS_ones]
    of_quads \quads, narrow
    of_quads \quads, narrow_next
    of_quads \quads, store
.endm

func kai_attention_powers_bf16, hidden
    frame   d8-d15
    ldr     qfactors, [powers, #POWERS_scale_a]      // and lower_a
    add     at, powers, #POWERS_lower_a
    ld1r    {lower_a.4s}, [at]
    add     at, powers, #POWERS_lower_b
    ld1r    {lower_b.4s}, [at]
    ldp     qoffset_a, qoffset_b, [powers, #POWERS_offset_a]
    movi    sum_0.4s, #0
    movi    sum_1.4s, #0
    subs    steps, steps, #4
    b.lo    2f
1:  powers_of 8
    subs    steps, steps, #4
    b.hs    1b
2:  tbz     steps, #1, 3f
    powers_of 4
3:  fadd    v0.4s, sum_0.4s, sum_1.4s
    return
endfunc
