// Integer matmuls of two packed sides with SME2: those of the classic names (pair), of the unified API (split), and with an
// RHS of nibbles (pair_nibbles).
//
//     acc[m][n] = bias + sum over k of lhs[m][k] * rhs[k][n]
//
// SMOPA, UMOPA: four k at a time, int32, wraps around. What becomes of acc: panels_sme_int.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/panels/panels_sme.inc"
#include "kai/engines/panels/panels_sme_float.inc"
#include "kai/engines/panels/panels_sme_int.inc"

    mopa_panels kai_kernel_panels_qai8_sme2, pair, smopa, b, i32, 4, qai8, 1
    mopa_panels kai_kernel_split_panels_qai8_sme2, split, smopa, b, i32, 4, qai8, 1
    mopa_panels kai_kernel_pair_nibbles_qai8_sme2, pair_nibbles, smopa, b, i32, 4, qai8, 1
    mopa_panels kai_kernel_split_panels_u8_i32_sme2, split, umopa, b, u8, 0, i32, 4
    mopa_panels kai_kernel_split_panels_u8_scaled_sme2, split, umopa, b, u8, 0, scaled, 4
