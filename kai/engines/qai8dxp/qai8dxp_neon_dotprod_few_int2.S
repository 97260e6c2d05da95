// Few rows of the qai8dxp GEMM with SDOT, int2, a scale per channel: tiles of 1 to 8 rows x 2 quads, 1 or 2 rows x 4.
// Formula, picture and registers: qai8dxp_neon_dotprod_few.inc.
//
// A byte has indices of 4 k that are 4 apart; a nibble holds two of them, and each is looked up in its own table. So a
// vector of a quad, 16 bytes, is 16 k: low nibbles k 0 - 3 and 4 - 7, high ones k 8 - 11 and 12 - 15. A step of
// 32 k has two of them.
//
//   lut         x6         the four weights, int32
//   low_table   v30        weight of the lower index of a nibble
//   high_table  v31        of the upper one
//   nibble_mask v19, of four quads v15
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon_dotprod_few.inc"

lut .req x6
    regs    30, low_table, high_table

// Out: the tables. Changes x6.
.macro load_tables
    ldr     lut, [args, #FEW_ARGS_lut]
    ldr     qhigh_table, [lut]
    uzp1    high_table.8h, high_table.8h, high_table.8h
    uzp1    low_table.16b, high_table.16b, high_table.16b       // 0 1 2 3, four times
    zip1    high_table.16b, low_table.16b, low_table.16b
    zip1    high_table.16b, high_table.16b, high_table.16b      // 0 0 0 0 1 1 1 1 2 ...
.endm

// Set d = what the bytes of set i select from \table.
.macro tbl_quads d, table, i
    tbl     \d\()_0.16b, {\table\().16b}, \i\()_0.16b
    if_more quads, 1, tbl \d\()_1.16b, {\table\().16b}, \i\()_1.16b
    if_more quads, 2, tbl \d\()_2.16b, {\table\().16b}, \i\()_2.16b
    if_more quads, 2, tbl \d\()_3.16b, {\table\().16b}, \i\()_3.16b
.endm
// 4 k: S += set r * LHS_<k>; then loads these from byte `next`.
.macro int2_4k r, k, next
    sdot_rows \r, \k
    load_lhs \k, \next
    load_rows_4567 \k, \next
.endm
// 16 k of RHS_A, LHS at byte `at`; then loads RHS_A from byte `next`. Changes RHS_B, RHS_C.
.macro int2_16k at, next
    shared_quads and, 16b, RHS_C, RHS_A, nibble_mask.16b
    shared_quads ushr, 16b, RHS_A, RHS_A, #4
    tbl_quads RHS_B, low_table, RHS_C
    tbl_quads RHS_C, high_table, RHS_C
    int2_4k RHS_B, A, \at + 32
    tbl_quads RHS_B, low_table, RHS_A
    int2_4k RHS_C, B, \at + 48
    tbl_quads RHS_C, high_table, RHS_A
    load_quads RHS_A, \next
    int2_4k RHS_B, A, \at + 64
    int2_4k RHS_C, B, \at + 80
.endm

// A tile of \rows_ rows; then kai_part_finish_<size> or kai_part_results_<size>.
.macro int2_tile rows_, columns
func kai_part_few_int2_\rows_\()x\columns\()_neon_dotprod, hidden
    .set    rows, \rows_
    .set    quads, \columns / 4
    load_tables
    channel_begin
    load_quads RHS_A, 0
    load_lhs A, 0
    load_rows_4567 A, 0
    ldr     x15, [args, #FEW_ARGS_depth]
    columns_times_offsets mul, S
    cbz     x15, 6f
    load_lhs B, 16
    load_rows_4567 B, 16
    movi    nibble_mask.16b, #0x0f
5:  // 32 k
    int2_16k 0, 16
    subs    x15, x15, #1
    int2_16k 64, 32
    advance_quads 32
    add     lhs0, lhs0, #128
    advance_lhs1
    b.ne    5b
6:
    channel_end \rows_\()x\columns
endfunc
.endm

    reg     nibble_mask, 19
    int2_tile 1, 8
    int2_tile 2, 8
    int2_tile 3, 8
    int2_tile 4, 8
    int2_tile 5, 8
    int2_tile 6, 8
    int2_tile 7, 8
    int2_tile 8, 8
    unreg   nibble_mask

    reg     nibble_mask, 15
    int2_tile 1, 16
    int2_tile 2, 16
