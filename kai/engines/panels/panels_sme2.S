// Matmuls of two packed sides with SME2: those of the classic names (pair), of the unified API (split), and with an
// RHS of nibbles (pair_nibbles) or of 2-bit codes (pair_codes).
//
//     floats:  dst[m][n] = clamp(bias[n] + sum over k of lhs[m][k] * rhs[k][n])
//     int8:    acc[m][n] = bias + sum over k of lhs[m][k] * rhs[k][n]; what becomes of it: panels_sme_parts.inc
//
// f32: FMOPA, a k at a time, one chain of fused multiply-adds per element that starts at the bias. f16, bf16: two k
// at a time, acc += a0 * b0 + a1 * b1 in f32, rounded as FMOPA and BFMOPA do. int8: SMOPA, UMOPA, four k at a time,
// int32, wraps around.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/panels/panels_sme_parts.inc"

// ZT0: the values of nibbles.
.macro take_table
    ldr     t0, [args, #PANEL_ARGS_table]
    cbz     t0, 3f
    ldr     zt0, [t0]
3:
.endm

    panels_function 2
    pair_parts 2
    multiply_part split_f32_sme2, split, fmopa, s
    multiply_part split_f16_sme2, split, fmopa, h
    multiply_part split_s8_sme2, split, smopa, b
    multiply_part split_u8_sme2, split, umopa, b
    multiply_part pair_nibbles_sme2, pair_nibbles, smopa, b
    multiply_part pair_codes_sme2, pair_codes, smopa, b
    start_part u8_sme2, u8
    store_part i32_sme2, i32
    store_part scaled_sme2, scaled
