// f32 <- qsi8d32p1x4 x qsi4c32p4vlx4, one row.
//
//     acc = fma(f32(S), lhs_scale[b] * rhs_scale[n][b], acc)                 blocks b ascending
//     dst = clamp(acc)
//
// One panel of 4 VL columns after the other. SDOT sums LUTI4-decoded nibbles in a group of four ZA vectors; the scale
// products and the running sums are ZA groups too: multiplying there costs less than in streaming-mode registers. FDOT
// makes the products, f16 to f32 and exact, from pairs (scale, 0), which is how f16 loads as words, and with minus the
// LHS scale, because FMLS uses them (kai_cycles.py misreads FMLA of two groups).
// While a block is multiplied, the one before is converted and added, also from a panel to the next.
//
// group 0  S of even steps       group 2  scale products, negated
// group 1  S of odd steps        group 3  running sums
// z0, z1   16 values of the LHS in each 128 bits         z2  lo     z3  hi; minus the LHS scale
// z4-z7    RHS nibbles           z8-z15   RHS values
// z16-z19  S                     z20-z23  scale products      z28-z31 RHS scales
// p0, pn8  all    pn9  columns to store      w8, w12-w15  sme2_groups.inc
//
// Assumes n, chunks >= 1.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/asm/asm.h"
#include "kai/asm/sme2_groups.inc"
#include "kai/asm/sme2_vectors.inc"
#include "kai/asm/sme_args.h"

    alias   args, x0
    alias   lhs, x1             // cursor of the multiplication
    alias   rhs, x2
    alias   left, x3            // blocks of this panel still to multiply
    alias   more, x4            // chunks of this block still to multiply
    alias   lhs_scale, x5       // cursors
    alias   rhs_scale, x6
    alias   cols, x7            // from the panel on that is being multiplied
    alias   blocks, x9
    alias   chunks, x10
    alias   done_cols, x11      // from the panel before on, whose sums are complete after the next addition; 0: there is none
    alias   values, x16         // bytes of the values of the row
    alias   dst, x17            // of the panel before

// Group 2 = -(scale * lhs_scale) of a block. Clobbers z3, z28-z31.
.macro multiply_scales
    zero    {za2.s}
    ld1rh   {z3.s}, p0/z, [lhs_scale]
    ld1h    {z28.s}, p0/z, [rhs_scale]
    ld1h    {z29.s}, p0/z, [rhs_scale, #1, mul vl]
    ld1h    {z30.s}, p0/z, [rhs_scale, #2, mul vl]
    ld1h    {z31.s}, p0/z, [rhs_scale, #3, mul vl]
    eor     z3.s, z3.s, #0x8000
    fdot    za.s[w8, 2, vgx4], {z28.h-z31.h}, z3.h
    add     lhs_scale, lhs_scale, #2
    addvl   rhs_scale, rhs_scale, #2
.endm

// The scales behind the values of the row and of the panel.
.macro start_scales
    add     lhs_scale, lhs, values
    cntb    rhs_scale
    lsr     rhs_scale, rhs_scale, #1            // 4 VL words of columns, half a byte each
    madd    rhs_scale, rhs_scale, values, rhs
.endm

.macro convert
    scvtf   z16.s, p0/m, z16.s
    scvtf   z17.s, p0/m, z17.s
    scvtf   z18.s, p0/m, z18.s
    scvtf   z19.s, p0/m, z19.s
.endm

// Multiplies a block into group \g while the block in group \prev is added to the sums.
.macro step g, prev
    read_group \prev, 16, 17, 18, 19
    zero    {za\g\().s}
    load_row_32 0, 1, lhs
    dot_8_int4 \g, 0, 0, 1, rhs, 0
    read_group 2, 20, 21, 22, 23
    convert
    dot_8_int4 \g, 0, 2, 3, rhs, 4
    dot_8_int4 \g, 1, 0, 1, rhs, 8
    fmls    za.s[w8, 3, vgx4], {z16.s-z19.s}, {z20.s-z23.s}
    dot_8_int4 \g, 1, 2, 3, rhs, 12
    addvl   rhs, rhs, #16
    subs    more, chunks, #1
    b.eq    2f
1:  // the other chunks of a long block
    load_row_32 0, 1, lhs
    dot_8_int4 \g, 0, 0, 1, rhs, 0
    dot_8_int4 \g, 0, 2, 3, rhs, 4
    dot_8_int4 \g, 1, 0, 1, rhs, 8
    dot_8_int4 \g, 1, 2, 3, rhs, 12
    addvl   rhs, rhs, #16
    subs    more, more, #1
    b.ne    1b
2:  multiply_scales
    cmp     left, blocks
    b.ne    3f
    bl      KAI_LOCAL(finish_panel)
3:
    subs    left, left, #1
    b.ne    4f
    // The next panel, which is behind the scales of this one.
    mov     done_cols, cols
    addvl   cols, cols, #-1                     // 4 VL words
    cmp     cols, #0
    b.le    KAI_LOCAL(drain_\g)
    mov     left, blocks
    ldr     lhs, [args, #KAI_BLOCK_ARGS_LHS]
    mov     rhs, rhs_scale
    start_scales
4:
.endm

// The last block of all.
.macro drain g
    read_group \g, 16, 17, 18, 19
    read_group 2, 20, 21, 22, 23
    convert
    fmls    za.s[w8, 3, vgx4], {z16.s-z19.s}, {z20.s-z23.s}
.endm

func kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme2_sdot, hidden
    stp     x29, x30, [sp, #-16]!
    .cfi_adjust_cfa_offset 16
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov     x29, sp
    sme_enter
    ldr     more, [args, #KAI_BLOCK_ARGS_TABLE]
    ldr     zt0, [more]
    all_true
    ldr     cols, [args, #KAI_BLOCK_ARGS_N]
    ldp     blocks, chunks, [args, #KAI_BLOCK_ARGS_BLOCKS]
    ldr     lhs, [args, #KAI_BLOCK_ARGS_LHS]
    ldr     rhs, [args, #KAI_BLOCK_ARGS_RHS]
    ldr     dst, [args, #KAI_BLOCK_ARGS_DST]
    address_groups
    mov     left, blocks
    mul     values, blocks, chunks
    lsl     values, values, #5
    start_scales

    // The first step has nothing to add: what it makes of empty groups is thrown away.
    zero    {za}
    mov     done_cols, cols
    cbz     blocks, KAI_LOCAL(empty)
    mov     done_cols, #0

KAI_LOCAL(steps):
    step    0, 1
    step    1, 0
    b       KAI_LOCAL(steps)

KAI_LOCAL(empty): // k = 0
    bl      KAI_LOCAL(finish_panel)
    addvl   done_cols, done_cols, #-1
    cmp     done_cols, #0
    b.gt    KAI_LOCAL(empty)
    b       KAI_LOCAL(leave)

KAI_LOCAL(drain_0):
    drain   0
    b       KAI_LOCAL(end)
KAI_LOCAL(drain_1):
    drain   1
KAI_LOCAL(end):
    bl      KAI_LOCAL(finish_panel)
KAI_LOCAL(leave):
    .cfi_remember_state
    sme_leave
    ldp     x29, x30, [sp], #16
    .cfi_adjust_cfa_offset -16
    ret
    .cfi_restore_state

// The sums of the panel before are complete: clamp, store. Then zero.
KAI_LOCAL(finish_panel):
    cbz     done_cols, 1f
    whilelo pn9.s, xzr, done_cols, vlx4
    read_group 3, 16, 17, 18, 19
    add     more, args, #KAI_BLOCK_ARGS_LO
    ld1rw   {z2.s}, p0/z, [more]
    ld1rw   {z3.s}, p0/z, [more, #4]
    clamp_4 16, 17, 18, 19, 2, 3
    st1w    {z16.s-z19.s}, pn9, [dst]
    addvl   dst, dst, #4
1:
    zero    {za3.s}
    ret
endfunc
