// Panels of the f16 GEMM with FMLA for Cortex-A55 (float_neon_halves.inc): a vector is 8 columns of a row, every step
// is rounded to f16.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+fp16
#define ELEMENT_BYTES 2
#define LOADED_HALVES 0x7BDE  // of the 16 vectors of 4 k,
#define TALL_HALVES 0xDB      // or of 8
#define FINISH kai_part_float_finish_f16_neon
#include "kai/engines/asm/asm.h"
#include "kai/engines/float/float_neon.inc"
#include "kai/engines/float/float_neon_halves.inc"

.macro insert_one row, lane, from:vararg
    ldrh    w17, \from
    ins     v\row\().h[\lane], w17
.endm

float_gemm kai_kernel_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla_cortexa55, 4, in_halves, 8, tall
