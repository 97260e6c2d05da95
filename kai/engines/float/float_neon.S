// Panels of the f32 GEMM with FMLA (float_neon.hpp): a vector is 4 columns of a row.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#define ELEMENT_BYTES 4
#define FINISH kai_part_float_finish_f32_neon
#define FINISH_AT_DST kai_part_float_finish_at_dst_f32_neon
#include "kai/engines/asm/asm.h"
#include "kai/engines/float/float_neon.inc"

float_finish FINISH
float_gemm kai_kernel_matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla, 4, in_vectors, 16
float_gemm kai_kernel_matmul_clamp_f32_f32_f32p8x1biasf32_6x8x4_neon_mla, 2, in_vectors, 16
float_gemm kai_panel_f32_f32_f32kxn_6x16_neon_mla, 4, by_stride, 16

// The same tiles where f16 has become f32: float_in_f32.hpp.
float_finish FINISH_AT_DST, from=dst
float_gemm kai_tiles_f32_6x16_neon, 4, in_vectors, 16, from=dst
