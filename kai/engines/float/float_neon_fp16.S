// Panels of the f16 GEMM with FMLA (float_neon.hpp): a vector is 8 columns of a row, every step is rounded to f16.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+fp16
#define ELEMENT_BYTES 2
#define FINISH kai_part_float_finish_f16_neon
#include "kai/engines/asm/asm.h"
#include "kai/engines/float/float_neon.inc"

float_finish FINISH
float_gemm kai_kernel_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla, 4, in_vectors, 16
float_gemm kai_kernel_matmul_clamp_f16_f16_f16p16x1biasf16_6x16x8_neon_mla, 2, in_vectors, 16
float_gemm kai_panel_f16_f16_f16kxn_6x32_neon_mla, 4, by_stride, 16
