// f32 <- qsi8d32p1x4 x qai4c32p4vlx4, one row.
//
//     acc = fma(zero[n][b], lhs_sum[b], acc)                                 blocks b ascending
//     acc = fma(f32(S), lhs_scale[b] * rhs_scale[n][b], acc)
//
// One panel of 4 VL columns after the other. SDOT sums LUTI4-decoded nibbles in a group of four ZA vectors; the scale
// products and the running sums are ZA groups too: multiplying there costs less than in streaming-mode registers.
// FMLS makes and uses the scale products, so that the signs cancel (kai_cycles.py misreads FMLA of two groups).
// While a block is multiplied, the one before is converted and added, also from a panel to the next.
//
// group 0  S of even steps       group 2  scale products, negated
// group 1  S of odd steps        group 3  running sums
// z0, z1   16 values of the LHS in each 128 bits         z2, z3  lhs_sum, lhs_scale
// z4-z7    RHS nibbles           z8-z15   RHS values
// z16-z19  S                     z20-z23  scale products      z24-z27  zero               z28-z31 scale
// p0, pn8  all    pn9  columns to store      w8, w12-w15  sme2_groups.inc
//
// Assumes n, blocks, chunks >= 1.
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
    alias   lhs_fields, x5      // of the block to add: lhs_sum, lhs_scale
    alias   rhs_fields, x6      // of the block to add: zero, scale
    alias   cols, x7            // from the panel on that is being multiplied
    alias   blocks, x9
    alias   chunks, x10
    alias   done_cols, x11      // from the panel before on, whose sums are complete after the next addition; 0: there is none
    alias   done_bias, x16
    alias   dst, x17            // of the panel before

// Group 3 += zero * lhs_sum of the block to add. Clobbers z2, z24-z27.
.macro add_zero
    ld1rw   {z2.s}, p0/z, [lhs_fields]
    ld1w    {z24.s-z27.s}, pn8/z, [rhs_fields]
    fmla    za.s[w8, 3, vgx4], {z24.s-z27.s}, z2.s
.endm

// Group 2 = -(scale * lhs_scale) of the block to add. Clobbers z3, z28-z31.
.macro multiply_scales
    zero    {za2.s}
    ld1rw   {z3.s}, p0/z, [lhs_fields, #4]
    ld1w    {z28.s-z31.s}, pn8/z, [rhs_fields, #4, mul vl]
    fmls    za.s[w8, 2, vgx4], {z28.s-z31.s}, z3.s
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
    add_zero
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
2:  // where to find the fields in the next step
    mov     lhs_fields, lhs
    mov     rhs_fields, rhs
    multiply_scales
    add     lhs, lhs, #8
    addvl   rhs, rhs, #8
    cmp     left, blocks
    b.ne    3f
    bl      KAI_LOCAL(finish_panel)
3:
    subs    left, left, #1
    b.ne    4f
    // The next panel. Behind the last block lies the bias.
    mov     done_bias, rhs
    mov     done_cols, cols
    addvl   cols, cols, #-1                     // 4 VL words
    cmp     cols, #0
    b.le    KAI_LOCAL(drain_\g)
    mov     left, blocks
    ldr     lhs, [args, #KAI_BLOCK_ARGS_LHS]
    addvl   rhs, rhs, #4
4:
.endm

// The last block of all.
.macro drain g
    read_group \g, 16, 17, 18, 19
    read_group 2, 20, 21, 22, 23
    convert
    add_zero
    fmls    za.s[w8, 3, vgx4], {z16.s-z19.s}, {z20.s-z23.s}
.endm

func kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot, hidden
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

    // The first step has nothing to add: what it makes of empty groups and of any readable fields is thrown away.
    zero    {za}
    mov     done_cols, #0
    mov     lhs_fields, lhs
    mov     rhs_fields, rhs

KAI_LOCAL(steps):
    step    0, 1
    step    1, 0
    b       KAI_LOCAL(steps)

KAI_LOCAL(drain_0):
    drain   0
    b       KAI_LOCAL(end)
KAI_LOCAL(drain_1):
    drain   1
KAI_LOCAL(end):
    bl      KAI_LOCAL(finish_panel)
    .cfi_remember_state
    sme_leave
    ldp     x29, x30, [sp], #16
    .cfi_adjust_cfa_offset -16
    ret
    .cfi_restore_state

// The sums of the panel before are complete: bias, clamp, store. Then zero.
KAI_LOCAL(finish_panel):
    cbz     done_cols, 1f
    whilelo pn9.s, xzr, done_cols, vlx4
    read_group 3, 16, 17, 18, 19
    ld1w    {z20.s-z23.s}, pn8/z, [done_bias]
    add     more, args, #KAI_BLOCK_ARGS_LO
    ld1rw   {z2.s}, p0/z, [more]
    ld1rw   {z3.s}, p0/z, [more, #4]
    fadd    z16.s, z16.s, z20.s
    fadd    z17.s, z17.s, z21.s
    fadd    z18.s, z18.s, z22.s
    fadd    z19.s, z19.s, z23.s
    clamp_4 16, 17, 18, 19, 2, 3
    st1w    {z16.s-z19.s}, pn9, [dst]
    addvl   dst, dst, #4
1:
    zero    {za3.s}
    ret
endfunc
