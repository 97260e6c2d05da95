// f32 <- qsi8d32p1vlx4 x qai4c32p4vlx4, many rows.
//
//     acc = fma(zero[n][b], lhs_sum[m][b], acc)                              blocks b ascending
//     acc = fma(f32(S), lhs_scale[m][b] * rhs_scale[n][b], acc)
//
// A pass computes 1 VL columns of at most 16 rows of a panel over the whole depth. Its running sums stay in z16-z31,
// one row each, so that nothing is stored before the end. For a block, two ZA tiles are filled: S by SMOPA from
// LUTI4-decoded nibbles, and the products of the scales by an FMOPA (an outer product onto zero rounds once, as a
// multiplication does, and saves one multiplication per vector in streaming mode). While a pair of tiles fills, that
// of the block before is read, converted and added: the work of the vector unit hides behind that of the matrix unit.
// This continues from the last block of a pass into the first of the next one.
//
// ZA       za0.s S, za1.s scales   of even steps      za2.s S, za3.s scales   of odd steps
// z0       lhs_sum of 4 rows in each 128 bits         z1      zero of the columns
// z2, z3   RHS nibbles, then values; scales           z4-z7   4 vectors of the LHS: 1 VL rows x 4 k each
// z8-z11   4 rows of S                                z12-z15 4 rows of scales
// p0, pn8  all    p1 columns to store    p2 the nibbles of 1 VL columns
// p4-p6    does the panel have rows 4-7, 8-11, 12-15
// w12-w15  first row in the tile, + 4, + 8, + 12
//
// Assumes m, n, blocks, chunks >= 1. Rows of the panel beyond m are computed, not stored; a step never mixes rows.
// SVL above 512 bits: a pass multiplies all rows of the panel, but adds up 16 of them; there are several passes.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/asm/asm.h"
#include "kai/asm/sme_args.h"

    alias   args, x0
    alias   lhs, x1             // cursor of the multiplication
    alias   rhs, x2             // cursor + 8 VL: immediates reach from -8 to 6
    alias   left, x3            // blocks of the pass still to multiply
    alias   more, x4            // chunks of the block still to multiply
    alias   sum_at, x5          // lhs_sum of the block to add, from the first row of the pass on
    alias   zero_at, x6         // zero of the block to add, from the first column of the pass on
    alias   dst_stride, x7
    alias   vl, x8              // words of a vector
    alias   row, x9             // of the pass that is being multiplied
    alias   col, x10
    alias   panel_col, x11      // first column of its RHS panel
    alias   lhs_panel, x16
    alias   rhs_panel, x17
    alias   lhs_row, x19        // bytes from lhs_sum of the panel to that of the pass
    alias   rhs_col, x20        // bytes from the nibbles of the panel to those of the pass
    alias   pass_rows, x21      // min(VL, 16)
    alias   blocks, x22
    alias   chunks, x23
    alias   done_dst, x24       // the pass before, whose sums are complete after the next addition
    alias   done_rows, x25      // 0: there is none
    alias   done_bias, x26
    alias   t0, x27
    alias   t1, x28

// z\w = nibbles of 4 k, step \k of 8 of a chunk.
.macro nibbles w, k
    ld1b    {z\w\().b}, p2/z, [rhs, #2 * \k - 8, mul vl]
.endm

// int32 tile \tile += 4 k of the LHS in \a x 4 k of the RHS, whose nibbles are in \w. Clobbers \w.
.macro mopa tile, a, w
    luti4   z\w\().b, zt0, z\w[0]
    smopa   za\tile\().s, p0/m, p0/m, z\a\().b, z\w\().b
.endm

// Reads 4 rows of the S tile \s and of the scale tile \w into z8-z11 (as f32) and z12-z15, and adds zero * lhs_sum to
// their sums z\r0-z\r3. \i: which 4 rows; \ws: the w register of the rows; \p: predicate. Clobbers z0.
.macro add_zero s, w, i, ws, p, r0, r1, r2, r3
    ld1rqw  {z0.s}, \p/z, [sum_at, #16 * \i]
    mova    {z8.s-z11.s}, za\s\()h.s[\ws, 0:3]
    mova    {z12.s-z15.s}, za\w\()h.s[\ws, 0:3]
    fmla    z\r0\().s, z1.s, z0.s[0]
    fmla    z\r1\().s, z1.s, z0.s[1]
    fmla    z\r2\().s, z1.s, z0.s[2]
    fmla    z\r3\().s, z1.s, z0.s[3]
    scvtf   {z8.s-z11.s}, {z8.s-z11.s}
.endm

// Sums z\r0-z\r3 += z8-z11 * z12-z15.
.macro add_product r0, r1, r2, r3
    fmla    z\r0\().s, p0/m, z8.s, z12.s
    fmla    z\r1\().s, p0/m, z9.s, z13.s
    fmla    z\r2\().s, p0/m, z10.s, z14.s
    fmla    z\r3\().s, p0/m, z11.s, z15.s
.endm

// Multiplies a block into the tiles \s, \w while the block in the tiles \ps, \pw is added to the sums.
.macro step s, w, ps, pw
    nibbles 2, 0
    ld1b    {z4.b-z7.b}, pn8/z, [lhs]
    ld1w    {z1.s}, p0/z, [zero_at]
    zero    {za\s\().s, za\w\().s}
    nibbles 3, 1
    mopa    \s, 4, 2
    add_zero \ps, \pw, 0, w12, p0, 16, 17, 18, 19
    nibbles 2, 2
    mopa    \s, 5, 3
    add_product 16, 17, 18, 19
    nibbles 3, 3
    mopa    \s, 6, 2
    add_zero \ps, \pw, 1, w13, p4, 20, 21, 22, 23
    nibbles 2, 4
    mopa    \s, 7, 3
    ld1b    {z4.b-z7.b}, pn8/z, [lhs, #4, mul vl]
    add_product 20, 21, 22, 23
    nibbles 3, 5
    mopa    \s, 4, 2
    add_zero \ps, \pw, 2, w14, p5, 24, 25, 26, 27
    nibbles 2, 6
    mopa    \s, 5, 3
    add_product 24, 25, 26, 27
    nibbles 3, 7
    mopa    \s, 6, 2
    add_zero \ps, \pw, 3, w15, p6, 28, 29, 30, 31
    mopa    \s, 7, 3
    add_product 28, 29, 30, 31
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #16
    subs    more, chunks, #1
    b.eq    2f
1:  // the other chunks of a long block
    nibbles 2, 0
    ld1b    {z4.b-z7.b}, pn8/z, [lhs]
    nibbles 3, 1
    mopa    \s, 4, 2
    nibbles 2, 2
    mopa    \s, 5, 3
    nibbles 3, 3
    mopa    \s, 6, 2
    nibbles 2, 4
    mopa    \s, 7, 3
    ld1b    {z4.b-z7.b}, pn8/z, [lhs, #4, mul vl]
    nibbles 3, 5
    mopa    \s, 4, 2
    nibbles 2, 6
    mopa    \s, 5, 3
    nibbles 3, 7
    mopa    \s, 6, 2
    mopa    \s, 7, 3
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #16
    subs    more, more, #1
    b.ne    1b
2:  // the scales; where to find the other fields in the next step
    addvl   zero_at, rhs, #-8
    add     zero_at, zero_at, rhs_col
    ld1w    {z2.s}, p0/z, [lhs, #1, mul vl]
    ld1w    {z3.s}, p0/z, [zero_at, #4, mul vl]
    fmopa   za\w\().s, p0/m, p0/m, z2.s, z3.s
    add     sum_at, lhs, lhs_row
    addvl   lhs, lhs, #2
    addvl   rhs, rhs, #8
    cmp     left, blocks
    b.ne    3f
    bl      KAI_LOCAL(finish_pass)
3:
    subs    left, left, #1
    b.ne    4f
    bl      KAI_LOCAL(next_pass)
    cbz     left, KAI_LOCAL(drain_\s)
4:
.endm

// The last block of all.
.macro drain s, w
    ld1w    {z1.s}, p0/z, [zero_at]
    add_zero \s, \w, 0, w12, p0, 16, 17, 18, 19
    add_product 16, 17, 18, 19
    add_zero \s, \w, 1, w13, p4, 20, 21, 22, 23
    add_product 20, 21, 22, 23
    add_zero \s, \w, 2, w14, p5, 24, 25, 26, 27
    add_product 24, 25, 26, 27
    add_zero \s, \w, 3, w15, p6, 28, 29, 30, 31
    add_product 28, 29, 30, 31
    bl      KAI_LOCAL(finish_pass)
.endm

// Stores the results of 4 rows from their sums z\r0-z\r3. z0 bias, z1 lo, z2 hi, t0 rows left, t1 address. Advances t0
// and t1; leaves for 1f, with the results in z8-z11 and t0 < 0, when fewer than 4 rows are left. Clobbers z8-z11.
.macro store_rows r0, r1, r2, r3
    fadd    z8.s, z\r0\().s, z0.s
    fadd    z9.s, z\r1\().s, z0.s
    fadd    z10.s, z\r2\().s, z0.s
    fadd    z11.s, z\r3\().s, z0.s
    fmax    {z8.s-z11.s}, {z8.s-z11.s}, z1.s
    fmin    {z8.s-z11.s}, {z8.s-z11.s}, z2.s
    subs    t0, t0, #4
    b.lo    1f
    st1w    {z8.s}, p1, [t1]
    add     t1, t1, dst_stride
    st1w    {z9.s}, p1, [t1]
    add     t1, t1, dst_stride
    st1w    {z10.s}, p1, [t1]
    add     t1, t1, dst_stride
    st1w    {z11.s}, p1, [t1]
    add     t1, t1, dst_stride
.endm

func kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa, hidden
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
    ptrue   p0.b
    ptrue   pn8.b
    cntw    vl
    cnth    t0
    whilelo p2.b, xzr, t0
    mov     t0, #4
    whilelo p4.s, t0, vl
    mov     t0, #8
    whilelo p5.s, t0, vl
    mov     t0, #12
    whilelo p6.s, t0, vl
    mov     t0, #16
    cmp     vl, t0
    csel    pass_rows, vl, t0, lo
    ldp     blocks, chunks, [args, #KAI_BLOCK_ARGS_BLOCKS]
    ldr     dst_stride, [args, #KAI_BLOCK_ARGS_DST_STRIDE]
    ldr     lhs_panel, [args, #KAI_BLOCK_ARGS_LHS]
    ldr     rhs_panel, [args, #KAI_BLOCK_ARGS_RHS]
    mov     row, #0
    mov     col, #0
    mov     panel_col, #0
    bl      KAI_LOCAL(start_pass)

    // The first step has nothing to add: what it makes of empty tiles and of any readable fields is thrown away.
    zero    {za}
    mov     done_rows, #0
    mov     sum_at, lhs_panel
    mov     zero_at, rhs_panel
    mov     w12, #0
    mov     w13, #4
    mov     w14, #8
    mov     w15, #12

KAI_LOCAL(steps):
    step    0, 1, 2, 3
    step    2, 3, 0, 1
    b       KAI_LOCAL(steps)

KAI_LOCAL(drain_0):
    drain   0, 1
    b       KAI_LOCAL(end)
KAI_LOCAL(drain_2):
    drain   2, 3
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

// The pass is multiplied: notes where its result goes and turns to the next one. left = 0: there is none.
// Order: columns of an RHS panel, rows, RHS panels, so that a panel of either side stays near while it is used.
KAI_LOCAL(next_pass):
    ldr     t0, [args, #KAI_BLOCK_ARGS_DST]
    madd    t0, row, dst_stride, t0
    add     done_dst, t0, col, lsl #2
    ldp     t0, t1, [args, #KAI_BLOCK_ARGS_M]   // m, n
    sub     t0, t0, row
    cmp     t0, pass_rows
    csel    done_rows, t0, pass_rows, lo
    whilelo p1.s, col, t1
    ldr     t0, [args, #KAI_BLOCK_ARGS_RHS_STRIDE]
    add     done_bias, rhs_panel, t0
    addvl   done_bias, done_bias, #-4           // the bias ends the panel
    add     done_bias, done_bias, rhs_col, lsl #1

    add     col, col, vl                        // columns
    add     t0, panel_col, vl, lsl #2
    cmp     t0, t1
    csel    t0, t0, t1, lo
    cmp     col, t0
    b.lo    KAI_LOCAL(start_pass)
    mov     col, panel_col                      // rows
    add     row, row, pass_rows
    ldr     t0, [args, #KAI_BLOCK_ARGS_M]
    cmp     row, t0
    b.hs    1f
    sub     t0, vl, #1
    tst     row, t0
    b.ne    KAI_LOCAL(start_pass)
    ldr     t0, [args, #KAI_BLOCK_ARGS_LHS_STRIDE]
    add     lhs_panel, lhs_panel, t0
    b       KAI_LOCAL(start_pass)
1:  // RHS panels
    mov     row, #0
    ldr     lhs_panel, [args, #KAI_BLOCK_ARGS_LHS]
    add     panel_col, panel_col, vl, lsl #2
    mov     col, panel_col
    ldr     t0, [args, #KAI_BLOCK_ARGS_RHS_STRIDE]
    add     rhs_panel, rhs_panel, t0
    cmp     panel_col, t1
    b.lo    KAI_LOCAL(start_pass)
    ret                                         // left is 0

// Cursors to the start of the pass at row, col.
KAI_LOCAL(start_pass):
    mov     left, blocks
    mov     lhs, lhs_panel
    sub     lhs_row, vl, #1
    and     lhs_row, lhs_row, row
    lsl     lhs_row, lhs_row, #2
    sub     rhs_col, col, panel_col
    lsl     rhs_col, rhs_col, #1
    add     rhs, rhs_panel, rhs_col
    addvl   rhs, rhs, #8
    ret

// The sums of the pass before are complete: bias, clamp, store. Then zero, and the rows of the current pass.
KAI_LOCAL(finish_pass):
    cbz     done_rows, 2f
    ld1w    {z0.s}, p0/z, [done_bias]
    add     t0, args, #KAI_BLOCK_ARGS_LO
    ld1rw   {z1.s}, p0/z, [t0]
    ld1rw   {z2.s}, p0/z, [t0, #4]
    mov     t0, done_rows
    mov     t1, done_dst
    store_rows 16, 17, 18, 19
    store_rows 20, 21, 22, 23
    store_rows 24, 25, 26, 27
    store_rows 28, 29, 30, 31
    b       2f
1:  // the last 1, 2 or 3 rows, if any
    adds    t0, t0, #4
    b.eq    2f
    st1w    {z8.s}, p1, [t1]
    subs    t0, t0, #1
    b.eq    2f
    add     t1, t1, dst_stride
    st1w    {z9.s}, p1, [t1]
    subs    t0, t0, #1
    b.eq    2f
    add     t1, t1, dst_stride
    st1w    {z10.s}, p1, [t1]
2:
.irp r, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    mov     z\r\().d, #0
.endr
    lsr     w12, w19, #2                        // lhs_row
    add     w13, w12, #4
    add     w14, w12, #8
    add     w15, w12, #12
    ret
endfunc
