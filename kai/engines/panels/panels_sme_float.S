// Floating-point matmuls of two packed sides with SME: panels_sme2_float.S has the formulas.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/panels/panels_sme.inc"
#include "kai/engines/panels/panels_sme_float.inc"

    mopa_panels kai_kernel_panels_f32_sme, pair, fmopa, s, f32, 4, f32, 4
    mopa_panels kai_kernel_panels_f16_sme, pair, fmopa, h, f16, 2, f16, 2
    mopa_panels kai_kernel_panels_bf16_sme, pair, bfmopa, h, f32, 4, f32, 4
