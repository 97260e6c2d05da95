// RHS packers of format qai4c32ps1s0nrx4: unsigned int4, a zero and a scale per block of a column, a bias per column.
//
//     packed nibble = source nibble
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_getters.hpp"
#include "kai/src/pack_rhs_blocks_neon.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

// The two differ in the order of the nibbles in the source.
#define KAI_RHS_PACK_QAI4C32(NAME, NIBBLES)                                                                        \
    KAI_DEFINE_RHS_PACK_GETTERS_BL(NAME, qai4c32ps1s0nrx4)                                                         \
    void kai_run_##NAME(                                                                                           \
        [[maybe_unused]] size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl,        \
        const uint8_t* rhs, const void* zero, const void* bias, const void* scale, void* rhs_packed,               \
        [[maybe_unused]] size_t extra_bytes, [[maybe_unused]] const struct kai_rhs_pack_qs4cxs1s0_param* params) { \
        KAI_ASSERT_MSG(num_groups == 1, "num_groups must be 1");                                                   \
        KAI_ASSERT_MSG(nr > 0 && nr % 4 == 0, "nr must be a multiple of 4");                                       \
        KAI_ASSERT_MSG(kr == 8 && sr == 2, "kr must be 8, sr must be 2");                                          \
        KAI_ASSERT_MSG(bl > 0 && bl % 32 == 0, "bl must be a multiple of 32");                                     \
        KAI_ASSERT_MSG(k % bl == 0, "k must be a multiple of bl");                                                 \
        KAI_ASSERT_MSG(extra_bytes == 0, "extra_bytes must be 0");                                                 \
        KAI_ASSERT_MSG(                                                                                            \
            params != nullptr && params->lhs_zero_point == 1 && params->rhs_zero_point == 8,                       \
            "params must be the zero points 1 and 8");                                                             \
        const kai::RhsPack pack{n, k, bl, {nr, kr, sr}, rhs, rhs_packed};                                          \
        const kai::RhsArrays arrays{kai::bytes(zero), kai::bytes(scale), kai::bytes(bias)};                        \
        kai::pack_rhs_arrays<kai::qai4c32ps1s0nrx4, kai::NIBBLES, 0>(pack, arrays);                                \
    }

KAI_RHS_PACK_QAI4C32(rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s0s1_f32_f32_f32_neon, NibblesEvenHigh)
KAI_RHS_PACK_QAI4C32(rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s1s0_f32_f32_f32_neon, NibblesEvenLow)
