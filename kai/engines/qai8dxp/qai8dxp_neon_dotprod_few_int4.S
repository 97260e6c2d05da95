// Few rows of the qai8dxp GEMM with SDOT, int4, a scale per channel: tiles of 1 to 8 rows x 2 quads, 1 to 4 rows x 4.
// Formula, picture, registers and 8 k of products: qai8dxp_neon_dotprod_few.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon_dotprod_few.inc"

// Other work in the last two groups of 8 k of a step: counts x15 down, moves the RHS and the LHS on.
.macro step_moves_rhs number
    when \number, 0, advance_quad 0, step_bytes
    when \number, 1, advance_quad 1, step_bytes
    when \number, 2, subs x15, x15, #1
    when \number, 3, advance_quad 2, step_bytes
    when \number, 4, advance_quad 3, step_bytes
.endm
.macro step_moves_lhs number
    when \number, 3, add lhs0, lhs0, #128
    when \number, 4, advance_lhs1
.endm

// A tile of \rows_ rows; then kai_part_finish_<size> or kai_part_results_<size>.
.macro int4_tile rows_, columns
func kai_part_few_int4_\rows_\()x\columns\()_neon_dotprod, hidden
    .set    rows, \rows_
    .set    quads, \columns / 4
    movi    high_mask.16b, #0xf0
    channel_begin
    int4_load
    ldr     x15, [args, #FEW_ARGS_depth]
    columns_times_offsets mul, S
    cbz     x15, 6f
    int4_low RHS_A
5:  // 32 k
    int4_8k RHS_A, RHS_B, 0, 16, x27
    load_quad 0, RHS_A, x8
    int4_8k RHS_B, RHS_A, 16, 32, x8
    load_quad 0, RHS_B, x17
    int4_8k RHS_A, RHS_B, 32, 48, x17, step_moves_rhs
    load_quad 0, RHS_A, 0
    int4_8k RHS_B, RHS_A, 48, 128, 0, step_moves_lhs
    load_quad 0, RHS_B, x27
    b.ne    5b
6:
    channel_end \rows_\()x\columns
endfunc
.endm
    int4_tile 1, 8
    int4_tile 2, 8
    int4_tile 3, 8
    int4_tile 4, 8
    int4_tile 5, 8
    int4_tile 6, 8
    int4_tile 7, 8
    int4_tile 8, 8
    int4_tile 1, 16
    int4_tile 2, 16
    int4_tile 3, 16
    int4_tile 4, 16
