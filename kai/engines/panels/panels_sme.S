// Matmuls of two packed sides with SME, in the order of panels_sme2.S, which has the formulas: the same results.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/panels/panels_sme_int.inc"

    mopa_panels kai_kernel_panels_f32_sme, pair, fmopa, s, words, 4, f32, 4
    mopa_panels kai_kernel_panels_f16_sme, pair, fmopa, h, f16, 2, f16, 2
    mopa_panels kai_kernel_panels_bf16_sme, pair, bfmopa, h, words, 4, f32, 4
    mopa_panels kai_kernel_panels_qai8_sme, pair, smopa, b, words, 4, qai8, 1
    mopa_panels kai_kernel_panels_qai8_near_sme, pair, smopa, b, words, 4, qai8_near, 1
