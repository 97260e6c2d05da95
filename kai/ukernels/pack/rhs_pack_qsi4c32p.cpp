// RHS packers of format qsi4c32p: signed int4, a scale per block of a column.
//
//     packed nibble = source nibble XOR 8
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_getters.hpp"
#include "kai/src/pack_rhs_blocks_neon.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

KAI_DEFINE_RHS_PACK_GETTERS_BL(rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0, qsi4c32p)
KAI_DEFINE_RHS_PACK_STRIDE_BL(rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0, qsi4c32p)

void kai_run_rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0(
    [[maybe_unused]] size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl,
    const uint8_t* rhs, [[maybe_unused]] const float* bias, void* rhs_packed, [[maybe_unused]] size_t extra_bytes,
    [[maybe_unused]] const struct kai_rhs_pack_qs4cxs1s0_param* params) {
    KAI_ASSERT_MSG(num_groups == 1, "num_groups must be 1");
    KAI_ASSERT_MSG(nr > 0, "nr must not be 0");
    KAI_ASSERT_MSG(kr >= 2 && kr <= 16 && kr % 2 == 0 && sr == 2, "kr must be even and 2 to 16, sr must be 2");
    KAI_ASSERT_MSG(bl > 0 && bl % 32 == 0 && bl % kr == 0, "bl must be a multiple of 32 and of kr");
    KAI_ASSERT_MSG(k % bl == 0, "k must be a multiple of bl");
    KAI_ASSERT_MSG(bias == nullptr, "this format has no bias");
    KAI_ASSERT_MSG(extra_bytes == 0, "extra_bytes must be 0");
    KAI_ASSERT_MSG(
        params != nullptr && params->lhs_zero_point == 1 && params->rhs_zero_point == 8,
        "params must be the zero points 1 and 8");
    const kai::RhsPack pack{n, k, bl, {nr, kr, sr}, rhs, rhs_packed};
    kai::pack_rhs_records<kai::qsi4c32p, kai::NibblesHalves, 8>(pack);
}
