// f32 <- qai8dxp1vlx4 x qsi4c32p4vlx4, many rows.
//
//     acc = fma(f32(S), rhs_scale[n][b], acc)                                blocks b ascending
//     acc = fma(rhs_sum[n], f32(lhs_offset[m]), acc)
//     dst = clamp(acc * lhs_scale[m] + bias[n])                              two roundings
//
// A pass computes 1 VL columns of at most 16 rows of a panel over the whole depth. Its running sums stay in z16-z31, one
// row each, so that nothing is stored before the end. For each block a ZA tile is filled with S by SMOPA from LUTI4-decoded
// nibbles, while the tile of the block before is read, converted and added: the work of the vector unit hides behind that
// of the matrix unit. This continues from the last block of a pass into the first of the next one, beside which the results
// of the pass are finished and stored. Steps take the tiles in turn; two are cleared at a time, which takes the matrix unit
// as long as one.
//
// z0       lhs_offset, lhs_scale of 4 rows, in each 128 bits      z1  rhs_scale of the block to add
// z2, z3   RHS nibbles, then values                               z4-z7  4 vectors of the LHS: 1 VL rows x 4 k each
// z8-z11   4 rows of S                                            z12 rhs_sum   z13 bias   z14 lo   z15 hi
// p0, pn8  all    p2 the nibbles of 1 VL columns    p3 rows of the panel to store, one a byte    p7 columns to store
// p4, p5   does the panel have rows 4-7, 8-15
// w12-w15  first row in the tile of the pass that is being added, + 4, + 8, + 12
//
// Assumes m, n >= 1. Rows of the panel beyond m are computed, not stored; a step never mixes rows.
// SVL above 512 bits: a pass multiplies all rows of the panel, but adds up 16 of them; there are several passes.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/core/sme_args.h"

    alias   args, x0
    alias   lhs, x1         // cursor of the multiplication
    alias   rhs, x2         // cursor + 8 VL: immediates reach from -8 to 7
    alias   left, x3        // blocks of the pass still to multiply
    alias   more, x4        // chunks of 32 k of the block still to multiply
    alias   block_scale, x5 // rhs_scale of the block to add, from the first column of the pass on
    alias   vl, x6          // words of a vector
    alias   dst_stride, x7
    alias   offset_at, x8   // pass before: lhs_offset, lhs_scale from its first row on; where its next row goes
    alias   scale_at, x9
    alias   dst, x10
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

// Reads 4 rows of the tile \tile and adds them to their sums z\r0-z\r3. \i: which 4 rows; \ws: the w register of the rows;
// \p: predicate. Clobbers z8-z11.
.macro add_rows tile, i, ws, p, r0, r1, r2, r3
    mova    {z8.s-z11.s}, za\tile\()h.s[\ws, 0:3]
    convert_4 8, 9, 10, 11
    fmla    z\r0\().s, p0/m, z8.s, z1.s
    fmla    z\r1\().s, p0/m, z9.s, z1.s
    fmla    z\r2\().s, p0/m, z10.s, z1.s
    fmla    z\r3\().s, p0/m, z11.s, z1.s
.endm

// A routine that makes results of 4 rows from their sums, which are zero then. As add_rows; clobbers z0.
.macro finish_rows i, ws, p, r0, r1, r2, r3
KAI_LOCAL(finish_rows_\i):
    ld1rqw  {z0.s}, \p/z, [offset_at, #16 * \i]
    scvtf   z0.s, p0/m, z0.s
    fmla    z\r0\().s, z12.s, z0.s[0]
    fmla    z\r1\().s, z12.s, z0.s[1]
    fmla    z\r2\().s, z12.s, z0.s[2]
    fmla    z\r3\().s, z12.s, z0.s[3]
    ld1rqw  {z0.s}, \p/z, [scale_at, #16 * \i]
    fmul    z\r0\().s, z\r0\().s, z0.s[0]
    fmul    z\r1\().s, z\r1\().s, z0.s[1]
    fmul    z\r2\().s, z\r2\().s, z0.s[2]
    fmul    z\r3\().s, z\r3\().s, z0.s[3]
    fadd    z\r0\().s, z\r0\().s, z13.s
    fadd    z\r1\().s, z\r1\().s, z13.s
    fadd    z\r2\().s, z\r2\().s, z13.s
    fadd    z\r3\().s, z\r3\().s, z13.s
    clamp_4 \r0, \r1, \r2, \r3, 14, 15
    store_row 0, \ws, \r0
    store_row 1, \ws, \r1
    store_row 2, \ws, \r2
    store_row 3, \ws, \r3
    ret
.endm

.macro store_row i, ws, r
    psel    p1, p7, p3.b[\ws, \i]
    st1w    {z\r\().s}, p1, [dst]
    add     dst, dst, dst_stride
    mov     z\r\().d, #0
.endm

// The last block of a pass.
.macro add_and_finish_rows tile, i, ws, p, r0, r1, r2, r3
    add_rows \tile, \i, \ws, \p, \r0, \r1, \r2, \r3
    bl      KAI_LOCAL(finish_rows_\i)
.endm

// Multiplies a chunk into the tile \t while the block in the tile \prev is added: \add.
.macro multiply_and t, prev, add
    ld1h    {z1.s}, p0/z, [block_scale]
    nibbles 2, 0
    ld1b    {z4.b-z7.b}, pn8/z, [lhs]
    nibbles 3, 1
    lsl     z1.s, z1.s, #16                     // bf16 to f32
    mopa    \t, 4, 2
    nibbles 2, 2
    mopa    \t, 5, 3
    \add    \prev, 0, w12, p0, 16, 17, 18, 19
    nibbles 3, 3
    mopa    \t, 6, 2
    nibbles 2, 4
    mopa    \t, 7, 3
    \add    \prev, 1, w13, p4, 20, 21, 22, 23
    ld1b    {z4.b-z7.b}, pn8/z, [lhs, #4, mul vl]
    nibbles 3, 5
    mopa    \t, 4, 2
    nibbles 2, 6
    mopa    \t, 5, 3
    \add    \prev, 2, w14, p5, 24, 25, 26, 27
    nibbles 3, 7
    mopa    \t, 6, 2
    mopa    \t, 7, 3
    \add    \prev, 3, w15, p5, 28, 29, 30, 31
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
.macro step t, prev
    cmp     left, blocks
    b.eq    KAI_LOCAL(first_\t)
    multiply_and \t, \prev, add_rows
KAI_LOCAL(multiplied_\t):
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #16
    subs    more, chunks, #1
    b.eq    2f
1:  multiply \t
    addvl   lhs, lhs, #8
    addvl   rhs, rhs, #16
    subs    more, more, #1
    b.ne    1b
2:  addvl   block_scale, rhs, #-8
    addvl   rhs, rhs, #2
    subs    left, left, #1
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
.macro first_step t, prev
KAI_LOCAL(first_\t):
    multiply_and \t, \prev, add_and_finish_rows
    take_rows
    cbnz    m_left, KAI_LOCAL(multiplied_\t)
    b       KAI_LOCAL(end)
.endm

// void kai_kernel_...(const kai::Problem*, const kai::Table*, size_t steps, size_t part, size_t parts): blocks of
// part * parts * 32 k
func kai_kernel_matmul_clamp_f32_qai8dxp1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa, hidden
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
    ldr     zt0, [x1]
    all_true
    cntw    vl
    cnth    t0
    whilelo p2.b, xzr, t0
    mov     t0, #4
    whilelo p4.s, t0, vl
    mov     t0, #8
    whilelo p5.s, t0, vl
    mov     t0, #16
    cmp     vl, t0
    csel    pass_rows, vl, t0, lo
    add     t0, args, #KAI_PROBLEM_LO
    ld1rw   {z14.s}, p0/z, [t0]
    ld1rw   {z15.s}, p0/z, [t0, #4]
    mul     chunks, x3, x4
    udiv    blocks, x2, chunks
    ldp     m_left, n_left, [args, #KAI_PROBLEM_M]
    ldp     lhs_panel, rhs_panel, [args, #KAI_PROBLEM_LHS]
    ldp     panel_dst, dst_stride, [args, #KAI_PROBLEM_DST]
    mov     pass_dst, panel_dst
    mov     row, #0
    mov     col, #0
    bl      KAI_LOCAL(start_pass)
    cbz     blocks, KAI_LOCAL(empty)

    // The first step has nothing to add or store: what it makes of empty tiles and of any readable fields is thrown away.
    mov     block_scale, rhs_panel
    mov     offset_at, lhs_panel
    mov     scale_at, lhs_panel
    pfalse  p3.b
    take_rows

KAI_LOCAL(steps):
    zero    {za0.s, za1.s}
    step    0, 3
    step    1, 0
    zero    {za2.s, za3.s}
    step    2, 1
    step    3, 2
    b       KAI_LOCAL(steps)

    first_step 0, 3
    first_step 1, 0
    first_step 2, 1
    first_step 3, 2

KAI_LOCAL(empty): // k = 0
.irp r, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    mov     z\r\().d, #0
.endr
5:  take_rows
    bl      KAI_LOCAL(next_pass)
    bl      KAI_LOCAL(finish_rows_0)
    bl      KAI_LOCAL(finish_rows_1)
    bl      KAI_LOCAL(finish_rows_2)
    bl      KAI_LOCAL(finish_rows_3)
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

    finish_rows 0, w12, p0, 16, 17, 18, 19
    finish_rows 1, w13, p4, 20, 21, 22, 23
    finish_rows 2, w14, p5, 24, 25, 26, 27
    finish_rows 3, w15, p5, 28, 29, 30, 31

// The pass is multiplied: takes the fields of its rows and columns and turns to the next one. m_left = 0: there is none.
// Order: columns of an RHS panel, rows, RHS panels, so that a panel of either side stays near while it is used.
KAI_LOCAL(next_pass):
    add     offset_at, lhs, row, lsl #2
    addvl   scale_at, offset_at, #1
    mov     dst, pass_dst
    cmp     m_left, vl
    csel    t0, m_left, vl, lo
    whilelo p3.b, xzr, t0
    whilelo p7.s, col, n_left
    addvl   t1, rhs, #-8
    add     t1, t1, col, lsl #1
    ld1w    {z12.s}, p0/z, [t1]
    ld1w    {z13.s}, p0/z, [t1, #4, mul vl]

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
    ldr     t0, [args, #KAI_PROBLEM_LHS_STRIDE]
    add     lhs_panel, lhs_panel, t0
    b       KAI_LOCAL(start_pass)
2:  subs    n_left, n_left, t1                  // RHS panels
    b.ls    KAI_LOCAL(start_pass)
    ldr     m_left, [args, #KAI_PROBLEM_M]
    ldr     lhs_panel, [args, #KAI_PROBLEM_LHS]
    ldr     t0, [args, #KAI_PROBLEM_RHS_STRIDE]
    add     rhs_panel, rhs_panel, t0
    add     panel_dst, panel_dst, t1, lsl #2
    mov     pass_dst, panel_dst

// Cursors to the start of the pass at row, col.
KAI_LOCAL(start_pass):
    mov     left, blocks
    mov     lhs, lhs_panel
    addvl   rhs, rhs_panel, #8
    add     rhs, rhs, col, lsl #1
    ret
endfunc
