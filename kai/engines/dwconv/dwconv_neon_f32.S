// Depthwise convolution of f32 with FMLA, a vector is 4 channels: dwconv_neon_tile.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/asm.h"
#include "kai/engines/dwconv/dwconv_neon_tile.inc"

.macro mla sum, in, weight
    fmla    v\sum\().4s, v\in\().4s, v\weight\().4s
.endm
.macro load_bound v, address
    ld1r    {v\v\().4s}, [\address]
.endm
.macro at_least v
    fmax    v\v\().4s, v\v\().4s, v30.4s
.endm
.macro at_most v
    fmin    v\v\().4s, v\v\().4s, v31.4s
.endm

dwconv_tile kai_kernel_dwconv_f32_3x3_s1_neon, 3, 1
dwconv_tile kai_kernel_dwconv_f32_3x3_s2_neon, 3, 2
dwconv_tile kai_kernel_dwconv_f32_5x5_s1_neon, 5, 1
dwconv_tile kai_kernel_dwconv_f32_5x5_s2_neon, 5, 2
dwconv_tile kai_kernel_dwconv_f32_7x7_s1_neon, 7, 1
