// Floats of two packed sides with SME. The formulas: panels_sme2_floats.S; in the same order, with the same results.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme_vectors.inc"
#include "kai/engines/panels/panels_sme_words.inc"

    multiply_part pair_f32_sme, pair, fmopa, s
    multiply_part pair_f16_sme, pair, fmopa, h
    multiply_part pair_bf16_sme, pair, bfmopa, h
    start_part f16_sme, f16
    store_part f32_sme, f32
    store_part f16_sme, f16
