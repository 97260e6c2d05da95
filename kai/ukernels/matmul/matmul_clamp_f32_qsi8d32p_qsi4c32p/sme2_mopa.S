// f32 <- qsi8d32p1vlx4 x qsi4c32p4vlx4, many rows.
//
//     acc = fma(f32(S), lhs_scale[m][b] * rhs_scale[n][b], acc)              blocks b ascending
//     dst = clamp(acc)
//
// A pass computes 1 VL columns of at most 16 rows of a panel over the whole depth. Its running sums stay in z16-z31, one
// row each, so that nothing is stored before the end. For a block, two ZA tiles are filled: S by SMOPA from LUTI4-decoded
// nibbles, and the products of the scales by an FMOPA from f16 to f32: loaded as words, the scales are pairs (scale, 0), and
// their product is exact. While a pair of tiles fills, that of the block before is read, converted and added: the work of
// the vector unit hides behind that of the matrix unit. This continues from the last block of a pass into the first of the
// next one, beside which the results of the pass are stored.
//
// ZA       za0.s S, za1.s scales   of even steps      za2.s S, za3.s scales   of odd steps
// z0, z1   lo, hi
// z2, z3   RHS nibbles, then values                   z4-z7   4 vectors of the LHS: 1 VL rows x 4 k each
// z8-z11   scales of the rows; 4 rows of S            z12-z15 scales of the columns; 4 rows of products
// p0, pn8  all    p2 the nibbles of 1 VL columns    p3 rows of the panel to store, one a byte    p7 columns to store
// w12-w15  first row in the tile of the pass that is being added, + 4, + 8, + 12
//
// Assumes m, n >= 1. Rows of the panel beyond m are computed, not stored; a step never mixes rows.
// SVL above 512 bits: a pass multiplies all rows of the panel, but adds up 16 of them; there are several passes.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/asm/asm.h"
#include "kai/asm/sme2_vectors.inc"
#include "kai/asm/sme_args.h"

    alias   args, x0
    alias   lhs, x1         // cursor of the multiplication
    alias   rhs, x2         // cursor + 8 VL: immediates reach from -8 to 7
    alias   left, x3        // blocks of the pass still to multiply
    alias   more, x4        // chunks of 32 k of the block still to multiply
    alias   lhs_scale, x5   // cursors to the scales of the block
    alias   rhs_scale, x6
    alias   dst_stride, x7
    alias   vl, x8          // words of a vector
    alias   lhs_values, x9  // bytes of the values of a panel, of the LHS
    alias   dst, x10        // where the next row of the pass before goes
    alias   lhs_panel, x11
    alias   rhs_panel, x16
    alias   pass_dst, x17
    alias   blocks, x19
    alias   chunks, x20
    alias   row, x21        // of the pass that is being multiplied, in its panel
    alias   col, x22
    alias   m_left, x23     // from the panel on; 0: all is multiplied
    alias   n_left, x24
    alias   pass_rows, x25  // min(VL, 16)
    alias   panel_dst, x26  // of row 0
    alias   t0, x27
    alias   t1, x28

// z\w = nibbles of 4 k, part \k of 8 of a chunk.
.macro nibbles w, k
    ld1b    {z\w\().b}, p2/z, [rhs, #2 * \k - 8, mul vl]
.endm

// int32 tile \tile += 4 k of the LHS in \a x 4 k of the RHS, whose nibbles are in \w. Clobbers \w.
.macro mopa tile, a, w
    luti4   z\w\().b, zt0, z\w[0]
    smopa   za\tile\().s, p0/m, p0/m, z\a\().b, z\w\().b
.endm

// Adds 4 rows of the tile \s times those of the tile \w to their sums z\r0-z\r3. \ws: the w register of the rows. Clobbers
// z8-z15.
.macro add_rows s, w, ws, r0, r1, r2, r3
    mova    {z8.s-z11.s}, za\s\()h.s[\ws, 0:3]
    mova    {z12.s-z15.s}, za\w\()h.s[\ws, 0:3]
    convert_4 8, 9, 10, 11
    fmla    z\r0\().s, p0/m, z8.s, z12.s
    fmla    z\r1\().s, p0/m, z9.s, z13.s
    fmla    z\r2\().s, p0/m, z10.s, z14.s
    fmla    z\r3\().s, p0/m, z11.s, z15.s
.endm

// Stores the results of 4 rows from their sums, which are zero then. As add_rows.
.macro finish_rows ws, r0, r1, r2, r3
    clamp_4 \r0, \r1, \r2, \r3, 0, 1
    store_row 0, \ws, \r0
    store_row 1, \ws, \r1
    store_row 2, \ws, \r2
    store_row 3, \ws, \r3
.endm

.macro store_row i, ws, r
    psel    p1, p7, p3.b[\ws, \i]
    st1w    {z\r\().s}, p1, [dst]
    add     dst, dst, dst_stride
    mov     z\r\().d, #0
.endm

// The last block of a pass.
.macro add_and_finish_rows s, w, ws, r0, r1, r2, r3
    add_rows \s, \w, \ws, \r0, \r1, \r2, \r3
    finish_rows \ws, \r0, \r1, \r2, \r3
.endm

// Multiplies a chunk and the scales into the tiles \s, \w while the block in the tiles \ps, \pw is added: \add.
.macro multiply_and s, w, ps, pw, add
    ld1h    {z8.s}, p0/z, [lhs_scale]
    ld1h    {z12.s}, p0/z, [rhs_scale]
    nibbles 2, 0
    ld1b    {z4.b-z7.b}, pn8/z, [lhs]
    zero    {za\s\().s, za\w\().s}
    nibbles 3, 1
    fmopa   za\w\().s, p0/m, p0/m, z8.h, z12.h
    mopa    \s, 4, 2
    nibbles 2, 2
    mopa    \s, 5, 3
    \add    \ps, \pw, w12, 16, 17, 18, 19
    nibbles 3, 3
    mopa    \s, 6, 2
    nibbles 2, 4
    mopa    \s, 7, 3
    \add    \ps, \pw, w13, 20, 21, 22, 23
    ld1b    {z4.b-z7.b}, pn8/z, [lhs, #4, mul vl]
    nibbles 3, 5
    mopa    \s, 4, 2
    nibbles 2, 6
    mopa    \s, 5, 3
    \add    \ps, \pw, w14, 24, 25, 26, 27
    nibbles 3, 7
    mopa    \s, 6, 2
    mopa    \s, 7, 3
    \add    \ps, \pw, w15, 28, 29, 30, 31
    add     lhs_scale, lhs_scale, vl, lsl #1
    addvl   rhs_scale, rhs_scale, #2
.endm

// Multiplies a chunk into the tile \t.
.macro multiply t
    nibbles 2, 0
    ld1b    {z4.b-z7.b}, pn8/z, [lhs]
    nibbles 3, 1
    mopa    \t, 4, 2
    nibbles 2, 2
    mopa    \t, 5, 3
    nibbles 3, 3
    mopa    \t, 6, 2
    nibbles 2, 4
    mopa    \t, 7, 3
    ld1b    {z4.b-z7.b}, pn8/z, [lhs, #4, mul vl]
    nibbles 3, 5
    mopa    \t, 4, 2
    nibbles 2, 6
    mopa    \t, 5, 3
    nibbles 3, 7
    mopa    \t, 6, 2
    mopa    \t, 7, 3
.endm

// A block.
.macro step s, w, ps, pw
    cmp     left, blocks
    b.eq    KAI_LOCAL(first_\s)
    multiply_and \s, \w, \ps, \pw, add_rows
KAI_LOCAL(multiplied_\s):
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #16
    subs    more, chunks, #1
    b.eq    2f
1:  multiply \s
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #16
    subs    more, more, #1
    b.ne    1b
2:  subs    left, left, #1
    b.ne    3f
    bl      KAI_LOCAL(next_pass)
3:
.endm

// w12-w15 for the current pass.
.macro take_rows
    mov     x12, row
    add     x13, row, #4
    add     x14, row, #8
    add     x15, row, #12
.endm

// The first block of a pass; behind the last pass, anything, for the sake of the pass before.
.macro first_step s, w, ps, pw
KAI_LOCAL(first_\s):
    multiply_and \s, \w, \ps, \pw, add_and_finish_rows
    take_rows
    cbnz    m_left, KAI_LOCAL(multiplied_\s)
    b       KAI_LOCAL(end)
.endm

// void kai_kernel_...(const kai::BlockArgs*)
func kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa, hidden
    stp     x29, x30, [sp, #-96]!
    .cfi_adjust_cfa_offset 96
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov     x29, sp
    stp     x19, x20, [sp, #16]
    stp     x21, x22, [sp, #32]
    stp     x23, x24, [sp, #48]
    stp     x25, x26, [sp, #64]
    stp     x27, x28, [sp, #80]
    sme_enter
    ldr     t0, [args, #KAI_BLOCK_ARGS_TABLE]
    ldr     zt0, [t0]
    all_true
    cntw    vl
    cnth    t0
    whilelo p2.b, xzr, t0
    mov     t0, #16
    cmp     vl, t0
    csel    pass_rows, vl, t0, lo
    add     t0, args, #KAI_BLOCK_ARGS_LO
    ld1rw   {z0.s}, p0/z, [t0]
    ld1rw   {z1.s}, p0/z, [t0, #4]
    ldp     blocks, chunks, [args, #KAI_BLOCK_ARGS_BLOCKS]
    mul     lhs_values, blocks, chunks
    mul     lhs_values, lhs_values, vl
    lsl     lhs_values, lhs_values, #5
    ldp     m_left, n_left, [args, #KAI_BLOCK_ARGS_M]
    ldr     lhs_panel, [args, #KAI_BLOCK_ARGS_LHS]
    ldr     rhs_panel, [args, #KAI_BLOCK_ARGS_RHS]
    ldp     panel_dst, dst_stride, [args, #KAI_BLOCK_ARGS_DST]
    mov     pass_dst, panel_dst
    mov     row, #0
    mov     col, #0
    bl      KAI_LOCAL(start_pass)
    cbz     blocks, KAI_LOCAL(empty)

    // The first step has nothing to store: what it makes of the tiles is thrown away.
    zero    {za}
    pfalse  p3.b
    take_rows

KAI_LOCAL(steps):
    step    0, 1, 2, 3
    step    2, 3, 0, 1
    b       KAI_LOCAL(steps)

    first_step 0, 1, 2, 3
    first_step 2, 3, 0, 1

KAI_LOCAL(empty): // k = 0
.irp r, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    mov     z\r\().d, #0
.endr
5:  take_rows
    bl      KAI_LOCAL(next_pass)
    finish_rows w12, 16, 17, 18, 19
    finish_rows w13, 20, 21, 22, 23
    finish_rows w14, 24, 25, 26, 27
    finish_rows w15, 28, 29, 30, 31
    cbnz    m_left, 5b

KAI_LOCAL(end):
    .cfi_remember_state
    sme_leave
    ldp     x19, x20, [sp, #16]
    ldp     x21, x22, [sp, #32]
    ldp     x23, x24, [sp, #48]
    ldp     x25, x26, [sp, #64]
    ldp     x27, x28, [sp, #80]
    ldp     x29, x30, [sp], #96
    .cfi_adjust_cfa_offset -96
    ret
    .cfi_restore_state

// The pass is multiplied: notes where its results go and turns to the next one. m_left = 0: there is none.
// Order: columns of an RHS panel, rows, RHS panels, so that a panel of either side stays near while it is used.
KAI_LOCAL(next_pass):
    mov     dst, pass_dst
    cmp     m_left, vl
    csel    t0, m_left, vl, lo
    whilelo p3.b, xzr, t0
    whilelo p7.s, col, n_left

    add     col, col, vl                        // columns
    addvl   pass_dst, pass_dst, #1
    lsl     t1, vl, #2
    cmp     col, n_left
    ccmp    col, t1, #2, lo                     // #2: as if col were higher
    b.lo    KAI_LOCAL(start_pass)
    sub     pass_dst, pass_dst, col, lsl #2     // rows
    mov     col, #0
    add     row, row, pass_rows
    madd    pass_dst, pass_rows, dst_stride, pass_dst
    cmp     row, t0
    b.lo    KAI_LOCAL(start_pass)
    mov     row, #0
    subs    m_left, m_left, t0
    b.eq    2f
    ldr     t0, [args, #KAI_BLOCK_ARGS_LHS_STRIDE]
    add     lhs_panel, lhs_panel, t0
    b       KAI_LOCAL(start_pass)
2:  subs    n_left, n_left, t1                  // RHS panels
    b.ls    KAI_LOCAL(start_pass)
    ldr     m_left, [args, #KAI_BLOCK_ARGS_M]
    ldr     lhs_panel, [args, #KAI_BLOCK_ARGS_LHS]
    ldr     t0, [args, #KAI_BLOCK_ARGS_RHS_STRIDE]
    add     rhs_panel, rhs_panel, t0
    add     panel_dst, panel_dst, t1, lsl #2
    mov     pass_dst, panel_dst

// Cursors to the start of the pass at row, col.
KAI_LOCAL(start_pass):
    mov     left, blocks
    mov     lhs, lhs_panel
    add     lhs_scale, lhs, lhs_values
    add     rhs, rhs_panel, col, lsl #1
    add     rhs_scale, rhs, lhs_values, lsl #1
    addvl   rhs, rhs, #8
    ret
endfunc
