// Depthwise convolution of f32 with the FMLA of SME2 that adds to ZA, by tables of pointers: dwconv_sme2_tiles.inc.
// Output x of row y is ZA[y + x * a quarter of the vectors]. z14, z15: bounds of the clamp.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/engines/asm/asm.h"
#define START 1
#define END 0
#define INPUT_ROWS 2
#include "kai/engines/dwconv/dwconv_sme2_tiles.inc"

// z14, z15. Clobbers x12, x13.
.macro load_bounds
    add     pixel_0, args, #DWCONV_TILES_SME_lo
    add     pixel_1, args, #DWCONV_TILES_SME_hi
    ld1rw   {z14.s}, p1/z, [pixel_0]
    ld1rw   {z15.s}, p1/z, [pixel_1]
.endm
.macro start_call
    ptrue   p1.s
    load_bounds
.endm

// All sums = the bias.
.macro start_sums
    ldr     z28, [weights]
    mov     z29.d, z28.d
    mov     z30.d, z28.d
    mov     z31.d, z28.d
    mova    za.d[w8, 0, vgx4], {z28.d-z31.d}
    mova    za.d[w8, 1, vgx4], {z28.d-z31.d}
.endm

.macro mla weight, first, last, y
    fmla    za.s[w8, \y, vgx4], {z\first\().s-z\last\().s}, z\weight\().s
.endm

// Output 0 is the last one: outputs that are not wanted have its pointer.
.macro store_outputs filter
    .if SETS * \filter > 14
    load_bounds
    .endif
    mova    {z0.d-z3.d}, za.d[w8, 0, vgx4]
    mova    {z4.d-z7.d}, za.d[w8, 1, vgx4]
    fmax    {z0.s-z3.s}, {z0.s-z3.s}, z14.s
    fmax    {z4.s-z7.s}, {z4.s-z7.s}, z14.s
    fmin    {z0.s-z3.s}, {z0.s-z3.s}, z15.s
    fmin    {z4.s-z7.s}, {z4.s-z7.s}, z15.s
    .irp i, 7, 6, 5, 4, 3, 2, 1, 0
    store_output \i, \i
    .endr
.endm

dwconv_tiles kai_kernel_dwconv_f32_3x3_s1_sme2, 3, 1, 2
dwconv_tiles kai_kernel_dwconv_f32_3x3_s2_sme2, 3, 2, 2
dwconv_tiles kai_kernel_dwconv_f32_5x5_s1_sme2, 5, 1, 2
dwconv_tiles kai_kernel_dwconv_f32_5x5_s2_sme2, 5, 2, 2
