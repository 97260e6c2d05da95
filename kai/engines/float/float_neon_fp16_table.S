// Panels of the indirect f16 GEMM with FMLA (float_neon_table.inc): a vector is 8 columns of a row, every step is
// rounded to f16.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+fp16
#define ELEMENT_BYTES 2
#define LOADED_HALVES 0x7BDE  // of the 16 vectors of 4 k
#define FINISH kai_part_float_finish_f16_neon
#include "kai/engines/asm/asm.h"
#include "kai/engines/float/float_neon.inc"
#include "kai/engines/float/float_neon_halves.inc"
#include "kai/engines/float/float_neon_table.inc"

float_table kai_kernel_imatmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla, in_vectors, 16
float_table kai_kernel_imatmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla_cortexa55, in_halves, 8
