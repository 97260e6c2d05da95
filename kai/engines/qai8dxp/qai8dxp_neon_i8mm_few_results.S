// Few rows of the qai8dxp GEMM with SMMLA, a scale per channel: kai_part_finish_*, what follows the loop over k of a
// tile (qai8dxp_neon_i8mm_few_int8.S, qai8dxp_neon_i8mm_few_int4.S).
//
//     R = f32(S + offset * column sum), in rows, then kai_part_results_* (qai8dxp_neon_few_results.S)
//
//   S, F   v0 - v15    sums of the tile (qai8dxp_neon_i8mm_few.inc); F: of the quads that S does not have
//   R      v16 - v23   rows (qai8dxp_neon_i8mm_few_results.inc)
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon_i8mm_few.inc"
#include "kai/engines/qai8dxp/qai8dxp_neon_i8mm_few_results.inc"

// R = f32(s + offset * column sum), s: S or F; x15 and what kai_part_results_* wants.
.macro channel_results s, pair
    sums_to_rows \s, \pair
    mov     x15, #1
    each_row add_offset, 5, \pair
    .if rows == 6
    each_row to_float, 8, \pair
    .else
    each_row to_float, 9, \pair
    .endif
.endm
// What follows the loop over k.
.macro finish_function name, count
func kai_part_finish_\name\()_neon_i8mm, hidden
    .set    rows, \count
    channel_results S, 0
    b       KAI_SYM(kai_part_results_\name\()_neon)
endfunc
.endm
// First S, then F: each is a tile for kai_part_results_<part>.
.macro finish_twice name, count, part
func kai_part_finish_\name\()_neon_i8mm, hidden
    .set    rows, \count
    frame   x29
    channel_results S, 0
    bl      KAI_SYM(kai_part_results_\part\()_neon)
    channel_results F, 1
    bl      KAI_SYM(kai_part_results_\part\()_neon)
    return
endfunc
.endm
    finish_function 2x8, 2
    finish_function 4x8, 4
    finish_function 6x4, 6
    finish_function 8x4, 8
    finish_twice 2x16, 2, 2x8
    finish_twice 4x16, 4, 4x8
    finish_twice 6x8, 6, 6x4
    finish_twice 8x8, 8, 8x4
