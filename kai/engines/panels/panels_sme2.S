// Matmuls of two packed sides with SME2: those of the classic names (pair), of the unified API (split), and with an
// RHS of nibbles (pair_nibbles).
//
//     floats:  dst[m][n] = clamp(bias[n] + sum over k of lhs[m][k] * rhs[k][n])
//     int8:    acc[m][n] = bias + sum over k of lhs[m][k] * rhs[k][n]; what becomes of it: panels_sme_int.inc
//
// f32: FMOPA, a k at a time, one chain of fused multiply-adds per element that starts at the bias. f16, bf16: two k
// at a time, acc += a0 * b0 + a1 * b1 in f32, rounded as FMOPA and BFMOPA do. int8: SMOPA, UMOPA, four k at a time,
// int32, wraps around.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/panels/panels_sme_int.inc"

    pair_kernels 2
    mopa_panels kai_kernel_split_panels_f32_sme2, split, fmopa, s, words, 4, f32, 4
    mopa_panels kai_kernel_split_panels_f16_sme2, split, fmopa, h, f16, 2, f16, 2
    mopa_panels kai_kernel_split_panels_qai8_sme2, split, smopa, b, words, 4, qai8, 1
    mopa_panels kai_kernel_pair_nibbles_qai8_sme2, pair_nibbles, smopa, b, words, 4, qai8, 1
    mopa_panels kai_kernel_split_panels_u8_i32_sme2, split, umopa, b, u8, 0, i32, 4
    mopa_panels kai_kernel_split_panels_u8_scaled_sme2, split, umopa, b, u8, 0, scaled, 4
