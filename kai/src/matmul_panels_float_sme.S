// Floating-point matmuls of two packed sides with SME: matmul_panels_float_sme2.S has the formulas.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/asm/asm.h"
#include "kai/asm/sme_vectors.inc"
#include "kai/asm/sme_mopa_panels.inc"
#include "kai/asm/sme_mopa_panels_float.inc"

    mopa_panels kai_kernel_panels_f32_sme, pair, fmopa, s, f32, 4, f32, 4
    mopa_panels kai_kernel_panels_f16_sme, pair, fmopa, h, f16, 2, f16, 2
    mopa_panels kai_kernel_panels_bf16_sme, pair, bfmopa, h, f32, 4, f32, 4
