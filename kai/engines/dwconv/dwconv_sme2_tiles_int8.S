// Depthwise convolution of int8 with the SMLALL of SME2 that adds to ZA, by tables of pointers: dwconv_sme2_tiles.inc.
//
// Each product of SMLALL adds to an int32 of its own: a vector of channels needs four vectors of sums, of which the one
// with number q has the channels 4 e + q. Vector q of output x is ZA[q + x * a quarter of the vectors]. UZP brings
// starts and scales into this order.
//
//     z0 - z15     after the products, sums: vector q of output x is z[4 q + x]
//     z16 - z19    after the products, starts of the sums, q = 0 to 3
//     z20 - z23    the same, scales
//     z28 - z31    bounds, 1.5 * 2^23, the zero point in every byte
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/engines/asm/asm.h"
#define START 4
#define END 4
#define INPUT_ROWS 1
#include "kai/engines/dwconv/dwconv_sme2_tiles.inc"

    alias   start_0, z16
    alias   start_1, z17
    alias   start_2, z18
    alias   start_3, z19
    alias   scale_0, z20
    alias   scale_1, z21
    alias   scale_2, z22
    alias   scale_3, z23
    alias   lo, z28
    alias   hi, z29
    alias   large, z30
    alias   zero_point, z31

// Bounds, 1.5 * 2^23, the zero point; p1 and pn8: all. Clobbers x12 - x14.
.macro start_call
    add     pixel_0, args, #DWCONV_TILES_SME_lo
    add     pixel_1, args, #DWCONV_TILES_SME_hi
    add     pixel_2, args, #DWCONV_TILES_SME_zero
    ptrue   p1.b
    ptrue   pn8.b
    ld1rw   {lo.s}, p1/z, [pixel_0]
    ld1rw   {hi.s}, p1/z, [pixel_1]
    ld1rb   {zero_point.b}, p1/z, [pixel_2]
    movz    w12, #0x4b40, lsl #16
    dup     large.s, w12
.endm
.macro start_sums
    zero    {za}
.endm
.macro mla weight, first, last, y
    smlall  za.s[w8, 0:3, vgx4], {z\first\().b-z\last\().b}, z\weight\().b
.endm

// z<v> = z<v> <op> \by, for four v.
.macro all_four op, by, a, b, c, d
    element_by \op, \a, \by
    element_by \op, \b, \by
    element_by \op, \c, \by
    element_by \op, \d, \by
.endm
.macro element_by op, v, by
    \op    z\v\().s, z\v\().s, \by\().s
.endm

// z<a> - z<d> = the results with number \q of all outputs: the low byte of what is in an element.
.macro round_sums q, a, b, c, d
    mova    {z\a\().d-z\d\().d}, za.d[w8, \q, vgx4]
    all_four add, start_\q, \a, \b, \c, \d
    scvtf   {z\a\().s-z\d\().s}, {z\a\().s-z\d\().s}
    all_four fmul, scale_\q, \a, \b, \c, \d
    fclamp  {z\a\().s-z\d\().s}, lo.s, hi.s
    all_four fadd, large, \a, \b, \c, \d
.endm

// Output \x from its results with numbers 0 to 3. Clobbers start_<x> and scale_<x>.
.macro store_result x, a, b, c, d
    trn1    start_\x\().b, z\a\().b, z\b\().b
    trn1    scale_\x\().b, z\c\().b, z\d\().b
    trn1    start_\x\().h, start_\x\().h, scale_\x\().h
    add     start_\x\().b, start_\x\().b, zero_point.b
    with_number store_output, (16 + \x), \x
.endm

// Output 0 is the last one: outputs that are not wanted have its pointer.
.macro store_outputs filter
    addvl   pixel_0, weights, #(START + \filter * \filter)
    ld1b    {z16.b-z19.b}, pn8/z, [weights]
    ld1b    {z20.b-z23.b}, pn8/z, [pixel_0]
    uzp     {z16.s-z19.s}, {z16.s-z19.s}
    uzp     {z20.s-z23.s}, {z20.s-z23.s}
    round_sums 0, 0, 1, 2, 3
    round_sums 1, 4, 5, 6, 7
    round_sums 2, 8, 9, 10, 11
    round_sums 3, 12, 13, 14, 15
    store_result 3, 3, 7, 11, 15
    store_result 2, 2, 6, 10, 14
    store_result 1, 1, 5, 9, 13
    store_result 0, 0, 4, 8, 12
.endm

dwconv_tiles kai_kernel_dwconv_int8_3x3_s1_sme2, 3, 1, 1
dwconv_tiles kai_kernel_dwconv_int8_3x3_s2_sme2, 3, 2, 1
dwconv_tiles kai_kernel_dwconv_int8_5x5_s1_sme2, 5, 1, 1
dwconv_tiles kai_kernel_dwconv_int8_5x5_s2_sme2, 5, 2, 1
