// Packers of the RHS of floating-point micro-kernels without SVE or SME: kr = 1, bias of the type of the elements.
// The layout is in pack_rhs_float.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_rhs_float.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

/// TRANSPOSE: what N x K sources need. (Opaque: not a copy of the function for each.)
#define KAI_DEFINE_RUN(NAME, FORMAT, NR, ELEMENT, KXN, TRANSPOSE)                       \
    KAI_RHS_RULES(NAME, tile_rules, kai::FORMAT, NR, 1, 8 * sizeof(ELEMENT), KXN, true) \
    KAI_RHS_TILE_RUN(NAME, void, kai::pack_rhs_float<KXN>(*kai::opaque(&kai_rules_##NAME), call, TRANSPOSE);)
#define KAI_DEFINE_KXN(NAME, FORMAT, NR, ELEMENT)                             \
    KAI_DEFINE_RHS_PACK_GETTERS_KXN(NAME, FORMAT, NR, 1, 1, ELEMENT, ELEMENT) \
    KAI_DEFINE_RUN(NAME, FORMAT, NR, ELEMENT, true, nullptr)
#define KAI_DEFINE_NXK(NAME, FORMAT, NR, ELEMENT)                    \
    KAI_DEFINE_RHS_PACK_GETTERS_NXK(NAME, FORMAT, NR, 1, 1, ELEMENT) \
    KAI_DEFINE_RUN(NAME, FORMAT, NR, ELEMENT, false, kai::opaque(kai::transpose_columns<ELEMENT, NR * sizeof(ELEMENT)>))

extern "C" {

KAI_DEFINE_KXN(rhs_pack_kxn_f32p8x1biasf32_f32_f32_neon, f32pbiasf32, 8, uint32_t)
KAI_DEFINE_KXN(rhs_pack_kxn_x32p16x1b_x32_x32_neon, f32pbiasf32, 16, uint32_t)
KAI_DEFINE_NXK(rhs_pack_nxk_x32p16x1bx32_x32_x32_neon, f32pbiasf32, 16, uint32_t)
KAI_DEFINE_KXN(rhs_pack_kxn_f16p16x1biasf16_f16_f16_neon, f16pbiasf16, 16, uint16_t)
KAI_DEFINE_KXN(rhs_pack_kxn_x16p32x1b_x16_x16_neon, f16pbiasf16, 32, uint16_t)
KAI_DEFINE_NXK(rhs_pack_nxk_x16p32x1bx16_x16_x16_neon, f16pbiasf16, 32, uint16_t)

}  // extern "C"
