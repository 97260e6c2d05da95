// f32 tiles whose RHS is f16, for Cortex-A55 (float_neon_halves.inc, float_in_f32.hpp): products are added to f32 sums.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#define ELEMENT_BYTES 4
#define WIDENS
#define SAVED_BY_HALVES x19-x28
#define FINISH_AT_DST kai_part_float_finish_at_dst_f16_cortexa55
#include "kai/engines/asm/asm.h"
#include "kai/engines/float/float_neon.inc"
#include "kai/engines/float/float_neon_halves.inc"
#include "kai/engines/float/float_neon_halves_f16.inc"

.macro insert_one row, lane, from:vararg
    ldr     w17, \from
    ins     v\row\().s[\lane], w17
.endm

float_finish FINISH_AT_DST, from=dst
float_gemm kai_tiles_f32_f32_f16_12x16_neon_cortexa55, 4, in_halves, 8, tall, from=dst
