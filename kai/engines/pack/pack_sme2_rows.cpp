// Packer of f32 rows as bf16 (nearest, ties to even) for SME2: panels of 2 V rows, V = SVL / 32. A word of a panel is
// two k of a row. Missing rows of the last panel, and the missing part of a last word, become zero. The work is in
// pack_sme2_rows.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_sme_rows.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"

extern "C" {

kai::PackRowsFn kai_kernel_pack_rows_bf16_sme2;

KAI_DEFINE_LHS_PACK_ROWS_SME(
    lhs_pack_bf16p2vlx2_f32_sme2, bf16p, 2, float, kai_kernel_pack_rows_bf16_sme2, 0, VL(2),
    KAI_DEFINE_LHS_PACKED_GETTERS_OF_PANELS(lhs_pack_bf16p2vlx2_f32_sme2))

}  // extern "C"
