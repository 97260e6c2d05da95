// Depthwise convolution of f16 with FMLA, a vector is 8 channels: dwconv_neon_tile.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+fp16
#include "kai/engines/asm/asm.h"
#include "kai/engines/dwconv/dwconv_neon_tile.inc"

.macro mla sum, in, weight
    fmla    v\sum\().8h, v\in\().8h, v\weight\().8h
.endm
.macro load_bound v, address
    ld1r    {v\v\().8h}, [\address]
.endm
.macro at_least v
    fmax    v\v\().8h, v\v\().8h, v30.8h
.endm
.macro at_most v
    fmin    v\v\().8h, v\v\().8h, v31.8h
.endm

dwconv_tile kai_kernel_dwconv_f16_3x3_s1_neon_fp16, 3, 1
dwconv_tile kai_kernel_dwconv_f16_3x3_s2_neon_fp16, 3, 2
dwconv_tile kai_kernel_dwconv_f16_5x5_s1_neon_fp16, 5, 1
dwconv_tile kai_kernel_dwconv_f16_5x5_s2_neon_fp16, 5, 2
dwconv_tile kai_kernel_dwconv_f16_7x7_s1_neon_fp16, 7, 1
