// Panels of the indirect f32 GEMM with FMLA (float_neon_table.inc): a vector is 4 columns of a row.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#define ELEMENT_BYTES 4
#define LOADED_HALVES 0xD6  // of the 8 vectors of 2 k
#define FINISH kai_part_float_finish_f32_neon
#include "kai/engines/asm/asm.h"
#include "kai/engines/float/float_neon.inc"
#include "kai/engines/float/float_neon_halves.inc"
#include "kai/engines/float/float_neon_table.inc"

float_table kai_kernel_imatmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla, in_vectors, 16
float_table kai_kernel_imatmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla_cortexa55, in_halves, 8
