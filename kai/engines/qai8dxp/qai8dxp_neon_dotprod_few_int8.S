// Few rows of the qai8dxp GEMM with SDOT, int8, a scale per channel: tiles of 1 to 8 rows x 2 quads, 1 to 4 rows x 4.
// Formula, picture and registers: qai8dxp_neon_dotprod_few.inc.
//
// A step of 32 k has 8 vectors of a quad, 4 k each. Loads run two vectors ahead of the products, in four sets in turn,
// or, where registers are few, one vector ahead, in two sets.
//
//   RHS_D   a fourth set: of two quads v18, v19, of four v4, v5, v12, v13, which are free up to two rows
//   LHS_C, LHS_D   v30, v31     LHS1_C, LHS1_D   v22, v23: LHS of RHS_C and RHS_D
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon_dotprod_few.inc"

    lhs_set C, 30, 22
    lhs_set D, 31, 23

// 4 k: S += RHS_<x> * LHS_<x>. Meanwhile loads sets n: RHS and LHS from byte `at` of both.
.macro int8_4k x, n, at
    sdot_rows RHS_\x, \x, int8_among, \n, \at
.endm
// Places of sdot_rows.
.macro int8_among number, n, at
    when \number, 0, load_lhs \n, \at
    when \number, 1, load_quad 0, RHS_\n, \at
    when \number, 2, load_quad 1, RHS_\n, \at
    when \number, 3, load_quad 2, RHS_\n, \at
    when \number, 4, load_quad 3, RHS_\n, \at
    when \number, 5, load_rows_4567 \n, \at
.endm

// A tile of \rows_ rows; then kai_part_finish_<size> or kai_part_results_<size>.
.macro int8_tile rows_, columns
func kai_part_few_int8_\rows_\()x\columns\()_neon_dotprod, hidden
    .set    rows, \rows_
    .set    quads, \columns / 4
    channel_begin
    load_quads RHS_A, 0
    load_lhs A, 0
    load_rows_4567 A, 0
    load_quads RHS_B, 16
    ldr     x15, [args, #FEW_ARGS_depth]
    columns_times_offsets mul, S
    cbz     x15, 6f
    load_lhs B, 16
    load_rows_4567 B, 16
5:  // 32 k
    .if quads == 2 || rows <= 2
    int8_4k A, C, 32
    int8_4k B, D, 48
    int8_4k C, A, 64
    int8_4k D, B, 80
    subs    x15, x15, #1
    int8_4k A, C, 96
    int8_4k B, D, 112
    int8_4k C, A, 128
    int8_4k D, B, 144
    .else
    int8_4k A, B, 16
    int8_4k B, A, 32
    int8_4k A, B, 48
    int8_4k B, A, 64
    subs    x15, x15, #1
    int8_4k A, B, 80
    int8_4k B, A, 96
    int8_4k A, B, 112
    int8_4k B, A, 128
    .endif
    advance_quads 128
    add     lhs0, lhs0, #128
    advance_lhs1
    b.ne    5b
6:
    channel_end \rows_\()x\columns
endfunc
.endm

    regs    18, RHS_D_0, RHS_D_1
    int8_tile 1, 8
    int8_tile 2, 8
    int8_tile 3, 8
    int8_tile 4, 8
    int8_tile 5, 8
    int8_tile 6, 8
    int8_tile 7, 8
    int8_tile 8, 8
    unreg   RHS_D_0, RHS_D_1

    regs    4, RHS_D_0, RHS_D_1
    regs    12, RHS_D_2, RHS_D_3
    int8_tile 1, 16
    int8_tile 2, 16
    int8_tile 3, 16
    int8_tile 4, 16
