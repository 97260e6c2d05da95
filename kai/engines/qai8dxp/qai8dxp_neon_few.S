// Few rows of the qai8dxp GEMM on NEON (struct FewArgs of qai8dxp_neon.hpp): the loop over columns, whose tiles are in
// qai8dxp_neon_<isa>_few_<RHS>.S. From sums to results: qai8dxp_neon_few_results.S.
//
// Registers that kai_few_neon keeps for tiles, which may change all others but x0, x18 and x29
//   x0   args: struct FewArgs             x23  bytes to the second quad of a pair, or from it to the next pair
//   x19  elements of the first quad       x24  bytes from a pair to the next one
//   x20  fields of the first quad         x25  bytes to the fields of the second quad, as x23
//   x21  dst of the first quad            x26  bytes of dst to the second quad
//   x22  quads to go                      x27  4 * nr: from fields to the next ones of a quad
// An odd quad at the end is its own second quad: x23, x25 and x26 are 0.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_args.h"

args    .req x0

// x16 = the tile function of a kind, or 0.
.macro load_tile kind
    ldr     x16, [args, #FEW_ARGS_tiles + FEW_TILES_\kind]
.endm

func kai_few_neon, hidden
    frame   d8-d15, x19-x28, x29
    ldp     x19, x24, [args, #FEW_ARGS_rhs]
    ldp     x23, x25, [args, #FEW_ARGS_odd_quad]
    ldp     x20, x21, [args, #FEW_ARGS_fields]
    ldr     x22, [args, #FEW_ARGS_quads]
    ldr     x27, [args, #FEW_ARGS_nr]
    ldr     x1, [args, #FEW_ARGS_out]
    add     x20, x20, x19
    mov     x26, #16
    mov     x2, #8
    cmp     x1, #0
    lsl     x27, x27, #2
    csel    x26, x26, x2, eq

    load_tile four
    cbz     x16, 3f
    b       2f
1:
    blr     x16
    load_tile four
    add     x19, x19, x24, lsl #1
    add     x20, x20, x24, lsl #1
    add     x21, x21, x26, lsl #2
2:
    subs    x22, x22, #4
    b.hs    1b
    add     x22, x22, #4
3:
    load_tile two
    cbz     x16, 6f
    b       5f
4:
    blr     x16
    load_tile two
    add     x19, x19, x24
    add     x20, x20, x24
    add     x21, x21, x26, lsl #1
5:
    subs    x22, x22, #2
    b.hs    4b
    adds    x22, x22, #2
    b.eq    8f
    load_tile one
    cbnz    x16, 7f
    mov     x23, #0
    mov     x25, #0
    mov     x26, #0
    load_tile two
    blr     x16
    b       8f
6:
    load_tile one
7:
    blr     x16
    load_tile one
    add     x19, x19, x23
    sub     x23, x24, x23
    add     x20, x20, x25
    sub     x25, x24, x25
    add     x21, x21, x26
    subs    x22, x22, #1
    b.ne    7b
8:
    return
endfunc
