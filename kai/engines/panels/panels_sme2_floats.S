// Floats of two packed sides with SME2: those of the classic names (pair), of the unified API (split).
//
//     dst[m][n] = clamp(bias[n] + sum over k of lhs[m][k] * rhs[k][n])
//
// f32: FMOPA, a k at a time, one chain of fused multiply-adds per element that starts at the bias. f16, bf16: two k
// at a time, acc += a0 * b0 + a1 * b1 in f32, rounded as FMOPA and BFMOPA do.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/panels/panels_sme_words.inc"

    multiply_part pair_f32_sme2, pair, fmopa, s
    multiply_part pair_f16_sme2, pair, fmopa, h
    multiply_part pair_bf16_sme2, pair, bfmopa, h
    multiply_part split_f32_sme2, split, fmopa, s
    multiply_part split_f16_sme2, split, fmopa, h
    start_part f16_sme2, f16
    store_part f32_sme2, f32
    store_part f16_sme2, f16
