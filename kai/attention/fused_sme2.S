// A block of attention with SME2: scores, probabilities and their product with values, in one stay in streaming mode.
//
//     S^T = K Q^T     outer products of positions and queries: a row of ZA is a position, its lanes are V queries
//     P   = 2^(a s - M)      of each lane; M: an integer per query that is at least its largest a s
//     O   = factor O + P V   outer products of queries and columns
//
// Maxima, sums and exponentials are those of lanes, so that nothing is added across. P of two positions, narrowed and
// interleaved, is an operand of BFMOPA (f16: FMOPA) as it is; f32: P of one position is one of FMOPA. Queries come in
// panels of 2 V, as keys and values do:
//
//     S^T:  za0 za1   positions 0 ... V - 1          queries 0 ... V - 1 (za0, za2), V ... 2 V - 1 (za1, za3)
//           za2 za3   positions V ... 2 V - 1
//     O:    za0-za3   V queries; columns 0 ... V - 1, ... 3 V ... 4 V - 1: two panels of values
//
// For each panel of queries: the scores of all positions go to memory, [position][V] for either half of the queries,
// with -infinity where a query does not see. Then, for either half: M and what it changes; P, multiplied with the first
// two panels of values as it gets ready, while outer products run beside the exponentials; the other panels of values.
//
// P of four positions, n an integer, |f| <= 1/2:
//
//     t = max(a s - M, least)     least: where P is 0; -infinity becomes it
//     n = t to the nearest,  f = t - n
//     P = 2^n (c0 + f (c1 + f (c2 + f c3)))         f32: degree 5. FSCALE; 0 where it has no exponent for n
//
// With a mask or slopes, what they add is written first, to where the scores will be: masks become columns of ZA (a
// column is a query), and rows of it, with slopes added, go to memory. Scores are scaled before this is added to them.
//
// Scores get a soft cap in ZA:
//
//     cap tanh(|x| / cap) = cap (1 / (1/2 + e / 2) - 1),  e = 2^(-2 log2 e |x| / cap)
//
// Values of positions that are not there are not read as numbers: predicates of the outer products leave them out.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/attention/fused_args.h"

    alias   args, x0
    alias   vl, x1              // V
    alias   q_panel, x2
    alias   rows, x3            // left, from this panel (this half) on
    alias   state, x4           // the row, in max, sum, factor, first, last
    alias   o, x5               // the row
    alias   pages, x6
    alias   count, x7           // positions of later pages
    alias   left, x8            // positions of this page
    alias   position, x9        // in the block
    alias   a, x10              // cursors: keys or the first panel of values
    alias   b, x11              // queries or the second panel of values
    alias   scores_0, x13       // cursors over scores of either half
    alias   scores_1, x14
    alias   p, x15
    alias   is_biased, x15      // before P
    alias   is_capped, x17      // after biases, before P
    alias   t0, x16
    alias   t1, x17
    alias   depth, x19
    alias   keys, x20           // the panel
    alias   all_first, x21
    alias   all_last, x22
    alias   half, x23           // scores of this half
    alias   column, x24         // of values
    alias   values, x25         // of the column, from the start of a page
    alias   value_panel, x26
    alias   page, x27
    alias   value_size, x28

// Vectors. z0-z15: scratch. max_0, max_1: largest scores of either half. first_0 ...: what queries see.
    alias   max_0, z16
    alias   max_1, z17
    alias   first_0, z18
    alias   first_1, z19
    alias   last_0, z20
    alias   last_1, z21
    alias   hidden, z13         // -infinity, while scores are read
    alias   least, z14          // of z0-z15: FMAX of four vectors takes no other
    alias   sum_0, z22
    alias   sum_1, z23
    alias   scale, z24
    alias   minus_m, z25
    alias   c0, z26
    alias   c1, z27
    alias   c2, z28
    alias   c3, z29
    alias   c4, z30             // f32
    alias   c5, z31             // f32
    alias   ones, z31           // bf16
    alias   log2_e, z26         // before P
    alias   slope_0, z27
    alias   slope_1, z28
    alias   distance_0, z29
    alias   distance_1, z30
    alias   cap_in, z22         // after it, still before P
    alias   cap_out, z23
    alias   cap_least, z25

// A step for four vectors.
.macro of_4 what, r0, r1, r2, r3
    \what   \r0
    \what   \r1
    \what   \r2
    \what   \r3
.endm
.macro load_field to, field
    ldr     \to, [args, #FUSED_BLOCK_\field]
.endm
// A float of the structure, in all lanes.
.macro spread to, field
    add     t0, args, #FUSED_BLOCK_\field
    ld1rw   {\to\().s}, p0/z, [t0]
.endm
// left = positions of the next page, page = their address; count: those after it.
.macro next_page to
    ldr     \to, [pages], #8
    cmp     count, page
    csel    left, count, page, lo
    sub     count, count, left
.endm

// ---- what mask and slopes add

// z\z = the mask of a query, from position on, 0 where it sees nothing. a, b: cursors over pointers and ends.
.macro take_mask_f32 z
    ld1w    {z\z\().s}, p1/z, [t0, position, lsl #2]
.endm
.macro take_mask_f16 z
    ld1h    {z\z\().s}, p1/z, [t0, position, lsl #1]
    fcvt    z\z\().s, p1/m, z\z\().h
.endm
.macro take_mask type, z
    ldr     t0, [a], #8
    ldr     w17, [b], #4
    whilelo p1.s, position, t1
    take_mask_\type \z
.endm

// Columns of a tile = masks of V queries.
.macro take_masks type, tile
    mov     w12, #0
0:  take_mask \type, 0
    take_mask \type, 1
    take_mask \type, 2
    take_mask \type, 3
    mova    za\tile\()v.s[w12, 0:3], {z0.s-z3.s}
    add     w12, w12, #4
    cmp     vl, x12
    b.hi    0b
.endm

// z\left, z\right += slope (distance + position + \i). Clobbers z8, z9, z12.
.macro add_slopes i, left, right
    add     t0, position, #\i
    mov     z12.s, w16
    scvtf   z12.s, p0/m, z12.s
    fadd    z8.s, z12.s, distance_0.s
    fadd    z9.s, z12.s, distance_1.s
    fmla    z\left\().s, p0/m, z8.s, slope_0.s
    fmla    z\right\().s, p0/m, z9.s, slope_1.s
.endm

.macro times_log2_e r
    fmul    z\r\().s, z\r\().s, log2_e.s
.endm

// A vector for either half of the panel, of an array by rows.
.macro load_lanes left, right, field
    load_field t0, \field
    add     t0, t0, state, lsl #2
    ld1w    {\left\().s}, p0/z, [t0]
    ld1w    {\right\().s}, p0/z, [t0, #1, mul vl]
.endm

// (mask + slope (distance + position)) log2 e of a panel of queries and of all positions, to scores_0 and scores_1.
.macro write_biases
    spread  log2_e, log2_e
    load_field count, count
    load_field half, slope
    cbz     half, 4f
    load_lanes slope_0, slope_1, slope
    load_lanes distance_0, distance_1, distance
4:  zero    {za}
    load_field a, mask
    cbz     a, 6f
    add     a, a, state, lsl #3
    load_field b, last
    add     b, b, state, lsl #2
    load_field t0, mask_f16
    cbnz    t0, 5f
    take_masks f32, 0
    take_masks f32, 1
    b       6f
5:  take_masks f16, 0
    take_masks f16, 1
6:  mov     w12, #0
7:  mova    {z0.s-z3.s}, za0h.s[w12, 0:3]
    mova    {z4.s-z7.s}, za1h.s[w12, 0:3]
    cbz     half, 8f
    add_slopes 0, 0, 4
    add_slopes 1, 1, 5
    add_slopes 2, 2, 6
    add_slopes 3, 3, 7
8:  of_4    times_log2_e, 0, 1, 2, 3
    of_4    times_log2_e, 4, 5, 6, 7
    st1w    {z0.s-z3.s}, pn8, [scores_0]
    st1w    {z4.s-z7.s}, pn8, [scores_1]
    addvl   scores_0, scores_0, #4
    addvl   scores_1, scores_1, #4
    add     position, position, #4
    cmp     position, count
    b.hs    9f
    add     w12, w12, #4
    cmp     vl, x12
    b.hi    7b
    b       4b
9:
.endm

// ---- 2^x

.macro fraction r, n
    fsub    z\r\().s, z\r\().s, z\n\().s
.endm
.macro polynomial_3 y, f
    movprfx z\y, c2
    fmla    z\y\().s, p0/m, z\f\().s, c3.s
    fmad    z\y\().s, p0/m, z\f\().s, c1.s
    fmad    z\y\().s, p0/m, z\f\().s, c0.s
.endm
.macro polynomial_5 y, f
    movprfx z\y, c4
    fmla    z\y\().s, p0/m, z\f\().s, c5.s
    fmad    z\y\().s, p0/m, z\f\().s, c3.s
    fmad    z\y\().s, p0/m, z\f\().s, c2.s
    fmad    z\y\().s, p0/m, z\f\().s, c1.s
    fmad    z\y\().s, p0/m, z\f\().s, c0.s
.endm
.macro power y, n
    fscale  z\y\().s, p0/m, z\y\().s, z\n\().s
.endm

// z8-z11 = 2^(z0-z3). Clobbers z0-z7.
.macro exp2 polynomial
    frintn  {z4.s-z7.s}, {z0.s-z3.s}
    fraction 0, 4
    fraction 1, 5
    fraction 2, 6
    fraction 3, 7
    fcvtzs  {z4.s-z7.s}, {z4.s-z7.s}
    \polynomial 8, 0
    \polynomial 9, 1
    \polynomial 10, 2
    \polynomial 11, 3
    power   8, 4
    power   9, 5
    power   10, 6
    power   11, 7
.endm

// ---- the soft cap

.macro start_cap
    spread  cap_in, cap_in
    spread  cap_out, cap_out
    spread  cap_least, least
    spread  c5, t5
    spread  c4, t4
    spread  c3, t3
    spread  c2, t2
    spread  c1, t1
    spread  c0, t0
.endm

// z\y = -2 log2 e |z\x| scale / cap.
.macro exponent y, x
    fabs    z\y\().s, p0/m, z\x\().s
    fmul    z\y\().s, z\y\().s, cap_in.s
    fmax    z\y\().s, p0/m, z\y\().s, cap_least.s
.endm
.macro add_half r
    fadd    z\r\().s, p0/m, z\r\().s, #0.5
.endm
// z\y = 1 / z\x: an estimate, two steps of Newton (a division takes 11 cycles of a C1-SME2). Clobbers z\t.
.macro estimate y, x
    frecpe  z\y\().s, z\x\().s
.endm
.macro newton y, x, t
    frecps  z\t\().s, z\x\().s, z\y\().s
    fmul    z\y\().s, z\y\().s, z\t\().s
.endm
// z\x = cap log2 e (z\y - 1) with the sign of z\x.
.macro signed_cap x, y
    fnmsb   z\y\().s, p0/m, cap_out.s, cap_out.s
    and     z\x\().s, z\x\().s, #0x80000000
    orr     z\x\().d, z\x\().d, z\y\().d
.endm
// The soft cap of all scores of a tile. Clobbers z0-z15.
.macro cap_tile tile
    mov     w12, #0
0:  mova    {z12.s-z15.s}, za\tile\()h.s[w12, 0:3]
    exponent 0, 12
    exponent 1, 13
    exponent 2, 14
    exponent 3, 15
    exp2    polynomial_5                            // halves of it
    of_4    add_half, 8, 9, 10, 11
    estimate 0, 8
    estimate 1, 9
    estimate 2, 10
    estimate 3, 11
    .rept   2
    newton  0, 8, 4
    newton  1, 9, 5
    newton  2, 10, 6
    newton  3, 11, 7
    .endr
    signed_cap 12, 0
    signed_cap 13, 1
    signed_cap 14, 2
    signed_cap 15, 3
    mova    za\tile\()h.s[w12, 0:3], {z12.s-z15.s}
    add     w12, w12, #4
    cmp     vl, x12
    b.hi    0b
.endm

// ---- scores

// All four tiles += keys x queries, a word of either.
.macro score_word insn, t, upper, lower, left, right
    \insn   za0.s, p0/m, p0/m, \upper\().\t, \left\().\t
    \insn   za1.s, p0/m, p0/m, \upper\().\t, \right\().\t
    \insn   za2.s, p0/m, p0/m, \lower\().\t, \left\().\t
    \insn   za3.s, p0/m, p0/m, \lower\().\t, \right\().\t
.endm

// ZA = a panel of keys x a panel of queries.
.macro score_panel insn, t
    load_field t0, key_heads
    add     a, keys, t0
    mov     b, q_panel
    mov     t0, depth
    zero    {za}
0:  ld1w    {z0.s-z3.s}, pn8/z, [a]
    ld1w    {z4.s-z7.s}, pn8/z, [b]
    ld1w    {z8.s-z11.s}, pn8/z, [a, #4, mul vl]
    ld1w    {z12.s-z15.s}, pn8/z, [b, #4, mul vl]
    score_word \insn, \t, z0, z1, z4, z5
    score_word \insn, \t, z2, z3, z6, z7
    score_word \insn, \t, z8, z9, z12, z13
    score_word \insn, \t, z10, z11, z14, z15
    addvl   a, a, #8
    addvl   b, b, #8
    subs    t0, t0, #4
    b.ne    0b
.endm

// -infinity in lanes of z\left, z\right that do not see position + \i. Clobbers z12, p1.
.macro hide_row i, left, right
    add     t0, position, #\i
    mov     z12.s, w16
    cmphs   p1.s, p0/z, z12.s, first_0.s
    cmphi   p1.s, p1/z, last_0.s, z12.s
    sel     z\left\().s, p1, z\left\().s, hidden.s
    cmphs   p1.s, p0/z, z12.s, first_1.s
    cmphi   p1.s, p1/z, last_1.s, z12.s
    sel     z\right\().s, p1, z\right\().s, hidden.s
.endm

// \max = max(\max, z\r0-z\r3). Clobbers z8, z9.
.macro take_largest max, r0, r1, r2, r3
    movprfx z8, z\r0
    fmax    z8.s, p0/m, z8.s, z\r1\().s
    movprfx z9, z\r2
    fmax    z9.s, p0/m, z9.s, z\r3\().s
    fmax    \max\().s, p0/m, \max\().s, z8.s
    fmax    \max\().s, p0/m, \max\().s, z9.s
.endm

// z\r0-z\r3 = what mask and slopes add + scale times themselves. Clobbers z8-z11.
.macro add_biases r0, r1, r2, r3, from
    ld1w    {z8.s-z11.s}, pn8/z, [\from]
    fmad    z\r0\().s, p0/m, scale.s, z8.s
    fmad    z\r1\().s, p0/m, scale.s, z9.s
    fmad    z\r2\().s, p0/m, scale.s, z10.s
    fmad    z\r3\().s, p0/m, scale.s, z11.s
.endm

// V positions of two tiles to memory, as many as the page has left; then to \end.
.macro read_scores left_tile, right_tile, end
    mov     w12, #0
0:  mova    {z0.s-z3.s}, za\left_tile\()h.s[w12, 0:3]
    mova    {z4.s-z7.s}, za\right_tile\()h.s[w12, 0:3]
    cbz     is_biased, 3f
    add_biases 0, 1, 2, 3, scores_0
    add_biases 4, 5, 6, 7, scores_1
3:  cmp     position, all_first
    b.lo    1f
    add     t0, position, #4
    cmp     t0, all_last
    b.ls    2f
1:  hide_row 0, 0, 4
    hide_row 1, 1, 5
    hide_row 2, 2, 6
    hide_row 3, 3, 7
2:  take_largest max_0, 0, 1, 2, 3
    take_largest max_1, 4, 5, 6, 7
    st1w    {z0.s-z3.s}, pn8, [scores_0]
    st1w    {z4.s-z7.s}, pn8, [scores_1]
    addvl   scores_0, scores_0, #4
    addvl   scores_1, scores_1, #4
    add     position, position, #4
    add     w12, w12, #4
    subs    left, left, #4
    b.ls    \end
    cmp     vl, x12
    b.hi    0b
.endm

.macro start_scores
    load_field scores_0, scores
    load_field t0, scores_half
    add     scores_1, scores_0, t0
    mov     position, #0
.endm
// Scores of a panel of queries and of all positions; max_0, max_1.
.macro score insn, t
    load_lanes first_0, first_1, first
    load_lanes last_0, last_1, last
    start_scores
    load_field is_biased, is_biased
    cbz     is_biased, 3f
    write_biases
    start_scores
    spread  scale, score_scale
3:  load_field is_capped, is_capped
    cbz     is_capped, 2f
    start_cap
2:  mov     max_0.s, #0xff800000
    mov     max_1.s, #0xff800000
    load_field pages, pages
    load_field count, count
4:  next_page keys
5:  score_panel \insn, \t
    cbz     is_capped, 2f
    cap_tile 0
    cap_tile 1
    cap_tile 2
    cap_tile 3
2:
    mov     hidden.s, #0xff800000
    read_scores 0, 1, 6f
    read_scores 2, 3, 6f
    load_field t0, key_panel
    add     keys, keys, t0
    b       5b
6:  cbnz    count, 4b
.endm

// ---- M

// Of V queries, from max_0: M and factor to memory, minus_m, sum_0. A score of NaN or +infinity makes NaN of P.
.macro start_lanes
    spread  scale, scale
    spread  least, least
    load_field t0, max
    ld1w    {z0.s}, p0/z, [t0, state, lsl #2]
    load_field t1, sum
    ld1w    {sum_0.s}, p0/z, [t1, state, lsl #2]
    fmul    max_0.s, max_0.s, scale.s
    fcmgt   p2.s, p0/z, max_0.s, z0.s               // those that grow
    movprfx z2, z0
    frintp  z2.s, p2/m, max_0.s                     // M
    st1w    {z2.s}, p0, [t0, state, lsl #2]
    fmov    z3.s, #1.0
    fsub    z4.s, z0.s, z2.s
    fmax    z4.s, p0/m, z4.s, least.s
    fcvtzs  z4.s, p0/m, z4.s
    fscale  z3.s, p2/m, z3.s, z4.s                  // factor
    load_field t0, factor
    st1w    {z3.s}, p0, [t0, state, lsl #2]
    fmul    sum_0.s, sum_0.s, z3.s
    mov     sum_1.s, #0
    mov     z1.s, #0xff800000
    fcmgt   p1.s, p0/z, z2.s, z1.s                  // those that see something
    mov     minus_m.s, #0
    fneg    minus_m.s, p1/m, z2.s
.endm

// ---- P

// One step for one vector.
.macro scaled r
    fmad    z\r\().s, p0/m, scale.s, minus_m.s
.endm
// z8-z11 = P of four positions at scores_0. Clobbers z0-z7.
.macro powers polynomial
    ld1w    {z0.s-z3.s}, pn8/z, [scores_0]
    addvl   scores_0, scores_0, #4
    of_4    scaled, 0, 1, 2, 3
    fmax    {z0.s-z3.s}, {z0.s-z3.s}, z14.s         // least
    exp2    \polynomial
.endm

// Operands of outer products, to memory and in registers: pairs in z12, z13; f32 in z8-z11.
.macro make_bf16
    powers  polynomial_3
    bfcvtn  z12.h, {z8.s-z9.s}
    bfcvtn  z13.h, {z10.s-z11.s}
    bfdot   sum_0.s, z12.h, ones.h
    bfdot   sum_1.s, z13.h, ones.h
    st1w    {z12.s-z13.s}, pn8, [p]
    addvl   p, p, #2
.endm
.macro add_to_sums
    fadd    sum_0.s, sum_0.s, z8.s
    fadd    sum_1.s, sum_1.s, z9.s
    fadd    sum_0.s, sum_0.s, z10.s
    fadd    sum_1.s, sum_1.s, z11.s
.endm
.macro make_f16
    powers  polynomial_3
    add_to_sums
    fcvtn   z12.h, {z8.s-z9.s}
    fcvtn   z13.h, {z10.s-z11.s}
    st1w    {z12.s-z13.s}, pn8, [p]
    addvl   p, p, #2
.endm
.macro make_f32
    powers  polynomial_5
    add_to_sums
    st1w    {z8.s-z11.s}, pn8, [p]
    addvl   p, p, #4
.endm
// The same, when they are there.
.macro take_pairs
    ld1w    {z12.s-z13.s}, pn8/z, [p]
    addvl   p, p, #2
.endm
.macro take_f32
    ld1w    {z8.s-z11.s}, pn8/z, [p]
    addvl   p, p, #4
.endm

// ---- P V

// ZA += P (V queries) x values (4 V columns) of the positions that the predicate \there has.
.macro value_word insn, t, there, p, a_0, a_1, b_0, b_1
    \insn   za0.s, p0/m, \there\()/m, z\p\().\t, z\a_0\().\t
    \insn   za1.s, p0/m, \there\()/m, z\p\().\t, z\a_1\().\t
    \insn   za2.s, p0/m, \there\()/m, z\p\().\t, z\b_0\().\t
    \insn   za3.s, p0/m, \there\()/m, z\p\().\t, z\b_1\().\t
.endm
.macro load_values
    ld1w    {z0.s-z3.s}, pn8/z, [a]
    ld1w    {z4.s-z7.s}, pn8/z, [b]
    addvl   a, a, #4
    addvl   b, b, #4
.endm
// Four positions.
.macro multiply_bf16
    load_values
    value_word bfmopa, h, p1, 12, 0, 1, 4, 5
    value_word bfmopa, h, p2, 13, 2, 3, 6, 7
.endm
.macro multiply_f16
    load_values
    value_word fmopa, h, p1, 12, 0, 1, 4, 5
    value_word fmopa, h, p2, 13, 2, 3, 6, 7
.endm
.macro multiply_f32
    load_values
    value_word fmopa, s, p1, 8, 0, 1, 4, 5
    value_word fmopa, s, p2, 9, 2, 3, 6, 7
    load_values
    value_word fmopa, s, p3, 10, 0, 1, 4, 5
    value_word fmopa, s, p4, 11, 2, 3, 6, 7
.endm

// The predicates of four positions, of which `left` are there: pairs, whose first elements are the even ones.
.macro some_pairs
    pfalse  p2.b
    cmp     left, #2
    b.eq    8f
    b.hi    7f
    ptrue   p1.s
    b       8f
7:  ptrue   p2.s
8:
.endm
.macro some_f32
    pfalse  p2.b
    pfalse  p3.b
    pfalse  p4.b
    cmp     left, #2
    b.lo    8f
    ptrue   p2.b
    b.eq    8f
    ptrue   p3.b
8:
.endm

// ZA = P V of all positions and of 4 V columns. \get makes or takes four P.
.macro multiply_values get, multiply, some
    zero    {za}
    load_field pages, pages
    load_field count, count
    mov     scores_0, half
    load_field p, p
4:  next_page a
    add     a, a, values
    add     t0, column, vl, lsl #1
    cmp     t0, value_size
    csel    t0, value_panel, xzr, lo                // without a second panel: the first one again
    add     b, a, t0
    ptrue   p1.b
    ptrue   p2.b
    ptrue   p3.b
    ptrue   p4.b
5:  cmp     left, #4
    b.hs    6f
    \some
6:  \get
    \multiply
    subs    left, left, #4
    b.hi    5b
    cbnz    count, 4b
.endm

// One row of 4 V columns to memory.
.macro add_row
    ld1w    {z4.s-z7.s}, pn9/z, [a]
    ld1rw   {z8.s}, p0/z, [b]
    fmla    z0.s, p0/m, z4.s, z8.s
    fmla    z1.s, p0/m, z5.s, z8.s
    fmla    z2.s, p0/m, z6.s, z8.s
    fmla    z3.s, p0/m, z7.s, z8.s
.endm

// O = factor O + ZA, 4 V columns of the rows of this half. Row i of za<t> is row 4 i + t of the tile of bytes.
.macro store_output
    whilelo pn9.s, column, value_size, vlx4
    add     a, o, column, lsl #2
    load_field b, factor
    add     b, b, state, lsl #2
    load_field t1, o_row
    load_field left, is_first
    cmp     rows, vl
    csel    t0, rows, vl, lo
    mov     w12, #0
1:  mova    {z0.b-z3.b}, za0h.b[w12, 0:3]
    cbnz    left, 2f
    add_row
2:  st1w    {z0.s-z3.s}, pn9, [a]
    add     a, a, t1
    add     b, b, #4
    add     w12, w12, #4
    subs    t0, t0, #1
    b.ne    1b
.endm

// void kai_attention_<type>_sme2(const kai::attention::FusedBlock*), insn, t: of its outer products.
.macro fused_block type, insn, t, take, some
func kai_attention_\type\()_sme2, hidden
    frame   d8-d15, x19-x28
    smstart
    ptrue   p0.b
    ptrue   pn8.b
    cntw    vl
    load_field q_panel, q
    load_field rows, rows
    load_field depth, depth
    load_field page, page
    load_field all_first, all_first
    load_field all_last, all_last
    load_field value_panel, value_panel
    load_field value_size, value_size
    load_field o, o
    mov     state, #0
10: score   \insn, \t
    load_field half, scores
11: start_lanes
    start_\type
    mov     column, #0
    load_field values, values
    multiply_values make_\type, multiply_\type, \some
    fadd    sum_0.s, sum_0.s, sum_1.s
    load_field t0, sum
    st1w    {sum_0.s}, p0, [t0, state, lsl #2]
    b       13f
12: multiply_values \take, multiply_\type, \some
13: store_output
    add     values, values, value_panel, lsl #1
    add     column, column, vl, lsl #2
    cmp     column, value_size
    b.lo    12b
    load_field t0, o_row                            // the next V rows
    madd    o, t0, vl, o
    add     state, state, vl
    subs    rows, rows, vl
    b.ls    14f
    mov     max_0.d, max_1.d
    load_field t0, scores                           // of the other half, unless this was it
    load_field t1, scores_half
    add     t1, t0, t1
    cmp     half, t1
    mov     half, t1
    b.ne    11b
    load_field t0, q_panel
    add     q_panel, q_panel, t0
    b       10b
14: smstop
    return
endfunc
.endm

.macro constants_3
    spread  c3, c3
    spread  c2, c2
    spread  c1, c1
    spread  c0, c0
.endm
.macro start_bf16
    constants_3
    mov     z31.h, #0x3f80                          // ones
.endm
.macro start_f16
    constants_3
.endm
.macro start_f32
    constants_3
    spread  c5, c5
    spread  c4, c4
.endm

    fused_block bf16, bfmopa, h, take_pairs, some_pairs
    fused_block f16, fmopa, h, take_pairs, some_pairs
    fused_block f32, fmopa, s, take_f32, some_f32
