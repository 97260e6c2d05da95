// Few rows of the qai8dxp GEMM with SDOT, a scale per channel: kai_part_finish_*, what follows the loop over k of a
// tile of more than eight sums (qai8dxp_neon_dotprod_few.inc): kai_part_results_* (qai8dxp_neon_few_results.S) takes
// eight at a time, so it is called twice.
//
//   v0 - v7, v8 - v15   sums, int32: of the first rows or quads, of the others
//   lhs0, lhs1          x13, x12: where LHS ends: fields of the rows     x10: those of the second call
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_args.h"
#include "kai/engines/qai8dxp/qai8dxp_neon_few_results.inc"

args .req x0
lhs0 .req x13
lhs1 .req x12

// v\d = f32(v\s), and so on for further pairs.
.macro to_float d, s, rest:vararg
    scvtf   v\d\().4s, v\s\().4s
    .ifnb \rest
    to_float \rest
    .endif
.endm

// Results of more than eight vectors: v0 - v7 are \first rows x 8 columns, v8 - v15 the next columns (\quad = 2) or
// \last rows of the other panel (\panel = 1).
.macro finish_function name, first, last, quad, panel
func kai_part_finish_\name\()_neon_dotprod, hidden
    frame   x29
    .if \panel
    mov     x10, lhs1
    .else
    mov     x10, lhs0
    .endif
    bl      KAI_SYM(kai_part_results_\first\()x8_neon)
    place_fields \quad
    ldr     q28, [x10, #16]
    place   \quad, \panel
    ldr     q24, [x13]
    ldr     q25, [x14]
    mov     x15, #1
    to_float 16, 8, 17, 9
    if_more \last, 1, to_float 18, 10, 19, 11
    if_more \last, 2, to_float 20, 12, 21, 13
    if_more \last, 3, to_float 22, 14, 23, 15
    bl      KAI_SYM(kai_part_results_\last\()x8_neon)
    return
endfunc
.endm
    finish_function 5x8, 4, 1, 0, 1
    finish_function 6x8, 4, 2, 0, 1
    finish_function 7x8, 4, 3, 0, 1
    finish_function 8x8, 4, 4, 0, 1
    finish_function 3x16, 3, 3, 2, 0
    finish_function 4x16, 4, 4, 2, 0
