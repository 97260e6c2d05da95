// Blocks of any length with SDOT: one row x 16 columns.
//
//     int4: sum[n] = fma(S, lhs_scale * rhs_scale, sum[n]),     S = sum over the block of lhs * rhs
//     with zeros (qai4c32p): before, sum[n] = fma(rhs_zero, lhs_sum, sum[n])
//     int8, indices: sum[n] = fma(S * lhs_scale, rhs_scale, sum[n])
//
// A vector holds the sums of a quad, 4 columns; groups of 8 k: SUMS_A those of columns 0 1, SUMS_B of 2 3, each twice.
//
//   Registers, and those of int_neon_row_steps.inc
//   x0          args        struct LongArgs
//   x1, x2                  blocks, steps to go
//   x3, x4, x7              groups of 4 k: once, twice, three times next_group; of 8 k: next_group, next_group_16
//   x5, x6                  bytes from this step to the next: LHS, RHS
//   x13, x14    row, high_row   low k, high k
//   x15         kind        LongArgs::kind
//   x16, x19                LongArgs::odd, steps of a block
//   x20, x21                from a step to the next one: LHS, RHS
//   x22, x23                from the last step of a block to the next block; then 0
//   x24, x25    lhs_fields, rhs_fields   from the elements of a block to its fields
//   x26 - x28               tiles, fours of quads to go, next four
//   v8 - v11    SUMS_F      f32 sums
//   v12 - v15   FIELDS      scales of the columns; int4: times that of the row
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/blocks/blocks_long_args.h"

args    .req x0
high_row .req x14
kind    .req x15
lhs_fields .req x24
rhs_fields .req x25

#define ROW_LOADS
// The row of a step is loaded at the end of the previous step. Flags: whether there is another one; set early, so that
// in-order cores do not wait.
.macro load_k_x4
.endm
.macro load_k_x8
.endm
// row, high_row and v28 move on to the low k of the next step. Sets flags: Z after the last one (x2).
.macro next_k_x4_low
    add     row, row, x5
    add     high_row, high_row, x5
    ldr     q28, [row]
    subs    x2, x2, #1
.endm
.macro next_k_x4_high
    ldr     q29, [high_row]
.endm
.macro high_k_x8
    ldp     x8, x17, [high_row]
    add     row, row, x5
    add     high_row, high_row, x5
.endm
.macro next_k_x8
    ldp     x8, x17, [row]
    subs    x2, x2, #1
.endm
#include "kai/engines/int_neon/int_neon_row_steps.inc"

    .set    RHS_TABLE, 0

regs 8, SUMS_F_0, SUMS_F_1, SUMS_F_2, SUMS_F_3
regs 12, FIELDS_0, FIELDS_1, FIELDS_2, FIELDS_3

// SUMS_F += all blocks, whose elements have \bits. \fold: addp or none, \group: x4 or x8.
.macro row_blocks bits, fold, group
3:  // a block
    subs    x1, x1, #1
    fields_\bits
    csel    x22, xzr, x22, eq
    csel    x23, xzr, x23, eq
    subs    x2, x19, #1
    zero_quads SUMS_A
    .ifc \fold, addp
    zero_quads SUMS_B
    .endif
4:  // 32 k
    .if \bits == 4
    csel    x5, x22, x20, eq
    csel    x6, x23, x21, eq
    .ifc \group, x4
    int4_x4_step 1, 0, x3, x4, x7, x6
    .else
    int4_x8_step 1, 0, 16, x3, x4, x6
    .endif
    .else
    .ifc \group, x4
    int8_x4_steps 128, SUMS_A
    .else
    int8_x8_step 0, 128
    .endif
    subs    x2, x2, #1
    .endif
    b.hs    4b
    .ifc \fold, addp
    op_quads addp, 4s, SUMS_A, SUMS_A, SUMS_B
    .endif
    add_int\bits
    cbnz    x1, 3b
.endm

// FIELDS = f16 scales of the columns as f32, s\scale = that of the row.
.macro load_f16_scales scale
    ldr     h\scale, [row, lhs_fields]
    add     x6, rhs_fields, x16
    ldr     dFIELDS_0, [quad_0, rhs_fields]
    ldr     dFIELDS_1, [quad_1, x6]
    ldr     dFIELDS_2, [quad_2, rhs_fields]
    ldr     dFIELDS_3, [quad_3, x6]
    fcvt    s\scale, h\scale
    fcvtl   FIELDS_0.4s, FIELDS_0.4h
    fcvtl   FIELDS_1.4s, FIELDS_1.4h
    fcvtl   FIELDS_2.4s, FIELDS_2.4h
    fcvtl   FIELDS_3.4s, FIELDS_3.4h
.endm
// FIELDS = scales of the columns times that of the row.
.macro fields_4
    tbnz    kind, #LONG_ZEROS, 7f
    load_f16_scales 30
    shared_quads fmul, 4s, FIELDS, FIELDS, v30.s[0]
    b       8f
7:
    ldr     d30, [row, lhs_fields]
    load_quads SUMS_A, rhs_fields
    add     x6, rhs_fields, #16
    load_quads FIELDS, x6
    shared_quads fmla, 4s, SUMS_F, SUMS_A, v30.s[0]
    shared_quads fmul, 4s, FIELDS, FIELDS, v30.s[1]
8:
.endm
// SUMS_F += sums times FIELDS.
.macro add_int4
    tbnz    kind, #LONG_ZEROS, 7f
    shared_quads scvtf, 4s, SUMS_A, SUMS_A, #4
    b       8f
7:
    scvtf_quads SUMS_A
8:
    op_quads fmla, 4s, SUMS_F, SUMS_A, FIELDS
.endm
.macro fields_8
    load_f16_scales 31
.endm
// The same; the scale of the row, s31, comes first. Moves on from the last step to the next block.
.macro add_int8
    scvtf_quads SUMS_A
    sub     x5, x22, x20
    sub     x6, x23, x21
    shared_quads fmul, 4s, SUMS_A, SUMS_A, v31.s[0]
    add     row, row, x5
    advance_quads x6
    op_quads fmla, 4s, SUMS_F, SUMS_A, FIELDS
.endm

// A function: one row, fours of quads. Arguments: LongArgs.
.macro long_row name, fold, group
func \name, hidden
    .set    quads, 4
    frame   d8-d15, x19-x28
    ldp     x20, x21, [args, #LONG_ARGS_lhs_step]
    ldp     lhs_fields, rhs_fields, [args, #LONG_ARGS_lhs_fields]
    ldp     x19, kind, [args, #LONG_ARGS_steps]
    ldp     x3, x4, [args, #LONG_ARGS_next_group]
    ldp     x26, x27, [args, #LONG_ARGS_tiles]
    ldr     x28, [args, #LONG_ARGS_rhs]
    ldr     x16, [args, #LONG_ARGS_odd]
    .ifc \group, x4
    lsl     x4, x3, #1
    add     x7, x4, x3
    .endif
    int4_constants

1:  // four quads
    ldr     row, [args, #LONG_ARGS_lhs]
    ldp     high_row, x1, [args, #LONG_ARGS_high_k]
    ldp     x22, x23, [args, #LONG_ARGS_lhs_jump]
    ldp     quad_1, quad_2, [args, #LONG_ARGS_quad_1]
    ldr     quad_3, [args, #LONG_ARGS_quad_3]
    ldr     x5, [args, #LONG_ARGS_rhs_stride]
    add     high_row, row, high_row
    mov     quad_0, x28
    add     quad_1, x28, quad_1
    add     quad_2, x28, quad_2
    add     quad_3, x28, quad_3
    add     x28, x28, x5
    zero_quads SUMS_F
    tbnz    kind, #LONG_INT8, 5f
    .ifc \group, x4
    ldr     q28, [row]
    ldr     q29, [high_row]
    int4_begin 0, x3
    .else
    ldp     x8, x17, [row]
    int4_begin 0, 16
    .endif
    row_blocks 4, \fold, \group
    b       6f
5:
    row_blocks 8, \fold, \group
6:
    stp     q8, q9, [x26], #32
    stp     q10, q11, [x26], #32
    subs    x27, x27, #1
    b.ne    1b
    return
endfunc
.endm

    long_row kai_long_row_4_neon_dotprod, none, x4
    long_row kai_long_row_8_neon_dotprod, addp, x8
